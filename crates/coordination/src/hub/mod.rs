//! The log as state: events in, sessions, threads, deliveries and delegations out, step by step.
//! [`Hub::apply`] costs what the batch costs, not what history costs; every question is answered in
//! [`crate::query`] from what stands here.

mod aged;
mod alarms;
mod called;
mod changes;
mod columns;
mod exchanges;
mod facts;
mod filed;
mod hooked;
mod kept;
mod keys;
mod log;
mod names;
mod origins;
mod overview;
mod packed;
mod place;
mod put_away;
mod reads;
mod resumed;
mod runs;
mod session;
mod shelf;
mod tally;
mod task_log;
mod teach;
mod thread;
mod transcripts;
mod votes;
mod workspace_index;

pub(crate) use alarms::{Alarm, Alarms, DETAIL_CHARS};
pub(crate) use called::{Called, intent_of};
pub use changes::Changes;
pub(crate) use exchanges::{Exchanges, Tracked};
pub(crate) use facts::{Fact, NONE, Said, order, push_tight};
pub(crate) use keys::folded as folded_key;
pub use log::Log;
pub(crate) use overview::{Brief, Overview};
pub use packed::{Loose, Packed, Packing};
pub use put_away::Gone;
pub(crate) use runs::{Run, count};
use session::{Folded, Judge};
pub(crate) use session::{Items, Session, State, line};
pub(crate) use shelf::{Holds, Shelf, Standing};
pub(crate) use tally::Tally;
pub(crate) use task_log::{Place, RANKS, TaskLog, Trace, decided, emitter, rank};
pub use teach::Teaching;
pub(crate) use thread::Thread;
pub(crate) use workspace_index::{TaskAt, WorkspaceIndex, archived, open};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use facts::{Positions, Posting};
use hooked::Hooked;
use names::Names;
use place::{Ground, Places, Sessions};
use resumed::Resumed;
use transcripts::TranscriptOverlay;

use crate::api::{Cursor, ManualOverride, Origin, SourceInfo, Taught};
use crate::classify::Classifier;
use crate::event::{Event, derive_role};
use crate::ids::{AgentId, SessionId};
use crate::roster::Roster;
use crate::text::lookalike::Faces;
use crate::workspace::Workspace;

/// Everything known.
#[derive(Debug, Default)]
pub struct Hub {
    /// The log in order of arrival. Never shrinks.
    pub(crate) events: Log,
    /// DerivedRole of each event, at the same index.
    pub(crate) facts: Vec<Fact>,
    /// All events in the one order (time, file, position).
    pub(crate) timeline: Posting,
    /// Counts of them, and the events of each type.
    pub(crate) tally: Tally,
    /// Events by agent that speaks, is addressed or emits.
    pub(crate) by_agent: HashMap<AgentId, Posting>,
    /// Tasks by the events that name them.
    pub(crate) task_log: TaskLog,
    /// Events that tell of failing efforts: `unblock.failed`, `continuation.backoff`. Grows with the log.
    pub(crate) alarms: Alarms,
    /// Event types.
    pub(crate) kinds: Names,
    /// Who spoke, was addressed or wrote.
    pub(crate) people: Names,
    /// Sessions; a slot is emptied when its events turn out to belong elsewhere.
    sessions: Sessions,
    /// Sessions newest first, ties by id. Entries move as their sessions grow.
    pub(crate) newest: BTreeMap<(Reverse<i64>, SessionId), u32>,
    /// What sessions are called.
    pub(crate) called: Called,
    /// Which sessions resume a session, by their events.
    pub(crate) resumed: Resumed,
    /// Each session in brief, and sums over them.
    pub(crate) overview: Overview,
    places: Places,
    positions: Positions,
    roster: Roster,
    /// What the agents of roster and workspace look like. Emptied with either.
    pub(crate) faces: OnceLock<Faces>,
    judge: Judge,
    taught: Taught,
    overrides: BTreeMap<SessionId, ManualOverride>,
    workspace: Workspace,
    /// The workspace by task and session; replaced with it.
    pub(crate) tasks: WorkspaceIndex,
    /// What the transcripts tell beside the log.
    transcripts: TranscriptOverlay,
    /// What hooks tell beside it.
    hooked: Hooked,
    source: SourceInfo,
    cursor: Cursor,
}

