//! State that outlives every page: what this tab knows, how it is connected, what the reader prefers and where they
//! were, what time it is. Written by `live` only (preferences and places aside); pages read.

mod clock;
mod connection;
mod hub;
mod places;
mod preferences;

pub use clock::{Clock, use_clock};
pub use connection::{Connection, ConnectionState, Transport, use_connection};
pub use hub::{Change, Hub, use_hub};
pub use places::{Places, use_places};
pub use preferences::{Preferences, Theme, use_preferences};

use leptos::prelude::*;

/// Creates all of it in the root, so that no page's end takes it along.
pub fn provide() {
    provide_context(Preferences::new());
    provide_context(Places::new());
    provide_context(Clock::new());
    provide_context(Hub::new());
    provide_context(ConnectionState::new());
}
