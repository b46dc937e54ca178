//! The pure shared core of Task-Hub Conversations: bytes and a given `now` in, values out.
//! No IO, clock, async, Leptos or axum. It compiles natively and to wasm, and everything that decides what a
//! user sees lives here once (`ARCHITECTURE.md`).

#![warn(missing_docs)]

pub mod compat;
pub mod hub;
pub mod markdown;
pub mod merge;
pub mod query;
pub mod search;
pub mod speak;

pub use agent_events as schema;
pub use classifier as classify;
pub use coordination_log::{doctor, event, title};
pub use hangul;
pub use message_text as text;
pub use protocol::{
    api, burst, category, commas, csv, decode, delivery, digest, flow_layout, ids, json_number, link, role, roster,
    session, session_key, time, view, workspace,
};
pub use transcripts::{store, transcript};
