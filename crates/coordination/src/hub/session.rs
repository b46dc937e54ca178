//! Work session as a fold over its events in time order: threads, runs, votes, title, times. A late event causes a
//! replay from a checkpoint (a stored earlier state) or from the start, so the order of arrival does not matter.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Log;
use super::changes::{ThreadChanges, ThreadItemChanges};
use super::checkpoint::{Checkpoint, before_removal};
use super::event_meta::{EventMeta, NONE, push_tight, settle};
use super::hash_map::FastHashMap;
use super::keys::FoldedKeys;
use super::packable_state::PackableState;
use super::provenance::Origins;
use super::rules::ClassifierConfig;
use super::runs::{Runs, TWIN_MS, is_subagent_result};
use super::thread::{Thread, is_talk};
use super::votes::{BriefVerdict, Votes};
use crate::api::{LastMessage, RoleCounts};
use crate::event::{Event, Field};
use crate::ids::{AgentId, SessionId, TaskId};
use crate::role::Role;
use crate::text;
use crate::title::{self, TitleSource};

const HOUR_MS: i64 = 3_600_000;

/// A session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Session {
    /// Shared with the maps that find and order sessions.
    pub(crate) id: Arc<SessionId>,
    /// Formed by conversation or pair of agents: its events name no work session.
    pub(crate) synthetic: bool,
    /// Numbers of its events; in order up to `folded`. Shrinks when a late event shows that some belong elsewhere.
    pub(crate) events: Vec<u32>,
    /// Number of events that `state` covers; more than there are when everything has to be rederived.
    folded: usize,
    /// Place of the first event that was removed since the last [`Session::fold`].
    #[serde(skip)]
    removed_from: Option<usize>,
    /// What its folded events add up to.
    pub(crate) state: PackableState,
    /// State before the latest late events. Absent for nearly all sessions.
    checkpoints: Checkpoint<FoldState>,
    /// It is in the queue of the states that are encoded next.
    #[serde(skip)]
    pub(super) is_queued: bool,
    /// It changed while it was in that queue.
    #[serde(skip)]
    pub(super) is_recent: bool,
}

/// Folded state of a session. Rebuilt when the order of the events changes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct FoldState {
    /// Time of the first event with a usable time, in epoch milliseconds.
    pub(crate) start: Option<i64>,
    /// Time of the newest event, in epoch milliseconds.
    pub(crate) last: i64,
    /// The newest event ends the session.
    pub(crate) ended: bool,
    /// Number of events by role.
    pub(crate) roles: RoleCounts,
    /// Votes for the category.
    pub(crate) votes: Votes,
    /// The best title so far, and its source.
    pub(crate) title: Option<(TitleSource, String)>,
    /// Who takes part, most active first.
    pub(crate) agents: Vec<SessionAgent>,
    /// Keys of the OpenClaw sessions that its events name.
    pub(crate) keys: FoldedKeys,
    /// Tasks that its events name, in order of appearance.
    pub(crate) tasks: Vec<TaskId>,
    /// The session it resumes, by the newest event that names one.
    pub(crate) previous: Option<Box<SessionId>>,
    pub(crate) threads: Vec<Thread>,
    /// Numbers of the threads whose last send was refused or not answered. Shrinks as they go on.
    pub(super) failed: BTreeSet<u32>,
    /// Sends that have not come to an end, in no particular order. Shrinks as they do.
    pub(crate) waiting: Vec<PendingSend>,
    pub(crate) runs: Runs,
    /// Event of the newest bubble.
    pub(crate) last_bubble: Option<u32>,
    /// Newest other event that has a text.
    pub(crate) last_text: Option<u32>,
    /// Number of bubbles.
    pub(crate) bubbles: u32,
    /// Counts of its events by origin: log, transcripts, hooks.
    pub(crate) origins: Origins,
    /// The newest line as lists show it.
    pub(crate) newest: Option<Box<LastMessage>>,
    /// Number of events by hour since 1970 (UTC), in order.
    pub(crate) hours: Vec<(i64, u32)>,
    /// Position of the newest thread of each key, when there are many threads. A linear search is as fast among few.
    /// Boxed: hardly any session has one, and an empty map takes forty bytes more.
    pub(super) by_key: Option<Box<FastHashMap<String, usize>>>,
    /// Spawns at most [`TWIN_MS`] before the newest one, to recognise their send twins.
    recent_spawns: Vec<u32>,
}

