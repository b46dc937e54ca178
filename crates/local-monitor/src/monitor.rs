//! State of a local monitor: the hub, the files that are still to be read, and what was found in those that were.

mod reading;
mod records;
mod state;
mod transcripts;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use coordination::api::{BadLine, ConfigState, Delta, ManualOverride, Taught, Unreadable};
use coordination::doctor::Doctor;
use coordination::evidence::{EvidenceAgent, EvidenceHeader};
use coordination::hub::{Changes, Hub};
use coordination::ids::SessionId;
use coordination::query::{self, ChangeRecord};
use coordination::schema::{Changed, Ledger};
use coordination::search::index::{Candidates as _, SearchIndex};
use coordination::shared_records::SharedRecords;
use serde::{Deserialize, Serialize};

use crate::content::{FileContentKind, FilePlace, home_of, recognise};
use crate::home_files::HomeFiles;
use crate::input::{self, Input, InputFile, MAX_BYTES, OpenInput, ReadSeek, WaitingInput};
use crate::past::Past;
use crate::transcripts::{ScannedTranscript, TranscriptBytes, TranscriptInput, TranscriptUse};
use reading::Lines;
use transcripts::Transcripts;

/// Masked lines that a report names.
const MAX_MASKED: usize = 50;
/// Bytes that one step reads.
const STEP_BYTES: usize = 1 << 20;

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    /// Its path within what was chosen.
    pub path: String,
    /// What it is.
    pub kind: FileContentKind,
    /// Its size as it is stored, in bytes.
    pub bytes: u64,
    /// Events that it brought.
    pub events: u64,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// Bytes after its last complete line.
    pub torn_bytes: u64,
    /// Why it was not read, or not to its end, in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What an evidence file says of itself; present when it is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceHeader>,
    /// Places of lines of an evidence file whose texts are masked, at most [`MAX_MASKED`], and their texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<(String, String)>,
    /// What became of a transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<TranscriptUse>,
}

impl FileReport {
    fn new(path: &str, kind: FileContentKind, bytes: u64) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            bytes,
            events: 0,
            bad_lines: 0,
            torn_bytes: 0,
            error: None,
            evidence: None,
            masked: Vec::new(),
            transcript: None,
        }
    }
}

/// How far the files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadingProgress {
    /// Bytes that are read, as they are stored.
    pub read: u64,
    /// Bytes of all files.
    pub total: u64,
    /// All are read.
    pub done: bool,
}

/// A monitor of files that are given as bytes.
#[derive(Debug, Default)]
pub struct LocalMonitor {
    hub: Hub,
    index: SearchIndex,
    past: Past,
    /// Number of changes of the hub.
    version: u64,
    /// What changed since the last delta.
    changes: Changes,
    queue: VecDeque<QueuedFile>,
    current: Option<Reading>,
    /// Logs that were read to their end, by path: more may be appended.
    logs: BTreeMap<String, Lines>,
    /// Path of each log and its name in event ids, in the order in which they were read; no name without a line. Several
    /// logs may have one path.
    log_tokens: Vec<(String, Option<String>)>,
    reports: Vec<FileReport>,
    read: Rc<Cell<u64>>,
    total: u64,
    /// Bytes after unpacking, without those of transcripts.
    unpacked: u64,
    transcripts: Transcripts,
    home: HomeFiles,
    /// Folder of the home among the files, with its `/`.
    home_folder: Option<String>,
    /// Agents that evidence files name.
    named_agents: Vec<EvidenceAgent>,
    ledger: Ledger,
    /// Changes of coding agents' events that the hub does not have yet.
    agent_changes: Vec<Changed>,
    has_hooks: bool,
    /// The hub has the files of the home that were read so far.
    home_read: bool,
    /// How often each name of a log in event ids was given.
    tokens: HashMap<String, u32>,
    /// Current name of each log, by its name in event ids.
    names: BTreeMap<String, String>,
    doctor: Doctor,
    samples: Vec<BadLine>,
    bad_lines: u64,
    newest: Option<i64>,
    /// Changes of categories by hand, from the record of the home.
    change_record: ChangeRecord,
    /// Notes, marks and views, of the home and of evidence files.
    shared: SharedRecords,
    /// Words that people taught the classifier.
    rules: Option<Taught>,
    /// Categories of files that were open before.
    earlier_categories: BTreeMap<SessionId, ManualOverride>,
    /// The files are those of a home, and not single ones.
    is_home: bool,
    config: ConfigState,
    /// Files of the home itself that cannot be read.
    home_unreadable: Vec<Unreadable>,
    done: bool,
}

