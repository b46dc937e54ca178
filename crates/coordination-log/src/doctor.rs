//! Checker of coordination log files, called the event doctor (`contract/events.md` §1–§5). It checks each line once,
//! when the line is read, and stores the count and the first samples of each kind of finding. Memory is bounded by the
//! number of files, not of lines.

mod feed;
mod lineage;
mod record;
mod rules;
mod signs;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use feed::Feed;
use lineage::Lineage;
pub use record::RECENT_LINES;
use record::{FindingTally, MAX_SAMPLES, RecentLines, RecordPlace, Sample, repeats};
pub use rules::{PAST_BEFORE, role_unstated};
pub use signs::Signs;

use crate::event::{Event, LIVE_LOG, Quirk, QuirkKind};
use protocol::api::{CheckReport, CheckSummary, FileCheck, Finding, FindingKind, FindingLevel, FindingSample};

/// Names one file for the doctor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileId(usize);

/// State of the log check: files, findings, and recent lines.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Doctor {
    /// In order of first appearance; a [`FileId`] is a position here.
    files: Vec<FileState>,
    /// Lines that a repeated line is recognised by.
    recent: RecentLines,
    /// Work session and depth of recent conversations, which later events must inherit. Bounded.
    lineage: Lineage,
}

/// One file, as far as it was read.
#[derive(Debug, Serialize, Deserialize)]
struct FileState {
    /// Identifies the file permanently; its name may change.
    token: String,
    /// Current name.
    name: String,
    /// Number of events.
    events: u64,
    /// Count and samples by kind of finding, in the order of [`FindingKind::ALL`].
    tallies: [FindingTally; FindingKind::ALL.len()],
    /// Time of the first event that has one; files are in the order of this time.
    first_at: Option<i64>,
    /// Time of the last event that had a plausible one.
    last_at: Option<i64>,
}

impl Doctor {
    /// The file of this token, whose current name is `name`.
    pub fn file(&mut self, token: &str, name: &str) -> FileId {
        let known = self.files.iter().rposition(|file| file.token == token);
        let index = known.unwrap_or_else(|| {
            self.files.push(FileState {
                token: token.to_owned(),
                name: String::new(),
                events: 0,
                tallies: Default::default(),
                first_at: None,
                last_at: None,
            });
            self.files.len() - 1
        });
        if self.files[index].name != name {
            name.clone_into(&mut self.files[index].name);
        }
        FileId(index)
    }

    /// Changes the name of a file that is known by its token.
    pub fn rename(&mut self, token: &str, name: &str) {
        if self.files.iter().any(|file| file.token == token) {
            self.file(token, name);
        }
    }

    /// Checks one event; times after `now` (epoch milliseconds) are in the future.
    pub fn event(&mut self, file: FileId, event: &Event, now: i64) {
        self.seen(file, event, &Signs::new(event, now));
    }

    /// Records an event that was checked on another thread.
    pub fn seen(&mut self, file: FileId, event: &Event, signs: &Signs) {
        let place = RecordPlace { file, offset: event.position().parts().1.unwrap_or(0) };
        self.files[file.0].events += 1;
        // As files are put in order before they are read: 0 is no time.
        if event.at != 0 {
            self.files[file.0].first_at.get_or_insert(event.at);
        }
        for (kind, detail) in &signs.found {
            self.note(*kind, place, detail, &event.raw);
        }
        if signs.plausible {
            let last = self.files[file.0].last_at.replace(event.at);
            if let Some(jump) = last.and_then(|last| rules::clock_jump(last, event.at)) {
                self.note(FindingKind::ClockJump, place, &jump, &event.raw);
            }
        }
        if let Some((kind, detail)) = self.lineage.seen(event) {
            self.note(kind, place, &detail, &event.raw);
        }
        if let Some(first) = self.recent.seen(signs.print, place) {
            let detail = format!("{}:{}", self.files[first.file.0].name, first.offset);
            self.note(FindingKind::Duplicate, place, &detail, &event.raw);
        }
    }

    /// Records a line that is not an event: its offset, the reason, and its first characters.
    pub fn bad_line(&mut self, file: FileId, offset: u64, reason: &str, sample: &str) {
        self.note(FindingKind::Unparsable, RecordPlace { file, offset }, reason, sample);
    }