/// A send that waits for its answer until it is too old to, with what decides that: the graph of waits reads ten thousand
/// of them for each change.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct PendingSend {
    /// Last moment at which it waits, in epoch milliseconds.
    pub(crate) until: i64,
    /// In epoch milliseconds.
    pub(crate) sent_at: i64,
    /// Number of its event.
    pub(crate) event: u32,
    /// Number of its thread.
    pub(crate) thread: u32,
    /// Its position among the exchanges of the thread.
    pub(crate) position: u32,
}

/// An agent that takes part in a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SessionAgent {
    pub(crate) id: AgentId,
    /// Number of events in which it acts.
    acts: u32,
    /// Number of agents that appeared before it. Decides between equals, so that an earlier sorting has no effect.
    rank: u32,
}

/// Result of a fold.
#[derive(Debug)]
pub(crate) struct FoldResult {
    /// New, changed and removed items of threads.
    pub(crate) threads: ThreadChanges,
    /// The hours it had ([`FoldState::hours`]), when it was rederived.
    pub(crate) forgotten: Option<Vec<(i64, u32)>>,
    /// Events whose role may have changed because of events around them.
    pub(crate) recast: Vec<u32>,
}

impl Session {
    pub(crate) fn new(id: Arc<SessionId>, synthetic: bool) -> Self {
        Self {
            id,
            synthetic,
            events: Vec::new(),
            folded: 0,
            removed_from: None,
            state: PackableState::new(),
            checkpoints: Checkpoint::default(),
            is_queued: false,
            is_recent: false,
        }
    }

    /// Removes events; the session is rederived from the first one at the next [`Session::fold`].
    pub(crate) fn remove(&mut self, removed: impl Fn(u32) -> bool) {
        let Some(first) = self.events.iter().position(|index| removed(*index)) else { return };
        if let Some(folded) = self.events.get(..self.folded) {
            self.folded -= folded.iter().filter(|index| removed(**index)).count();
            self.removed_from = Some(self.removed_from.unwrap_or(first).min(first));
        }
        self.events.retain(|index| !removed(*index));
    }

    /// Removes all events. `state` is the one without any.
    pub(crate) fn clear(&mut self, state: PackableState) {
        (self.events, self.folded, self.removed_from, self.state) = (Vec::new(), 0, None, state);
        self.mark_rules_changed();
    }

    /// The next fold rederives everything.
    pub(crate) fn forget(&mut self) {
        self.folded = usize::MAX;
        self.mark_rules_changed();
    }

    /// Marks that the rules changed: a late event then makes all its events be read a second time.
    pub(crate) fn mark_rules_changed(&mut self) {
        self.checkpoints = Checkpoint::default();
    }

    /// Votes by a classifier that is not in force. Costs its events.
    pub(crate) fn votes_by(&self, events: &Log, meta: &[EventMeta], classifier: &ClassifierConfig) -> Votes {
        let mut votes = Votes::default();
        for index in &self.events {
            let (event, role) = (&events[*index as usize], meta[*index as usize].role);
            votes.judge(event, role, classifier);
        }
        votes
    }

