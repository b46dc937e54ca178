//! Safe reading (reliability G19): whatever is found under the names that are read, and whatever a request asks for, no
//! byte from outside the home gets into an answer, nothing waits, and what is not read is reported.
//!
//! Proves (security): No byte from outside the home reaches an answer, whatever is below the names that are read.
//! Long form: `make soak ARGS=files`.

mod bench;
mod odd;
mod swaps;
mod traversal;
