//! File access: a sandbox that never leaves the home folder, and durable writes.

pub(crate) mod durable;
pub mod sandbox;
