//! File of the outbox, `task-hub-alerts.ndjson` in the home. A line is on the disk before what it says is done. The file is
//! rewritten when most of it is about settled messages, so its size is bounded.

use std::io;
use std::path::{Path, PathBuf};

use coordination::alerts::{Outbox, OutboxLine};

use crate::core::overrides::append_log::{AppendLog, Replay};
use crate::fs::durable;
use crate::random::random_hex;

/// A smaller file is not rewritten.
const MIN_COMPACT_BYTES: u64 = 1 << 20;

impl Replay for Outbox {
    type Line = OutboxLine;

    fn apply(&mut self, line: OutboxLine) {
        self.apply(line);
    }
}

/// The file and its content.
#[derive(Debug)]
pub(super) struct OutboxFile {
    path: PathBuf,
    log: AppendLog<Outbox>,
    /// It is rewritten when it is longer.
    compact_above: u64,
    /// A new file, or a rename, is not surely durable in its folder.
    unconfirmed: bool,
}

impl OutboxFile {
    /// Reads the file, or begins one.
    pub(super) fn open(path: &Path, now: i64) -> io::Result<Self> {
        Self::open_above(path, now, MIN_COMPACT_BYTES)
    }

    /// Like [`Self::open`], rewritten above so many bytes.
    pub(super) fn open_above(path: &Path, now: i64, least: u64) -> io::Result<Self> {
        let log = AppendLog::<Outbox>::open(path)?;
        let (length, bad) = (log.content().length, log.content().bad);
        if bad > 0 {
            tracing::warn!(lines = bad, "lines of the outbox of alerts cannot be read");
        }
        let mut file = Self { path: path.to_owned(), log, compact_above: least.max(length * 2), unconfirmed: true };
        if file.outbox().instance.is_empty() {
            let instance = random_hex::<8>();
            file.append(vec![OutboxLine::Opened { at: now, instance }])?;
        }
        Ok(file)
    }

    /// The state that the file gives.
    pub(super) fn outbox(&self) -> &Outbox {
        &self.log.content().state
    }

    /// Whether this is still the file at the path, without lines of another program.
    pub(super) fn is_current(&self) -> bool {
        self.log.is_current()
    }

    /// Appends lines and waits until they are on the disk. After an error the file must be opened again: a part of the
    /// lines may be there.
    pub(super) fn append(&mut self, lines: Vec<OutboxLine>) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.log.append(lines)?;
        self.confirm()
    }

    fn confirm(&mut self) -> io::Result<()> {
        if self.unconfirmed {
            durable::sync_folder(&self.path)?;
            self.unconfirmed = false;
        }
        Ok(())
    }

    /// Rewrites the file if it has grown. The new one is whole on the disk before it takes the place of the old one.
    pub(super) fn compact(&mut self, now: i64) -> io::Result<()> {
        if self.log.content().length <= self.compact_above {
            return Ok(());
        }
        let mut outbox = self.outbox().clone();
        outbox.trim();
        let mut bytes = Vec::new();
        for line in outbox.lines(now) {
            serde_json::to_writer(&mut bytes, &line)?;
            bytes.push(b'\n');
        }
        let staged = self.path.with_extension("ndjson.tmp");
        durable::write(&durable::create(&staged, 0o600)?, 0, &bytes)?;
        if !self.is_current() {
            return Err(io::Error::other("another program wrote the outbox of alerts meanwhile"));
        }
        durable::rename(&staged, &self.path)?;
        self.unconfirmed = true;
        self.log = AppendLog::open(&self.path)?;
        self.compact_above = self.compact_above.max(bytes.len() as u64 * 2);
        self.confirm()
    }
}
