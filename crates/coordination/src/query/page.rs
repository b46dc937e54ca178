//! Page cursors of event lists, the check of page sizes, and the ranking of facet counts. A cursor names an event by
//! its time and id, not by its index, so that new events do not shift the pages.

use super::QueryError;
use super::params::invalid;
use crate::api::page_mark;
use crate::hub::{Hub, count};
use crate::ids::EventId;

/// A place in the order of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventMark {
    at: i64,
    id: EventId,
}

impl EventMark {
    pub(super) fn encode(hub: &Hub, index: u32) -> String {
        page_mark(hub.at(index), &hub.id(index))
    }

    /// Decodes a mark of an earlier answer.
    pub(super) fn read(field: &str, text: Option<&String>) -> Result<Option<Self>, QueryError> {
        let Some(text) = text else { return Ok(None) };
        text.split_once('.')
            .and_then(|(at, id)| Some(Self { at: at.parse().ok()?, id: EventId::from(id) }))
            .filter(|mark| !mark.id.as_str().is_empty())
            .map(Some)
            .ok_or_else(|| invalid(field, "not a page mark of an earlier answer"))
    }

    /// The place before all events of its moment, oldest first.
    pub(super) fn at_moment(self) -> Self {
        // Sorts before every id.
        Self { id: EventId::from(""), ..self }
    }

    /// The place after all events of its moment.
    pub(super) fn after_moment(self) -> Self {
        Self { at: self.at.saturating_add(1), ..self.at_moment() }
    }

    /// Order of an event relative to this place.
    pub(super) fn cmp_event(&self, hub: &Hub, index: u32) -> std::cmp::Ordering {
        hub.at(index).cmp(&self.at).then_with(|| hub.events().parts(index).cmp(&self.id.parts()))
    }
}

/// Number of events of an ordered list before the mark.
pub(super) fn before(hub: &Hub, list: &[u32], mark: &EventMark) -> usize {
    list.partition_point(|index| mark.cmp_event(hub, *index).is_lt())
}

/// Number of events of an ordered list before or at the mark.
pub(super) fn through(hub: &Hub, list: &[u32], mark: &EventMark) -> usize {
    list.partition_point(|index| mark.cmp_event(hub, *index).is_le())
}

/// A page size within bounds.
pub(super) fn limit(given: Option<u32>, default: u32, max: u32) -> Result<usize, QueryError> {
    let limit = given.unwrap_or(default);
    if (1..=max).contains(&limit) {
        Ok(limit as usize)
    } else {
        let mut error = invalid("limit", &format!("a whole number from 1 to {max}"));
        error.allowed = vec![format!("1..{max}")];
        Err(error)
    }
}

/// Counts as the most frequent first, ties by name.
pub(super) fn ranked<'a>(counts: impl Iterator<Item = (&'a str, u32)>, max: usize) -> Vec<(String, u32)> {
    let mut list: Vec<(String, u32)> =
        counts.filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_owned(), count)).collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    list.truncate(max);
    list
}

/// A list's length as a count.
pub(super) fn len<T>(list: &[T]) -> u32 {
    count(list.len())
}
