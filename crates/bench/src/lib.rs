//! Library of the benchmarks: it starts a monitor process on a generated home (state folder), sends HTTP requests and
//! reads live streams over loopback, and starts a NATS server. `devtools` also uses it, for its soak and contract tests.
//! The benchmarks themselves start in `main.rs`.

pub mod home;
pub mod http;
pub mod live;
pub mod nats;
pub mod server;

/// Goal of the first load, in bytes of brotli.
pub const MAX_FIRST_LOAD_BYTES: u64 = 240_000;
