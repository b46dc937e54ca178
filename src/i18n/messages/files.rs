//! Message struct of files that are opened in place of a monitor: one field per text. Each language is a value of it.

use coordination::evidence::{EvidenceHeader, EvidenceScope};
use local_monitor::{FileContentKind, TranscriptUse};

use crate::i18n::{Locale, time};

/// Why files cannot be read any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesFailure {
    /// The reader has ended.
    Stopped,
    /// The program that reads files could not be loaded.
    NotLoaded,
    /// A file that the host names could not be fetched.
    NotFetched,
    /// The only file is an evidence file that is not whole, or of an unknown version.
    UnreadableEvidence,
    /// All files are transcripts in which agents say nothing to each other.
    NoExchanges,
    /// All files are transcripts of Claude Code or Codex.
    CodingAgentTranscript,
}

impl FilesFailure {
    /// Whether all files are read, and have nothing that can be shown.
    pub fn is_of_content(self) -> bool {
        matches!(self, Self::UnreadableEvidence | Self::NoExchanges | Self::CodingAgentTranscript)
    }
}

/// What an evidence file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceExtent {
    /// A whole session.
    Session,
    /// One thread of it.
    Thread,
    /// Events that were found.
    Events,
}

impl EvidenceExtent {
    /// That of a file.
    pub fn of(scope: &EvidenceScope) -> Self {
        match scope {
            EvidenceScope { q: None, since: None, until: None, session: Some(_), thread } => match thread {
                Some(_) => Self::Thread,
                None => Self::Session,
            },
            _ => Self::Events,
        }
    }
}

impl FilesMessages {
    /// The period of an evidence file; none for one that has no limits in time.
    pub fn period_of(&self, scope: &EvidenceScope, locale: Locale) -> Option<String> {
        let [since, until] = [scope.since, scope.until].map(|at| at.map(|at| time::exact(locale, at)));
        let has_limits = since.is_some() || until.is_some();
        has_limits.then(|| (self.evidence_period)(since.as_deref(), until.as_deref()))
    }
}

/// Messages of opened files.
pub struct FilesMessages {
    pub title: &'static str,
    pub shown: fn(name: &str) -> String,
    pub failed: fn(FilesFailure) -> &'static str,
    /// Why a file or folder is not there.
    pub unread: &'static str,
    pub unread_files: fn(usize) -> String,
    /// Name of the progress bar.
    pub reading: &'static str,
    pub read: fn(percent: u64) -> String,
    pub events: fn(u64) -> String,
    pub bad_lines: fn(u64) -> String,
    pub memory: fn(size: &str) -> String,
    /// Leads to the newest event's moment.
    pub last_moment: &'static str,
    pub details: &'static str,
    pub close: &'static str,
    pub choose_files: &'static str,
    pub choose_folder: &'static str,
    pub offer_title: &'static str,
    pub offer_text: &'static str,
    /// Heading of what was opened before.
    pub recent: &'static str,
    /// Nothing leaves the browser.
    pub private: &'static str,
    pub kind: fn(FileContentKind) -> &'static str,
    /// Why files of a kind are not read; empty where they are.
    pub not_read: fn(FileContentKind) -> &'static str,
    pub torn: fn(bytes: u64) -> String,
    /// What became of a transcript, and how many messages and delegations it brought.
    pub transcript: fn(&TranscriptUse, events: u64) -> String,
    /// What an evidence file says of itself.
    pub evidence: fn(&EvidenceHeader, made: &str) -> Vec<String>,
    /// The period of an evidence file: from a time, up to a time.
    pub evidence_period: fn(since: Option<&str>, until: Option<&str>) -> String,
    /// Opens the lines of an evidence file whose texts are masked.
    pub masked_lines: &'static str,
    /// Masked lines that are not listed.
    pub more_masked: fn(n: usize) -> String,
    /// The section of a session that saves it as an evidence file.
    pub evidence_title: &'static str,
    pub evidence_text: &'static str,
    pub evidence_save: &'static str,
    /// Heading of the choice between session and thread.
    pub evidence_extent: &'static str,
    pub evidence_whole: &'static str,
    pub evidence_thread: &'static str,
    pub evidence_format: &'static str,
    pub evidence_html: &'static str,
    pub evidence_ndjson: &'static str,
    pub evidence_markdown: &'static str,
    pub evidence_mask: &'static str,
    pub evidence_note: &'static str,
    /// Whether notes of the dashboard are in the file, and how many are.
    pub evidence_with_notes: &'static str,
    pub evidence_notes: fn(usize) -> String,
    pub evidence_holds: fn(EvidenceExtent, lines: u32, masked: u32) -> String,
    pub evidence_saved: &'static str,
    pub evidence_failed: &'static str,
    pub evidence_no_page: &'static str,
    /// The logs are larger than this many MiB.
    pub evidence_too_large: fn(mib: u64) -> String,
    /// Names of what is saved, in the Markdown text.
    pub evidence_session: &'static str,
    pub evidence_of_thread: &'static str,
    pub evidence_query: &'static str,
    pub evidence_time: &'static str,
    pub evidence_lines: &'static str,
    pub evidence_files: &'static str,
    pub evidence_made: &'static str,
    pub evidence_by: &'static str,
    pub evidence_own_note: &'static str,
    pub evidence_mark: &'static str,
    pub evidence_maker: &'static str,
    pub evidence_maker_hint: &'static str,
    /// Files without a line of their own.
    pub more: fn(usize) -> String,
    pub command: &'static str,
    pub folder_command: &'static str,
    /// Other words by which the command is found.
    pub also: &'static str,
}
