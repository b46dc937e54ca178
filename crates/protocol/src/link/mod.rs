//! Client side of the live stream, without IO: transport choice, timeouts, reconnects and state. The browser opens
//! connections and reports events. Tests do the same with in-memory pipes and their own clock.

mod client;
mod machine;
mod tab;

pub use client::{LinkClient, OpenRequest, Order};
pub use machine::SILENCE_MS;
pub use tab::TabChanges;

/// What carries live frames, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// WebSocket.
    Socket,
    /// Server-sent events.
    Events,
    /// Long poll, or repeated reading of a 1.x monitor.
    Poll,
}

/// The link to the monitor, as the page shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// Never connected yet.
    Connecting,
    /// Frames arrive, or their absence is still normal.
    Live {
        /// The transport in use.
        transport: Transport,
    },
    /// There is no link: files that were opened on the page are shown.
    Files,
    /// The link is open, or being replaced, and no frame has come for too long.
    Stale {
        /// Time of the last frame, by the device's clock.
        since: i64,
    },
    /// No link; trying again.
    Offline {
        /// Time of the last frame, if any, by the device's clock.
        since: Option<i64>,
        /// Which try comes next, from 1.
        attempt: u32,
    },
}

impl Connection {
    /// The same by a clock that is `ahead` of the device's.
    #[must_use]
    pub fn by_clock_ahead(self, ahead: i64) -> Self {
        match self {
            Self::Stale { since } => Self::Stale { since: since + ahead },
            Self::Offline { since: Some(since), attempt } => Self::Offline { since: Some(since + ahead), attempt },
            other => other,
        }
    }
}