    /// Updates the state to all its events, but for what [`FoldState::finish`] makes. The result names items of threads
    /// when the changes are `followed`.
    pub(crate) fn fold(
        &mut self,
        events: &Log,
        meta: &mut [EventMeta],
        classifier: &ClassifierConfig,
        followed: bool,
    ) -> FoldResult {
        let mut changes = followed.then(ThreadChanges::default);
        let (known, removed) = (self.folded, self.removed_from.take());
        let late = if known > self.events.len() {
            settle(events, &mut self.events, 0);
            Some(0)
        } else {
            let moved = settle(events, &mut self.events, known).filter(|moved| *moved < known);
            [moved, removed].into_iter().flatten().min()
        };
        let (mut forgotten, mut recast, mut before) = (None, Vec::new(), BTreeSet::new());
        if let Some(moved) = late {
            before = self.state.threads.iter().map(|thread| thread.id.clone()).collect();
            let (folded, state) = self.checkpoints.resume(moved);
            (forgotten, self.folded) = (Some(std::mem::replace(&mut *self.state, state).hours), folded);
            let place = if removed.is_some() { before_removal(moved) } else { moved };
            if self.checkpoints.is_worth(folded, place) {
                for &index in &self.events[folded..place] {
                    recast.extend(self.state.push(index, events, meta, classifier, changes.as_mut()).then_some(index));
                }
                self.folded = place;
                self.checkpoints.keep(place, &self.state);
            }
        }
        self.checkpoints.in_use(late.is_some(), self.events.len());
        for &index in &self.events[self.folded..] {
            recast.extend(self.state.push(index, events, meta, classifier, changes.as_mut()).then_some(index));
        }
        self.folded = self.events.len();
        if let (Some(_), Some(changes)) = (late, &mut changes) {
            changes.items = self
                .state
                .threads
                .iter()
                .map(|thread| (thread.id.clone(), ThreadItemChanges { replaced: true, ..ThreadItemChanges::default() }))
                .collect();
            before.retain(|id| !changes.items.contains_key(id));
            changes.removed = before;
        }
        FoldResult { threads: changes.unwrap_or_default(), forgotten, recast }
    }
}

impl FoldState {
    /// Adds the next event; true when its role may have changed.
    fn push(
        &mut self,
        index: u32,
        events: &Log,
        meta: &mut [EventMeta],
        classifier: &ClassifierConfig,
        changes: Option<&mut ThreadChanges>,
    ) -> bool {
        let event = &events[index as usize];
        let was_recast = meta[index as usize].undo_recast();
        let is_first = self.roles == RoleCounts::default();
        let talk = is_talk(event.event_type());
        let derived = meta[index as usize].role;
        let delegated = talk && (is_subagent_result(event) || self.is_twin(event, derived, events));
        // Only talk of main agents can be anything else.
        if delegated && derived != Role::DelegationSubagent {
            meta[index as usize].recast();
        }
        let role = meta[index as usize].role;
        meta[index as usize].category = self.votes.judge(event, role, classifier);
        meta[index as usize].thread = NONE;
        self.note_time(event.at);
        *self.roles.of_mut(role) += 1;
        self.origins.note(event);
        self.note_people(event);
        self.keys.note(event);
        self.note_title(event, role);
        if let Some(task) = event.task_id().filter(|task| !self.tasks.contains(task)) {
            push_tight(&mut self.tasks, task);
        }
        if let Some(previous) = event.previous_work_session_id() {
            self.previous = Some(Box::new(previous));
        }
        let mut all_ended = false;
        let mut bubble = false;
        if talk && role == Role::ConversationMain {
            let (number, shown) = self.show(index, events, changes);
            meta[index as usize].thread = number;
            bubble = shown;
        } else if role == Role::DelegationSubagent && event.event_type().starts_with("a2a.") {
            if event.event_type() == "a2a.spawn" {
                self.recent_spawns.retain(|spawn| event.at - events.at(*spawn) <= TWIN_MS);
                self.recent_spawns.push(index);
            }
            all_ended = self.runs.push(index, event) && event.event_type() == "a2a.response";
        }
        meta[index as usize].bubble = bubble;
        if bubble {
            self.last_bubble = Some(index);
            self.bubbles += 1;
        } else if role != Role::SystemObservability && event.display_text().is_some() {
            self.last_text = Some(index);
        }
        self.ended = match self.origins.ended() {
            Some(ended) => ended,
            // A backlog entry is no start of work, and does not reopen ended work.
            None if event.event_type() == "task.backlog_added" => self.ended || is_first,
            None => event.is_terminal() || all_ended,
        };
        was_recast || role != derived
    }

