//! Writer of query parameters, the reverse of [`QueryReader`](super::reader::QueryReader).

use crate::api::AgentPair;
use crate::commas;

/// Parameters that were written so far.
#[derive(Default)]
pub(super) struct QueryWriter(pub(super) Vec<(String, String)>);

impl QueryWriter {
    pub(super) fn put(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }

    pub(super) fn put_all<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a str>) {
        for value in values {
            self.put(name, Some(&commas::item(value)));
        }
    }

    pub(super) fn put_pairs(&mut self, name: &str, pairs: &[AgentPair]) {
        for pair in pairs {
            self.put(name, Some(&pair.to_string()));
        }
    }

    pub(super) fn put_number(&mut self, name: &str, value: Option<i64>) {
        self.put(name, value.map(|number| number.to_string()).as_deref());
    }
}
