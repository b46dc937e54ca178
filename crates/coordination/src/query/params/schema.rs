//! What the stream of schema events is asked, as text.

use super::{Pairs, Reader, ToPairs, Writer};
use crate::api::{EventsFormat, SchemaEventsQuery};
use crate::query::QueryError;

/// Most changes of one answer.
const MAX_CHANGES: u32 = 1_000;

/// Reads `GET schema-events` and its live form.
///
/// # Errors
/// As [`super::sessions_query`].
pub fn schema_events_query(pairs: &Pairs) -> Result<SchemaEventsQuery, QueryError> {
    let read = Reader::new(pairs, &["since", "limit", "agent", "type", "format"])?;
    Ok(SchemaEventsQuery {
        since: read.text("since")?,
        limit: read.limit("limit", MAX_CHANGES)?,
        agents: read.list("agent")?,
        types: read.list("type")?,
        format: read.one_of("format", &["json", "ndjson"])?,
    })
}

impl ToPairs for SchemaEventsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = Writer::default();
        out.put("since", self.since.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.put_all("agent", self.agents.iter().map(String::as_str));
        out.put_all("type", self.types.iter().map(String::as_str));
        out.put("format", self.format.filter(|format| *format == EventsFormat::Ndjson).map(|_| "ndjson"));
        out.0
    }
}
