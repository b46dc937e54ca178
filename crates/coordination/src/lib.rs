//! State of a home in memory, built from events, and every query over it: bytes and a given `now` in, values out. Server
//! and page run the same code, so both decide alike (`ARCHITECTURE.md`).
//!
//! No IO, clock, async, Leptos or axum. What needs no state is in the crates below, which are re-exported here. Start
//! with [`hub::Hub`] and [`query`].

#![warn(missing_docs)]

pub mod compat;
pub mod gateway_message;
pub mod hub;
pub mod merge;
pub mod query;

pub use agent_events as schema;
pub use classifier as classify;
pub use coordination_log::{doctor, event, title};
pub use hangul;
pub use message_text as text;
pub use protocol::{
    api, burst, category, commas, csv, decode, delivery, digest, flow_layout, ids, json_number, link, role, roster,
    session, session_key, time, view, workspace,
};
pub use safe_markdown as markdown;
pub use search;
pub use transcripts::{store, transcript};
