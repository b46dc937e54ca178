//! Tests of REST 1.x: each answer equals the answer computed from all events ([`from_scratch`]), byte by byte, over the
//! fixture logs and over random histories with withdrawn events, retracted transcripts, late rosters and packed lines.
//!
//! Proves (api): Each 1.x answer equals the one computed from all events, whatever arrived and was withdrawn before.
//! Long form: `make soak ARGS=law`.

mod from_scratch;
mod laws;
mod requests;
