//! What is derived of each event once, compactly, and ordered lists of events.
//! One order holds everywhere: time, then file, then position in the file, so that the order of arrival never shows.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::category::Category;
use crate::event::Event;
use crate::ids::EventId;
use crate::role::{Derived, Role, SessionType};

/// No session, no thread.
pub(crate) const NONE: u32 = u32::MAX;

/// Derived of one event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fact {
    pub(crate) role: Role,
    pub(crate) from_type: SessionType,
    pub(crate) to_type: SessionType,
    pub(crate) category: Category,
    /// Its type's number in [`Kinds`].
    pub(crate) kind: u16,
    /// Its session's slot, or [`NONE`].
    pub(crate) session: u32,
    /// Its thread's number in the session, or [`NONE`].
    pub(crate) thread: u32,
}

impl Fact {
    pub(crate) fn new(derived: Derived, kind: u16) -> Self {
        Self {
            role: derived.role,
            from_type: derived.from_type,
            to_type: derived.to_type,
            category: Category::EngineeringBuild,
            kind,
            session: NONE,
            thread: NONE,
        }
    }
}

/// The one order of events.
pub(crate) fn order(events: &[Event], a: u32, b: u32) -> Ordering {
    let (a, b) = (&events[a as usize], &events[b as usize]);
    a.at.cmp(&b.at).then_with(|| a.id.cmp_position(&b.id))
}

/// Brings `list`, of which the first `sorted` entries are in order, into order. Costs what was added when that came
/// in order, as it nearly always does.
pub(crate) fn settle(events: &[Event], list: &mut [u32], sorted: usize) {
    let in_order = (sorted.max(1)..list.len()).all(|at| order(events, list[at - 1], list[at]).is_le());
    if !in_order {
        // The standard sort is adaptive: two sorted runs are merged in linear time.
        list.sort_by(|a, b| order(events, *a, *b));
    }
}

/// An ordered list of events that remembers how much of it is in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Posting {
    /// Event numbers; in order after [`Posting::settle`].
    pub(crate) list: Vec<u32>,
    sorted: usize,
}

impl Posting {
    pub(crate) fn push(&mut self, index: u32) {
        self.list.push(index);
    }

    pub(crate) fn settle(&mut self, events: &[Event]) {
        settle(events, &mut self.list, self.sorted);
        self.sorted = self.list.len();
    }
}

/// Event types as small numbers. Never shrinks; a log has a few dozen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Kinds {
    /// The number of this type. A hostile log with more than 65,535 types has the rest counted together.
    pub(crate) fn number(&mut self, name: &str) -> u16 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let Ok(number) = u16::try_from(self.names.len()) else { return u16::MAX };
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The number, when any event has this type.
    pub(crate) fn find(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    pub(crate) fn name(&self, number: u16) -> &str {
        self.names.get(usize::from(number)).map_or("", String::as_str)
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}

/// Where each line stands: finds an event by id and tells repeated lines. Grows with the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Positions {
    files: BTreeMap<String, Vec<(u64, u32)>>,
}

impl Positions {
    /// Notes a line; false when it is known already.
    pub(crate) fn insert(&mut self, id: &EventId, index: u32) -> bool {
        let (token, offset) = id.parts();
        let Some(file) = self.files.get_mut(token) else {
            self.files.insert(token.to_owned(), vec![(offset, index)]);
            return true;
        };
        if file.last().is_none_or(|(last, _)| *last < offset) {
            file.push((offset, index));
            return true;
        }
        match file.binary_search_by_key(&offset, |(offset, _)| *offset) {
            Ok(_) => false,
            Err(at) => {
                file.insert(at, (offset, index));
                true
            }
        }
    }

    pub(crate) fn find(&self, id: &EventId) -> Option<u32> {
        let (token, offset) = id.parts();
        let file = self.files.get(token)?;
        let at = file.binary_search_by_key(&offset, |(offset, _)| *offset).ok()?;
        Some(file[at].1)
    }
}
