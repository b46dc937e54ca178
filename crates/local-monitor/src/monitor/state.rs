//! Inputs of a local monitor besides its log: agents, tasks, categories by hand, and the state of the files.

use std::collections::BTreeMap;

use coordination::api::{
    CheckReport, ConfigState, Health, IndexInfo, ManualOverride, PastMoment, SourceFile, SourceInfo, SourceState,
    Unreadable, Writes,
};
use coordination::evidence::EvidenceAgent;
use coordination::hub::{Changes, Hub};
use coordination::ids::SessionId;
use coordination::search::index::{Candidates as _, SearchIndex};

use super::LocalMonitor;
use crate::home_files::ReadHome;

impl LocalMonitor {
    /// The hub of the present.
    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    pub(crate) fn index(&self) -> &SearchIndex {
        &self.index
    }

    pub(crate) fn hub_at(&mut self, moment: PastMoment) -> &Hub {
        self.past.hub_at(&self.hub, (&self.change_record, self.version), moment)
    }

    /// Path of each log and its name in event ids, in the order in which they were read.
    pub(crate) fn log_tokens(&self) -> &[(String, Option<String>)] {
        &self.log_tokens
    }

    /// Folder of the home among the files, with its `/`.
    pub(crate) fn home_folder(&self) -> Option<&str> {
        self.home_folder.as_deref()
    }

    /// Current name of a log, by its name in event ids.
    pub(crate) fn file_of(&self, token: &str) -> Option<String> {
        self.names.get(token).cloned()
    }

    pub(crate) fn doctor(&self) -> CheckReport {
        self.doctor.report()
    }

    /// Categories that people chose are in force again once other files, or the same ones again, are read.
    pub fn keep_categories(&mut self, overrides: BTreeMap<SessionId, ManualOverride>) {
        self.earlier_categories = overrides;
    }

    pub(crate) fn health(&self, now: i64) -> Health {
        let source = self.hub.source().clone();
        let unreadable = self.unreadable();
        let is_fine = unreadable.is_empty() && source.state == SourceState::Ok;
        Health {
            machine: None,
            status: if is_fine { "ok" } else { "degraded" }.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source,
            lag_bytes: self.total.saturating_sub(self.progress().read),
            pending_bytes: self.reports.iter().map(|report| report.torn_bytes).sum(),
            bad_lines: self.bad_lines,
            bad_line_samples: self.samples.clone(),
            events: self.hub.event_count() as u64,
            sessions: self.hub.session_count() as u64,
            unreadable,
            following: None,
            overrides: None,
            live: None,
            check: Some(self.doctor.summary()),
            writes: Some(Writes::Page),
            user: None,
            index: Some(IndexInfo {
                events: self.index.covered().into(),
                words: self.index.words() as u64,
                bytes: self.index.bytes() as u64,
            }),
            stores: self.transcripts.store_rows(),
            transcripts: self.transcripts.reading(self.hub.transcript_counts()),
            ingest: None,
            alerts: None,
            cursor: self.hub.cursor(),
            now,
        }
    }

    /// The hub has changed.
    pub(super) fn changed(&mut self, changes: Changes) {
        self.version += 1;
        self.changes.merge(changes);
        self.hub.advance();
    }

    /// Takes in the files of the home and the events of coding agents.
    pub(super) fn read_home(&mut self, now: i64) {
        self.home_read = true;
        let ReadHome { mut roster, config, workspace, unreadable } = self.home.read();
        roster.with_named(self.named_agents.iter().map(EvidenceAgent::to_roster));
        // Nobody expects settings beside a single log.
        self.config = if self.is_home { config } else { ConfigState::Unknown };
        self.home_unreadable = unreadable;
        if *self.hub.roster() != roster {
            self.hub.set_roster(roster);
        }
        if *self.hub.workspace() != workspace {
            self.hub.set_workspace(workspace);
        }
        if !self.earlier_categories.is_empty() && self.done {
            let mut overrides = self.hub.overrides().clone();
            overrides.append(&mut self.earlier_categories);
            self.hub.set_overrides(overrides);
        }
        self.apply_rules();
        self.agent_changes.push(self.ledger.settle(now));
        let mut agents = self.ledger.take_changed_agents();
        for changed in std::mem::take(&mut self.agent_changes) {
            self.hub.apply_agent_events(&changed, std::mem::take(&mut agents));
        }
        self.refresh_source();
    }

    /// Files that could not be read, outside the agents' folders.
    fn unreadable(&self) -> Vec<Unreadable> {
        let failed = |path: &str, cause: &str| Unreadable { path: path.to_owned(), cause: cause.to_owned() };
        let files = self.reports.iter().filter_map(|report| Some(failed(&report.path, report.error.as_deref()?)));
        files.chain(self.home_unreadable.iter().cloned()).collect()
    }

    pub(super) fn refresh_source(&mut self) {
        let logs = self.reports.iter().filter_map(|report| {
            let lines = self.logs.get(&report.path)?;
            Some(SourceFile { name: report.path.clone(), bytes: report.bytes, read_to: lines.read_to() })
        });
        let files: Vec<SourceFile> = logs.collect();
        let has_events = self.has_hooks || self.hub.event_count() > 0 || !files.is_empty();
        let unreadable = self.unreadable();
        let state = match (self.done, has_events) {
            (false, _) => SourceState::Starting,
            (true, true) => SourceState::Ok,
            (true, false) if !unreadable.is_empty() => SourceState::Unreadable,
            (true, false) => SourceState::LogMissing,
        };
        let log = files.last().map(|file| &file.name).or(unreadable.first().map(|file| &file.path));
        let log_path = log.cloned().unwrap_or_default();
        self.hub.set_source(SourceInfo {
            state,
            log_path,
            files,
            config: self.config,
            newest_event: self.newest.or_else(|| self.hub.events().iter().map(|event| event.at).max()),
            bad_lines: self.bad_lines,
            unreadable,
            ..SourceInfo::default()
        });
    }
}
