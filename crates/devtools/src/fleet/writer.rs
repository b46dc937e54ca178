//! Writers of homes: numbered events, so that every line is another one, and what happens to logs (rotation). `LineStream`
//! writes them at a pace beside everything else.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::plan::SplitMix;
use super::process::retry;
use super::site::{CLOCK_MS, TestFleet};
use super::talk;

/// Between two rounds of [`LineStream`].
const ROUND: Duration = Duration::from_millis(50);
/// A message in a transcript comes with one write of so many.
const TALK_ROUNDS: usize = 5;
const WRITTEN_WITHIN: Duration = Duration::from_secs(30);
/// Part of the pace that must have been written in the end.
const MIN_PACE_SHARE: f64 = 0.95;

/// Writes to homes.
#[derive(Default)]
pub(super) struct Writer {
    events: u64,
    archives: u64,
    /// Numbers of lines by home, and how far its clock is ahead.
    homes: BTreeMap<PathBuf, WrittenHome>,
}

#[derive(Default)]
struct WrittenHome {
    lines: u64,
    ahead_ms: i64,
}

impl Writer {
    /// Appends some lines to the live log of each home, some of them in two writes, and messages to the transcripts of one.
    pub(super) fn append(&mut self, fleet: &TestFleet, random: &mut SplitMix) -> Result<()> {
        for machine in &fleet.machines {
            let count = 1 + random.below(12) as u64;
            self.write_lines(&machine.home, count, random)?;
        }
        Ok(())
    }

    fn write_lines(&mut self, home: &Path, count: u64, random: &mut SplitMix) -> Result<()> {
        let mut log = OpenOptions::new().append(true).create(true).open(live_log(home))?;
        let mut bytes = Vec::new();
        for _ in 0..count {
            let line = self.line(home);
            let cut = if random.below(40) == 0 { random.below(line.len()) } else { 0 };
            bytes.extend_from_slice(&line.as_bytes()[..cut]);
            if cut > 0 {
                log.write_all(&std::mem::take(&mut bytes))?;
                std::thread::sleep(Duration::from_millis(random.below(20) as u64));
            }
            bytes.extend_from_slice(&line.as_bytes()[cut..]);
        }
        log.write_all(&bytes)?;
        if is_talking(home) && random.below(TALK_ROUNDS) == 0 {
            talk::say(home, self.events)?;
        }
        Ok(())
    }

    fn line(&mut self, home: &Path) -> String {
        self.events += 1;
        let written = self.homes.entry(home.to_owned()).or_default();
        written.lines += 1;
        let number = self.events;
        let at = CLOCK_MS.saturating_sub(3_600_000) + number;
        let body = json!({
            "type": if number.is_multiple_of(2) { "a2a.send" } else { "a2a.response" },
            "agentId": "eden",
            "ts": at.saturating_add_signed(written.ahead_ms),
            "data": {
                "fromAgent": "eden", "toAgent": "seum", "eventRole": "conversation.main",
                "conversationId": format!("lane-{}", number / 20), "workSessionId": format!("ws_lane-{}", number / 100),
                "message": format!("배포 상태를 확인해 주세요. marker {number} end")
            }
        });
        format!("{body}\n")
    }

    /// Lines that all homes got.
    pub(super) fn lines(&self) -> u64 {
        self.events
    }

    /// Lines that a home got.
    pub(super) fn lines_of(&self, home: &Path) -> u64 {
        self.homes.get(home).map_or(0, |home| home.lines)
    }

    /// Sets the clock of the programs that write to a home.
    pub(super) fn set_clock(&mut self, home: &Path, ahead_ms: i64) {
        self.homes.entry(home.to_owned()).or_default().ahead_ms = ahead_ms;
    }

    /// Makes the live log an archive; returns the path of the archive.
    pub(super) fn rename_log(&mut self, home: &Path) -> Result<PathBuf> {
        let archive = self.archive(home);
        std::fs::rename(self.live_log(home)?, &archive).context("cannot rename the live log")?;
        Ok(archive)
    }

