//! Followed log file: read position, line splitting, and the check that the file is still the same.

use std::fs::File;
use std::io;
use std::time::SystemTime;

use coordination::api::BadLine;
use coordination::event::{LIVE_LOG, LineErrorReason, MAX_LINE_BYTES, first_line_hash, sample};

use super::LineBlock;
use super::checkpoint::LogPosition;
use super::fingerprint::{ContentFingerprint, equal_bytes, fill};
use super::listing::{FileStamp, ListedLog, name_of};
use super::prefix::{DeliveredPrefixes, Prefix};

/// First read size; doubled up to a whole line of the longest allowed size.
const CHUNK_BYTES: usize = 512 * 1024;

/// A file being followed. Its bytes are its identity: other bytes in its place are another `LogFile`.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) entry: ListedLog,
    /// Identifies the file for as long as the process lives.
    pub(super) serial: u64,
    /// False while no directory entry leads to it.
    pub(super) present: bool,
    /// Its bytes were cut off or overwritten: nothing on disk leads to them, unless a copy of them is found.
    pub(super) is_truncated: bool,
    /// Looks since anything happened to it.
    pub(super) idle_looks: u32,
    /// Kept open, so that what the writer appends to a file it renamed or removed is still read, and so that its
    /// inode cannot become another file's.
    handle: Option<File>,
    /// Names it in event ids; known once its first line is complete.
    pub(super) token: Option<String>,
    /// Just after the last newline read; never anywhere else.
    pub(super) read_to: u64,
    /// Bytes that prove the read part unchanged. Its end is `read_to`, or further inside a line that is too long.
    pub(super) fingerprint: ContentFingerprint,
    /// Identity of the lines up to `fingerprint.end()`.
    prefix: Prefix,
    /// False while each of its lines was delivered from another file before: it may be that file, put back.
    pub(super) has_new_lines: bool,
    /// Stamp at the last complete read: nothing to do while it stays.
    settled: Option<FileStamp>,
    /// When the unfinished last line was first seen, in epoch milliseconds.
    pub(super) pending_since: Option<i64>,
}

impl LogFile {
    pub(super) fn new(entry: ListedLog, serial: u64, token: Option<String>) -> Self {
        Self {
            entry,
            serial,
            present: true,
            is_truncated: false,
            idle_looks: 0,
            handle: None,
            token,
            read_to: 0,
            fingerprint: ContentFingerprint::default(),
            prefix: Prefix::default(),
            has_new_lines: false,
            settled: None,
            pending_since: None,
        }
    }

    pub(super) fn name(&self) -> String {
        name_of(&self.entry.path)
    }

    pub(super) fn is_live(&self) -> bool {
        self.entry.path.ends_with(LIVE_LOG)
    }

    /// Its read position; `None` when it cannot be continued later: its bytes are gone, or a line that is too long is
    /// not at its end.
    pub(super) fn position(&self) -> Option<LogPosition> {
        let at_line_end = self.fingerprint.end() == self.read_to;
        let token = self.token.clone().filter(|_| self.present && !self.is_truncated && at_line_end)?;
        Some(LogPosition {
            token,
            read_to: self.read_to,
            fingerprint: self.fingerprint.clone(),
            prefix: self.prefix.fingerprint(),
            has_new_lines: self.has_new_lines,
            identity: self.entry.stamp.identity,
            settled: self.settled,
        })
    }

    /// Continues at a position in `entry`, if that file still begins with the bytes that were read.
    pub(super) fn at_position(entry: ListedLog, serial: u64, position: LogPosition) -> io::Result<Option<Self>> {
        let LogPosition { token, read_to, fingerprint, prefix, has_new_lines, identity: _, settled } = position;
        let mut file = Self {
            read_to,
            fingerprint,
            prefix: Prefix::from_fingerprint(prefix),
            has_new_lines,
            settled,
            ..Self::new(entry, serial, Some(token))
        };
        let handle = file.open()?.try_clone()?;
        let size = file.entry.stamp.size;
        Ok((size >= read_to && file.fingerprint.holds(&handle)?).then_some(file))
    }

    /// Bytes after the read position.
    pub(super) fn unread_bytes(&self) -> u64 {
        self.entry.stamp.size.saturating_sub(self.read_to)
    }

