//! Connection state of the live link, with the time of the last message. Even if the link is up, the state is "stale"
//! while a query of the open page keeps failing and its older answer is still shown.

pub use coordination::link::{Connection, Transport};
use leptos::prelude::*;

use super::preferences::root_attribute;

/// The link as the page sees it.
#[derive(Clone, Copy)]
pub struct ConnectionState {
    /// Written by `live` only; on the page of a fleet by its poll (`queries`).
    pub link: RwSignal<Connection>,
    /// When the last message of the monitor was received, by the page's clock.
    pub last_received: RwSignal<Option<i64>>,
    /// The monitor speaks only 1.x.
    pub compat: RwSignal<bool>,
    /// The monitor, or a proxy before it, refuses the person at this page (401, 403).
    pub refused: RwSignal<bool>,
    /// Counts requests of the user to try at once.
    pub nudge: RwSignal<u32>,
    /// The user looks at the state of the data.
    pub panel: RwSignal<bool>,
    /// Queries of the open page that fail while an older answer is shown: their number, and since when, by the page's
    /// clock.
    stale: RwSignal<Vec<(u64, i64)>>,
}

impl ConnectionState {
    pub(super) fn new() -> Self {
        Self {
            link: RwSignal::new(Connection::Connecting),
            last_received: RwSignal::new(None),
            compat: RwSignal::new(false),
            refused: RwSignal::new(false),
            nudge: RwSignal::new(0),
            panel: RwSignal::new(false),
            stale: RwSignal::new(Vec::new()),
        }
    }

    /// The link and its effect: a page that could not fetch reported changes is not live,
    /// however well the link is.
    pub fn shown(self) -> Connection {
        let oldest = self.stale.with(|stale| stale.iter().map(|(_, since)| *since).min());
        match (self.link.get(), oldest) {
            (Connection::Live { .. }, Some(since)) => Connection::Stale { since },
            (link, _) => link,
        }
    }

    /// The query fails since then; what it shows may be outdated.
    pub fn mark_stale(self, query_id: u64, since: i64) {
        if self.stale.with_untracked(|stale| stale.iter().all(|(other, _)| *other != query_id)) {
            self.stale.update(|stale| stale.push((query_id, since)));
        }
    }

    /// The query was answered, or is no longer used.
    pub fn mark_fresh(self, query_id: u64) {
        if self.stale.with_untracked(|stale| stale.iter().any(|(other, _)| *other == query_id)) {
            self.stale.update(|stale| stale.retain(|(other, _)| *other != query_id));
        }
    }

    /// True while relative times may be trusted to be about now.
    pub fn fresh(self) -> bool {
        matches!(self.link.get(), Connection::Connecting | Connection::Live { .. } | Connection::Files)
    }

    /// `data-link="down"` on the page's root while the state is unknown: nothing spins then.
    pub(super) fn mark_root(self) {
        let down = Memo::new(move |_| !self.fresh());
        Effect::new(move |_| root_attribute("data-link", down.get().then_some("down")));
    }

    /// Asks for a try at once.
    pub fn try_now(self) {
        self.nudge.update(|count| *count += 1);
    }
}

/// The link.
pub fn use_connection() -> ConnectionState {
    expect_context()
}
