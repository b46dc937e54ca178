//! A monitor without a server: it reads files that are given as bytes, such as those dropped onto the page, and answers
//! the questions of REST v2 about them as `task-monitor` would.
//!
//! It has no clock and opens nothing: callers give readers and the current time. Start at [`LocalMonitor`].

#![warn(missing_docs)]

mod content;
mod evidence;
mod home_files;
mod input;
mod monitor;
mod pairs;
mod past;
mod routes;
mod transcripts;

#[cfg(test)]
mod tests;

pub use content::{FileContentKind, is_transcript_path, may_be_read};
pub use evidence::MAX_EVIDENCE_BYTES;
pub use input::{Input, MAX_BYTES, ReadSeek};
pub use monitor::{FileReport, LocalMonitor, ReadingProgress};
pub use routes::{LocalAnswer, LocalRequest, Method};
pub use transcripts::TranscriptUse;