    /// Whether an agent takes part.
    pub(crate) fn has_agent(&self, id: &str) -> bool {
        self.agents.iter().any(|party| party.id.as_str() == id)
    }

    /// Its title, when its events give one.
    pub(crate) fn own_title(&self) -> Option<&str> {
        self.title.as_ref().filter(|(source, _)| *source < TitleSource::Default).map(|(_, title)| title.as_str())
    }

    /// Updates what lists show, after all events and titles of tasks are added. Returns the verdict, so that it is
    /// made once.
    pub(super) fn finish(&mut self, events: &Log) -> BriefVerdict {
        let shown = |index: u32| {
            let mut line = line(&events[index as usize]);
            line.text.shrink_to_fit();
            Box::new(line)
        };
        self.newest = self.last_bubble.or(self.last_text).map(shown);
        // Most active first, equals in order of appearance.
        self.agents.sort_by_key(|party| (std::cmp::Reverse(party.acts), party.rank));
        self.votes.brief_verdict()
    }

    /// What lists show besides the title that its events give, folded, one per line: newest line, tags, participants.
    pub(crate) fn list_lines(&self, verdict: &BriefVerdict) -> String {
        let mut lines: Vec<&str> = Vec::with_capacity(2 + verdict.sub_tags.len() + self.agents.len());
        // A title that no event gives.
        lines.extend(self.title.as_ref().filter(|_| self.own_title().is_none()).map(|(_, title)| title.as_str()));
        lines.extend(self.newest.as_ref().map(|line| line.text.as_str()));
        lines.extend(verdict.sub_tags.iter().map(String::as_str));
        lines.extend(self.agents.iter().map(|party| party.id.as_str()));
        crate::search::folded(&lines.join("\n"))
    }

    /// An old writer's send twin of a spawn carries nothing that says so, but follows it at once
    /// (`contract/events.md` §8).
    fn is_twin(&self, event: &Event, role: Role, events: &Log) -> bool {
        role == Role::ConversationMain
            && event.event_type() == "a2a.send"
            && event.text(Field::EventRole).is_none()
            && self.recent_spawns.iter().any(|spawn| {
                let spawn = &events[*spawn as usize];
                event.at - spawn.at <= TWIN_MS
                    && event.conversation_id() == spawn.conversation_id()
                    && event.addressee() == spawn.addressee()
            })
    }

    fn note_time(&mut self, at: i64) {
        if at > 0 {
            self.start = Some(self.start.map_or(at, |start| start.min(at)));
        }
        self.last = self.last.max(at);
        let hour = at.div_euclid(HOUR_MS);
        match self.hours.last_mut() {
            Some((known, count)) if *known == hour => *count += 1,
            _ => push_tight(&mut self.hours, (hour, 1)),
        }
    }

    fn note_people(&mut self, event: &Event) {
        for (agent, acts) in [(event.speaker_name(), 1), (event.addressee_name(), 0)] {
            if agent == "unknown" {
                continue;
            }
            let rank = u32::try_from(self.agents.len()).unwrap_or(u32::MAX);
            match self.agents.iter_mut().find(|party| party.id.as_str() == agent) {
                Some(party) => party.acts += acts,
                None => {
                    push_tight(&mut self.agents, SessionAgent { id: AgentId::from(agent.into_owned()), acts, rank })
                }
            }
        }
    }

    fn note_title(&mut self, event: &Event, role: Role) {
        let known = self.title.as_ref().map(|(source, _)| *source);
        if let Some(better) = title::of_event(event, role, known) {
            self.title = Some(better);
        }
    }
}

/// Maximum characters of the newest line in a list.
const LINE_CHARS: usize = 120;

/// An event's text as lists show it.
pub(crate) fn line(event: &Event) -> LastMessage {
    let human = event.written_text().is_some_and(|written| text::human_prefix(written).is_some());
    let shown = event.display_text().unwrap_or_default();
    LastMessage { from: event.speaker(), text: text::preview(&shown, LINE_CHARS), human, at: event.at }
}
