//! Copy of the monitor's data in this tab: data source, home page data, newest sessions and newest changes. The live
//! link (`src/live/`) updates the copy. Three parts have other writers: `moment`, the past moment that is looked at, and
//! home as of it (`src/app/past`), and `shown_thread`, the open thread (the session page).

use std::sync::Arc;

use coordination::api::{AgentSummary, Home, PastMoment, SessionCard, ShownThread, SourceInfo, SourceState};
pub use coordination::view::LiveChanges;
use leptos::prelude::*;

use crate::source::{DataSource, MonitorV2, SourceError};

/// The tab's knowledge.
#[derive(Clone, Copy)]
pub struct HubState {
    /// Where data comes from; none until the monitor was recognised. It answers as of `moment`.
    pub source: RwSignal<Option<DataSource>>,
    /// Home as it is shown: as of the newest frame or answer, or as of `moment`.
    pub home: RwSignal<Option<Arc<Home>>>,
    /// Home as of the newest frame or answer, whatever is shown.
    pub present: RwSignal<Option<Arc<Home>>>,
    /// The past moment that is looked at. Set by the address.
    pub moment: RwSignal<Option<PastMoment>>,
    /// State of the request for home as of `moment`.
    pub past: PastRequest,
    /// The source that answers as of now.
    present_source: StoredValue<Option<DataSource>>,
    /// The newest sessions, newest first, at most [`coordination::api::SNAPSHOT_SESSIONS`]; none until the link has
    /// delivered them.
    pub recent: RwSignal<Option<Arc<Vec<SessionCard>>>>,
    /// What the newest frames touched; replaced by each batch, never grows.
    pub change: RwSignal<Arc<LiveChanges>>,
    /// The thread on the screen: frames bring its new items. Set by the page that shows it.
    pub shown_thread: RwSignal<Option<ShownThread>>,
}

/// State of the request for home as of a past moment.
#[derive(Clone, Copy)]
pub struct PastRequest {
    /// It is pending.
    pub busy: RwSignal<bool>,
    /// Why the newest one failed.
    pub error: RwSignal<Option<SourceError>>,
    /// Counts requests of the user to try again.
    pub retry: RwSignal<u32>,
    /// Number of queries of the page that wait for an answer as of the moment.
    pub pending: RwSignal<u32>,
}

impl PastRequest {
    /// Whether the page still lacks something of the moment. Reactive.
    pub fn is_pending(self) -> bool {
        self.busy.get() || self.pending.get() > 0
    }
}

impl HubState {
    pub(super) fn new() -> Self {
        let past = PastRequest {
            busy: RwSignal::new(false),
            error: RwSignal::new(None),
            retry: RwSignal::new(0),
            pending: RwSignal::new(0),
        };
        Self {
            source: RwSignal::new(None),
            home: RwSignal::new(None),
            present: RwSignal::new(None),
            moment: RwSignal::new(None),
            past,
            present_source: StoredValue::new(None),
            recent: RwSignal::new(None),
            change: RwSignal::new(Arc::new(LiveChanges::default())),
            shown_thread: RwSignal::new(None),
        }
    }

    /// The monitor was recognised.
    pub fn set_source(self, source: DataSource) {
        self.present_source.set_value(Some(source.clone()));
        self.source.set(Some(source));
        self.go_to(self.moment.get_untracked());
    }

    /// Shows opened files from now on, of which nothing is read yet.
    pub fn show_files(self) {
        self.home.set(None);
        self.present.set(None);
        self.recent.set(None);
        self.moment.set(None);
        self.set_source(DataSource::V2(MonitorV2::of_files()));
        self.change.set(Arc::new(LiveChanges { everything: true, ..LiveChanges::default() }));
    }

    /// Whether opened files are shown: what a monitor sends is then of no interest.
    pub fn shows_files(self) -> bool {
        self.present_source.with_value(|source| matches!(source, Some(DataSource::V2(monitor)) if monitor.is_files()))
    }

    /// The source that answers as of now.
    pub fn present_source(self) -> Option<DataSource> {
        self.present_source.get_value()
    }

    /// Home as of a new frame or answer.
    pub fn take_home(self, home: Home) {
        let home = Some(Arc::new(home));
        if self.moment.get_untracked().is_none() {
            self.home.set(home.clone());
        }
        self.present.set(home);
    }

    /// What new frames touched. Nothing of it changes what is shown of the past.
    pub fn take_change(self, change: LiveChanges) {
        if self.moment.get_untracked().is_none() {
            self.change.set(Arc::new(change));
        }
    }

    /// Whether the monitor answers about past moments; one of 1.x does not. Reactive.
    pub fn has_past(self) -> bool {
        !self.source.with(|source| matches!(source, Some(DataSource::V1(_))))
    }

    /// Looks at a past moment, or at the present again.
    pub fn go_to(self, moment: Option<PastMoment>) {
        let moment = moment.filter(|_| untrack(|| self.has_past()));
        self.moment.set(moment);
        if moment.is_none() {
            self.past.error.set(None);
            self.past.busy.set(false);
            self.home.set(self.present.get_untracked());
        }
        if let Some(source) = self.present_source.get_value() {
            self.source.set(Some(source.at(moment)));
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
