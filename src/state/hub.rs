//! Copy of the monitor's data in this tab: data source, home page data, newest sessions and newest changes. Only the
//! live link (`src/live/`) updates the copy, except `shown_thread` (the open thread), which the session page sets.

use std::sync::Arc;

use coordination::api::{AgentSummary, Home, SessionCard, ShownThread, SourceInfo, SourceState};
pub use coordination::view::LiveChanges;
use leptos::prelude::*;

use crate::source::DataSource;

/// The tab's knowledge.
#[derive(Clone, Copy)]
pub struct HubState {
    /// Where data comes from; none until the monitor was recognised.
    pub source: RwSignal<Option<DataSource>>,
    /// Home as of the newest frame or answer.
    pub home: RwSignal<Option<Arc<Home>>>,
    /// The newest sessions, newest first, at most [`coordination::api::SNAPSHOT_SESSIONS`]; none until the link has
    /// delivered them.
    pub recent: RwSignal<Option<Arc<Vec<SessionCard>>>>,
    /// What the newest frames touched; replaced by each batch, never grows.
    pub change: RwSignal<Arc<LiveChanges>>,
    /// The thread on the screen: frames bring its new items. Set by the page that shows it.
    pub shown_thread: RwSignal<Option<ShownThread>>,
}

impl HubState {
    pub(super) fn new() -> Self {
        Self {
            source: RwSignal::new(None),
            home: RwSignal::new(None),
            recent: RwSignal::new(None),
            change: RwSignal::new(Arc::new(LiveChanges::default())),
            shown_thread: RwSignal::new(None),
        }
    }

    /// The source, when nothing could be read from it: an empty list then means "not read", never "nothing there".
    pub fn unread_source(self) -> Memo<Option<SourceInfo>> {
        let unread = move |home: &&Arc<Home>| home.all.total == 0 && home.source.state != SourceState::Ok;
        Memo::new(move |_| self.home.with(|home| home.as_ref().filter(unread).map(|home| home.source.clone())))
    }

    /// True when what is shown may be incomplete: the log is not read, or other files could not be read.
    pub fn incomplete(self) -> Memo<bool> {
        let lacks = |home: &Arc<Home>| {
            let source_unknown = home.source.state == SourceState::Unknown && home.all.total > 0;
            home.source.unreadable_total > 0 || !(home.source.state == SourceState::Ok || source_unknown)
        };
        Memo::new(move |_| self.home.with(|home| home.as_ref().is_some_and(lacks)))
    }

    /// Agents as home lists them.
    pub fn agents(self) -> Vec<AgentSummary> {
        self.home.with(|home| home.as_ref().map(|home| home.agents.clone()).unwrap_or_default())
    }
}

/// The tab's knowledge.
pub fn use_hub() -> HubState {
    expect_context()
}
