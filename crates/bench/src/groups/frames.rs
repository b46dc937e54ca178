//! Benchmark of the delay from a log line to its frame on a socket, at a thousand lines per second (goal G3 of
//! `docs/benchmarks.md`). The control is a reader in the same process that only waits for an inotify event and reads
//! the new bytes.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::mem::MaybeUninit;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use bench::home::{append, event, live_log};
use bench::live::{AppendClock, ClientTally, numbers};
use bench::server::BenchServer;
use bench::stream::StreamClient;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use xtask::shell;

use crate::figure::{Bound, Figure, percentile, percentiles, spread};
use crate::setting::Setting;

const PER_SECOND: u32 = 1_000;
const ROUND: Duration = Duration::from_secs(4);
const ROUNDS: u64 = 5;
/// Line numbers of a round.
const LINES_PER_ROUND: u64 = 1_000_000;
const SINGLE_LINES: usize = 200;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home_to_change(setting.events)?;
    let server = BenchServer::start(&setting.monitor, &home, None, &[])?;
    shell::say(&format!("{ROUNDS} rounds of {} s at {PER_SECOND} lines a second", ROUND.as_secs()));
    let (mut rounds, mut cores) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (cpu, start) = (server.cpu_seconds()?, Instant::now());
        rounds.push(frame_and_wake_delays(server.port, &home, round * LINES_PER_ROUND)?);
        cores.push((server.cpu_seconds()? - cpu) / start.elapsed().as_secs_f64());
    }
    let single = single_line_delays(server.port, &home, ROUNDS * LINES_PER_ROUND)?;
    let stream = |percent: usize| {
        let name = format!("append → frame at 1,000/s, p{percent}");
        Figure::middle(&name, "ms", &percentiles(&rounds, percent), "the bare reader").goal("G3")
    };
    let one = |percent: usize| {
        let name = format!("one line now and then, p{percent}");
        Figure::new(&name, percentile(&single, percent), "ms").goal("G3")
    };
    let cores = spread(cores.into_iter());
    let mut used = Figure::new("the monitor's cores meanwhile", cores[1], "").goal("G3");
    used.spread = Some(cores);
    Ok(vec![
        stream(50).bound(Bound::RatioAtMost(3.0)),
        stream(99).bound(Bound::AtMost(5.0)),
        one(50),
        one(99).bound(Bound::AtMost(5.0)),
        used,
    ])
}

/// Delays of lines 20 to 70 ms apart, so that no two share a frame.
fn single_line_delays(port: u16, home: &Path, first: u64) -> Result<Vec<Duration>> {
    let mut socket = StreamClient::web_socket(port)?;
    let mut delays = Vec::with_capacity(SINGLE_LINES);
    for number in (first..).take(SINGLE_LINES) {
        std::thread::sleep(Duration::from_millis(20 + (number * 17) % 50));
        let line = event(number);
        let start = Instant::now();
        append(home, &line)?;
        while !numbers(&socket.frame()?).any(|found| found == number) {}
        delays.push(start.elapsed());
    }
    Ok(delays)
}

/// Delays of frames and of bare wake-ups, over the same lines.
fn frame_and_wake_delays(port: u16, home: &Path, first: u64) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let mut socket = StreamClient::web_socket(port)?;
    let clock = AppendClock::new(first);
    let mut bare = InotifyReader::open(&live_log(home))?;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| clock.append(home, PER_SECOND, 1, ROUND));
        let waiter = scope.spawn(|| bare.delays(&clock));
        let mut seen = ClientTally::default();
        while !clock.is_complete(seen.events) {
            seen.take(&clock, &socket.frame()?);
        }
        writer.join().map_err(|_| anyhow!("the writer panicked"))??;
        let wakes = waiter.join().map_err(|_| anyhow!("the bare reader panicked"))??;
        Ok((seen.delays, wakes))
    })
}

/// The control: woken by the system, it reads what was added and looks for the lines' numbers.
struct InotifyReader {
    file: File,
    watch: rustix::fd::OwnedFd,
}

impl InotifyReader {
    fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(0))?;
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        let watch = inotify::init(flags).context("no inotify")?;
        inotify::add_watch(&watch, path, inotify::WatchFlags::MODIFY).context("cannot watch the log")?;
        Ok(Self { file, watch })
    }

    fn delays(&mut self, clock: &AppendClock) -> Result<Vec<Duration>> {
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut woken = inotify::Reader::new(&self.watch, &mut space);
        // The last line may be read before the writer says that it was the last.
        let patience = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        let (mut delays, mut held) = (Vec::new(), Vec::new());
        while !clock.is_complete(delays.len() as u64) {
            poll(&mut [PollFd::new(&self.watch, PollFlags::IN)], Some(&patience))
                .context("cannot wait for a change")?;
            match woken.next() {
                Ok(_) | Err(rustix::io::Errno::AGAIN) => {}
                Err(error) => return Err(error).context("inotify gave up"),
            }
            self.file.read_to_end(&mut held)?;
            let whole = memchr::memrchr(b'\n', &held).map_or(0, |end| end + 1);
            delays.extend(numbers(&held[..whole]).filter_map(|number| clock.at(number)).map(|at| at.elapsed()));
            held.drain(..whole);
        }
        Ok(delays)
    }
}
