//! Functions that join state, URL and time for the pages.

mod again;
mod fetch;
mod keys;
mod page_title;
mod pages;
mod question;
mod unread;
mod url;

pub use again::{ask_after_changes, ask_while_seen};
pub use fetch::{Fetch, FetchOptions, use_fetch};
pub use keys::{
    BINDINGS, Binding, Key, Keys, Meaning, Press, Pressed, Scope, acts_alone, in_text_field, meaning, provide_keys,
    use_key, use_keys,
};
pub use page_title::use_page_title;
pub use pages::{Pages, use_pages};
pub use unread::use_unread_sessions;
pub use url::{Edit, Go, StoredQuery, use_edit, use_go, use_kept, use_pairs, use_segment};