    /// Copies the live log to an archive.
    pub(super) fn copy_log(&mut self, home: &Path) -> Result<()> {
        std::fs::copy(self.live_log(home)?, self.archive(home)).context("cannot copy the live log").map(drop)
    }

    /// The live log, with a further line: it is there after a rename, and no copy is the whole of it. Which of two equal files a
    /// line is from depends on which one was read first.
    fn live_log(&mut self, home: &Path) -> Result<PathBuf> {
        let log = live_log(home);
        let mut opened = OpenOptions::new().append(true).create(true).open(&log)?;
        opened.write_all(self.line(home).as_bytes())?;
        Ok(log)
    }

    /// The same, and empties it.
    pub(super) fn truncate_log(&mut self, home: &Path) -> Result<()> {
        self.copy_log(home)?;
        OpenOptions::new().write(true).open(live_log(home))?.set_len(0).context("cannot truncate the live log")
    }

    /// Path for the live log once it is an archive.
    fn archive(&mut self, home: &Path) -> PathBuf {
        self.archives += 1;
        let (seconds, minutes) = (self.archives % 60, self.archives / 60);
        home.join(format!("logs/coordination-events-2026-02-21T05-{minutes:02}-{seconds:02}-000Z.ndjson"))
    }
}

fn live_log(home: &Path) -> PathBuf {
    home.join("logs/coordination-events.ndjson")
}

fn is_talking(home: &Path) -> bool {
    home.parent().is_some_and(|folder| folder.ends_with(talk::NAME))
}

/// A thread that writes lines to homes at a pace. Who changes a log holds the writer meanwhile.
pub(super) struct LineStream {
    writer: Arc<Mutex<Writer>>,
    pace: u64,
    start: Instant,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Result<()>>,
}

impl LineStream {
    /// Starts writing `pace` lines a second to all homes together.
    pub(super) fn start(homes: Vec<PathBuf>, pace: u64, mut random: SplitMix) -> Self {
        let (writer, is_over) = (Arc::new(Mutex::new(Writer::default())), Arc::new(AtomicBool::new(false)));
        let start = Instant::now();
        let (shared, is_ended) = (Arc::clone(&writer), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !is_ended.load(Ordering::SeqCst) {
                let due = (start.elapsed().as_secs_f64() * pace as f64) as u64;
                let each = due.saturating_sub(held(&shared).lines()) / homes.len() as u64;
                for home in homes.iter().filter(|_| each > 0) {
                    held(&shared).write_lines(home, each, &mut random)?;
                }
                std::thread::sleep(ROUND);
            }
            Ok(())
        });
        Self { writer, pace, start, is_over, thread }
    }

    /// The writer, which writes nothing meanwhile.
    pub(super) fn writer(&self) -> MutexGuard<'_, Writer> {
        held(&self.writer)
    }

    /// Waits until a home has got further lines.
    pub(super) fn wait_for_lines(&self, home: &Path) -> Result<()> {
        let before = self.writer().lines_of(home);
        retry("further lines", WRITTEN_WITHIN, || {
            ensure!(self.writer().lines_of(home) > before, "none are written");
            Ok(())
        })
    }

    /// Stops; the lines and how many there were a second.
    ///
    /// # Errors
    /// When a home could not be written, or the pace was not kept.
    pub(super) fn finish(self) -> Result<(u64, f64)> {
        self.is_over.store(true, Ordering::SeqCst);
        self.thread.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
        let lines = held(&self.writer).lines();
        let pace = lines as f64 / self.start.elapsed().as_secs_f64();
        ensure!(pace >= MIN_PACE_SHARE * self.pace as f64, "{pace:.0} lines a second instead of {}", self.pace);
        Ok((lines, pace))
    }
}

fn held(writer: &Mutex<Writer>) -> MutexGuard<'_, Writer> {
    writer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Replaces the task file of an agent, as its writer does.
pub(super) fn rewrite_task(home: &Path, text: &str) -> Result<()> {
    std::fs::create_dir_all(home.join("workspace-eden"))?;
    let staged = home.join("workspace-eden/staged");
    std::fs::write(&staged, text)?;
    std::fs::rename(&staged, home.join("workspace-eden/CURRENT_TASK.md")).context("cannot replace a file")
}
