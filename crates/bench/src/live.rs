//! Delay from an appended log line to the frame that brings it: when each line was written, and the lines, positions and
//! counts found in a frame's bytes.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use memchr::memmem::{find, find_iter};

use crate::home::{append, event};

/// Time of each appended line, by its number.
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

    fn times(&self) -> MutexGuard<'_, Vec<Instant>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends so many lines a second for a while, `together` of them in one write.
    pub fn append(&self, home: &Path, per_second: u32, together: u32, time: Duration) -> Result<()> {
        let outcome = self.append_in_step(home, Duration::from_secs(1) * together / per_second, together, time);
        self.done.store(true, Ordering::SeqCst);
        outcome
    }

    fn append_in_step(&self, home: &Path, step: Duration, together: u32, time: Duration) -> Result<()> {
        let start = Instant::now();
        for round in 0_u32.. {
            std::thread::sleep((step * round).saturating_sub(start.elapsed()));
            if start.elapsed() >= time {
                break;
            }
            let number = self.first + u64::from(round * together);
            let lines: Vec<String> = (0..together).map(|more| event(number + u64::from(more))).collect();
            self.times().extend(std::iter::repeat_n(Instant::now(), together as usize));
            append(home, &lines.join("\n"))?;
        }
        Ok(())
    }

    /// How many lines were appended, once all were.
    pub fn count(&self) -> Option<u64> {
        let done = self.done.load(Ordering::SeqCst);
        done.then(|| self.times().len() as u64)
    }

    /// True when all were appended and that many were seen.
    pub fn is_complete(&self, seen: u64) -> bool {
        self.count().is_some_and(|count| seen >= count)
    }

    /// When the line of this number was appended.
    pub fn at(&self, number: u64) -> Option<Instant> {
        self.times().get(usize::try_from(number.checked_sub(self.first)?).ok()?).copied()
    }
}

/// Count of what one client received.
#[derive(Default)]
pub struct ClientTally {
    pub events: u64,
    /// From append to frame, of the newest event of each session in a frame: cards carry no others.
    pub delays: Vec<Duration>,
    /// Positions that are missing or came twice.
    pub jumps: u64,
    /// The newest line so far: titles repeat older ones.
    newest: Option<u64>,
    /// Position of the newest frame.
    seq: Option<u64>,
}

impl ClientTally {
    /// Counts a frame's events and compares its position with the one before.
    pub fn count(&mut self, frame: &[u8]) {
        if !is_delta(frame) {
            return;
        }
        let seq = position(frame);
        let expected = self.seq.map(|seq| seq + 1);
        self.jumps += u64::from(expected.is_some() && expected != seq);
        self.seq = seq;
        self.events += find(frame, b"\"eventsTotal\":").and_then(|at| number(&frame[at..])).unwrap_or(0);
    }

    /// The same, and the delays of its events.
    pub fn take(&mut self, clock: &AppendClock, frame: &[u8]) {
        self.count(frame);
        if !is_delta(frame) {
            return;
        }
        for number in numbers(frame) {
            if self.newest.is_none_or(|newest| number > newest) {
                self.newest = Some(number);
                self.delays.extend(clock.at(number).map(|at| at.elapsed()));
            }
        }
    }
}

pub fn is_delta(frame: &[u8]) -> bool {
    frame.starts_with(b"{\"type\":\"delta\"")
}

/// The numbers of the lines that stand in these bytes, in order.
pub fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    const MARK: &[u8] = b"bench-marker-";
    find_iter(bytes, MARK).filter_map(move |at| {
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

#[cfg(test)]
mod tests {
    use super::{numbers, position};
    use crate::home::event;

    #[test]
    fn lines_are_found_by_their_whole_number() {
        let text = b"bench-marker-12-end bench-marker-x-end bench-marker-7-end bench-marker-99";
        assert_eq!(numbers(text).collect::<Vec<_>>(), [12, 7]);
        assert_eq!(numbers(event(3).as_bytes()).collect::<Vec<_>>(), [3]);
        assert_eq!(position(b"{\"type\":\"delta\",\"cursor\":{\"epoch\":\"a\",\"seq\":41},"), Some(41));
        assert_eq!(position(b"{}"), None);
    }
}
