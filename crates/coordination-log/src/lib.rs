//! Library for single lines of the coordination log: parsed events, roles, positions, categories, titles, and the
//! findings of the event doctor.
//!
//! It reads no files and builds no sessions: the monitor reads files, and `coordination::hub` builds sessions, threads
//! and the state of a home from events. Start with [`event::Event`] and [`event::read_lines`].

#![warn(missing_docs)]

pub mod doctor;
pub mod event;
pub mod title;
