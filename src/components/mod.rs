//! Widgets that know our domain. They get plain data of `coordination::api` and never fetch.

pub mod agent;
pub mod category;
pub mod people;
pub mod status;
pub mod time_ago;
