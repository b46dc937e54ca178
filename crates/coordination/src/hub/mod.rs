//! Hub: the projection of all inputs (log, transcripts, agents' files, hooks) in memory. [`crate::query`] reads
//! sessions, threads, deliveries and delegations from it.
//!
//! Start at [`Hub`] and [`Hub::apply`]. The cost of `apply` grows with the batch of new events, not with the history;
//! late events also replay a part of their session. The hub reads neither files nor a clock.

mod accessors;
mod agent_events;
mod alarms;
mod assignment;
mod changes;
mod checkpoint;
mod columns;
mod compaction;
mod daily_counts;
mod event_meta;
mod evidence_words;
mod exchanges;
mod hash_map;
mod inputs;
mod keys;
mod log;
mod names;
mod number_set;
mod overview;
mod packable_state;
mod packed;
mod past;
mod permissions;
mod person_requests;
mod positions;
mod provenance;
mod resumed;
mod rules;
mod runs;
mod sampled_packing;
pub(crate) mod saved;
mod send_summary;
mod session;
mod session_table;
mod session_threads;
mod shared_records;
mod state_packing;
mod tally;
mod task_log;
mod task_texts;
mod thread;
mod time_changes;
mod title_index;
mod tracked;
mod transcripts;
mod v1;
mod votes;
mod withdrawal;
mod workspace_index;

pub(crate) use alarms::{Alarm, Alarms, DETAIL_CHARS};
pub use changes::Changes;
pub use compaction::Evicted;
pub(crate) use event_meta::{EventFlags, EventMeta, NONE, V1Grouping, order, push_tight};
pub(crate) use exchanges::Exchanges;
pub(crate) use keys::folded as folded_key;
pub use log::Log;
pub(crate) use overview::{OTHER_PARTIES, Overview, SessionBrief};
pub use packed::{Packed, Packing, UncompressedBlock};
pub use past::PastHub;
pub use permissions::OpenPermission;
use rules::ClassifierConfig;
pub use rules::RulesUpdate;
pub(crate) use runs::{Run, count};
pub use saved::{SectionJob, SectionSink, SectionSource};
pub(crate) use send_summary::SendSummary;
use session::FoldResult;
pub(crate) use session::{FoldState, PendingSend, Session, line};
use session_table::SessionTable;
pub use shared_records::SharedIndex;
pub use state_packing::{EncodedStates, PackedStates};
pub(crate) use tally::EventTally;
pub(crate) use task_log::{RANKS, TaskLog, TaskOrderKey, Trace, decided, emitter, rank};
pub(crate) use task_texts::{DatedStatus, Holds, TaskTexts};
pub(crate) use thread::Thread;
pub(crate) use title_index::{TitleIndex, TitleTexts, intent_of};
pub(crate) use tracked::Tracked;
pub use transcripts::TranscriptCounts;
pub(crate) use v1::{
    Enrichment, EnrichmentCache, EnrichmentKey, EventRole, V1EventFilter, V1Group, V1GroupKey, V1Groups,
};
pub(crate) use workspace_index::{TaskAt, WorkspaceIndex, archived, open};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assignment::{AssignCtx, SessionAssigner};
use event_meta::Posting;
pub(crate) use hash_map::FastHashMap;
use inputs::Inputs;
use names::NameTable;
use positions::Positions;
use resumed::Resumed;
use v1::V1Index;

use crate::api::{Cursor, Origin};
use crate::classify::Classifier;
use crate::event::{Event, derive_role};
use crate::ids::{AgentId, SessionId};
use crate::workspace::Workspace;

/// The state: an in-memory projection of the log, the transcripts, the agents' files and the hooks. Holds everything
/// that [`crate::query`] reads. Mutated by one writer. Methods that change what queries answer return [`Changes`]; the
/// others set bookkeeping, or say which method follows.
#[derive(Debug, Clone, Default)]
pub struct Hub {
    /// The events themselves.
    pub(crate) events: EventStore,
    /// Secondary indexes over the events.
    pub(crate) indexes: Indexes,
    /// The sessions that the events form.
    pub(crate) sessions: SessionStore,
    /// Inputs other than the events of the log, with their latest values.
    pub(crate) inputs: Inputs,
    /// Epoch and sequence number of the newest published state.
    cursor: Cursor,
    /// Number of changes so far, for ETags.
    revision: u64,
}

/// Events by their number, which is their place in the order of arrival. Numbers never change; a withdrawn event keeps
/// its number and is skipped.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventStore {
    /// Lines, times and ids. Grows with the log; old lines are packed.
    pub(crate) log: Log,
    /// Derived properties of each event, at the same number: role, session, thread, category.
    pub(crate) meta: Vec<EventMeta>,
    /// Event numbers in order of time, then file, then position. Withdrawn events are removed.
    pub(crate) timeline: Posting,
    /// Number of each event by its position in a file; finds duplicates.
    positions: Positions,
}

