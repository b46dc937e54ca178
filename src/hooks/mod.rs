//! Functions that join state, URL and time for the pages.

mod fetch;
mod page_title;
mod question;
mod url;

pub use fetch::{Fetch, FetchOptions, use_fetch};
pub use page_title::use_page_title;
pub use url::{Kept, use_go, use_kept, use_pairs, use_segment};
