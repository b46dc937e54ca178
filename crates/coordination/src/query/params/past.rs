//! Query parameters of past moments: `at` and `knownBy` of every question, and those of `GET days` and `GET recap`.

use super::{FromPairs, QueryPairs, QueryReader, QueryWriter, ToPairs};
use crate::api::{AtQuery, DaysQuery, KnownBy, RecapQuery};
use crate::query::QueryError;

impl FromPairs for AtQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &Self::NAMES)?;
        Ok(Self {
            at: read.time("at")?,
            known_by: read.one_of("knownBy", &KnownBy::ALL.map(KnownBy::as_str))?.unwrap_or_default(),
        })
    }
}

impl FromPairs for DaysQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["offset", "near"])?;
        Ok(Self { offset_min: read.offset("offset")?, near: read.time("near")? })
    }
}

impl FromPairs for RecapQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        Ok(Self { since: QueryReader::new(pairs, &["since"])?.time("since")? })
    }
}

impl ToPairs for AtQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put_number("at", self.at);
        out.put("knownBy", Some(self.known_by).filter(|by| *by != KnownBy::default()).map(KnownBy::as_str));
        out.0
    }
}

impl ToPairs for DaysQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put_number("offset", Some(i64::from(self.offset_min)).filter(|minutes| *minutes != 0));
        out.put_number("near", self.near);
        out.0
    }
}

impl ToPairs for RecapQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put_number("since", self.since);
        out.0
    }
}
