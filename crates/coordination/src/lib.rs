//! The pure shared core of Task-Hub Conversations: bytes and a given `now` in, values out.
//! No IO, clock, async, Leptos or axum. It compiles natively and to wasm, and everything that decides what a
//! user sees lives here once (`ARCHITECTURE.md`).

#![warn(missing_docs)]

pub mod api;
pub mod category;
pub mod delivery;
pub mod ids;
pub mod role;
pub mod session;
pub mod title;
pub mod workspace;
