//! Test oracle of REST 1.x: a slow but simple computation of the expected answers from all events of the log, without
//! an index (`contract/monitor-api.md` §4). The tests in `rest1/laws.rs` compare the answers of `coordination::compat`
//! with it.

mod enrich;
mod events;
mod sessions;
mod source;
mod threads;

pub(super) use events::{events, search_events};
pub(super) use sessions::{search_work_sessions, work_session, work_sessions};
pub(super) use source::ScratchLog;

use std::borrow::Cow;
use std::collections::BTreeMap;

use coordination::api::ManualOverride;
use coordination::category::Category;
use coordination::classify::Classifier;
use coordination::event::{Event, derive_role};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::query;

/// Categories by the classifier in force instead of `v1`.
pub(super) trait ScratchCategories {
    /// Category of an event by itself; `number` is its place in the log.
    fn event(&self, number: u32, event: &Event) -> Category;
    /// Category and tags of a session without overrides; `None` for an unknown session.
    fn session(&self, id: &SessionId) -> Option<(Category, Vec<Cow<'static, str>>)>;
}

/// Categories of a hub whose classifier is `v2`.
pub(super) struct HubCategories<'a>(&'a Hub);

impl<'a> HubCategories<'a> {
    /// `None` when `v1` gives the categories: when it is requested or configured.
    pub(super) fn new(hub: &'a Hub, by_v1: bool) -> Option<Self> {
        (!by_v1 && hub.classifier() != Classifier::V1).then_some(Self(hub))
    }
}

impl ScratchCategories for HubCategories<'_> {
    fn event(&self, _: u32, event: &Event) -> Category {
        coordination::event::category::v2_or_fallback(event, derive_role(event, self.0.roster()).role)
    }

    fn session(&self, id: &SessionId) -> Option<(Category, Vec<Cow<'static, str>>)> {
        let detail = query::session(self.0, 0, id)?;
        let category = detail.evidence.automatic.expect("every verdict names its category");
        Some((category, detail.session.sub_tags.into_iter().map(Cow::Owned).collect()))
    }
}

/// Manual categories by session.
pub(super) type Manuals = BTreeMap<SessionId, ManualOverride>;

/// As `ByteLimit::fits` of the crate: counts one more event; false from the first one on that does not fit.
pub(super) fn fits(left: &mut usize, bytes: usize) -> bool {
    let rest = left.checked_sub(bytes);
    *left = rest.unwrap_or(0);
    rest.is_some()
}