/// Secondary indexes over the events. Each is updated event by event and read by queries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Indexes {
    /// Count of events by (type, role, agent, …), for filters and counts. Withdrawn events are subtracted.
    pub(crate) tally: EventTally,
    /// Events by the agent that speaks, is addressed or emits. Withdrawn events are removed.
    pub(crate) by_agent: FastHashMap<AgentId, Posting>,
    /// Tasks by id, from the events that name them, with their order in lists.
    pub(crate) task_log: TaskLog,
    /// Events of failing efforts (`unblock.failed`, `continuation.backoff`), for the work list. Never shrinks.
    pub(crate) alarms: Alarms,
    /// Event types, each with a small id. Never shrinks; there are few.
    pub(crate) kinds: NameTable,
    /// Names of agents, each with a small id. Never shrinks.
    pub(crate) people: NameTable,
    /// Titles and ids of sessions, normalised for search, by slot.
    pub(crate) titles: TitleIndex,
    /// Counts and sessions of REST 1.x. Empty until a 1.x client asks.
    v1: V1Index,
}

/// Sessions by slot, their number in the hub. A slot is emptied when its events turn out to belong elsewhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionStore {
    /// The sessions, and their slots by id.
    table: SessionTable,
    /// Slots newest first, ties by id; the order of lists. Entries move as their sessions grow.
    pub(crate) newest: BTreeMap<(Reverse<i64>, Arc<SessionId>), u32>,
    /// Each session in brief, and sums over them, for home.
    pub(crate) overview: Overview,
    /// Sessions that resume a session, by its id.
    pub(crate) resumed: Resumed,
    /// Decides which session an event belongs to; keyed by conversation and pair of agents. Grows with the log.
    assigner: SessionAssigner,
}

/// Events that were entered into the indexes, as far as lists are to be put in order for them.
#[derive(Debug, Default)]
struct Entered {
    /// Slots of the sessions that changed.
    touched: BTreeSet<u32>,
    /// Agents with new events.
    agents: Vec<AgentId>,
}

impl Hub {
    /// An empty hub.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds events, in any order; an event whose position is known is skipped. Each new event goes into the store and
    /// its indexes ([`Hub::insert`]), the touched sessions are folded, and transcripts of the same exchanges are merged
    /// ([`transcripts`]).
    pub fn apply(&mut self, batch: Vec<Event>) -> Changes {
        let mut changes = self.insert(batch, &BTreeSet::new(), true);
        changes.merge(self.resync_affected(&changes.events));
        changes
    }

    /// [`Hub::apply`] without the changes, which cost a tenth of it: for a history that is read before any client
    /// follows.
    pub fn load(&mut self, batch: Vec<Event>) {
        let changes = self.insert(batch, &BTreeSet::new(), false);
        drop(self.resync_affected(&changes.events));
    }

    /// Inserts `batch` and withdraws the events numbered `withdrawn`. The changes name items of threads when they are
    /// `followed`.
    fn insert(&mut self, batch: Vec<Event>, withdrawn: &BTreeSet<u32>, followed: bool) -> Changes {
        let first = self.events.log.len();
        self.note_revision();
        for index in withdrawn {
            self.withdraw_from_v1(*index);
            self.withdraw(*index);
            self.events.positions.remove(&self.events.log, *index);
            self.events.log.free_line(*index);
        }
        let mut entered = Entered::default();
        for event in batch {
            let Ok(index) = u32::try_from(self.events.log.len()) else { break };
            if !self.events.positions.insert(&self.events.log, event.position(), index) {
                continue;
            }
            let derived = derive_role(&event, &self.inputs.roster);
            let (speaker, addressee) = (event.speaker_name(), event.addressee_name());
            let kind = self.indexes.kinds.number(event.event_type());
            let flags = EventFlags::from_event(&event, &speaker, &addressee, &mut self.indexes.people);
            self.events.meta.push(EventMeta::new(derived, kind, flags));
            self.events.log.push(event);
            self.enter(index, &mut entered);
        }
        let mut changes = self.settle(entered, followed);
        self.classify_loose(first);
        self.update_v1(first);
        changes.events = (first..self.events.log.len()).filter_map(|index| u32::try_from(index).ok()).collect();
        changes
    }

