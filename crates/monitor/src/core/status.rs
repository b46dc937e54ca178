//! Status of the monitor's inputs: unreadable lines and files, progress of reading transcripts, and findings of the
//! event doctor (checks of the log's content). `GET /api/v2/health` and the terminal output show it. Also here:
//! [`V1Notice`], a message about new events or changed files for clients of the REST 1.x stream.

use std::sync::Arc;

use coordination::api::{BadLine, StoreInfoRow, TranscriptReading, Unreadable};
use coordination::doctor::Doctor;
use coordination::event::Event;
use serde::{Deserialize, Serialize};

use crate::sources::tail::{Chunk, LogStatus};
use crate::sources::workspace::FileChange;

/// Bad lines stored as samples, newest last.
pub(crate) const MAX_BAD_LINE_SAMPLES: usize = 20;

/// State of every input that is read.
#[derive(Debug, Default)]
pub(crate) struct ReadStatus {
    /// The log files.
    pub(crate) log_status: LogStatus,
    /// Lines that could not be read since the start.
    pub(crate) bad_lines: u64,
    /// The newest of them, at most [`MAX_BAD_LINE_SAMPLES`].
    pub(crate) samples: Vec<BadLine>,
    /// Findings of the lines read so far.
    pub(crate) doctor: Doctor,
    /// Config files that could not be read.
    pub(crate) config_trouble: Vec<Unreadable>,
    /// Files in the agents' folders that could not be read.
    pub(crate) workspace_trouble: Vec<Unreadable>,
    /// Trouble with the override file.
    pub(crate) override_trouble: Vec<Unreadable>,
    /// Trouble with the file of taught words.
    pub(crate) taught_trouble: Vec<Unreadable>,
    /// Unreadable file of shared records; `None` before it was looked at.
    pub(crate) shared_trouble: Option<Vec<Unreadable>>,
    /// Session stores and their status.
    pub(crate) stores: Vec<StoreInfoRow>,
    /// How far their transcripts are read.
    pub(crate) transcripts: TranscriptReading,
    /// Stores and transcripts that could not be read.
    pub(crate) talk_trouble: Vec<Unreadable>,
    /// Unreadable inputs of coding agents.
    pub(crate) team_trouble: Vec<Unreadable>,
}

impl ReadStatus {
    /// Every file that could not be read.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = &Unreadable> {
        self.unreadable_outside_workspaces().chain(&self.workspace_trouble)
    }

    /// Logs, configuration and overrides that could not be read: of the agents' files the hub itself knows.
    pub(crate) fn unreadable_outside_workspaces(&self) -> impl Iterator<Item = &Unreadable> {
        let of_store = self
            .override_trouble
            .iter()
            .chain(&self.taught_trouble)
            .chain(self.shared_trouble.iter().flatten())
            .chain(&self.talk_trouble)
            .chain(&self.team_trouble);
        self.log_status.unreadable.iter().chain(&self.config_trouble).chain(of_store)
    }

    /// Passes the read lines to the doctor.
    pub(crate) fn examine(&mut self, chunk: &Chunk) {
        let doctor = &mut self.doctor;
        let file = doctor.file(&chunk.token, &chunk.name);
        for (event, signs) in chunk.events.iter().zip(&chunk.signs) {
            doctor.seen(file, event, signs);
        }
        for line in &chunk.bad {
            doctor.bad_line(file, line.offset, &line.reason, &line.sample);
        }
        for quirk in &chunk.quirks {
            doctor.quirk(file, *quirk);
        }
    }

    /// The doctor, with the current names of the files.
    pub(crate) fn doctor(&mut self) -> &Doctor {
        for (token, name) in &self.log_status.tokens {
            self.doctor.rename(token, name);
        }
        &self.doctor
    }
}

/// What the lines read so far led to besides the hub, as it is saved with it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct LineFindings {
    bad_lines: u64,
    samples: Vec<BadLine>,
    doctor: Doctor,
}

/// The same, borrowed.
#[derive(Debug, Serialize)]
pub(crate) struct LineFindingsRef<'a> {
    bad_lines: u64,
    samples: &'a [BadLine],
    doctor: &'a Doctor,
}

impl ReadStatus {
    /// What is saved of it.
    pub(crate) fn line_findings(&self) -> LineFindingsRef<'_> {
        LineFindingsRef { bad_lines: self.bad_lines, samples: &self.samples, doctor: &self.doctor }
    }

    /// Continues from what was saved.
    pub(crate) fn restore(&mut self, findings: LineFindings) {
        let LineFindings { bad_lines, samples, doctor } = findings;
        (self.bad_lines, self.samples, self.doctor) = (bad_lines, samples, doctor);
    }
}

/// A message of the 1.x stream (`contract/monitor-api.md` §8).
#[derive(Debug, Clone)]
pub enum V1Notice {
    /// New events, in log order.
    Events(Arc<Vec<Event>>),
    /// Files in the agents' folders that came, changed or went.
    Files(Arc<Vec<FileChange>>),
}
