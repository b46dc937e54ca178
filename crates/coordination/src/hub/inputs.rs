//! Inputs of the hub that are not events of the log, such as roster, classifier, overrides and workspace. A setter
//! replaces one input and updates what is derived from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::agent_events::AgentEventsOverlay;
use super::permissions::OpenPermissions;
use super::rules::ClassifierConfig;
use super::shared_records::SharedIndex;
use super::transcripts::TranscriptOverlay;
use super::{Changes, EventMeta, EventStore, Hub, NONE, TitleTexts, WorkspaceIndex, read_titles};
use crate::api::{ManualOverride, SourceInfo, Taught};
use crate::classify::Classifier;
use crate::event::derive_role;
use crate::ids::{AgentId, SessionId};
use crate::roster::Roster;
use crate::store::PersonRequests;
use crate::text::lookalike::Faces;
use crate::workspace::Workspace;

/// Everything that is set from outside and is not an event of the log. Each field is replaced by a setter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inputs {
    /// Agents of the configuration; decides roles.
    pub(super) roster: Roster,
    /// Lookalike names of the agents of roster and workspace; computed on demand, emptied when either changes.
    pub(crate) faces: OnceLock<Faces>,
    /// The classifier in force with its rules.
    pub(super) classifier: ClassifierConfig,
    /// The rules as they were written.
    pub(super) rules: Taught,
    /// Manual categories by session.
    pub(super) overrides: BTreeMap<SessionId, ManualOverride>,
    /// Task files, plans and milestones of the agents' folders.
    pub(super) workspace: Workspace,
    /// The workspace by task and session; replaced with it.
    pub(crate) tasks: WorkspaceIndex,
    /// Events derived from transcripts.
    pub(super) transcripts: TranscriptOverlay,
    /// Events and states derived from hooks of coding agents.
    pub(super) agent_events: AgentEventsOverlay,
    /// Approvals that wait in OpenClaw's gateway, and statements of its agents.
    pub(super) requests: PersonRequests,
    /// Notes, resolved marks and views for everybody.
    pub(crate) shared: SharedIndex,
    /// Permission requests that can be answered.
    pub(crate) permissions: OpenPermissions,
    /// State of the files, for pages.
    pub(super) source: SourceInfo,
}

impl Hub {
    /// Replaces the roster; roles are derived again when it differs.
    pub fn set_roster(&mut self, roster: Roster) -> Changes {
        if roster == self.inputs.roster {
            return Changes::default();
        }
        self.note_revision();
        self.inputs.faces.take();
        let same_main = roster.main_ids() == self.inputs.roster.main_ids();
        self.inputs.roster = roster;
        if same_main {
            return Changes { everything: true, ..Changes::default() };
        }
        let (EventStore { log, meta, .. }, roster) = (&mut self.events, &self.inputs.roster);
        log.scan(|index, event| {
            let fact = &mut meta[index as usize];
            let derived = derive_role(event, roster);
            *fact = EventMeta { session: fact.session, ..EventMeta::new(derived, fact.kind, fact.flags) };
        });
        self.indexes.tally.recount(&self.events.meta);
        self.rederive_sessions()
    }

    /// The classifier in force.
    #[must_use]
    pub fn classifier(&self) -> Classifier {
        self.inputs.classifier.classifier
    }

    /// Chooses the classifier; every category is decided again when it differs.
    pub fn set_classifier(&mut self, classifier: Classifier) -> Changes {
        if classifier == self.inputs.classifier.classifier {
            return Changes::default();
        }
        self.inputs.classifier.classifier = classifier;
        self.rederive_sessions()
    }

    /// Derives every session again.
    pub(super) fn rederive_sessions(&mut self) -> Changes {
        self.note_revision();
        self.discard_v1();
        let touched: BTreeSet<u32> = self.sessions.newest.values().copied().collect();
        for slot in &touched {
            self.sessions.table.slots[*slot as usize].forget();
        }
        let mut changes = self.fold(touched, true);
        self.classify_loose(0);
        changes.everything = true;
        changes
    }

