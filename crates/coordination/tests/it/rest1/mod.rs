//! Tests of REST 1.x: each answer equals, byte by byte, that of [`from_scratch`], a slow computation from all events
//! without an index. Inputs are the fixture logs and random histories. In the histories, events and transcripts are
//! removed again, the list of agents arrives late, and old log lines are compressed.
//!
//! Proves (api): Each 1.x answer equals the one computed from all events, whatever arrived and was withdrawn before.
//! Long form: `make soak ARGS=law`.

mod from_scratch;
mod laws;
mod requests;