    /// Records an oddity of a line's bytes.
    pub fn quirk(&mut self, file: FileId, quirk: Quirk) {
        let kind = match quirk.kind {
            QuirkKind::Bom => FindingKind::Bom,
            QuirkKind::Crlf => FindingKind::Crlf,
            QuirkKind::Nul => FindingKind::Nul,
            QuirkKind::NotUtf8 => FindingKind::NotUtf8,
            QuirkKind::Glued => FindingKind::Glued,
        };
        self.note(kind, RecordPlace { file, offset: quirk.offset }, "", "");
    }

    /// Records a last line without an end; `start` is its first bytes.
    pub fn torn(&mut self, file: FileId, offset: u64, bytes: u64, start: &[u8]) {
        let text = String::from_utf8_lossy(start);
        self.note(FindingKind::Torn, RecordPlace { file, offset }, &format!("{bytes} B"), &text);
    }

    /// Findings of all files together, with the first samples in reading order, not in the order in which lines were
    /// read: a mirror of the log may receive the lines of several files in turn.
    #[must_use]
    pub fn summary(&self) -> CheckSummary {
        self.summary_of(&self.in_reading_order())
    }

    /// Findings file by file.
    #[must_use]
    pub fn report(&self) -> CheckReport {
        let files = self.in_reading_order();
        CheckReport { files: files.iter().map(|file| file.check()).collect(), all: self.summary_of(&files) }
    }

    fn summary_of(&self, files: &[&FileState]) -> CheckSummary {
        let findings = FindingKind::ALL.into_iter().enumerate().map(|(index, kind)| Finding {
            kind,
            level: kind.level(),
            count: files.iter().map(|file| file.tallies[index].count).sum(),
            samples: samples(files, kind, index),
        });
        CheckSummary {
            events: self.files.iter().map(|file| file.events).sum(),
            findings: findings.filter(|finding| finding.count > 0).collect(),
        }
    }

    /// Archives by the time of their first event, then the live log.
    fn in_reading_order(&self) -> Vec<&FileState> {
        let mut files: Vec<&FileState> = self.files.iter().collect();
        files.sort_by_key(|file| {
            (Path::new(&file.name).ends_with(LIVE_LOG), file.first_at.unwrap_or(i64::MAX), &file.name)
        });
        files
    }

    /// Counts a finding. `text` is the line, of which a sample is stored; `detail` says what exactly is wrong.
    fn note(&mut self, kind: FindingKind, place: RecordPlace, detail: &str, text: &str) {
        // The index is the order of declaration, as in `ALL`.
        let file = self.files.get_mut(place.file.0);
        if let Some(tally) = file.and_then(|file| file.tallies.get_mut(kind as usize)) {
            tally.add(kind, place.offset, detail, text);
        }
    }
}

/// The first samples of one kind, `index` in [`FindingKind::ALL`].
fn samples(files: &[&FileState], kind: FindingKind, index: usize) -> Vec<FindingSample> {
    let mut shown: Vec<FindingSample> = Vec::new();
    for (file, sample) in files.iter().flat_map(|file| file.tallies[index].samples.iter().map(move |one| (file, one))) {
        if shown.len() == MAX_SAMPLES {
            break;
        }
        if !repeats(kind, &sample.detail, shown.iter().map(|sample| sample.detail.as_str())) {
            let Sample { offset, detail, text } = sample;
            let (detail, text) = (detail.clone(), text.clone());
            shown.push(FindingSample { file: file.name.clone(), offset: *offset, detail, text });
        }
    }
    shown
}

impl FileState {
    fn check(&self) -> FileCheck {
        let counts = || {
            FindingKind::ALL
                .into_iter()
                .zip(self.tallies.iter().map(|tally| tally.count))
                .filter(|(_, count)| *count > 0)
        };
        let total =
            |level: FindingLevel| counts().filter(|(kind, _)| kind.level() == level).map(|(_, count)| count).sum();
        FileCheck {
            name: self.name.clone(),
            events: self.events,
            problems: total(FindingLevel::Problem),
            warnings: total(FindingLevel::Warning),
            notes: total(FindingLevel::Note),
            counts: counts().collect(),
        }
    }
}
