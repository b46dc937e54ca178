//! The `task-monitor` program.
fn main() {}
