//! Library of the in-memory state of an OpenClaw home (state folder), built from events, and of queries over it.
//! Functions take values and the current time, and return values. Server and page run the same code, so both give the
//! same answers (`ARCHITECTURE.md`).
//!
//! It has no IO, clock, async, Leptos or axum. Code that needs no state is in lower crates, which are re-exported here.
//! Start with [`hub::Hub`] and [`query`].

#![warn(missing_docs)]

pub mod compat;
pub mod evidence;
pub mod gateway_approval;
pub mod gateway_message;
pub mod hub;
pub mod merge;
pub mod query;
pub mod tool_dangers;

pub use agent_events as schema;
pub use classifier as classify;
pub use coordination_log::{doctor, event, title};
pub use hangul;
pub use message_text as text;
pub use protocol::{
    alerts, api, burst, category, commas, csv, decode, delivery, digest, flow_layout, ids, json_number, json_patch,
    link, role, roster, session, session_key, shared_records, time, url_encode, view, workspace,
};
pub use safe_markdown as markdown;
pub use search;
pub use transcripts::{store, transcript};
