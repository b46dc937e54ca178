//! State that outlives every page: monitor data, connection and clock, which `src/live/` updates; history positions; the
//! rights of the person at the page; and what the user stores in this browser (preferences, read marks, pins, snoozed lines, saved views, agent roles).

mod alert_delay;
mod clock;
mod connection;
mod files;
mod history_state;
mod hub;
mod last_visit;
mod pins;
mod preferences;
mod push_device;
mod reading;
mod rights;
mod roles;
mod snoozed;
mod stored;
mod views;

pub use alert_delay::{AlertChoice, AlertDelay, use_alert_choice};
pub use clock::{PageClock, use_clock};
pub use connection::{Connection, ConnectionState, Transport, use_connection};
pub use files::{FilesChoice, OpenedFiles, RecentFiles, use_files};
pub use history_state::{HistoryState, use_history_state};
pub use hub::{HubState, LiveChanges, use_hub};
pub use last_visit::{LastVisit, use_last_visit};
pub use pins::{Pins, use_pins};
pub use preferences::{Preferences, Theme, preferred_locale, use_preferences};
pub use push_device::{PushDevice, use_push_device};
pub use reading::{ReadMarks, ThreadMark, UnreadCount, use_reading};
pub use rights::{Rights, use_rights};
pub use roles::{Roles, use_roles};
pub use snoozed::{SnoozeUntil, SnoozedLines, use_snoozed};
pub use stored::storage;
pub use views::{MAX_NAME_CHARS, SavedView, Views, use_views};

use leptos::prelude::*;

/// Creates all of it in the root, so that no page's end takes it along.
pub fn provide() {
    provide_context(Preferences::new());
    provide_context(HistoryState::new());
    let hub = HubState::new();
    provide_context(hub);
    let clock = PageClock::new(hub.moment);
    provide_context(clock);
    provide_context(ReadMarks::new(hub));
    let rights = Rights::new(hub);
    provide_context(rights);
    provide_context(LastVisit::new(clock, hub, rights));
    provide_context(SnoozedLines::new());
    provide_context(Pins::new());
    provide_context(Views::new());
    provide_context(Roles::new());
    provide_context(AlertChoice::new());
    provide_context(PushDevice::new());
    provide_context(OpenedFiles::new());
    let connection = ConnectionState::new();
    connection.mark_root();
    provide_context(connection);
}
