//! Query parameters of `GET search`.

use super::{FromPairs, QueryPairs, QueryReader, QueryWriter, ToPairs};
use crate::api::{SearchKind, SearchQuery};
use crate::query::QueryError;

// What `q` says is read by [`crate::search::parse`].
impl FromPairs for SearchQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["q", "in", "limit", "after", "offset"])?;
        Ok(Self {
            q: read.text("q")?.unwrap_or_default(),
            within: read.any_of("in", &SearchKind::ALL.map(SearchKind::as_str))?,
            limit: read.limit("limit", 100)?,
            after: read.text("after")?,
            offset_min: read.offset("offset")?,
        })
    }
}

impl ToPairs for SearchQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("q", Some(&self.q));
        out.put_all("in", self.within.iter().map(|kind| kind.as_str()));
        out.put_number("limit", self.limit.map(i64::from));
        out.put("after", self.after.as_deref());
        out.put_number("offset", Some(i64::from(self.offset_min)).filter(|minutes| *minutes != 0));
        out.0
    }
}
