//! Parser and checker for lines of OpenClaw's coordination log (`logs/coordination-events.ndjson`, one JSON event per
//! line). It derives the role, position, category and title of an event. [`doctor`] counts damaged and contradictory
//! lines.
//!
//! It reads no files and builds no sessions: the monitor reads files, and `coordination::hub` builds sessions and
//! threads from events. Start with [`event::Event`] and [`event::read_lines`].

#![warn(missing_docs)]

pub mod doctor;
pub mod event;
pub mod title;
