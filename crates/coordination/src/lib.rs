//! The pure shared core of Task-Hub Conversations: bytes and a given `now` in, values out.
//! No IO, clock, async, Leptos or axum. It compiles natively and to wasm, and everything that decides what a
//! user sees lives here once (`ARCHITECTURE.md`).

#![warn(missing_docs)]

pub mod api;
pub mod braid;
pub mod burst;
pub mod category;
pub mod classify;
pub mod commas;
pub mod compat;
pub mod csv;
pub mod decode;
pub mod delivery;
pub mod digest;
pub mod doctor;
pub mod event;
pub mod hangul;
pub mod hub;
pub mod ids;
pub mod json_number;
pub mod link;
pub mod markdown;
pub mod merge;
pub mod query;
pub mod role;
pub mod roster;
pub mod schema;
pub mod search;
pub mod session;
pub mod session_key;
pub mod speak;
pub mod store;
pub mod text;
pub mod time;
pub mod title;
pub mod transcript;
pub mod view;
pub mod workspace;
