//! Library of benchmark clients: a monitor process on a rehearsed home, HTTP requests and live streams over loopback.
//! `devtools` uses it for its soak and contract tests. The benchmarks themselves are in the program beside it.

pub mod home;
pub mod http;
pub mod live;
pub mod server;
pub mod stream;

/// Goal of the first load, in bytes of brotli.
pub const MAX_FIRST_LOAD_BYTES: u64 = 260_000;
