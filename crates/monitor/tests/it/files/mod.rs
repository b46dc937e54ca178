//! Tests of safe reading: links, pipes, devices and huge files in place of the home's files, and hostile paths in
//! requests. No byte from outside the home reaches a response, nothing blocks, and unread files are reported.
//!
//! Proves (security): No byte from outside the home reaches a response, even if links, devices or other files replace
//! the files that the monitor reads.
//! Long form: `make soak ARGS=files`.

mod files_fixture;
mod odd;
mod swaps;
mod traversal;