    /// The open file, opened if need be.
    pub(super) fn open(&mut self) -> io::Result<&File> {
        match &mut self.handle {
            Some(handle) => Ok(handle),
            none => Ok(none.insert(self.entry.open()?)),
        }
    }

    pub(super) fn let_go(&mut self) {
        self.handle = None;
    }

    pub(super) fn is_held(&self) -> bool {
        self.handle.is_some()
    }

    /// Nothing on disk leads to it any more and nothing was read of it yet.
    pub(super) fn is_unread(&self) -> bool {
        !self.present && self.is_held() && self.fingerprint.end() == 0
    }

    /// It was read in this state; an unfinished line follows the read position.
    pub(super) fn was_read(&self) -> bool {
        self.settled == Some(self.entry.stamp)
    }

    /// There is nothing to read. An unfinished line is looked at again each time: its bytes prove nothing yet.
    pub(super) fn is_settled(&self) -> bool {
        self.was_read() && self.fingerprint.end() >= self.entry.stamp.size
    }

    /// True when the listed file of its identity is still this file. Its bytes are compared when the metadata changed;
    /// while it is held open also when it changed so recently that a write in the same tick would leave them equal.
    pub(super) fn is_still(&mut self, listed: &ListedLog) -> bool {
        if listed.stamp.size < self.fingerprint.end() {
            return false;
        }
        let unchanged = self.settled == Some(listed.stamp);
        if unchanged && (!self.is_held() || listed.stamp.is_past_tick(SystemTime::now())) {
            return true;
        }
        let stamp = self.entry.stamp;
        let before = std::mem::replace(&mut self.entry, ListedLog { stamp, ..listed.clone() });
        let holds = self.open().map(|handle| handle.try_clone()).and_then(|handle| self.fingerprint.holds(&handle?));
        self.entry = before;
        // The read that follows reports the cause; the file may be readable again later.
        holds.unwrap_or(true)
    }

    /// It is listed, under this name and with this stamp.
    pub(super) fn set_listed(&mut self, listed: ListedLog) {
        // A second name of the same file does not make it another; the live name goes before.
        if !(self.present && self.is_live()) {
            self.entry = listed;
        }
        self.present = true;
    }

    /// Its bytes are found elsewhere, copied or restored: it continues there.
    pub(super) fn move_to(&mut self, listed: ListedLog) {
        self.entry = listed;
        self.settled = None;
        self.is_truncated = false;
        self.present = true;
    }

    /// How large it is while it is held open and its bytes are what they were; else 0.
    pub(super) fn held_size(&self) -> u64 {
        let Some(handle) = &self.handle else { return 0 };
        let holds = self.fingerprint.holds(handle).unwrap_or(false);
        handle.metadata().ok().filter(|_| holds).map_or(0, |meta| meta.len())
    }

    /// True when it is held open and begins with the first `size` bytes of `other`.
    pub(super) fn held_begins_like(&self, other: &File, size: u64) -> bool {
        self.handle.as_ref().is_some_and(|held| equal_bytes(held, other, size).unwrap_or(false))
    }

    /// The other bytes in its place, while nothing on disk leads to the file and it is still held open.
    pub(super) fn take_place(&mut self, serial: u64) -> Option<Self> {
        let handle = self.handle.take()?;
        if self.fingerprint.holds(&handle).unwrap_or(true) {
            return None;
        }
        let listed = ListedLog { stamp: FileStamp::from_file(&handle).ok()?, ..self.entry.clone() };
        Some(Self { handle: Some(handle), present: false, ..Self::new(listed, serial, None) })
    }

    /// Its bytes are lost; returns how many of those seen were never read.
    pub(super) fn tear_off(&mut self) -> u64 {
        self.is_truncated = true;
        self.present = false;
        self.handle = None;
        self.pending_since = None;
        self.unread_bytes()
    }

