//! One line of the coordination log as a value, and what lines say by themselves: roles, positions, categories, titles
//! and the findings of the event doctor.
//!
//! It joins nothing: sessions, threads and the state of a home are built from events by `coordination::hub`, and files
//! are read by the monitor. Start with [`event::Event`] and [`event::read_lines`].

#![warn(missing_docs)]

pub mod doctor;
pub mod event;
pub mod title;