/// A file that waits for its turn.
struct QueuedFile {
    input: OpenInput,
    place: FilePlace,
}

impl std::fmt::Debug for QueuedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueuedFile").field("path", &self.input.path).field("place", &self.place).finish_non_exhaustive()
    }
}

/// The file that is being read.
struct Reading {
    report: FileReport,
    place: FilePlace,
    /// The rest of its bytes.
    rest: Box<dyn Read>,
    lines: Lines,
    /// Of a transcript.
    slot: Option<ScannedTranscript>,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").field("report", &self.report).finish_non_exhaustive()
    }
}

/// Counts the bytes that are read of a file.
struct Counting {
    bytes: Box<dyn ReadSeek>,
    read: Rc<Cell<u64>>,
}

impl Read for Counting {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(to)?;
        self.read.set(self.read.get().saturating_add(read as u64));
        Ok(read)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

impl LocalMonitor {
    /// Without files. `epoch` names it in positions of the live stream.
    #[must_use]
    pub fn new(epoch: String) -> Self {
        let mut monitor = Self::default();
        monitor.hub.set_epoch(epoch);
        monitor
    }

    /// Opens files; [`LocalMonitor::step`] reads them.
    pub fn open(&mut self, inputs: Vec<Input>) {
        let (mut opened, mut waiting): (Vec<OpenInput>, Vec<WaitingInput>) = (Vec::new(), Vec::new());
        let mut budget = MAX_BYTES.saturating_sub(self.unpacked);
        for Input { path, mut bytes } in inputs {
            self.total += bytes.seek(SeekFrom::End(0)).unwrap_or_default();
            let read = Rc::clone(&self.read);
            for file in input::open(Input { path, bytes: Box::new(Counting { bytes, read }) }, &mut budget, &|_| true) {
                match file {
                    InputFile::Open(input) => opened.push(input),
                    InputFile::Waiting(input) => waiting.push(input),
                    InputFile::Unread(path, kind) => self.reports.push(FileReport::new(&path, kind, 0)),
                    InputFile::Failed(path, error) => self.refuse(&path, error.to_string()),
                }
            }
        }
        let paths = opened.iter().map(|input| input.path.as_str()).chain(waiting.iter().map(WaitingInput::path));
        let home = home_of(paths);
        self.is_home |= home.is_some();
        let mut queue = Vec::new();
        let mut transcripts: Vec<TranscriptBytes> = waiting.into_iter().map(TranscriptBytes::Waiting).collect();
        for input in opened {
            match recognise(&input.path, home.as_deref(), &input.head) {
                FilePlace::Transcript => transcripts.push(TranscriptBytes::Open(input)),
                place => queue.push(QueuedFile { input, place }),
            }
        }
        self.transcripts.add(transcripts.into_iter().map(|bytes| TranscriptInput::new(bytes, home.as_deref())));
        self.home_folder = home;
        // Who is who first, because roles depend on it; then older logs, the live one last.
        queue.sort_by_cached_key(|file| file.reading_order());
        self.queue.extend(queue);
        self.done = false;
        self.home_read = false;
        self.refresh_source();
    }

