//! Components of the product's domain, such as agents, sessions, threads, events, tasks and the flow. Most get plain
//! data of `coordination::api` as properties; some also use the state of the page.

pub mod agent;
pub mod agent_list;
pub mod all_read;
pub mod archived;
pub mod attention_list;
pub mod category;
pub mod category_band;
pub mod copy_button;
pub mod event;
pub mod flow;
pub mod fold;
pub mod hidden;
pub mod json;
pub mod markdown;
pub mod marked;
pub mod name_field;
pub mod notes;
pub mod origin;
pub mod people;
pub mod period;
pub mod plain;
pub mod session;
pub mod session_card;
pub mod several;
pub mod shares;
pub mod source_empty;
pub mod status;
pub mod stored;
pub mod task;
pub mod team_views;
pub mod text_filter;
pub mod thread;
pub mod time_ago;
pub mod unread;
pub mod views;
