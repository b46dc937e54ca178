//! File access: a sandbox for the files below one folder, and durable writes.

pub(crate) mod durable;
pub mod sandbox;
