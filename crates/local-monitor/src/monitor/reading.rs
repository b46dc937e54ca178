//! Reading of files piece by piece: lines of logs and of hooks as they come, other files once they are whole.

use std::io::Read as _;

use coordination::api::BadLine;
use coordination::event::{FIRST_LINE_BYTES, MAX_LINE_BYTES, ParsedLines, file_token, first_line_hash, read_lines};
use coordination::evidence::EvidenceFile;
use coordination::hub::Changes;
use coordination::schema::hook::Capture;
use coordination::schema::{SchemaInput, read_item};
use serde_json::Value;

use super::{LocalMonitor, MAX_MASKED, QueuedFile, Reading};
use crate::content::{FileContentKind, FilePlace};
use crate::input::OpenInput;
use crate::monitor::FileReport;

/// Longest line that is waited for; of a longer one the beginning is left out.
const MAX_PENDING_BYTES: usize = 4 * MAX_LINE_BYTES;
/// Bad lines that are kept as samples.
const MAX_SAMPLES: usize = 20;

/// Complete lines out of pieces.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Name of the file in event ids, once the first line is known.
    pub(super) token: Option<String>,
    /// Position of the first pending byte.
    offset: u64,
    /// An unfinished line; of a file that is read whole, all of it.
    pub(super) pending: Vec<u8>,
    /// Positions are those of the file: what is added to it can be read on.
    pub(super) is_plain: bool,
}

/// Whole lines, and the position of the first byte.
pub(super) struct WholeLines {
    bytes: Vec<u8>,
    offset: u64,
}

impl Lines {
    /// The complete lines that a piece ends.
    pub(super) fn push(&mut self, piece: &[u8]) -> Option<WholeLines> {
        self.pending.extend_from_slice(piece);
        let Some(end) = self.pending.iter().rposition(|byte| *byte == b'\n').map(|end| end + 1) else {
            // The line is refused for its length anyway.
            if self.pending.len() > MAX_PENDING_BYTES {
                let excess = self.pending.len() - MAX_LINE_BYTES - 1;
                self.pending.drain(..excess);
                self.offset += excess as u64;
            }
            return None;
        };
        let rest = self.pending.split_off(end);
        let block = WholeLines { bytes: std::mem::replace(&mut self.pending, rest), offset: self.offset };
        self.offset += block.bytes.len() as u64;
        Some(block)
    }

    /// Position just after the last complete line.
    pub(super) fn read_to(&self) -> u64 {
        self.offset
    }
}

impl QueuedFile {
    /// Settings and tasks first; then logs in their order.
    pub(super) fn reading_order(&self) -> (bool, (bool, i64, String)) {
        match self.place {
            FilePlace::Log => (true, self.input.log_order()),
            _ => (false, (false, 0, self.input.path.clone())),
        }
    }
}

impl LocalMonitor {
    /// Begins with the next file that is read at all.
    pub(super) fn begin_next(&mut self, now: i64) {
        while let Some(QueuedFile { input, place }) = self.queue.pop_front() {
            let OpenInput { path, size, is_plain, head, mut rest } = input;
            let report = FileReport::new(&path, place.kind(), size);
            if let FilePlace::Other(_) = place {
                // One that cannot be unpacked looks like any other.
                let error = rest.read(&mut [0]).err().map(|error| error.to_string());
                self.reports.push(FileReport { error, ..report });
                continue;
            }
            if place == FilePlace::Log && !self.home_read {
                self.read_home(now);
            }
            let lines = Lines { is_plain, ..Lines::default() };
            let mut reading = Reading { report, place, rest, lines, slot: None };
            self.unpacked += head.len() as u64;
            self.take(&mut reading, &head, now);
            self.current = Some(reading);
            return;
        }
        self.begin_transcript(now);
    }

    /// Takes in the next piece of a file.
    pub(super) fn take(&mut self, reading: &mut Reading, piece: &[u8], now: i64) {
        match reading.place {
            FilePlace::Log => {
                if let Some(block) = reading.lines.push(piece) {
                    let path = reading.report.path.clone();
                    let parsed = self.parse(&path, &mut reading.lines, &block, now);
                    reading.report.events += parsed.events.len() as u64;
                    reading.report.bad_lines += parsed.errors.len() as u64;
                    self.hub.load(parsed.events);
                    self.changed(Changes::everything());
                }
            }
            FilePlace::AgentEvents => {
                if let Some(block) = reading.lines.push(piece) {
                    self.take_agent_events(&mut reading.report, &block.bytes, now);
                }
            }
            FilePlace::Transcript => {
                if let Some(slot) = &mut reading.slot {
                    slot.push(piece);
                }
            }
            _ => reading.lines.pending.extend_from_slice(piece),
        }
    }

