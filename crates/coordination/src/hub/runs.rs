//! Delegated runs of one session: spawn, acceptance, result and parent run, and results without a known request
//! (`contract/events.md` §4, §5.2).

use serde::{Deserialize, Serialize};

use super::event_meta::push_tight;
use crate::api::DelegationState;
use crate::event::{Event, Field};
use crate::ids::AgentId;
use crate::text::{self, RunResult};

/// The `a2a.send` twin of a spawn follows within this time (`contract/events.md` §8).
pub(crate) const TWIN_MS: i64 = 5;

/// One run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Run {
    /// All its events in time order; the first one shows it.
    pub(crate) events: Vec<u32>,
    /// The requester, if known.
    pub(crate) from: Option<AgentId>,
    /// The agent that works.
    pub(crate) to: AgentId,
    pub(crate) label: Option<String>,
    pub(crate) run_id: Option<String>,
    pub(crate) state: DelegationState,
    /// Its spawn event is in the log.
    pub(crate) spawned: bool,
    /// A result without any sign of the request.
    pub(crate) orphan: bool,
    /// Time of the first event, in epoch milliseconds.
    pub(crate) started_at: i64,
    /// Time of the answer to the request, in epoch milliseconds.
    pub(crate) accepted_at: Option<i64>,
    /// Time of the result, in epoch milliseconds.
    pub(crate) ended_at: Option<i64>,
    /// Number of the event that ended it.
    pub(crate) ended_by: Option<u32>,
    /// Number of the event with the text of the result.
    pub(crate) result: Option<u32>,
    /// The error as written in the event.
    pub(crate) error: Option<String>,
    /// Position in [`Runs::list`] of the run that spawned it.
    pub(crate) parent: Option<usize>,
    /// Conversation id of its first event.
    conversation: Option<String>,
    /// Session key of the child; connects later events to the run.
    key: Option<String>,
}

impl Run {
    /// Whether its events are of types this build knows: only then other events can belong to it.
    pub(crate) fn is_known(&self) -> bool {
        self.state != DelegationState::Unknown
    }
}

/// All runs of a session, in time order. Emptied only when the session is rederived.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Runs {
    pub(crate) list: Vec<Run>,
    /// Number of runs that have not ended.
    open: u32,
}

impl Runs {
    /// Number of runs that were spawned, or that only their results show.
    pub(crate) fn count(&self) -> u32 {
        count(self.list.iter().filter(|run| run.spawned || run.orphan).count())
    }

    /// Adds the next delegation event. True when it ended the last open run.
    pub(crate) fn push(&mut self, index: u32, event: &Event) -> bool {
        let open_before = self.open;
        match event.event_type() {
            "a2a.spawn" => self.request(index, event, true),
            "a2a.spawn_result" => self.accept(index, event),
            "a2a.send" => match self.twin(event) {
                Some(position) => self.list[position].events.push(index),
                None => self.request(index, event, false),
            },
            "a2a.response" => self.respond(index, event),
            "a2a.complete" => self.complete(index, event),
            kind => match self.of_result(event) {
                Some(position) => self.list[position].events.push(index),
                // Retries and routes are not runs of their own; other types are unknown.
                None if matches!(kind, "a2a.retry" | "a2a.auto_route") => {}
                None => {
                    let from = known(event.speaker());
                    let unknown =
                        Run { from, state: DelegationState::Unknown, ..blank(index, event, event.addressee()) };
                    self.start(unknown);
                }
            },
        }
        open_before > 0 && self.open == 0
    }

    fn request(&mut self, index: u32, event: &Event, spawned: bool) {
        let parent = self.parent(event);
        self.start(Run {
            spawned,
            parent,
            from: known(event.speaker()),
            label: event.label().map(str::to_owned),
            ..blank(index, event, event.addressee())
        });
    }

    fn start(&mut self, run: Run) -> usize {
        self.open += u32::from(is_open(run.state));
        push_tight(&mut self.list, run);
        self.list.len() - 1
    }

    /// The parent of a run that is under way: by greater depth in the log, or by a cause
    /// in the other's conversation.
    fn parent(&self, event: &Event) -> Option<usize> {
        let speaker = event.speaker();
        let deeper = event.count(Field::Depth).is_some_and(|depth| depth > 0);
        let caused = event.parent_conversation_id();
        self.list.iter().rposition(|run| {
            run.to == speaker
                && is_open(run.state)
                && (deeper || (caused.is_some() && caused == run.conversation.as_deref()))
        })
    }

    fn twin(&self, event: &Event) -> Option<usize> {
        self.list.iter().rposition(|run| {
            let by_key = run.key.is_some() && run.key.as_deref() == event.target_session_key();
            let close = event.at.saturating_sub(run.started_at) <= TWIN_MS
                && run.conversation.as_deref() == event.conversation_id()
                && run.to == event.addressee();
            run.spawned && (by_key || close)
        })
    }

    fn accept(&mut self, index: u32, event: &Event) {
        let key = event.target_session_key();
        let found = self.list.iter().rposition(|run| key.is_some() && run.key.as_deref() == key).or_else(|| {
            self.list.iter().position(|run| {
                run.state == DelegationState::Requested
                    && run.to == event.addressee()
                    && run.conversation.as_deref() == event.conversation_id()
            })
        });
        let position = match found {
            Some(position) => {
                self.list[position].events.push(index);
                position
            }
            None => {
                let from = known(event.speaker());
                self.start(Run { orphan: true, from, ..blank(index, event, event.addressee()) })
            }
        };
        let run = &mut self.list[position];
        run.run_id = event.run_id().map(str::to_owned).or(run.run_id.take());
        run.label = run.label.take().or_else(|| event.label().map(str::to_owned));
        if event.status() == Some("error") {
            let error = event.error().or(event.reply_preview()).map(str::to_owned);
            self.end(position, (index, event.at), DelegationState::Failed, None, error);
        } else {
            self.running(position, event.at);
        }
    }

