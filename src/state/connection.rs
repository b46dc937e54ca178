//! How the page is connected: a state with the age of the data, shown in one place, never a bool.

pub use coordination::link::{Connection, Transport};
use leptos::prelude::*;

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
}

impl ConnectionState {
    pub(super) fn new() -> Self {
        Self {
            link: RwSignal::new(Connection::Connecting),
            heard: RwSignal::new(None),
            compat: RwSignal::new(false),
            nudge: RwSignal::new(0),
            panel: RwSignal::new(false),
        }
    }

    /// True while relative times may be trusted to be about now.
    pub fn fresh(self) -> bool {
        matches!(self.link.get(), Connection::Connecting | Connection::Live { .. })
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