    /// Enters an event of the log into the indexes. [`Hub::settle`] has to follow.
    fn enter(&mut self, index: u32, entered: &mut Entered) {
        let EventStore { log, meta, timeline, .. } = &mut self.events;
        let (log, event) = (&*log, &log[index as usize]);
        self.indexes.tally.note(index, &meta[index as usize]);
        timeline.push(index);
        for agent in [event.speaker_name(), event.addressee_name(), event.agent().into()] {
            let posting = match self.indexes.by_agent.get_mut(&*agent) {
                Some(posting) => posting,
                None => self.indexes.by_agent.entry(AgentId::from(&*agent)).or_default(),
            };
            if posting.list.last() != Some(&index) {
                if posting.is_settled() {
                    entered.agents.push(AgentId::from(agent.into_owned()));
                }
                posting.push(index);
            }
        }
        if let Some(task) = event.task_id().filter(|_| event.origin() != Origin::Transcript) {
            self.indexes.task_log.note(task, index, |task| self.inputs.tasks.is_filed(task));
        }
        self.indexes.alarms.note(index, event);
        let sessions = &mut self.sessions.table;
        let mut ctx = AssignCtx { events: log, meta, sessions, touched: &mut entered.touched };
        self.sessions.assigner.note(index, &mut ctx);
    }

    /// Puts the lists of entered and withdrawn events in order, and folds the sessions that they touch.
    fn settle(&mut self, mut entered: Entered, followed: bool) -> Changes {
        let EventStore { log, meta, timeline, .. } = &mut self.events;
        let log = &*log;
        timeline.settle(log);
        let sessions = &mut self.sessions.table;
        let mut ctx = AssignCtx { events: log, meta, sessions, touched: &mut entered.touched };
        self.sessions.assigner.settle(&timeline.list, &mut ctx);
        self.indexes.tally.settle(log);
        for agent in entered.agents {
            self.indexes.by_agent.entry(agent).or_default().settle(log);
        }
        self.indexes.alarms.settle(log);
        for id in self.indexes.task_log.settle(log, &mut self.indexes.people) {
            let times = self.indexes.task_log.times(&id, log);
            self.inputs.tasks.update_task(&self.inputs.workspace, &id, times);
        }
        self.fold(entered.touched, followed)
    }

    /// Folds the events of the touched sessions into their state, and updates what is derived from sessions.
    fn fold(&mut self, touched: BTreeSet<u32>, followed: bool) -> Changes {
        let mut changes = Changes::default();
        for slot in touched {
            let session = &mut self.sessions.table.slots[slot as usize];
            let before = session.state.last;
            let had = self.sessions.newest.remove(&(Reverse(before), Arc::clone(&session.id))).is_some();
            let left = self.sessions.overview.leave(slot, session);
            self.sessions.resumed.leave(slot, session);
            let FoldResult { threads, forgotten, recast } =
                session.fold(&self.events.log, &mut self.events.meta, &self.inputs.classifier, followed);
            read_titles(session, &self.inputs.tasks, &self.inputs.workspace, &self.inputs.classifier);
            recast.into_iter().for_each(|index| self.indexes.tally.recast(index, &self.events.meta[index as usize]));
            if self.events.log.has_rehydrated() {
                drop(self.events.log.evict_rehydrated());
            }
            if session.events.is_empty() {
                self.sessions.overview.remove(left, forgotten);
                self.indexes.titles.remove(slot);
                let id = Arc::clone(&session.id);
                self.sessions.table.by_id.remove(&id);
                changes.removed.insert(id.as_ref().clone());
                changes.reordered = true;
                continue;
            }
            let verdict = session.state.finish(&self.events.log);
            changes.reordered |= had && session.state.last < before;
            self.sessions.newest.insert((Reverse(session.state.last), Arc::clone(&session.id)), slot);
            self.sessions.resumed.enter(slot, session);
            self.indexes.titles.enter(slot, &TitleTexts::new(&session.id, &session.state, &verdict));
            let manual = self.inputs.overrides.get(&session.id).map(|manual| manual.collab_category);
            self.sessions.overview.enter(slot, session, &verdict, manual, left, forgotten);
            changes.sessions.insert(slot);
            if !threads.items.is_empty() || !threads.removed.is_empty() {
                changes.threads.insert(slot, threads);
            }
            self.sessions.table.note_change(slot, &self.indexes.people);
        }
        changes
    }

    /// Classifies the events from number `from` on that belong to no session. All others are classified when their
    /// session is folded.
    fn classify_loose(&mut self, from: usize) {
        for (index, meta) in self.events.meta.iter_mut().enumerate().skip(from) {
            if meta.session == NONE {
                let event = &self.events.log[index];
                meta.category = match self.inputs.classifier.classifier {
                    Classifier::V1 => crate::event::category::decided_or_v1(event, meta.role).category,
                    Classifier::V2 => crate::event::category::v2_or_fallback(event, meta.role),
                };
            }
        }
    }
}

/// Lets the titles of its tasks decide the category of a session whose events give no evidence. Returns whether the
/// evidence of the titles changed; [`FoldState::finish`] then updates what lists show.
fn read_titles(
    session: &mut Session,
    tasks: &WorkspaceIndex,
    workspace: &Workspace,
    classifier: &ClassifierConfig,
) -> bool {
    let silent = session.state.is_silent();
    let titles = if silent { tasks.titles(workspace, session) } else { Vec::new() };
    session.state.votes.read_titles(&titles, &classifier.lexicon)
}