    fn running(&mut self, position: usize, at: i64) {
        let run = &mut self.list[position];
        if run.state == DelegationState::Requested {
            run.accepted_at = Some(at);
            run.state = DelegationState::Running;
        }
    }

    fn respond(&mut self, index: u32, event: &Event) {
        let position = self.of_result(event).unwrap_or_else(|| self.orphan(index, event));
        self.note(position, index);
        if event.acknowledges() {
            self.running(position, event.at);
            return;
        }
        let written = event.message().or_else(|| event.reply_preview());
        let (state, result, error) = match (event.missing_answer(), written.and_then(text::run_result)) {
            (Some(fate), _) => (DelegationState::Failed, None, fate.detail),
            (None, Some(RunResult::Succeeded)) => (DelegationState::Succeeded, None, None),
            (None, Some(RunResult::TimedOut)) => (DelegationState::TimedOut, None, None),
            (None, Some(RunResult::Failed(error))) => (DelegationState::Failed, None, Some(error)),
            (None, Some(RunResult::Finished)) => (DelegationState::Finished, None, None),
            (None, None) => (DelegationState::Succeeded, Some(index), None),
        };
        self.end(position, (index, event.at), state, result, error);
    }

    fn complete(&mut self, index: u32, event: &Event) {
        let position = self.of_result(event).or_else(|| self.of_request(event));
        let position = position.unwrap_or_else(|| self.orphan(index, event));
        self.note(position, index);
        if event.outcome() == Some("failed") {
            let error = event.error().map(str::to_owned);
            self.end(position, (index, event.at), DelegationState::Failed, None, error);
        } else {
            self.end(position, (index, event.at), DelegationState::Finished, None, None);
        }
    }

    fn orphan(&mut self, index: u32, event: &Event) -> usize {
        let from = known(event.addressee());
        self.start(Run { orphan: true, from, ..blank(index, event, event.speaker()) })
    }

    fn note(&mut self, position: usize, index: u32) {
        let events = &mut self.list[position].events;
        if events.last() != Some(&index) {
            events.push(index);
        }
    }

    /// The first result wins; later ones are stored among the run's events. `by` is the event and its time.
    fn end(
        &mut self,
        position: usize,
        by: (u32, i64),
        state: DelegationState,
        result: Option<u32>,
        error: Option<String>,
    ) {
        let run = &mut self.list[position];
        if !is_open(run.state) {
            return;
        }
        self.open -= 1;
        run.state = state;
        run.ended_at = Some(by.1);
        run.ended_by = Some(by.0);
        run.result = result;
        run.error = error;
    }

    /// The run whose child speaks: by run id, else an open run of the same conversation and child, else any such.
    fn of_result(&self, event: &Event) -> Option<usize> {
        let run_id = event.run_id().filter(|id| *id != "unknown");
        let child = event.speaker();
        let of_id = |run: &Run| run_id.is_some() && run.is_known() && run.run_id.as_deref() == run_id;
        // A gateway's run is one child's; the children of a coding agent share the run of their prompt.
        let by_id = self.list.iter().rposition(|run| of_id(run) && run.to == child);
        if let Some(position) = by_id.or_else(|| self.list.iter().rposition(of_id)) {
            return Some(position);
        }
        let fits = |run: &Run| {
            run.is_known()
                && run.to == child
                && run.conversation.as_deref() == event.conversation_id()
                && (run_id.is_none() || run.run_id.is_none())
        };
        self.list.iter().position(|run| is_open(run.state) && fits(run)).or_else(|| self.list.iter().rposition(fits))
    }

    /// The delegated send that an `a2a.complete` of the requester closes.
    fn of_request(&self, event: &Event) -> Option<usize> {
        let (requester, child) = (event.speaker(), event.addressee());
        self.list.iter().rposition(|run| {
            run.is_known()
                && run.to == child
                && run.from.as_ref() == Some(&requester)
                && run.conversation.as_deref() == event.conversation_id()
        })
    }
}

fn blank(index: u32, event: &Event, to: AgentId) -> Run {
    Run {
        events: vec![index],
        from: None,
        to,
        label: None,
        run_id: event.run_id().filter(|id| *id != "unknown").map(str::to_owned),
        state: DelegationState::Requested,
        spawned: false,
        orphan: false,
        started_at: event.at,
        accepted_at: None,
        ended_at: None,
        ended_by: None,
        result: None,
        error: None,
        parent: None,
        conversation: event.conversation_id().map(str::to_owned),
        // A spawned session may be of any kind; otherwise only a child's key identifies one.
        key: event
            .target_session_key()
            .filter(|key| key.contains(":subagent:") || event.event_type().starts_with("a2a.spawn"))
            .map(str::to_owned),
    }
}

fn is_open(state: DelegationState) -> bool {
    matches!(state, DelegationState::Requested | DelegationState::Running)
}

fn known(agent: AgentId) -> Option<AgentId> {
    (agent.as_str() != "unknown").then_some(agent)
}

/// A length as a count.
pub(crate) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Whether it is the result of a spawned run, by its form (`contract/events.md` §5.2, §5.3): its writer gave no role,
/// and where workers are configured like main agents the roles' table alone would classify it as a message.
pub(super) fn is_subagent_result(event: &Event) -> bool {
    if event.text(Field::EventRole).is_some() || event.run_id().is_none() {
        return false;
    }
    match event.event_type() {
        "a2a.response" => event.turn() == Some(1) && event.max_turns() == Some(1) && event.message().is_none(),
        "a2a.complete" => event.count(Field::TotalTurns) == Some(1),
        _ => false,
    }
}
