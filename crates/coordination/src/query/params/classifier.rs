//! Query parameters of `GET classifier/replay` and of `GET sessions/{id}`, which can name a classifier version.

use super::{FromPairs, QueryPairs, QueryReader, invalid, not_one_of};
use crate::api::{Classifier, ReplayQuery, SessionQuery};
use crate::query::QueryError;

impl FromPairs for ReplayQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["after", "limit"])?;
        let after = read.text("after")?.map(|text| text.parse()).transpose();
        Ok(Self { after: after.map_err(|_| invalid("after", "not a page mark"))?, limit: read.limit("limit", 1000)? })
    }
}

impl FromPairs for SessionQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let classifier = match QueryReader::new(pairs, &["classifier"])?.text("classifier")?.as_deref() {
            None => None,
            Some("v1") => Some(Classifier::V1),
            Some("v2") => Some(Classifier::V2),
            Some(_) => return Err(not_one_of("classifier", &["v1", "v2"])),
        };
        Ok(Self { classifier })
    }
}
