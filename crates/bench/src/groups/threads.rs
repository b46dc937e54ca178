//! Threads of many clients, each with a small stack and a blocking socket, and the lines appended for them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use bench::home::{append, event};
use bench::live::AppendClock;
use bench::server::BenchServer;
use bench::stream::StreamClient;

/// Clients are many and do little.
const STACK_BYTES: usize = 256 * 1024;

/// Allows as many open files as the system lets this process have: a thousand clients need more than is usual. What
/// it starts may as well.
pub fn many_files() -> Result<()> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("cannot allow more open files")
}

/// Runs `read` for each item on a thread of its own, and `meanwhile` on this one.
pub fn on_threads<I: Send, T: Send, M>(
    items: Vec<I>,
    read: impl Fn(usize, I) -> T + Sync,
    meanwhile: impl FnOnce() -> Result<M>,
) -> Result<(Vec<T>, M)> {
    std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(items.len());
        for (number, item) in items.into_iter().enumerate() {
            let read = &read;
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            threads.push(thread.spawn_scoped(scope, move || read(number, item))?);
        }
        let done = meanwhile()?;
        let joined = threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a client panicked")));
        Ok((joined.collect::<Result<_>>()?, done))
    })
}

/// Pace of appended lines, and how long frames may still arrive after the last one.
#[derive(Clone, Copy)]
pub struct Pace {
    pub per_second: u32,
    pub together: u32,
    pub time: Duration,
    pub settle: Duration,
}

/// Number of the line that wakes clients who still wait for a frame. It is not measured.
pub const WAKE_LINE: u64 = u64::MAX >> 1;

/// Appends lines while every client reads on a thread of its own. `read` returns at the first frame after its flag is
/// set. The second part of the result is the number of cores that the monitor used.
pub fn read_while_appending<T: Send>(
    server: &BenchServer,
    home: &Path,
    clients: Vec<StreamClient>,
    (clock, pace): (&AppendClock, Pace),
    read: impl Fn(usize, StreamClient, &AtomicBool) -> T + Sync,
) -> Result<(Vec<T>, f64)> {
    let over = AtomicBool::new(false);
    let read = |number: usize, client: StreamClient| read(number, client, &over);
    let (cpu, start) = (server.cpu_seconds()?, Instant::now());
    on_threads(clients, read, || {
        clock.append(home, pace.per_second, pace.together, pace.time)?;
        let cores = (server.cpu_seconds()? - cpu) / start.elapsed().as_secs_f64();
        std::thread::sleep(pace.settle);
        over.store(true, Ordering::SeqCst);
        append(home, &event(WAKE_LINE))?;
        Ok(cores)
    })
}
