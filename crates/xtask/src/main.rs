//! Drivers behind the Makefile.
fn main() {}
