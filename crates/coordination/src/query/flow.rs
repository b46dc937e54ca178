//! Query of `GET sessions/{id}/flow`: the sequence diagram of a session. Each event of the session belongs to one
//! element of the diagram: an arrow (message), a delegated run, a task bar or a note (other event).

mod lanes;
mod task_bars;

use std::collections::HashMap;

use self::lanes::Lanes;
use self::task_bars::TaskBars;
use super::task::shown_under;
use super::thread::{exchange, mark};
use crate::api::{ArrowKind, Flow, FlowArrow, FlowDelegation, FlowNote};
use crate::event::Event;
use crate::hub::Tracked;
use crate::hub::{Hub, NONE, Run, Session, Thread, order};
use crate::ids::{AgentId, EventId, SessionId, TaskId};
use crate::text;

/// Maximum characters of the text beside an arrow.
const LINE_CHARS: usize = 90;
/// Deepest nesting shown; deeper runs count as this deep.
const MAX_DEPTH: u32 = 32;

/// `GET sessions/{id}/flow`.
#[must_use]
pub fn flow(hub: &Hub, now: i64, id: &SessionId) -> Option<Flow> {
    let session = hub.session(id)?;
    let mut builder = FlowBuilder::new(hub, now, session);
    for index in &session.events {
        builder.take(*index);
    }
    Some(builder.finish())
}

/// Builder of a flow.
struct FlowBuilder<'a> {
    hub: &'a Hub,
    now: i64,
    session: &'a Session,
    lanes: Lanes<'a>,
    /// The run of each of its events, by position.
    runs: HashMap<u32, usize>,
    /// The arrow of each send, by its event.
    sends: HashMap<u32, usize>,
    /// The send that each first answer belongs to.
    answered_sends: HashMap<EventId, (EventId, i64)>,
    /// Agents whose pages show tasks, as found so far.
    owners: HashMap<(TaskId, AgentId), Option<AgentId>>,
    arrows: Vec<FlowArrow>,
    delegations: Vec<FlowDelegation>,
    notes: Vec<FlowNote>,
    task_bars: TaskBars,
    /// The newest event was a note, so that one of its kind joins it.
    at_note: bool,
}

impl<'a> FlowBuilder<'a> {
    fn new(hub: &'a Hub, now: i64, session: &'a Session) -> Self {
        let state = &session.state;
        let runs = state.runs.list.iter().enumerate();
        let answered_sends = state.threads.iter().flat_map(|thread| &thread.exchanges.list).filter_map(|tracked| {
            let answer = tracked.answer_id(hub.events())?;
            Some((answer, (hub.id(tracked.event), tracked.sent_at)))
        });
        Self {
            hub,
            now,
            session,
            lanes: Lanes::new(hub, session),
            runs: runs.flat_map(|(position, run)| run.events.iter().map(move |event| (*event, position))).collect(),
            sends: HashMap::new(),
            answered_sends: answered_sends.collect(),
            owners: HashMap::new(),
            arrows: Vec::new(),
            delegations: Vec::new(),
            notes: Vec::new(),
            task_bars: TaskBars::new(hub, session),
            at_note: false,
        }
    }

    fn take(&mut self, index: u32) {
        let event = self.hub.event(index);
        let noted = std::mem::take(&mut self.at_note);
        if let Some(position) = self.runs.get(&index).copied() {
            let run = &self.session.state.runs.list[position];
            if run.events.first() == Some(&index) {
                self.branch(position, run);
            }
        } else if let Some((thread, place)) = self.place(index) {
            match place {
                EventUse::Message => self.add_arrow(index, event, thread),
                EventUse::Step(send) => match self.sends.get(&send).copied() {
                    Some(arrow) => self.arrows[arrow].steps.push(mark(self.hub, index, send)),
                    None => self.note(event, noted),
                },
                EventUse::Route => self.add_arrow(index, event, thread),
                EventUse::Loose => self.note(event, noted),
            }
        } else if !self.task_bars.take(self.hub, index, &mut self.lanes) {
            self.note(event, noted);
        }
    }

    /// Use of an event in its thread.
    fn place(&self, index: u32) -> Option<(&'a Thread, EventUse)> {
        let thread = self.hub.meta_of(index).thread;
        let thread = self.session.state.threads.get(thread as usize).filter(|_| thread != NONE)?;
        let events = self.hub.events();
        if thread.messages.binary_search_by(|other| order(events, *other, index)).is_ok() {
            return Some((thread, EventUse::Message));
        }
        let mark = thread.marks.binary_search_by(|(other, _)| order(events, *other, index)).ok();
        let place = match mark.map(|position| thread.marks[position].1) {
            _ if self.hub.event(index).event_type() == "a2a.auto_route" && mark.is_some() => EventUse::Route,
            Some(send) if send != NONE => EventUse::Step(send),
            _ => EventUse::Loose,
        };
        Some((thread, place))
    }

