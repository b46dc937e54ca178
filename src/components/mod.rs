//! Widgets that know our domain. They get plain data of `coordination::api` and never fetch.

pub mod agent;
pub mod category;
pub mod copy_button;
pub mod json;
pub mod markdown;
pub mod people;
pub mod session;
pub mod status;
pub mod thread;
pub mod time_ago;
