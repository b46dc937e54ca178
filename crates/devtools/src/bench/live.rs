//! Benchmark of the delay from an appended log line to its frame on the WebSocket.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::http::find;
use super::stream::WebSocketClient;

/// Delays of `count` appends, numbered from `first`, 20 to 70 ms apart so that no two share a frame.
pub fn append_to_frame(port: u16, home: &Path, first: u64, count: usize) -> Result<Vec<Duration>> {
    let mut socket = WebSocketClient::open(port, "/api/v2/live")?;
    // The first frame is the snapshot.
    socket.frame()?;
    let mut delays = Vec::with_capacity(count);
    for number in (first..).take(count) {
        std::thread::sleep(Duration::from_millis(20 + (number * 17) % 50));
        let line = super::event(number);
        let mark = format!("bench-marker-{number}-end");
        let start = Instant::now();
        append(home, &line)?;
        loop {
            if find(&socket.frame()?, mark.as_bytes()).is_some() {
                delays.push(start.elapsed());
                break;
            }
        }
    }
    Ok(delays)
}

/// When each line was appended, by its number.
pub struct AppendClock {
    first: u64,
    times: Mutex<Vec<Instant>>,
    done: AtomicBool,
}

impl AppendClock {
    /// Lines are numbered from `first`.
    pub fn new(first: u64) -> Self {
        Self { first, times: Mutex::default(), done: AtomicBool::new(false) }
    }

    /// Appends so many lines a second, some together, for a while.
    pub fn append(&self, home: &Path, per_second: u32, together: u32, time: Duration) -> Result<()> {
        let start = Instant::now();
        let outcome = (|| {
            let pause = Duration::from_secs(1) * together / per_second;
            for round in 0_u32.. {
                std::thread::sleep((pause * round).saturating_sub(start.elapsed()));
                if start.elapsed() >= time {
                    break;
                }
                let number = self.first + u64::from(round * together);
                let lines: Vec<String> = (0..together).map(|more| super::event(number + u64::from(more))).collect();
                self.times
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .extend(std::iter::repeat_n(Instant::now(), together as usize));
                append(home, &lines.join("\n"))?;
            }
            Ok(())
        })();
        self.done.store(true, Ordering::SeqCst);
        outcome
    }

    /// How many lines were appended, once all were.
    pub fn count(&self) -> Option<usize> {
        let done = self.done.load(Ordering::SeqCst);
        done.then(|| self.times.lock().unwrap_or_else(std::sync::PoisonError::into_inner).len())
    }

    /// True when all were appended and that many were seen.
    pub fn is_complete(&self, seen: u64) -> bool {
        self.count().is_some_and(|count| seen >= count as u64)
    }

    /// How long ago the line of this number was appended.
    pub fn age(&self, number: u64) -> Option<Duration> {
        self.at(number).map(|at| at.elapsed())
    }

    /// When it was.
    pub fn at(&self, number: u64) -> Option<Instant> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.times.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(at).copied()
    }
}

/// What one client saw.
#[derive(Default)]
pub struct ClientTally {
    /// Events that its frames brought.
    pub events: u64,
    /// From append to frame, of the events that stand in a frame one by one.
    pub delays: Vec<Duration>,
    /// The newest line among them: titles repeat older ones.
    newest: Option<u64>,
    /// Position of the newest frame.
    seq: Option<u64>,
    /// Positions that are missing or came twice.
    pub jumps: u64,
}

impl ClientTally {
    /// Counts a frame's events and holds its position against the one before.
    pub fn count(&mut self, frame: &[u8]) {
        if !frame.starts_with(b"{\"type\":\"delta\"") {
            return;
        }
        let seq = position(frame);
        let expected = self.seq.map(|seq| seq + 1);
        self.jumps += u64::from(expected.is_some() && expected != seq);
        self.seq = seq;
        // The field comes after the events, so the search begins at the end.
        let total = memchr::memmem::rfind(frame, b"\"eventsTotal\":").and_then(|at| number(&frame[at..]));
        self.events += total.unwrap_or(0);
    }

    /// The same, and the delays of its events.
    pub fn take(&mut self, clock: &AppendClock, frame: &[u8]) {
        self.count(frame);
        let Some(from) = find(frame, b"\"events\":[") else { return };
        for number in numbers(&frame[from..]) {
            if self.newest.is_none_or(|newest| number > newest) {
                self.newest = Some(number);
                self.delays.extend(clock.age(number));
            }
        }
    }
}

/// The numbers of the lines that stand in these bytes, in order.
pub fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    const MARK: &[u8] = b"bench-marker-";
    memchr::memmem::find_iter(bytes, MARK).filter_map(move |at| {
        let rest = &bytes[at + MARK.len()..];
        let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
        rest[end..].starts_with(b"-end").then(|| std::str::from_utf8(&rest[..end]).ok()?.parse().ok())?
    })
}

/// The position of a frame.
pub fn position(frame: &[u8]) -> Option<u64> {
    find(frame, b"\"seq\":").and_then(|at| number(&frame[at..]))
}

/// The number behind the next colon.
fn number(field: &[u8]) -> Option<u64> {
    let rest = &field[field.iter().position(|byte| *byte == b':')? + 1..];
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&rest[..end]).ok()?.parse().ok()
}

/// Appends one line to the live log, the way the gateway does: opened for append, one write.
pub fn append(home: &Path, line: &str) -> Result<()> {
    let path = home.join("logs/coordination-events.ndjson");
    let mut log = OpenOptions::new().append(true).create(true).open(&path).context("cannot open the live log")?;
    log.write_all(format!("{line}\n").as_bytes()).context("cannot append")
}

#[cfg(test)]
mod tests {
    use super::{numbers, position};

    #[test]
    fn lines_are_found_by_their_whole_number() {
        let text = b"bench-marker-12-end bench-marker-x-end bench-marker-7-end bench-marker-99";
        assert_eq!(numbers(text).collect::<Vec<_>>(), [12, 7]);
        assert_eq!(position(b"{\"type\":\"delta\",\"cursor\":{\"epoch\":\"a\",\"seq\":41},"), Some(41));
        assert_eq!(position(b"{}"), None);
    }
}