    fn add_arrow(&mut self, index: u32, event: &Event, thread: &Thread) {
        let (speaker, addressee) = (event.speaker(), event.addressee());
        let human = event.written_text().is_some_and(|written| text::human_prefix(written).is_some());
        let shown = event.display_text().unwrap_or_default();
        let kind = match event.event_type() {
            "a2a.send" => ArrowKind::Request,
            "a2a.auto_route" => ArrowKind::Route,
            _ if event.turn().is_some() => ArrowKind::Turn,
            _ => ArrowKind::Answer,
        };
        let tracked = tracked(self.hub, thread, index);
        if tracked.is_some() {
            self.sends.insert(index, self.arrows.len());
        }
        // The agent still has a lane: the answer goes to it.
        let own = self.lanes.lane_of(&speaker);
        let from = if human { self.lanes.people() } else { own };
        let id = event.id();
        let answered_sends = self.answered_sends.remove(&id);
        let task_id = event.task_id();
        let task_owner = task_id.as_ref().and_then(|task| self.owner(task, &event.agent_id()));
        self.arrows.push(FlowArrow {
            at: event.at,
            kind,
            from,
            to: self.lanes.lane_of(&addressee),
            speaker,
            addressee,
            text: gist(&shown),
            human,
            thread: thread.id.clone(),
            turn: event.turn().filter(|_| kind == ArrowKind::Turn),
            max_turns: event.max_turns().filter(|_| kind == ArrowKind::Turn),
            exchange: tracked.map(|tracked| exchange(self.hub, self.now, tracked)),
            asked_at: answered_sends.as_ref().map(|(_, at)| *at).filter(|at| *at > 0),
            answers: answered_sends.map(|(send, _)| send),
            steps: Vec::new(),
            task_id,
            task_owner,
            id,
        });
    }

    fn owner(&mut self, task: &TaskId, agent: &AgentId) -> Option<AgentId> {
        let key = (task.clone(), agent.clone());
        self.owners.entry(key).or_insert_with(|| shown_under(self.hub, task, agent)).clone()
    }

    fn branch(&mut self, position: usize, run: &Run) {
        let runs = &self.session.state.runs.list;
        let (mut outermost, mut depth) = (position, 0);
        while let Some(parent) = runs[outermost].parent.filter(|_| depth < MAX_DEPTH) {
            (outermost, depth) = (parent, depth + 1);
        }
        let line = |index: u32| {
            let shown = self.hub.event(index).display_text().unwrap_or_default();
            text::preview(&shown, LINE_CHARS)
        };
        let lane = match &runs[outermost].from {
            Some(agent) => self.lanes.lane_of(agent),
            None => self.lanes.others(),
        };
        self.delegations.push(FlowDelegation {
            id: self.hub.id(run.events[0]),
            lane,
            from: run.from.clone(),
            to: run.to.clone(),
            label: run.label.clone(),
            text: if run.orphan { String::new() } else { line(run.events[0]) },
            result: run.error.clone().or_else(|| run.result.map(line)).unwrap_or_default(),
            state: run.state,
            orphan: run.orphan,
            start_time: run.started_at,
            end_time: run.ended_at,
            depth,
            events: run.events.iter().map(|index| self.hub.id(*index)).collect(),
        });
    }

    fn note(&mut self, event: &Event, noted: bool) {
        self.at_note = true;
        let lane = self.lanes.of_worker(&event.agent_id());
        if let Some(last) = self.notes.last_mut().filter(|last| {
            noted && last.lane == lane && last.event_type == event.event_type() && last.agent == event.agent_id()
        }) {
            last.events.push(event.id());
            return;
        }
        self.notes.push(FlowNote {
            id: event.id(),
            at: event.at,
            lane,
            agent: event.agent_id(),
            event_type: event.event_type().to_owned(),
            text: text::preview(&event.display_text().unwrap_or_default(), LINE_CHARS),
            events: vec![event.id()],
        });
    }

    fn finish(mut self) -> Flow {
        let state = &self.session.state;
        let task_bars = self.task_bars.finish(self.hub, &mut self.lanes, (state.start.unwrap_or_default(), state.last));
        let mut flow = Flow {
            session_id: self.session.id.as_ref().clone(),
            lanes: Vec::new(),
            arrows: self.arrows,
            delegations: self.delegations,
            task_bars,
            notes: self.notes,
            start_time: state.start.unwrap_or_default(),
            end_time: state.last,
            ended: state.ended,
            cursor: self.hub.cursor(),
            now: self.now,
        };
        self.lanes.finish(&mut flow);
        flow
    }
}

/// First characters of a message, without the names that agents give to the parts of a request.
fn gist(shown: &str) -> String {
    let mut stripped = shown.to_owned();
    for name in ["[Goal]", "[Task]", "[Context]"] {
        stripped = stripped.replace(name, "");
    }
    text::preview(&stripped, LINE_CHARS)
}

/// Use of an event in its thread.
enum EventUse {
    Message,
    Route,
    /// A step of the delivery of this send.
    Step(u32),
    Loose,
}

/// The delivery of a send.
fn tracked<'a>(hub: &Hub, thread: &'a Thread, index: u32) -> Option<&'a Tracked> {
    let sends = &thread.exchanges.list;
    let position = sends.binary_search_by(|tracked| order(hub.events(), tracked.event, index)).ok()?;
    sends.get(position)
}
