//! Queries and answers of REST 1.x, compatible field by field with the original 1.x monitor (`contract/monitor-api.md`
//! §4). The defects listed in §11 are corrected.

mod answer;
mod enrich;
mod events;
mod sessions;
mod threads;

pub use answer::V1Answer;
pub use enrich::enrich;
pub use events::{events, search_events};
pub use sessions::{search_work_sessions, work_session, work_sessions};

use crate::classify::Classifier;
use crate::hub::Hub;
use crate::role::Role;
use crate::session::Status;

/// Maximum bytes of the events in one answer, counted as lines of the log; unlimited by default. An answer takes about
/// ten times as much memory while it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteLimit(pub usize);

impl Default for ByteLimit {
    fn default() -> Self {
        Self(usize::MAX)
    }
}

impl ByteLimit {
    /// Counts one more event; false from the first one on that does not fit.
    fn fits(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// Query of `GET /api/events`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct V1EventsQuery {
    /// Inclusive; epoch milliseconds.
    pub since: Option<i64>,
    /// As given; an unknown role matches nothing.
    pub role: Option<String>,
    /// Any of these types; empty = all.
    pub types: Vec<String>,
    /// As given; `all` or blank = off.
    pub view_category: Option<String>,
    /// How many at most.
    pub limit: usize,
    /// Byte limit of the events in the answer.
    pub bound: ByteLimit,
}

/// Query of `GET /api/events/search`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct V1SearchQuery {
    /// Plain text, any case.
    pub q: String,
    /// Role as given.
    pub role: Option<String>,
    /// Category as given.
    pub view_category: Option<String>,
    /// How many at most.
    pub limit: usize,
    /// How many to skip.
    pub offset: usize,
    /// Byte limit of the events in the answer.
    pub bound: ByteLimit,
}

/// Query of `GET /api/work-sessions`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkSessionsQuery {
    /// Any of these; empty = all.
    pub status: Vec<Status>,
    /// Shows events of these roles; empty = all.
    pub role: Vec<Role>,
    /// Shows events of these types; empty = all.
    pub types: Vec<String>,
    /// As given; `all` or blank = off.
    pub view_category: Option<String>,
    /// One tag, any case.
    pub sub_tag: Option<String>,
    /// How many at most.
    pub limit: usize,
    /// Byte limit of the events in the answer.
    pub bound: ByteLimit,
}

/// State that an answer depends on: equal validity means equal answers to equal requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct V1Validity {
    /// Number of changes of the hub.
    pub revision: u64,
    /// Until when no session changes its status by time alone; epoch milliseconds.
    pub until: i64,
}

impl V1Validity {
    /// Validity of answers at `now`.
    #[must_use]
    pub fn at(hub: &Hub, now: i64) -> Self {
        Self { revision: hub.revision(), until: hub.v1_groups().unchanged_until(now) }
    }
}

impl Hub {
    /// Whether `v1` gives the categories of 1.x answers, as it always did: when it is requested or configured.
    pub(crate) fn is_by_v1(&self, requested: bool) -> bool {
        requested || self.classifier() == Classifier::V1
    }
}
