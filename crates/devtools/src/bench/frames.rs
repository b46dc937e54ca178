//! Benchmark of the delay from a log line to its frame on a socket, at a thousand lines per second (goal G3 of
//! `docs/benchmarks.md`). The control is a reader in the same process that only waits for an inotify event and reads
//! the new bytes.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::mem::MaybeUninit;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;

use super::figure::{Bound, Figure, spread};
use super::live::{self, AppendClock, ClientTally};
use super::server::BenchServer;
use super::setting::{Setting, live_log};
use super::stream::WebSocketClient;
use super::{ms, percentile};
use crate::shell;

const PER_SECOND: u32 = 1_000;
const ROUND: Duration = Duration::from_secs(4);
const ROUNDS: u64 = 5;
const APPENDS: usize = 200;
const READ_TIMEOUT: Duration = Duration::from_secs(600);

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home_to_change(setting.events)?;
    let server = BenchServer::start(&setting.monitor()?, &home)?;
    server.wait_until_read(READ_TIMEOUT)?;
    shell::say(&format!("{ROUNDS} rounds of {} s at {PER_SECOND} lines a second", ROUND.as_secs()));
    let (mut own, mut bare) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    let mut cores = Vec::new();
    for round in 0..ROUNDS {
        let first = round * 1_000_000;
        let (cpu, start) = (server.cpu_seconds()?, Instant::now());
        let (mut frames, mut wakes) = frame_and_wake_delays(server.port, &home, first)?;
        cores.push((server.cpu_seconds()? - cpu) / start.elapsed().as_secs_f64());
        for (at, percent) in [50, 99].into_iter().enumerate() {
            own[at].push(ms(percentile(&mut frames, percent)));
            bare[at].push(ms(percentile(&mut wakes, percent)));
        }
    }
    let mut alone = live::append_to_frame(server.port, &home, ROUNDS * 1_000_000, APPENDS)?;
    let rounds =
        |at: usize| super::figure::PairedRounds(own[at].iter().copied().zip(bare[at].iter().copied()).collect());
    let control = "the bare reader";
    let mut used = Figure::new("the monitor's cores meanwhile", spread(cores.iter().copied())[1], "");
    used.spread = Some(spread(cores.into_iter()));
    Ok(vec![
        Figure::middle("append → frame at 1,000/s, p50", "ms", &rounds(0), control).goal("G3", Bound::RatioAtMost(3.0)),
        Figure::middle("append → frame at 1,000/s, p99", "ms", &rounds(1), control).goal("G3", Bound::AtMost(5.0)),
        Figure::new("one line now and then, p50", ms(percentile(&mut alone, 50)), "ms").with_goal_name("G3"),
        Figure::new("one line now and then, p99", ms(percentile(&mut alone, 99)), "ms").goal("G3", Bound::AtMost(5.0)),
        used.with_goal_name("G3"),
    ])
}

/// Delays of frames and of bare wake-ups, over the same lines.
fn frame_and_wake_delays(port: u16, home: &Path, first: u64) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let mut socket = WebSocketClient::open(port, "/api/v2/live")?;
    socket.frame()?;
    let clock = AppendClock::new(first);
    let mut bare = InotifyReader::open(&live_log(home))?;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| clock.append(home, PER_SECOND, 1, ROUND));
        let clock = &clock;
        let waiter = scope.spawn(move || bare.delays(clock));
        let mut seen = ClientTally::default();
        while !clock.is_complete(seen.events) {
            seen.take(clock, &socket.frame()?);
        }
        writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
        let wakes = waiter.join().map_err(|_| anyhow::anyhow!("the bare reader panicked"))??;
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
        let watch =
            inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).context("no inotify")?;
        inotify::add_watch(&watch, path, inotify::WatchFlags::MODIFY).context("cannot watch the log")?;
        Ok(Self { file, watch })
    }

    fn delays(&mut self, clock: &AppendClock) -> Result<Vec<Duration>> {
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut woken = inotify::Reader::new(&self.watch, &mut space);
        // The last line may be read before the writer says that it was the last.
        let patience = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        let mut delays = Vec::new();
        let mut held = Vec::new();
        while !clock.is_complete(delays.len() as u64) {
            poll(&mut [PollFd::new(&self.watch, PollFlags::IN)], Some(&patience))
                .context("cannot wait for a change")?;
            match woken.next() {
                Ok(_) | Err(rustix::io::Errno::AGAIN) => {}
                Err(error) => return Err(error).context("inotify gave up"),
            }
            self.file.read_to_end(&mut held)?;
            let whole = memchr::memrchr(b'\n', &held).map_or(0, |end| end + 1);
            delays.extend(live::numbers(&held[..whole]).filter_map(|number| clock.age(number)));
            held.drain(..whole);
        }
        Ok(delays)
    }
}