    /// Replaces the manual category overrides.
    pub fn set_overrides(&mut self, overrides: BTreeMap<SessionId, ManualOverride>) -> Changes {
        if overrides == self.inputs.overrides {
            return Changes::default();
        }
        let ids: BTreeSet<&SessionId> = overrides.keys().chain(self.inputs.overrides.keys()).collect();
        let differing = ids.into_iter().filter(|id| overrides.get(id) != self.inputs.overrides.get(id));
        let slots: Vec<Option<u32>> = differing.map(|id| self.sessions.table.by_id.get(id).copied()).collect();
        // A session that the log does not hold has no card that could say so.
        let everything = slots.contains(&None);
        let sessions: BTreeSet<u32> = slots.into_iter().flatten().collect();
        self.inputs.overrides = overrides;
        self.note_revision();
        for slot in &sessions {
            let session = &self.sessions.table.slots[*slot as usize];
            let manual = self.inputs.overrides.get(&session.id).map(|manual| manual.collab_category);
            let left = self.sessions.overview.leave(*slot, session);
            let verdict = session.state.votes.brief_verdict();
            self.sessions.overview.enter(*slot, session, &verdict, manual, left, None);
        }
        Changes { sessions, everything, ..Changes::default() }
    }

    /// Replaces the agents' folders.
    pub fn set_workspace(&mut self, workspace: Workspace) -> Changes {
        let tasks = std::mem::take(&mut self.inputs.tasks);
        let ids: BTreeSet<AgentId> =
            workspace.agents.iter().chain(&self.inputs.workspace.agents).map(|agent| agent.agent_id.clone()).collect();
        let before: Vec<_> = ids.iter().map(|id| tasks.folder(&self.inputs.workspace, id)).collect();
        let old = (tasks, &self.inputs.workspace);
        self.inputs.tasks =
            WorkspaceIndex::new(&workspace, old, |id| self.indexes.task_log.times(id, &self.events.log));
        self.indexes.task_log.set_filed(self.inputs.tasks.ids());
        self.indexes.task_log.settle(&self.events.log, &mut self.indexes.people);
        let mut changes = Changes::default();
        for (id, old) in ids.into_iter().zip(before) {
            let new = self.inputs.tasks.folder(&workspace, &id);
            if old == new {
                continue;
            }
            for agent in [old, new].into_iter().flatten() {
                for session in agent.tasks.iter().filter_map(|task| task.work_session_id.as_ref()) {
                    changes.sessions.extend(self.sessions.table.by_id.get(session));
                }
                let archived = agent.history.iter().filter_map(|entry| entry.id.as_ref());
                for task in agent.tasks.iter().map(|task| &task.id).chain(archived) {
                    let slots = self
                        .indexes
                        .task_log
                        .events(task)
                        .iter()
                        .map(|event| self.events.meta[*event as usize].session);
                    changes.sessions.extend(slots.filter(|slot| *slot != NONE));
                }
            }
            changes.agents.insert(id);
        }
        self.inputs.faces.take();
        self.inputs.workspace = workspace;
        self.note_revision();
        // Which of several folders names a task depends on all of them.
        for slot in self.sessions.newest.values().copied() {
            if !self.sessions.table.slots[slot as usize].state.is_silent() {
                continue;
            }
            let session = &mut self.sessions.table.slots[slot as usize];
            if read_titles(session, &self.inputs.tasks, &self.inputs.workspace, &self.inputs.classifier) {
                let manual = self.inputs.overrides.get(&session.id).map(|manual| manual.collab_category);
                let left = self.sessions.overview.leave(slot, session);
                let verdict = session.state.finish(&self.events.log);
                self.indexes.titles.enter(slot, &TitleTexts::new(&session.id, &session.state, &verdict));
                self.sessions.overview.enter(slot, session, &verdict, manual, left, None);
                changes.sessions.insert(slot);
            }
            self.sessions.table.note_change(slot, &self.indexes.people);
        }
        changes
    }

    /// Replaces the state of the files.
    pub fn set_source(&mut self, source: SourceInfo) {
        self.inputs.source = source;
    }

    /// Sets the epoch, which identifies the process run.
    pub fn set_epoch(&mut self, epoch: String) {
        self.cursor.epoch = epoch;
    }

    /// Advances the cursor by one delta.
    pub fn advance(&mut self) {
        self.cursor.seq += 1;
    }
}
