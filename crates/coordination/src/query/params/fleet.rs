//! Query parameters of the routes below `GET fleet/`.

use super::{FromPairs, QueryPairs, QueryReader, QueryWriter, ToPairs};
use crate::api::{EveryRow, FleetSearchQuery, OnMachines};
use crate::query::QueryError;

/// Parameter that names machines.
const HOST: &str = "host";

impl<Q: FromPairs> FromPairs for OnMachines<Q> {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let (hosts, rest): (Vec<_>, Vec<_>) = pairs.iter().cloned().partition(|(name, _)| name == HOST);
        let query = Q::from_pairs(&rest).map_err(|mut error| {
            // The list of parameters: this route has one more.
            if error.message.contains("no such parameter") {
                error.allowed.push(HOST.to_owned());
                error.message = format!("{}, {HOST}", error.message);
            }
            error
        })?;
        Ok(Self { hosts: QueryReader::new(&hosts, &[HOST])?.list(HOST)?, query })
    }
}

impl<Q: ToPairs> ToPairs for OnMachines<Q> {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter(self.query.to_pairs());
        out.put_all(HOST, self.hosts.iter().map(String::as_str));
        out.0
    }
}

impl FromPairs for EveryRow {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        QueryReader::new(pairs, &[]).map(|_| Self {})
    }
}

impl ToPairs for EveryRow {
    fn to_pairs(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

impl FromPairs for FleetSearchQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["q", "offset"])?;
        Ok(Self { q: read.text("q")?.unwrap_or_default(), offset_min: read.offset("offset")? })
    }
}

impl ToPairs for FleetSearchQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("q", Some(&self.q));
        out.put_number("offset", Some(i64::from(self.offset_min)).filter(|minutes| *minutes != 0));
        out.0
    }
}
