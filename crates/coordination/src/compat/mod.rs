//! Response formats of the existing monitor's REST 1.x, field by field (`contract/monitor-api.md` §4). Where a listed
//! defect made a *value* wrong, this crate returns the right value (`contract/monitor-api.md` §11).

mod categories;
mod enrich;
mod events;
mod sessions;
mod source;
mod threads;

pub use enrich::enrich;
pub use events::{events, search_events};
pub use sessions::{search_work_sessions, work_session, work_sessions};
pub use source::OrderedEvents;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::api::ManualOverride;
use crate::category::Category;
use crate::ids::SessionId;
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

/// Categories by the classifier in force instead of `v1`, so that these answers agree with the page.
pub trait Categories {
    /// Category of an event by itself; `number` is its place in the log.
    fn event(&self, number: u32) -> Category;
    /// Category and tags of a session without overrides; `None` for an unknown session.
    fn session(&self, id: &SessionId) -> Option<(Category, Vec<Cow<'static, str>>)>;
}

/// Overrides by session.
pub type Overrides = BTreeMap<SessionId, ManualOverride>;