impl Hub {
    /// Knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes events in, and takes out those that are gone.
    fn take_in(&mut self, batch: Vec<Event>, gone: &BTreeSet<u32>) -> Changes {
        let first = self.events.len();
        let mut touched = BTreeSet::new();
        gone.iter().for_each(|index| self.withdraw(*index));
        let mut agents: BTreeSet<AgentId> = BTreeSet::new();
        for event in batch {
            let Ok(index) = u32::try_from(self.events.len()) else { break };
            if !self.positions.insert(&self.events, event.position(), index) {
                continue;
            }
            let derived = derive_role(&event, &self.roster);
            let (kind, said) = (self.kinds.number(event.event_type()), Said::of(&event, &mut self.people));
            let fact = Fact::new(derived, kind, said);
            self.tally.note(index, &fact);
            self.facts.push(fact);
            self.timeline.push(index);
            for agent in [event.speaker_name(), event.addressee_name(), event.agent().into()] {
                if !agents.contains(&*agent) {
                    agents.insert(AgentId::from(&*agent));
                }
                let posting = match self.by_agent.get_mut(&*agent) {
                    Some(posting) => posting,
                    None => self.by_agent.entry(AgentId(agent.into_owned())).or_default(),
                };
                if posting.list.last() != Some(&index) {
                    posting.push(index);
                }
            }
            if let Some(task) = event.task_id().filter(|_| event.origin() != Origin::Transcript) {
                self.task_log.note(task, index, |task| self.tasks.is_filed(task));
            }
            self.alarms.note(index, &event);
            self.events.push(event);
            let mut ground = Ground {
                events: &self.events,
                facts: &mut self.facts,
                sessions: &mut self.sessions,
                touched: &mut touched,
            };
            self.places.note(index, &mut ground);
        }
        let mut ground = Ground {
            events: &self.events,
            facts: &mut self.facts,
            sessions: &mut self.sessions,
            touched: &mut touched,
        };
        self.places.settle(&mut ground);
        self.timeline.settle(&self.events);
        self.tally.settle(&self.events);
        for agent in agents {
            self.by_agent.entry(agent).or_default().settle(&self.events);
        }
        self.alarms.settle(&self.events);
        for id in self.task_log.settle(&self.events, &mut self.people) {
            self.tasks.stand(&self.workspace, &id, self.task_log.times(&id, &self.events));
        }
        let mut changes = self.fold(touched);
        self.classify_loose(first);
        changes.events = (first..self.events.len()).filter_map(|index| u32::try_from(index).ok()).collect();
        changes
    }

    /// Brings the touched sessions up to their events.
    fn fold(&mut self, touched: BTreeSet<u32>) -> Changes {
        let mut changes = Changes::default();
        for slot in touched {
            let session = &mut self.sessions.slots[slot as usize];
            let before = session.state.last;
            let had = self.newest.remove(&(Reverse(before), session.id.clone())).is_some();
            let left = self.overview.leave(slot, session);
            self.resumed.leave(slot, session);
            let Folded { threads, forgotten, recast } = session.fold(&self.events, &mut self.facts, &self.judge);
            read_titles(session, &self.tasks, &self.workspace, &self.events, &self.judge);
            recast.into_iter().for_each(|index| self.tally.recast(index, &self.facts[index as usize]));
            if self.events.is_warm() {
                drop(self.events.cool());
            }
            if session.events.is_empty() {
                self.overview.gone(left, forgotten);
                self.called.gone(slot);
                self.sessions.by_id.remove(&session.id);
                changes.removed.insert(session.id.clone());
                changes.reordered = true;
                continue;
            }
            changes.reordered |= had && session.state.last < before;
            self.newest.insert((Reverse(session.state.last), session.id.clone()), slot);
            self.resumed.enter(slot, session);
            self.called.enter(slot, session);
            let manual = self.overrides.get(&session.id).map(|manual| manual.collab_category);
            self.overview.enter(slot, session, manual, left, forgotten);
            changes.sessions.insert(slot);
            if !threads.items.is_empty() || !threads.gone.is_empty() {
                changes.threads.insert(slot, threads);
            }
        }
        changes
    }

    /// Events without a session are classified here, the others as their session takes them in.
    fn classify_loose(&mut self, from: usize) {
        for (index, fact) in self.facts.iter_mut().enumerate().skip(from) {
            if fact.session == NONE {
                let event = &self.events[index];
                fact.category = match self.judge.classifier {
                    Classifier::V1 => crate::event::category::decided_or_v1(event, fact.role).category,
                    Classifier::V2 => crate::event::category::v2_or_fallback(event, fact.role),
                };
            }
        }
    }

    /// Replaces the roster; roles are derived anew when it differs.
    pub fn set_roster(&mut self, roster: Roster) -> Changes {
        if roster == self.roster {
            return Changes::default();
        }
        self.faces.take();
        let same_main = roster.main_ids() == self.roster.main_ids();
        self.roster = roster;
        if same_main {
            return Changes { everything: true, ..Changes::default() };
        }
        let Self { events, facts, roster, .. } = self;
        events.scan(|index, event| {
            let fact = &mut facts[index as usize];
            let derived = derive_role(event, roster);
            *fact = Fact { session: fact.session, ..Fact::new(derived, fact.kind, fact.said) };
        });
        self.tally.recount(&self.facts);
        self.anew()
    }

