//! Connection state with the age of the data, shown in one place; never a bool.

pub use coordination::link::{Connection, Transport};
use leptos::prelude::*;

use super::preferences::root_attribute;

/// The link as the page sees it.
#[derive(Clone, Copy)]
pub struct ConnectionState {
    /// Written by `live` only.
    pub link: RwSignal<Connection>,
    /// When anything was last heard from the monitor, by the page's clock.
    pub heard: RwSignal<Option<i64>>,
    /// The monitor speaks only 1.x.
    pub compat: RwSignal<bool>,
    /// Counts requests of the reader to try at once.
    pub nudge: RwSignal<u32>,
    /// The reader looks at the state of the data.
    pub panel: RwSignal<bool>,
    /// Questions of the open page that find nobody while an older answer is shown: their number, and since when, by the
    /// page's clock.
    behind: RwSignal<Vec<(u64, i64)>>,
}

impl ConnectionState {
    pub(super) fn new() -> Self {
        Self {
            link: RwSignal::new(Connection::Connecting),
            heard: RwSignal::new(None),
            compat: RwSignal::new(false),
            nudge: RwSignal::new(0),
            panel: RwSignal::new(false),
            behind: RwSignal::new(Vec::new()),
        }
    }

    /// The link and what came of it: a page that could not ask for what it was told of is not live, however well the
    /// link is.
    pub fn shown(self) -> Connection {
        let oldest = self.behind.with(|behind| behind.iter().map(|(_, since)| *since).min());
        match (self.link.get(), oldest) {
            (Connection::Live { .. }, Some(since)) => Connection::Stale { since },
            (link, _) => link,
        }
    }

    /// A question finds nobody since then; what it shows may be older than what is known.
    pub fn fall_behind(self, question: u64, since: i64) {
        if self.behind.with_untracked(|behind| behind.iter().all(|(other, _)| *other != question)) {
            self.behind.update(|behind| behind.push((question, since)));
        }
    }

    /// A question was answered, or is asked no more.
    pub fn catch_up(self, question: u64) {
        if self.behind.with_untracked(|behind| behind.iter().any(|(other, _)| *other == question)) {
            self.behind.update(|behind| behind.retain(|(other, _)| *other != question));
        }
    }

    /// True while relative times may be trusted to be about now.
    pub fn fresh(self) -> bool {
        matches!(self.link.get(), Connection::Connecting | Connection::Live { .. })
    }

    /// `data-link="down"` on the page's root while it is not known what goes on: nothing spins then.
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
