//! Version of the program, as `--version` and `/metrics` show it.

/// Version number; of a release with the commit and its date, which `make dist` gives.
pub(crate) const VERSION: &str = match option_env!("TASK_MONITOR_RELEASE") {
    Some(release) => release,
    None => env!("CARGO_PKG_VERSION"),
};
