//! Hooks of Claude Code (`contract/event-schema-v1_1.md` §B, §C): what is kept of one, and the events that follow from
//! the set of those kept.

mod capture;
mod fingerprint;
mod fold;
mod reduce;

pub use capture::Capture;
pub use fold::{Counts, Hooks};
pub use reduce::reduce;
