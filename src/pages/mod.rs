//! Pages of the dashboard, and parts that several pages share, such as the message dialog (`speak`) and the drawer of a
//! raw event. Pages own their queries to the data source and pass plain data to components.

mod agents;
mod alert_rules;
mod audit;
mod drift;
mod events;
mod failure;
mod fleet;
mod flow;
mod home;
mod lazy;
mod names;
mod not_found;
mod permission;
mod raw_event;
mod rules;
mod save_evidence;
mod search;
mod session;
mod sessions;
mod speak;
mod store;
mod stores;
mod tasks;
mod unknown_filter;

pub use lazy::*;

use leptos::prelude::*;

/// Home: the one page that comes with the first load.
pub fn home_page() -> AnyView {
    home::HomePage().into_any()
}

/// An address with nothing behind it.
pub fn not_found_page() -> AnyView {
    not_found::NotFoundPage().into_any()
}
