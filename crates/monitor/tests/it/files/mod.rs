//! Tests of safe reading. No byte from outside the home reaches a response, nothing
//! blocks, and unread files are reported. This holds for every file below the names that are read and for every
//! request.
//!
//! Proves (security): No byte from outside the home reaches an answer, whatever is below the names that are read.
//! Long form: `make soak ARGS=files`.

mod bench;
mod odd;
mod swaps;
mod traversal;
