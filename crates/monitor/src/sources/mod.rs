//! Readers of files. Each reader follows one kind of file on its own thread and sends the results to a sink. No reader
//! depends on the receiver.

pub mod agent_events;
pub mod store;
pub mod tail;
pub mod transcript;
pub mod transcripts;
pub mod workspace;
