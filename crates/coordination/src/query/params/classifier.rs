//! Parameters of the classifier routes.

use super::{Pairs, Reader, invalid, not_one_of};
use crate::classify::Classifier;
use crate::query::QueryError;

/// Reads `GET classifier/replay`: before which session, and how many.
///
/// # Errors
/// As [`sessions_query`](super::sessions_query).
pub fn replay_query(pairs: &Pairs) -> Result<(Option<u32>, Option<u32>), QueryError> {
    let read = Reader::new(pairs, &["after", "limit"])?;
    let after = read.text("after")?.map(|text| text.parse()).transpose();
    Ok((after.map_err(|_| invalid("after", "not a page mark"))?, read.limit("limit", 1000)?))
}

/// Reads `GET sessions/{id}`: the classifier of its category; absent: the one in force.
///
/// # Errors
/// As [`sessions_query`](super::sessions_query).
pub fn classifier_query(pairs: &Pairs) -> Result<Option<Classifier>, QueryError> {
    match Reader::new(pairs, &["classifier"])?.text("classifier")?.as_deref() {
        None => Ok(None),
        Some("v1") => Ok(Some(Classifier::V1)),
        Some("v2") => Ok(Some(Classifier::V2)),
        Some(_) => Err(not_one_of("classifier", &["v1", "v2"])),
    }
}
