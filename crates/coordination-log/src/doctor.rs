//! Checker of coordination log files, called the event doctor (`contract/events.md` §1–§5). It checks each line once,
//! when the line is read, and stores the count and the first samples of each kind of finding. Memory is bounded by the
//! number of files, not of lines.

mod feed;
mod lineage;
mod record;
mod rules;
mod signs;

use serde::{Deserialize, Serialize};

pub use feed::Feed;
use lineage::Lineage;
pub use record::RECENT_LINES;
use record::{FindingTally, RecentLines, RecordPlace};
pub use rules::{PAST_BEFORE, role_unstated};
pub use signs::Signs;

use crate::event::{Event, Quirk, QuirkKind};
use protocol::api::{CheckReport, CheckSummary, FileCheck, Finding, FindingKind, FindingLevel, FindingSample};

/// Names one file for the doctor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileId(usize);

/// State of the log check: files, findings, and recent lines.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Doctor {
    /// In order of first appearance; a [`FileId`] is a position here.
    files: Vec<FileState>,
    /// Count and samples by kind of finding, in the order of [`FindingKind::ALL`].
    tallies: [FindingTally; FindingKind::ALL.len()],
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
    /// Number of findings by kind, in the order of [`FindingKind::ALL`].
    counts: [u64; FindingKind::ALL.len()],
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
                counts: [0; FindingKind::ALL.len()],
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

    /// Findings of all files together.
    #[must_use]
    pub fn summary(&self) -> CheckSummary {
        let findings = FindingKind::ALL.into_iter().zip(&self.tallies).filter(|(_, tally)| tally.count > 0);
        let findings = findings.map(|(kind, tally)| Finding {
            kind,
            level: kind.level(),
            count: tally.count,
            samples: tally.samples.iter().map(|sample| self.sample(sample)).collect(),
        });
        CheckSummary { events: self.files.iter().map(|file| file.events).sum(), findings: findings.collect() }
    }

    /// Findings file by file.
    #[must_use]
    pub fn report(&self) -> CheckReport {
        CheckReport { files: self.files.iter().map(FileState::check).collect(), all: self.summary() }
    }

    /// Counts a finding. `text` is the line, of which a sample is stored; `detail` says what exactly is wrong.
    fn note(&mut self, kind: FindingKind, place: RecordPlace, detail: &str, text: &str) {
        // The index is the order of declaration, as in `ALL`.
        let index = kind as usize;
        if let (Some(tally), Some(file)) = (self.tallies.get_mut(index), self.files.get_mut(place.file.0)) {
            file.counts[index] += 1;
            tally.add(kind, place, detail, text);
        }
    }

    fn sample(&self, sample: &record::Sample) -> FindingSample {
        FindingSample {
            file: self.files[sample.place.file.0].name.clone(),
            offset: sample.place.offset,
            detail: sample.detail.clone(),
            text: sample.text.clone(),
        }
    }
}

impl FileState {
    fn check(&self) -> FileCheck {
        let counts = || FindingKind::ALL.into_iter().zip(self.counts).filter(|(_, count)| *count > 0);
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