    /// Reads every complete line there is, and passes on those that were not `delivered` before; false when the file
    /// turns out to be another one. `token` names the file from its first line, `now` is in epoch milliseconds.
    pub(super) fn read(
        &mut self,
        now: i64,
        buffer: &mut Vec<u8>,
        delivered: &mut DeliveredPrefixes,
        token: &mut dyn FnMut(&str) -> String,
        sink: &mut dyn FnMut(LineBlock),
    ) -> io::Result<bool> {
        let handle = self.open()?.try_clone()?;
        let before = self.read_to;
        let mut want = CHUNK_BYTES;
        loop {
            let stamp = FileStamp::from_file(&handle)?;
            // Whether an archive is a copy was found out for the bytes that were listed: no more of it at first.
            let judged = usize::try_from(self.entry.stamp.size).unwrap_or(usize::MAX);
            let most =
                if self.present && self.fingerprint.end() == 0 && !self.is_live() { want.min(judged) } else { want };
            let filled = fill(&handle, self.fingerprint.end(), most, buffer)?;
            // After the bytes were taken, so that none of another content pass for this file's.
            if stamp.size < self.fingerprint.end() || !self.fingerprint.holds(&handle)? {
                return Ok(false);
            }
            let bytes = &buffer[..filled];
            let ended = filled < most || (most < want && !bytes.contains(&b'\n'));
            if self.fingerprint.end() > self.read_to {
                if let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
                    self.fingerprint.advance(&bytes[..=end]);
                    if delivered.is_new_line(&mut self.prefix, &bytes[..=end]) {
                        self.has_new_lines = true;
                        self.end_long_line(&handle, now, buffer, sink)?;
                    }
                    self.read_to = self.fingerprint.end();
                    // The bytes after the long line in this block are read again, as lines.
                    continue;
                }
                self.prefix.extend(bytes);
                self.fingerprint.advance(bytes);
            } else if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
                let lines = &bytes[..=end];
                self.token.get_or_insert_with(|| token(&first_line_hash(self.fingerprint.start_or(lines))));
                for run in delivered.new_runs(&mut self.prefix, lines, self.read_to == 0) {
                    self.has_new_lines = true;
                    sink(LineBlock {
                        bytes: lines[run.clone()].to_vec(),
                        ..self.block(self.read_to + run.start as u64, now)
                    });
                }
                self.fingerprint.advance(lines);
                self.read_to = self.fingerprint.end();
            } else if filled > MAX_LINE_BYTES {
                let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]);
                let (offset, reason) = (self.read_to, LineErrorReason::TooLong.as_str().to_owned());
                let bad = vec![BadLine { file: self.name(), offset, reason, sample: sample(&start) }];
                self.token.get_or_insert_with(|| token(&first_line_hash(bytes)));
                self.fingerprint.advance(bytes);
                self.prefix.extend(bytes);
                if delivered.is_new_start(&self.prefix) {
                    self.has_new_lines = true;
                    sink(LineBlock { bad, ..self.block(offset, now) });
                }
            } else if !ended {
                want = (want * 2).min(MAX_LINE_BYTES + 1);
                continue;
            }
            if ended {
                self.entry.stamp = stamp;
                self.settled = Some(stamp);
                let first_seen = if self.read_to > before { None } else { self.pending_since };
                self.pending_since = (self.unread_bytes() > 0).then(|| first_seen.unwrap_or(now));
                return Ok(true);
            }
            want = CHUNK_BYTES;
        }
    }

    /// A line that was too long is over. When a whole record is glued to its end (a crash in mid-line, or a tail of
    /// NULs), that one is kept.
    fn end_long_line(
        &self,
        handle: &File,
        now: i64,
        buffer: &mut Vec<u8>,
        sink: &mut dyn FnMut(LineBlock),
    ) -> io::Result<()> {
        let end = self.fingerprint.end();
        let start = end.saturating_sub(MAX_LINE_BYTES as u64).max(self.read_to + 1);
        let want = usize::try_from(end - start).unwrap_or(MAX_LINE_BYTES);
        let filled = fill(handle, start, want, buffer)?;
        if self.token.is_some() {
            let bytes = buffer[..filled].to_vec();
            sink(LineBlock { bytes, of_long_line: true, ..self.block(start, now) });
        }
        Ok(())
    }

    /// A block from here on, with nothing in it.
    fn block(&self, offset: u64, now: i64) -> LineBlock {
        let token = self.token.clone().unwrap_or_default();
        LineBlock { token, name: self.name(), offset, bytes: Vec::new(), bad: Vec::new(), of_long_line: false, now }
    }
}
