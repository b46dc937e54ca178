//! Widgets that know our domain. They get plain data of `coordination::api` and never fetch.

pub mod agent;
pub mod agent_list;
pub mod all_read;
pub mod attention_list;
pub mod braid;
pub mod category;
pub mod category_grid;
pub mod copy_button;
pub mod event;
pub mod fold;
pub mod hidden;
pub mod json;
pub mod markdown;
pub mod people;
pub mod plain;
pub mod session;
pub mod session_card;
pub mod shares;
pub mod source_empty;
pub mod status;
pub mod task;
pub mod thread;
pub mod time_ago;
pub mod unread;
