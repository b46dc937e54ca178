//! Query parameters of `GET evidence`.

use super::{FromPairs, QueryPairs, QueryReader, QueryWriter, ToPairs};
use crate::api::{EvidenceFormat, EvidenceQuery};
use crate::ids::{SessionId, ThreadId};
use crate::query::QueryError;

const NAMES: [&str; 10] = ["session", "thread", "q", "since", "until", "mask", "notes", "by", "note", "format"];
/// Longest `by`, in characters.
const MAX_BY_CHARS: usize = 200;

impl FromPairs for EvidenceQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &NAMES)?;
        let by = read.text("by")?;
        if by.as_ref().is_some_and(|by| by.chars().count() > MAX_BY_CHARS) {
            return Err(refused("by", format!("by may hold {MAX_BY_CHARS} characters")));
        }
        let query = Self {
            session: read.text("session")?.map(SessionId::from),
            thread: read.text("thread")?.map(ThreadId::from),
            q: read.text("q")?.filter(|q| !q.trim().is_empty()),
            since: read.time("since")?,
            until: read.time("until")?,
            mask: read.one_of("mask", &["true", "false"])?.unwrap_or_default(),
            notes: read.one_of("notes", &["true", "false"])?.unwrap_or_default(),
            by,
            note: read.text("note")?,
            format: read.one_of("format", &EvidenceFormat::ALL.map(EvidenceFormat::as_str))?.unwrap_or_default(),
        };
        if query.session.is_none() && query.q.is_none() && query.since.is_none() && query.until.is_none() {
            let message = "session, q, since or until has to be given".to_owned();
            return Err(refused("session", message));
        }
        if query.thread.is_some() && query.session.is_none() {
            return Err(refused("session", "the session of the thread has to be given".to_owned()));
        }
        Ok(query)
    }
}

fn refused(field: &str, message: String) -> QueryError {
    QueryError { field: field.to_owned(), allowed: Vec::new(), message, range: None, fault: None }
}

impl ToPairs for EvidenceQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("session", self.session.as_ref().map(SessionId::as_str));
        out.put("thread", self.thread.as_ref().map(ThreadId::as_str));
        out.put("q", self.q.as_deref());
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.put("mask", self.mask.then_some("true"));
        out.put("notes", self.notes.then_some("true"));
        out.put("by", self.by.as_deref());
        out.put("note", self.note.as_deref());
        out.put("format", Some(self.format).filter(|it| *it != EvidenceFormat::default()).map(EvidenceFormat::as_str));
        out.0
    }
}
