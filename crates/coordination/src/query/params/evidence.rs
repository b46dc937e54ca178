//! Query parameters of `GET evidence`.

use super::{FromPairs, QueryPairs, QueryReader, QueryWriter, ToPairs};
use crate::api::EvidenceQuery;
use crate::ids::SessionId;
use crate::query::QueryError;

/// Longest `by` and `note`, in characters.
const MAX_BY_CHARS: usize = 200;
/// A note in Korean takes nine bytes a letter in an address, which may hold 8 KiB.
const MAX_NOTE_CHARS: usize = 500;

impl FromPairs for EvidenceQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["session", "since", "until", "mask", "by", "note"])?;
        let short = |name, longest: usize| match read.text(name)? {
            Some(text) if text.chars().count() > longest => {
                Err(refused(name, format!("{name} may hold {longest} characters")))
            }
            text => Ok(text),
        };
        let query = Self {
            session: read.text("session")?.map(SessionId::from),
            since: read.time("since")?,
            until: read.time("until")?,
            mask: read.one_of("mask", &["true", "false"])?.unwrap_or_default(),
            by: short("by", MAX_BY_CHARS)?,
            note: short("note", MAX_NOTE_CHARS)?,
        };
        if query.session.is_none() && query.since.is_none() && query.until.is_none() {
            let message = "session, since or until has to be given".to_owned();
            return Err(refused("session", message));
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
        out.put_number("since", self.since);
        out.put_number("until", self.until);
        out.put("mask", self.mask.then_some("true"));
        out.put("by", self.by.as_deref());
        out.put("note", self.note.as_deref());
        out.0
    }
}
