//! State that outlives every page: what this tab knows, how it is connected, what the user prefers and where they
//! were, what they have seen, what time it is. Written by `live` only (what is the user's own aside); pages read.

mod clock;
mod connection;
mod dismissed;
mod hub;
mod pins;
mod places;
mod preferences;
mod reading;
mod roles;
mod stored;
mod views;

pub use clock::{Clock, use_clock};
pub use connection::{Connection, ConnectionState, Transport, use_connection};
pub use dismissed::{Dismissed, SnoozeUntil, line_key, use_dismissed};
pub use hub::{Change, Hub, use_hub};
pub use pins::{Pins, use_pins};
pub use places::{Places, use_places};
pub use preferences::{Preferences, Theme, use_preferences};
pub use reading::{Reading, ThreadMark, Unread, use_reading};
pub use roles::{Roles, use_roles};
pub use stored::storage;
pub use views::{MAX_NAME, SavedView, Views, use_views};

use leptos::prelude::*;

/// Creates all of it in the root, so that no page's end takes it along.
pub fn provide() {
    provide_context(Preferences::new());
    provide_context(Places::new());
    provide_context(Clock::new());
    let hub = Hub::new();
    provide_context(hub);
    provide_context(Reading::new(hub));
    provide_context(Dismissed::new());
    provide_context(Pins::new());
    provide_context(Views::new());
    provide_context(Roles::new());
    let connection = ConnectionState::new();
    connection.mark_root();
    provide_context(connection);
}
