//! Query parameters of `GET schema-events` and `GET schema-events/live`, the list and the live stream of schema events
//! (normalised events of coding agents).

use super::{FromPairs, QueryPairs, QueryReader, QueryWriter, ToPairs};
use crate::api::{EventsFormat, EventsGroup, SchemaEventsQuery};
use crate::query::QueryError;

/// Maximum number of changes of one answer.
const MAX_CHANGES: u32 = 1_000;

impl FromPairs for SchemaEventsQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(
            pairs,
            &["since", "limit", "agent", "type", "run_id", "terminal_session_id", "group", "format"],
        )?;
        Ok(Self {
            since: read.text("since")?,
            limit: read.limit("limit", MAX_CHANGES)?,
            agents: read.list("agent")?,
            types: read.list("type")?,
            runs: read.list("run_id")?,
            terminals: read.list("terminal_session_id")?,
            group: read.one_of("group", &["run"])?,
            format: read.one_of("format", &["json", "ndjson"])?,
        })
    }
}

impl ToPairs for SchemaEventsQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("since", self.since.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.put_all("agent", self.agents.iter().map(String::as_str));
        out.put_all("type", self.types.iter().map(String::as_str));
        out.put_all("run_id", self.runs.iter().map(String::as_str));
        out.put_all("terminal_session_id", self.terminals.iter().map(String::as_str));
        out.put("group", self.group.map(|EventsGroup::Run| "run"));
        out.put("format", self.format.filter(|format| *format == EventsFormat::Ndjson).map(|_| "ndjson"));
        out.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_events_query_round_trips() {
        let query = SchemaEventsQuery {
            since: Some("0a.12".to_owned()),
            limit: Some(1_000),
            agents: vec!["core/leader".to_owned(), "core/a,b".to_owned()],
            types: vec!["tool_failed".to_owned()],
            runs: vec!["run_1".to_owned(), "a,b".to_owned()],
            terminals: vec!["term_1".to_owned()],
            group: Some(EventsGroup::Run),
            format: Some(EventsFormat::Ndjson),
        };
        assert_eq!(SchemaEventsQuery::from_pairs(&query.to_pairs()), Ok(query));
        assert_eq!(SchemaEventsQuery::from_pairs(&Vec::new()), Ok(SchemaEventsQuery::default()));
        for (name, value) in
            [("limit", "0"), ("limit", "1001"), ("format", "xml"), ("group", "agent"), ("path", "/etc")]
        {
            let error = SchemaEventsQuery::from_pairs(&[(name.to_owned(), value.to_owned())]).expect_err(value);
            assert_eq!(error.field, name);
        }
    }
}
