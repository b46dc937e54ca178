//! Search index: an inverted index over the events `[0, n)` in order of arrival. The caller scans the events from `n`
//! on. So results are exact however far the index is behind.

mod found;
mod initials;
mod long;
mod part;
mod postings;
mod set;
#[cfg(test)]
mod tests;
mod word_index;
mod words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use found::IndexMatches;
pub(crate) use initials::InitialsIndex;
pub use set::Set;
pub use word_index::WordIndex;

use self::part::PartIndex;
use super::{EventTextPart, TermPlan, event_rest, event_text, fold};
use coordination_log::event::Event;

/// Candidate events of a search, so that it need not scan all of them.
pub trait Candidates {
    /// Events below this number are covered; the caller scans the others.
    fn covered(&self) -> u32;
    /// The covered events that fit a plan in this part.
    fn find(&self, part: EventTextPart, plan: &TermPlan) -> IndexMatches;
    /// Whether nobody reads any text of this covered event: its text is the raw one.
    fn is_mute(&self, event: u32) -> bool;
}

/// No index: every event is scanned. A page with a hub of its own has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoIndex;

impl Candidates for NoIndex {
    fn covered(&self) -> u32 {
        0
    }

    fn find(&self, _: EventTextPart, _: &TermPlan) -> IndexMatches {
        IndexMatches::all(0)
    }

    fn is_mute(&self, _: u32) -> bool {
        false
    }
}

impl Candidates for SearchIndex {
    fn covered(&self) -> u32 {
        self.covered
    }

    fn find(&self, part: EventTextPart, plan: &TermPlan) -> IndexMatches {
        let part = match part {
            EventTextPart::Text => &self.text,
            EventTextPart::Rest => &self.rest,
        };
        part.find(plan, self.covered)
    }

    fn is_mute(&self, event: u32) -> bool {
        self.mute.binary_search(&event).is_ok()
    }
}

/// The words of the events `[0, n)`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SearchIndex {
    /// Words of the texts that people read.
    text: PartIndex,
    /// Words of the other fields.
    rest: PartIndex,
    /// Events without readable text, in order: control tokens and the like, few.
    mute: Vec<u32>,
    /// Number of indexed events.
    covered: u32,
    /// The index has reached its size limit and takes no more events.
    full: bool,
}

/// Folded texts of an event, ready for the index. Making them is most of the work and needs no index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// What people read, else the text as written.
    text: String,
    /// The other fields. Each ends with a line break, which occurs in no word.
    rest: String,
    /// The text is the raw one, and nobody reads it.
    mute: bool,
}

impl IndexEntry {
    /// All that the event is found by.
    #[must_use]
    pub fn from_event(event: &Event) -> Self {
        let full_text = event_text(event);
        let mute = matches!(full_text, Some(Cow::Borrowed(_)));
        let text = full_text.map(|text| fold(&text).text.into_owned()).unwrap_or_default();
        let mut rest = String::new();
        for field in event_rest(event) {
            rest.push_str(&fold(field).text);
            rest.push('\n');
        }
        Self { text, rest, mute }
    }
}

impl SearchIndex {
    /// Covers nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next event. False when the index is full; it stays right for the events it covers.
    pub fn add(&mut self, entry: &IndexEntry) -> bool {
        let event = self.covered;
        self.full = self.full
            || event == u32::MAX
            || self.text.note(&entry.text, event).is_none()
            || self.rest.note(&entry.rest, event).is_none();
        if !self.full {
            self.mute.extend(entry.mute.then_some(event));
            self.covered += 1;
        }
        !self.full
    }

    /// Whether it can hold no more.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Bytes that it holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.bytes() + self.rest.bytes() + self.mute.capacity() * size_of::<u32>()
    }

    /// Distinct words of all texts.
    #[must_use]
    pub fn words(&self) -> usize {
        self.text.words()
    }
}

/// Makes room for this many, and a quarter more where they are more than before.
fn reserve<T>(list: &mut Vec<T>, length: usize) {
    if length > list.capacity() {
        list.reserve_exact(length + length / 4 - list.len());
    }
}

/// A count that fits by construction.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Makes room for one more: a quarter instead of as much again, for there are millions.
fn grow<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 4).max(16));
    }
}
