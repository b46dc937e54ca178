//! Index of log lines by their position: file and byte offset.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Log;
use crate::event::EventPosition;
use crate::ids::EventId;

/// Index of lines by position: finds an event by id and recognises repeated lines. Grows with the log.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Positions {
    /// Events of each file, by their place in it.
    files: BTreeMap<String, Vec<u32>>,
}

impl Positions {
    /// Notes the next line of the log; false when it is known already. A line that was withdrawn may come a second time.
    pub(crate) fn insert(&mut self, log: &Log, position: &EventPosition, index: u32) -> bool {
        let (token, offset) = place(position.parts());
        let Some(file) = self.files.get_mut(token) else {
            self.files.insert(token.to_owned(), vec![index]);
            return true;
        };
        if file.last().is_none_or(|last| log.offset(*last) < offset) {
            file.push(index);
            return true;
        }
        match file.binary_search_by_key(&offset, |index| log.offset(*index)) {
            Ok(at) if log.is_withdrawn(file[at]) => {
                file[at] = index;
                true
            }
            Ok(_) => false,
            Err(at) => {
                file.insert(at, index);
                true
            }
        }
    }

    /// Removes a withdrawn line that never returns.
    pub(crate) fn remove(&mut self, log: &Log, index: u32) {
        let (token, offset) = place(log.parts(index));
        let Some(file) = self.files.get_mut(token) else { return };
        if let Ok(at) = file.binary_search_by_key(&offset, |index| log.offset(*index)) {
            file.remove(at);
        }
        if file.is_empty() {
            self.files.remove(token);
        }
    }

    pub(crate) fn find(&self, log: &Log, id: &EventId) -> Option<u32> {
        let (token, offset) = place(id.parts());
        let file = self.files.get(token)?;
        let at = file.binary_search_by_key(&offset, |index| log.offset(*index)).ok()?;
        Some(file[at]).filter(|index| !log.is_withdrawn(*index))
    }
}

/// An id without an offset sorts after all that have one.
fn place((token, offset): (&str, Option<u64>)) -> (&str, u64) {
    (token, offset.unwrap_or(u64::MAX))
}
