//! Readers of files: each follows one kind of file on its own thread and sends what it found to a sink. None knows who
//! receives it.

pub mod agent_events;
pub mod store;
pub mod tail;
pub mod transcript;
pub mod transcripts;
pub mod workspace;
