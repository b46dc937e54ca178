//! Reactive helpers of the pages, mostly `use_*` functions: queries to the data source, pagination, polling, URL,
//! keyboard shortcuts, unread counts and document title.

mod fetch;
mod fleet;
mod fleet_list;
mod fleet_stream;
mod keys;
mod page_title;
mod pages;
mod polling;
mod refetch_policy;
mod unread;
mod url;

pub use fetch::{Fetch, FetchOptions, use_fetch};
pub use fleet::{FleetQuery, provide_fleet, use_fleet, use_fleet_search};
pub use fleet_list::{FleetList, FleetListQuery, FleetRows, use_fleet_agents, use_fleet_list};
pub use keys::{
    BINDINGS, Binding, KeyMeaning, Press, Pressed, Shortcut, ShortcutHandlers, ShortcutScope, acts_alone,
    in_text_field, meaning, provide_keys, use_key, use_keys,
};
pub use page_title::{provide_title_count, use_page_title, use_title_count};
pub use pages::{Pages, use_pages};
pub use polling::{poll_while_visible, refetch_after_changes};
pub use unread::use_unread_sessions;
pub use url::{Edit, Go, StoredQuery, use_edit, use_go, use_pairs, use_segment, use_stored_query};
