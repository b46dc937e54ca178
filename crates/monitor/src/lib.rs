//! The native monitor.
