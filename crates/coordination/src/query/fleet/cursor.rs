//! Cursor of a merged list: the last row of a page, as the name of its machine and the cursor of that machine's own list.
//! It is as short with two hundred machines as with one.
//!
//! The order of a merged list is: key of the row (its time, with what comes before the time), machine by name, order of
//! the machine's own list. So the row says for every other machine where that one continues: with its rows of the same
//! key, if its name comes later, and after them, if its name comes earlier.

use std::cmp::Ordering;

use crate::query::QueryError;
use crate::query::params::invalid;

/// A cursor, as read by one machine.
pub(super) struct FleetCursor<'a> {
    /// Cursor of the machine of the row.
    pub(super) row: &'a str,
    /// Where this machine continues.
    pub(super) resume: Resume,
}

/// Where a machine continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// After the row, which is its own.
    AfterRow,
    /// With its rows of the same key.
    WithEqual,
    /// After its rows of the same key.
    AfterEqual,
}

impl<'a> FleetCursor<'a> {
    /// Reads the cursor for a machine.
    pub(super) fn read(field: &str, text: Option<&'a str>, machine: &str) -> Result<Option<Self>, QueryError> {
        let Some(text) = text else { return Ok(None) };
        let parts = text.split_once('.').filter(|(name, row)| !name.is_empty() && !row.is_empty());
        let (name, row) = parts.ok_or_else(|| invalid(field, "not a page mark of an earlier answer"))?;
        let resume = match machine.cmp(name) {
            Ordering::Less => Resume::AfterEqual,
            Ordering::Equal => Resume::AfterRow,
            Ordering::Greater => Resume::WithEqual,
        };
        Ok(Some(Self { row, resume }))
    }

    /// Writes the cursor of a row.
    pub(super) fn write(machine: &str, row: &str) -> String {
        format!("{machine}.{row}")
    }
}
