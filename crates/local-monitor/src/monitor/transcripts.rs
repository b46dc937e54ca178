//! Reading of transcripts, behind all other files: who is who, and which sessions there are, must be known. Their
//! exchanges are merged into the hub once all are read.

use std::collections::{BTreeSet, HashMap, VecDeque};

use coordination::api::{StoreInfoRow, TranscriptReading};
use coordination::hub::TranscriptCounts;
use coordination::merge::{Job, TranscriptExchanges};
use coordination::store::StoreSnapshot;

use super::{FileReport, LocalMonitor, Reading};
use crate::content::{FileContentKind, FilePlace};
use crate::input::{MAX_BYTES, OpenInput};
use crate::monitor::reading::Lines;
use crate::transcripts::{ScannedTranscript, TranscriptBytes, TranscriptInput, TranscriptPlan, TranscriptUse};

/// Transcripts of the opened files.
#[derive(Debug, Default)]
pub(super) struct Transcripts {
    /// Files of which nothing is decided.
    files: Vec<TranscriptInput>,
    /// Files that are to be read.
    queue: VecDeque<(TranscriptInput, ScannedTranscript)>,
    /// Those that were read, by the paths of the files.
    slots: Vec<(String, ScannedTranscript)>,
    /// What the stores of the home say.
    stores: StoreSnapshot,
    jobs: Vec<Job>,
    /// Bytes after unpacking.
    pub(super) unpacked: u64,
    /// It is decided which files are read.
    is_planned: bool,
    /// The hub has the exchanges, except those of the pairs of agents that wait for their turn.
    is_merged: bool,
}

impl Transcripts {
    pub(super) fn add(&mut self, files: impl Iterator<Item = TranscriptInput>) {
        self.files.extend(files);
        (self.is_planned, self.is_merged) = (false, false);
    }

    /// Whether a transcript of this path was read.
    pub(super) fn has(&self, path: &str) -> bool {
        self.slots.iter().any(|(known, _)| known == path)
    }

    pub(super) fn store_rows(&self) -> Vec<StoreInfoRow> {
        coordination::store::places(&self.stores)
    }

    /// What was read; none without a transcript. `counts` is what the hub has of it.
    pub(super) fn reading(&self, counts: TranscriptCounts) -> Option<TranscriptReading> {
        let slots = || self.slots.iter().map(|(_, slot)| slot);
        (!self.slots.is_empty()).then(|| TranscriptReading {
            transcripts: self.slots.len() as u64,
            bytes: self.unpacked,
            bad_lines: slots().map(ScannedTranscript::bad_lines).sum(),
            remembered: slots().map(|slot| slot.scan.remembered() as u64).sum(),
            talks: counts.exchanges as u64,
            events: counts.events as u64,
            ..TranscriptReading::default()
        })
    }

    fn exchanges(&self) -> TranscriptExchanges {
        TranscriptExchanges::from_scans(self.slots.iter().map(|(_, slot)| &slot.scan), &self.stores, &self.jobs)
    }
}

impl LocalMonitor {
    /// Begins with the next transcript, if there is one.
    pub(super) fn begin_transcript(&mut self, now: i64) {
        if !self.transcripts.is_planned {
            self.plan_transcripts(now);
        }
        while let Some((file, mut slot)) = self.transcripts.queue.pop_front() {
            let read_as = file.read_as(&slot.name);
            let report = FileReport {
                transcript: Some(read_as),
                ..FileReport::new(file.bytes.path(), FileContentKind::Transcript, file.bytes.size())
            };
            let opened = match file.bytes {
                TranscriptBytes::Open(input) => Ok(input),
                TranscriptBytes::Waiting(input) => input.open(MAX_BYTES.saturating_sub(self.transcripts.unpacked)),
            };
            let OpenInput { is_plain, head, rest, .. } = match opened {
                Ok(input) => input,
                Err(error) => {
                    self.reports.push(FileReport { error: Some(error.to_string()), transcript: None, ..report });
                    continue;
                }
            };
            self.transcripts.unpacked += head.len() as u64;
            slot.is_plain = is_plain;
            let (place, lines) = (FilePlace::Transcript, Lines::default());
            let mut reading = Reading { report, place, rest, lines, slot: Some(slot) };
            self.take(&mut reading, &head, now);
            self.current = Some(reading);
            return;
        }
    }

