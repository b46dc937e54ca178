//! Shared data model of monitor and dashboard: wire types of REST v2 and the live stream, with their ids, roles, states
//! and file models. It also holds computations that need these types alone, such as [`flow_layout`] and [`csv`].
//!
//! It has no IO, clock, async, Leptos or axum. Other crates read the coordination log (`coordination-log`), classify
//! sessions (`classifier`) and hold the state derived from all inputs (`coordination`). Start with [`api`], then
//! [`link`] for the stream.

#![warn(missing_docs)]

pub mod alerts;
pub mod api;
pub mod burst;
pub mod category;
pub mod commas;
pub mod csv;
pub mod decode;
pub mod delivery;
pub mod digest;
pub mod flow_layout;
pub mod ids;
pub mod json_number;
pub mod json_patch;
pub mod link;
pub mod role;
pub mod roster;
pub mod session;
pub mod session_key;
pub mod shared_records;
pub mod time;
pub mod url_encode;
pub mod view;
pub mod workspace;