    /// Reads a piece. The caller repeats it until all is done.
    pub fn step(&mut self, now: i64) -> ReadingProgress {
        if self.current.is_none() {
            self.begin_next(now);
        }
        match self.current.take() {
            Some(mut reading) => {
                let mut piece = vec![0; STEP_BYTES];
                match reading.rest.read(&mut piece) {
                    Ok(0) => self.end(reading, now),
                    Ok(read) => {
                        piece.truncate(read);
                        let unpacked = match reading.place {
                            FilePlace::Transcript => &mut self.transcripts.unpacked,
                            _ => &mut self.unpacked,
                        };
                        *unpacked += read as u64;
                        if *unpacked > MAX_BYTES {
                            reading.report.error = Some(input::too_large().to_string());
                            self.end(reading, now);
                        } else {
                            self.take(&mut reading, &piece, now);
                            self.current = Some(reading);
                        }
                    }
                    Err(error) => {
                        reading.report.error = Some(error.to_string());
                        self.end(reading, now);
                    }
                }
            }
            None if !self.done && !self.merge_transcripts() => {
                self.done = true;
                self.read_home(now);
                self.changed(Changes::everything());
            }
            None => {}
        }
        self.progress()
    }

    /// How far the files are read.
    #[must_use]
    pub fn progress(&self) -> ReadingProgress {
        ReadingProgress {
            read: if self.done { self.total } else { self.read.get().min(self.total) },
            total: self.total,
            done: self.done,
        }
    }

    /// When the only file was made, epoch ms, if it is evidence: it is shown as of then.
    #[must_use]
    pub fn made_at(&self) -> Option<i64> {
        match self.reports() {
            [FileReport { evidence: Some(evidence), .. }] => Some(evidence.made_at),
            _ => None,
        }
    }

    /// What became of the files that are read.
    #[must_use]
    pub fn reports(&self) -> &[FileReport] {
        &self.reports
    }

    /// Takes in bytes that were added to a log or a transcript behind those that were read. False when no such file of this
    /// path is open that was read to its end as it is stored.
    pub fn append(&mut self, path: &str, bytes: &[u8], now: i64) -> bool {
        if self.transcripts.has(path) {
            return self.append_transcript(path, bytes);
        }
        let is_whole = |report: &FileReport| report.path == path && report.error.is_none();
        let is_plain = self.logs.get(path).is_some_and(|lines| lines.is_plain);
        if !is_plain || !self.reports.iter().any(is_whole) {
            return false;
        }
        let Some(mut lines) = self.logs.remove(path) else { return false };
        let whole = lines.push(bytes);
        let parsed = whole.map(|block| self.parse(path, &mut lines, &block, now));
        let unnamed = self.log_tokens.iter_mut().find(|(known, token)| known == path && token.is_none());
        if let Some((_, token)) = unnamed {
            token.clone_from(&lines.token);
        }
        self.logs.insert(path.to_owned(), lines);
        let torn_bytes = self.logs.get(path).map_or(0, |lines| lines.pending.len() as u64);
        if let Some(report) = self.reports.iter_mut().find(|report| report.path == path) {
            report.bytes += bytes.len() as u64;
            report.torn_bytes = torn_bytes;
            if let Some(parsed) = &parsed {
                report.events += parsed.events.len() as u64;
                report.bad_lines += parsed.errors.len() as u64;
            }
        }
        if let Some(parsed) = parsed {
            // Lines that cannot be read are news too.
            let changes = if parsed.events.is_empty() { Changes::everything() } else { self.hub.apply(parsed.events) };
            self.refresh_source();
            self.changed(changes);
        }
        true
    }

    /// What changed since the last call, with home as of `now`; none when nothing did.
    pub fn take_delta(&mut self, now: i64) -> Option<Delta> {
        let changes = std::mem::take(&mut self.changes);
        let home = || Some(query::home(&self.hub, now));
        (!changes.is_empty()).then(|| Delta { home: home(), ..query::delta(&self.hub, now, &changes) })
    }

    /// Extends the search index by at most `most` events; false when it has all.
    pub fn index_more(&mut self, most: u32) -> bool {
        if self.index.is_full() {
            return false;
        }
        let entries = self.hub.index_entries(self.index.covered(), most);
        !entries.is_empty() && entries.iter().all(|entry| self.index.add(entry))
    }
}