    /// The classifier in force.
    #[must_use]
    pub fn classifier(&self) -> Classifier {
        self.judge.classifier
    }

    /// Chooses the classifier; everything is decided anew when it differs.
    pub fn set_classifier(&mut self, classifier: Classifier) -> Changes {
        if classifier == self.judge.classifier {
            return Changes::default();
        }
        self.judge.classifier = classifier;
        self.anew()
    }

    /// Derives every session anew.
    fn anew(&mut self) -> Changes {
        let touched: BTreeSet<u32> = self.newest.values().copied().collect();
        for slot in &touched {
            self.sessions.slots[*slot as usize].forget();
        }
        let mut changes = self.fold(touched);
        self.classify_loose(0);
        changes.everything = true;
        changes
    }

    /// Replaces the manual category overrides.
    pub fn set_overrides(&mut self, overrides: BTreeMap<SessionId, ManualOverride>) -> Changes {
        let ids: BTreeSet<&SessionId> = overrides.keys().chain(self.overrides.keys()).collect();
        let differing = ids.into_iter().filter(|id| overrides.get(id) != self.overrides.get(id));
        let sessions: BTreeSet<u32> = differing.filter_map(|id| self.sessions.by_id.get(id).copied()).collect();
        let everything = overrides != self.overrides;
        self.overrides = overrides;
        for slot in &sessions {
            let session = &self.sessions.slots[*slot as usize];
            let manual = self.overrides.get(&session.id).map(|manual| manual.collab_category);
            let left = self.overview.leave(*slot, session);
            self.overview.enter(*slot, session, manual, left, None);
        }
        Changes { sessions, everything, ..Changes::default() }
    }

    /// Replaces what is known of the agents' folders.
    pub fn set_workspace(&mut self, workspace: Workspace) -> Changes {
        let tasks = std::mem::take(&mut self.tasks);
        let ids: BTreeSet<AgentId> =
            workspace.agents.iter().chain(&self.workspace.agents).map(|agent| agent.agent_id.clone()).collect();
        let before: Vec<_> = ids.iter().map(|id| tasks.folder(&self.workspace, id)).collect();
        let old = (tasks, &self.workspace);
        self.tasks = WorkspaceIndex::new(&workspace, old, |id| self.task_log.times(id, &self.events));
        self.task_log.file(self.tasks.ids());
        self.task_log.settle(&self.events, &mut self.people);
        let mut changes = Changes::default();
        for (id, old) in ids.into_iter().zip(before) {
            let new = self.tasks.folder(&workspace, &id);
            if old == new {
                continue;
            }
            for agent in [old, new].into_iter().flatten() {
                for session in agent.tasks.iter().filter_map(|task| task.work_session_id.as_ref()) {
                    changes.sessions.extend(self.sessions.by_id.get(session));
                }
                let archived = agent.history.iter().filter_map(|entry| entry.id.as_ref());
                for task in agent.tasks.iter().map(|task| &task.id).chain(archived) {
                    let slots = self.task_log.events(task).iter().map(|event| self.facts[*event as usize].session);
                    changes.sessions.extend(slots.filter(|slot| *slot != NONE));
                }
            }
            changes.agents.insert(id);
        }
        self.faces.take();
        self.workspace = workspace;
        // Which of several folders names a task depends on all of them.
        for slot in self.newest.values().copied() {
            let session = &mut self.sessions.slots[slot as usize];
            if session.state.votes.is_silent()
                && read_titles(session, &self.tasks, &self.workspace, &self.events, &self.judge)
            {
                let manual = self.overrides.get(&session.id).map(|manual| manual.collab_category);
                let left = self.overview.leave(slot, session);
                self.overview.enter(slot, session, manual, left, None);
                changes.sessions.insert(slot);
            }
        }
        changes
    }

    /// Replaces the state of the files.
    pub fn set_source(&mut self, source: SourceInfo) {
        self.source = source;
    }

    /// Names the process run.
    pub fn set_epoch(&mut self, epoch: String) {
        self.cursor.epoch = epoch;
    }

    /// One delta further.
    pub fn advance(&mut self) {
        self.cursor.seq += 1;
    }
}

/// Has the titles of its tasks decide the category of a session whose events say nothing. True when they say something
/// else than before.
fn read_titles(
    session: &mut Session,
    tasks: &WorkspaceIndex,
    workspace: &Workspace,
    events: &Log,
    judge: &Judge,
) -> bool {
    let silent = session.state.votes.is_silent();
    let titles = if silent { tasks.titles(workspace, session) } else { Vec::new() };
    let other = session.state.votes.read_titles(&titles, &judge.lexicon);
    if other {
        session.state.finish(events);
    }
    other
}
