//! Functions that join state, URL and time for the pages.

mod fetch;
mod page_title;
mod question;
mod unread;
mod url;

pub use fetch::{Fetch, FetchOptions, use_fetch};
pub use page_title::use_page_title;
pub use unread::use_unread_sessions;
pub use url::{Kept, use_go, use_kept, use_pairs, use_segment};
