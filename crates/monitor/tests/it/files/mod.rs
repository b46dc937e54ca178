//! Tests of safe reading: links, pipes, devices and huge files in place of the home's files, and hostile paths in
//! requests. No byte from outside the home reaches a response, nothing blocks, and unread files are reported.
//!
//! Proves (security): No byte from outside the home reaches an answer, whatever is below the names that are read.
//! Long form: `make soak ARGS=files`.

mod files_fixture;
mod odd;
mod swaps;
mod traversal;