    /// Parses lines of a log, and notes what is wrong with them.
    pub(super) fn parse(&mut self, path: &str, lines: &mut Lines, block: &WholeLines, now: i64) -> ParsedLines {
        let name = path.rsplit('/').next().unwrap_or(path);
        let token = lines.token.get_or_insert_with(|| {
            let start = &block.bytes[..block.bytes.len().min(FIRST_LINE_BYTES)];
            self.name_file(&first_line_hash(start), name)
        });
        let parsed = read_lines(&block.bytes, token, block.offset);
        let file = self.doctor.file(token, name);
        for event in &parsed.events {
            self.doctor.event(file, event, now);
            self.newest = self.newest.max(Some(event.at).filter(|at| *at > 0));
        }
        for error in &parsed.errors {
            self.doctor.bad_line(file, error.offset, error.reason.as_str(), &error.sample);
            self.samples.push(BadLine {
                file: name.to_owned(),
                offset: error.offset,
                reason: error.reason.as_str().to_owned(),
                sample: error.sample.clone(),
            });
        }
        for quirk in &parsed.quirks {
            self.doctor.quirk(file, *quirk);
        }
        self.bad_lines += parsed.errors.len() as u64;
        let excess = self.samples.len().saturating_sub(MAX_SAMPLES);
        self.samples.drain(..excess);
        parsed
    }

    /// Gives a file its name in event ids, by the hash of its first line.
    fn name_file(&mut self, hash: &str, name: &str) -> String {
        let token = file_token(&mut self.tokens, hash);
        self.names.insert(token.clone(), name.to_owned());
        token
    }

    /// A line holds an item as it is posted, or one that a monitor has stored.
    fn take_agent_events(&mut self, report: &mut FileReport, lines: &[u8], now: i64) {
        let mut inputs = Vec::new();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            let stored = serde_json::from_slice::<SchemaInput>(line).ok();
            let item = || read_item(&serde_json::from_slice::<Value>(line).ok()?, now, Capture::Full).ok();
            match stored.or_else(item) {
                Some(input) => inputs.push(input),
                // A place in another file, which a monitor stores beside its inputs.
                None if line.starts_with(b"{\"drop\"") || line.starts_with(b"{\"away\"") => {}
                None => report.bad_lines += 1,
            }
        }
        report.events += inputs.len() as u64;
        self.has_hooks |= !inputs.is_empty();
        self.agent_changes.push(self.ledger.take(inputs));
    }

    /// Ends a file: what is whole now is taken in.
    pub(super) fn end(&mut self, reading: Reading, now: i64) {
        let Reading { mut report, place, lines, slot, .. } = reading;
        match place {
            FilePlace::Log => {
                report.torn_bytes = lines.pending.len() as u64;
                self.log_tokens.push((report.path.clone(), lines.token.clone()));
                self.logs.insert(report.path.clone(), lines);
            }
            FilePlace::AgentEvents => {
                // An item that was written without the end of its line is whole if it can be read.
                let rest = lines.pending;
                if !rest.trim_ascii().is_empty() {
                    self.take_agent_events(&mut report, &rest, now);
                }
            }
            FilePlace::Evidence => self.take_evidence(&mut report, &lines.pending, now),
            FilePlace::Record(record) => {
                let fault = self.take_record(record, &lines.pending, now).err();
                report.error = report.error.or(fault);
            }
            FilePlace::Config(path) => self.home.add_config(path, &lines.pending),
            FilePlace::Sessions(path) => {
                let fault = self.home.add_sessions(path, &lines.pending).err();
                report.error = report.error.or(fault);
            }
            FilePlace::Transcript => self.end_transcript(&mut report, slot),
            FilePlace::Workspace { folder, kind } => {
                self.home.add(report.path.clone(), folder, kind, &lines.pending);
            }
            FilePlace::Other(_) => {}
        }
        self.reports.push(report);
    }

    /// Takes in an evidence file that is whole; of another one nothing is shown.
    fn take_evidence(&mut self, report: &mut FileReport, bytes: &[u8], now: i64) {
        let file = match EvidenceFile::read(bytes) {
            Ok(file) => file,
            Err(faults) => {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                report.error = Some(faults.join("; "));
                return;
            }
        };
        let mut logs: Vec<Lines> = file.header.files.iter().map(|_| Lines::default()).collect();
        for line in &file.lines {
            let place = line.file as usize;
            let (Some(lines), Some(name)) = (logs.get_mut(place), file.header.files.get(place)) else { continue };
            let block = WholeLines { bytes: format!("{}\n", line.text).into_bytes(), offset: line.offset };
            let parsed = self.parse(name, lines, &block, now);
            report.events += parsed.events.len() as u64;
            self.hub.load(parsed.events);
        }
        let masked = file.lines.iter().filter(|line| line.masked).take(MAX_MASKED);
        report.masked = masked.map(|line| (file.place(line).to_string(), line.text.clone())).collect();
        self.named_agents.extend(file.header.agents.iter().cloned());
        let token_of = |file: u32| logs.get(file as usize)?.token.as_deref();
        for note in &file.header.notes {
            self.take_note(note.to_lines(token_of));
        }
        report.evidence = Some(file.header);
    }

    pub(super) fn refuse(&mut self, path: &str, error: String) {
        let report = FileReport::new(path, FileContentKind::Unknown, 0);
        self.reports.push(FileReport { error: Some(error), ..report });
    }
}
