//! Access to the disk: a sandbox that never leaves the home, and durable writes.

pub(crate) mod durable;
pub mod sandbox;