    /// Decides which transcripts are read, once the home is known.
    fn plan_transcripts(&mut self, now: i64) {
        self.transcripts.is_planned = true;
        if !self.home_read {
            self.read_home(now);
        }
        let files = std::mem::take(&mut self.transcripts.files);
        let TranscriptPlan { reads, others, stores, jobs, faults } =
            TranscriptPlan::new(files, self.home.texts(), self.hub.roster());
        self.transcripts.queue.extend(reads);
        (self.transcripts.stores, self.transcripts.jobs) = (stores, jobs);
        for (file, reason) in others {
            let report = FileReport::new(file.bytes.path(), FileContentKind::Transcript, file.bytes.size());
            self.reports.push(FileReport { transcript: Some(reason), ..report });
        }
        let home = self.home_folder.clone().unwrap_or_default();
        for (path, cause) in faults {
            let path = format!("{home}{path}");
            match self.reports.iter_mut().find(|report| report.path == path) {
                Some(report) => report.error = report.error.take().or(Some(cause)),
                None => self.refuse(&path, cause),
            }
        }
    }

    /// Ends a transcript.
    pub(super) fn end_transcript(&mut self, report: &mut FileReport, slot: Option<ScannedTranscript>) {
        let Some(slot) = slot else { return };
        report.bad_lines = slot.bad_lines();
        report.torn_bytes = slot.torn_bytes();
        if slot.is_foreign() && report.error.is_none() {
            report.error = Some("no entry of a transcript".to_owned());
        }
        self.transcripts.slots.push((report.path.clone(), slot));
    }

    /// Brings what the transcripts say into the hub, a pair of agents with each call; false when all of it is there.
    pub(super) fn merge_transcripts(&mut self) -> bool {
        if !self.transcripts.is_merged {
            self.transcripts.is_merged = true;
            self.set_transcripts();
        }
        match self.hub.sync_next_pair() {
            Some(changes) => {
                self.changed(changes);
                true
            }
            None => false,
        }
    }

    fn set_transcripts(&mut self) {
        let exchanges = self.transcripts.exchanges();
        self.newest = self.newest.max(exchanges.events().map(|event| event.at_ms).filter(|at| *at > 0).max());
        let mut counts: HashMap<(&str, &str), u64> = HashMap::new();
        for event in exchanges.events() {
            let of_event: BTreeSet<_> = event.written.iter().map(|line| (&*line.agent, &*line.session_id)).collect();
            for session in of_event {
                *counts.entry(session).or_default() += 1;
            }
        }
        let count_of = |slot: &ScannedTranscript| counts.get(&(slot.name.0.as_str(), slot.name.1.as_str())).copied();
        let events: HashMap<&str, u64> =
            self.transcripts.slots.iter().map(|(path, slot)| (path.as_str(), count_of(slot).unwrap_or(0))).collect();
        for report in &mut self.reports {
            if matches!(report.transcript, Some(TranscriptUse::Read { .. })) {
                report.events = events.get(report.path.as_str()).copied().unwrap_or_default();
            }
        }
        let changes = self.hub.set_person_requests(self.transcripts.stores.person_requests());
        self.hub.set_transcripts(exchanges);
        if !changes.is_empty() {
            self.changed(changes);
        }
    }

    /// Takes in bytes that were added to a transcript. False when it was not read to its end as it is stored.
    pub(super) fn append_transcript(&mut self, path: &str, bytes: &[u8]) -> bool {
        let is_whole = |report: &FileReport| report.path == path && report.error.is_none();
        let slot = self.transcripts.slots.iter_mut().find(|(known, slot)| known == path && slot.is_plain);
        let (Some((_, slot)), true) = (slot, self.reports.iter().any(is_whole)) else { return false };
        let before = slot.scan.news();
        slot.push(bytes);
        self.transcripts.unpacked += bytes.len() as u64;
        if let Some(report) = self.reports.iter_mut().find(|report| report.path == path) {
            report.bytes += bytes.len() as u64;
            report.bad_lines = slot.bad_lines();
            report.torn_bytes = slot.torn_bytes();
        }
        if slot.scan.news() != before {
            self.set_transcripts();
            while let Some(changes) = self.hub.sync_next_pair() {
                self.changed(changes);
            }
            self.refresh_source();
        }
        true
    }
}
