//! Tests of REST 1.x: each answer of the hub equals, byte by byte, that of [`from_scratch`], a slow computation from
//! all events without an index. Inputs are the fixture logs and random histories, in which transcripts disappear, late
//! hooks remove events, the agents' configuration arrives late, and the hub compresses old log lines.
//!
//! Proves (api): Each 1.x answer equals the one computed from all events, whatever arrived and was withdrawn before.
//! Long form: `make soak ARGS=law`.

mod from_scratch;
mod laws;
mod requests;
