//! Conversion of Claude Code hooks into schema events (`contract/event-schema-v1_1.md` §B, §C). Before a hook is
//! stored, `reduce.rs` removes what the capture level (how much of a hook may be stored) does not permit. [`HookFold`]
//! then derives the events from the stored hooks.

mod capture;
mod exit;
mod fingerprint;
mod fold;
mod guess;
mod lifecycle;
mod names;
mod payload_reducer;
mod published_event;
mod reduce;
mod secret;
mod seen;
mod session;
mod shape;
mod state;
mod step;
mod tool;
mod wait;
mod who;
mod words;
mod work;

pub use capture::Capture;
pub use fold::{HookFold, Precedence};
pub(super) use published_event::reduce_published;
pub use reduce::reduce;
pub(super) use reduce::reduce_named;
pub use secret::{SECRET as REDACTED_SECRET, hide as hide_secrets, is_secret_name};
