//! State of each coding agent in each terminal where it runs, derived from schema events in order of time. A copy of
//! the state (checkpoint) is saved every 64 events. When an event arrives late, only the events after the last
//! checkpoint before it are replayed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::EventOrderKey;
use crate::state::{AgentFold, concerns};
use crate::{AgentNow, AgentStage, SchemaEvent};

/// Events between two checkpoints of an agent's state.
const CHECKPOINT_INTERVAL_EVENTS: usize = 64;

/// How long before the newest event an agent's state at another terminal is still shown.
const OTHER_TERMINAL_MS: i64 = 86_400_000;
/// Published terminals of one agent: those where it waits for a person first, then the newest.
const MAX_TERMINALS: usize = 64;
/// Terminals examined for the published ones. An agent of ten thousand sessions costs no more than one with this many.
const MAX_TERMINALS_VISITED: usize = 4 * MAX_TERMINALS;

/// Agents by id and terminal: three terminals in one project have three leaders of one name, and one that continues
/// ends no wait of another.
#[derive(Debug, Clone, Default)]
pub(super) struct AgentTimelines {
    /// By agent id.
    agents: BTreeMap<String, Agent>,
    /// Agent and terminal of the timelines that have to be read again.
    touched: BTreeSet<(String, String)>,
    /// Agents whose state may have changed since [`Self::take_changed`].
    changed: BTreeSet<String>,
    /// Number of terminals examined so far: the cost of listing agents.
    looked_at: std::cell::Cell<u64>,
}

/// One agent: a timeline for each terminal, and orders of them, so that no operation visits all of them.
#[derive(Debug, Clone, Default)]
struct Agent {
    lines: BTreeMap<String, AgentTimeline>,
    /// Terminals by the time of the agent's last event there.
    newest: BTreeSet<(i64, String)>,
    /// Terminals where it is busy: waits for a person first, then the most recent.
    busy: BTreeSet<(bool, i64, String)>,
    /// Time of each session's last event, by terminal.
    sessions: HashMap<String, BTreeMap<String, i64>>,
}

/// An agent at a terminal: the places of what concerns it, and its state.
#[derive(Debug, Clone)]
struct AgentTimeline {
    places: Vec<EventOrderKey>,
    /// Its state before the first of them, where there were events that were evicted.
    base: Option<AgentFold>,
    /// Its state after each [`CHECKPOINT_INTERVAL_EVENTS`] events.
    marks: Vec<AgentFold>,
    now: AgentFold,
    /// How many events the state holds.
    read: usize,
    /// How many of them are as they were when they were read.
    sound: usize,
}

impl AgentTimelines {
    /// Each agent first where its last event was; then the terminals where it has been busy or waiting within a day and
    /// has not continued elsewhere.
    pub(super) fn now(&self) -> impl Iterator<Item = &AgentFold> {
        self.agents.values().flat_map(|agent| agent.now(&self.looked_at))
    }

    /// The same of one agent; nothing of one that is not known.
    pub(super) fn now_of(&self, agent: &str) -> Vec<&AgentFold> {
        self.agents.get(agent).map(|agent| agent.now(&self.looked_at)).unwrap_or_default()
    }

    /// The agents whose state may have changed since the last call.
    pub(super) fn take_changed(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed)
    }

    /// Terminals examined in all.
    pub(super) fn looked_at(&self) -> u64 {
        self.looked_at.get()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.agents.len()
    }

    /// An event is shown. Read when the step is settled.
    pub(super) fn put(&mut self, place: &EventOrderKey, event: &SchemaEvent) {
        let terminal = &event.terminal_session_id;
        for agent in concerns(event) {
            let known = match self.agents.get_mut(agent) {
                Some(known) => known,
                None => self.agents.entry(agent.to_owned()).or_default(),
            };
            let line = match known.lines.get_mut(terminal) {
                Some(line) => line,
                None => known.lines.entry(terminal.clone()).or_insert_with(|| AgentTimeline::new(agent)),
            };
            // Nearly every event is the last one.
            let at = if line.places.last().is_none_or(|last| last < place) {
                line.places.len()
            } else {
                line.places.partition_point(|it| it < place)
            };
            line.places.insert(at, place.clone());
            line.sound = line.sound.min(at);
            self.touched.insert((agent.to_owned(), terminal.clone()));
        }
    }

    /// An agent's state names this event, or follows from it last.
    pub(super) fn names(&self, place: &EventOrderKey, event: &SchemaEvent) -> bool {
        let line = |agent: &str| self.agents.get(agent)?.lines.get(&event.terminal_session_id);
        concerns(event)
            .into_iter()
            .filter_map(line)
            .any(|line| line.now.now().event_id == event.id || line.places.last() == Some(place))
    }

    /// Events up to here may be evicted: states are not read again from before it.
    pub(super) fn forget(&mut self, newest: &EventOrderKey) {
        self.agents.values_mut().flat_map(|agent| agent.lines.values_mut()).for_each(|line| line.forget(newest));
    }

    /// An event is no longer shown.
    pub(super) fn take(&mut self, place: &EventOrderKey, event: &SchemaEvent) {
        let terminal = &event.terminal_session_id;
        for agent in concerns(event) {
            let known = self.agents.get_mut(agent);
            let Some(line) = known.and_then(|known| known.lines.get_mut(terminal)) else { continue };
            if let Ok(at) = line.places.binary_search(place) {
                line.places.remove(at);
                line.sound = line.sound.min(at);
                self.touched.insert((agent.to_owned(), terminal.clone()));
            }
        }
    }

    /// Applies inserted and removed events.
    pub(super) fn settle<'a>(&mut self, event: &impl Fn(&EventOrderKey) -> Option<&'a SchemaEvent>) {
        for (id, terminal) in std::mem::take(&mut self.touched) {
            let Some(agent) = self.agents.get_mut(&id) else { continue };
            agent.settle(&id, &terminal, event);
            if agent.lines.is_empty() {
                self.agents.remove(&id);
            }
            self.changed.insert(id);
        }
    }
}

impl Agent {
    fn now(&self, looked_at: &std::cell::Cell<u64>) -> Vec<&AgentFold> {
        let Some((newest, first)) = self.newest.last() else { return Vec::new() };
        let mut at: BTreeSet<(i64, &str)> = BTreeSet::from([(*newest, first.as_str())]);
        let mut looks = 1;
        // Terminals with the same time are as new as the first.
        let equal = self.newest.iter().rev().take_while(|(last_at, _)| last_at == newest).take(MAX_TERMINALS);
        let recent = |last_at: i64| newest.saturating_sub(last_at) <= OTHER_TERMINAL_MS;
        let waits = self.busy.range((true, i64::MIN, String::new())..).rev();
        let works = self.busy.range(..(true, i64::MIN, String::new())).rev();
        let busy = waits.take_while(|busy| recent(busy.1)).chain(works.take_while(|busy| recent(busy.1)));
        let all = equal.map(|(last_at, terminal)| (*last_at, terminal));
        for (last_at, terminal) in
            all.chain(busy.map(|(_, last_at, terminal)| (*last_at, terminal))).take(MAX_TERMINALS_VISITED)
        {
            looks += 1;
            if at.len() == MAX_TERMINALS {
                break;
            }
            // Few of many terminals are busy: only those are compared with the others.
            if self.lines.get(terminal).is_some_and(|line| !self.went_elsewhere(&line.now)) {
                at.insert((last_at, terminal));
            }
        }
        looked_at.set(looked_at.get() + looks);
        at.into_iter().rev().filter_map(|(_, terminal)| Some(&self.lines.get(terminal)?.now)).collect()
    }

    /// What ran at one terminal continues at another one: a session that is resumed takes its agent along.
    fn went_elsewhere(&self, fold: &AgentFold) -> bool {
        let there = fold.session().and_then(|session| self.sessions.get(session));
        let now = fold.now();
        there.is_some_and(|there| {
            there.iter().any(|(terminal, at)| *terminal != now.terminal_session_id && *at > now.last_at)
        })
    }

    /// Applies inserted and removed events at one terminal.
    fn settle<'a>(&mut self, id: &str, terminal: &str, event: &impl Fn(&EventOrderKey) -> Option<&'a SchemaEvent>) {
        let Some(mut line) = self.lines.remove(terminal) else { return };
        if line.read > 0 {
            self.order(terminal, &line.now, false);
        }
        line.settle(id, event);
        if line.places.is_empty() {
            return;
        }
        self.order(terminal, &line.now, true);
        self.lines.insert(terminal.to_owned(), line);
    }

    /// Puts a terminal into the orders, or takes it out.
    fn order(&mut self, terminal: &str, fold: &AgentFold, there: bool) {
        let now = fold.now();
        let waits = matches!(now.stage, AgentStage::PendingInput | AgentStage::Failed);
        let (newest, busy) = ((now.last_at, terminal.to_owned()), (waits, now.last_at, terminal.to_owned()));
        if !there {
            self.newest.remove(&newest);
            self.busy.remove(&busy);
        } else {
            self.newest.insert(newest);
            if is_busy(now) {
                self.busy.insert(busy);
            }
        }
        for (session, at) in fold.sessions() {
            if there {
                self.sessions.entry(session.to_owned()).or_default().insert(terminal.to_owned(), at);
            } else if let Some(places) = self.sessions.get_mut(session) {
                places.remove(terminal);
                if places.is_empty() {
                    self.sessions.remove(session);
                }
            }
        }
    }
}

/// It works, or a person should know that it does not.
fn is_busy(now: &AgentNow) -> bool {
    match now.stage {
        AgentStage::Working | AgentStage::InMeeting | AgentStage::Failed => true,
        AgentStage::PendingInput => !now.rests(),
        AgentStage::Idle | AgentStage::Stopped => false,
    }
}

impl AgentTimeline {
    fn new(agent: &str) -> Self {
        Self { places: Vec::new(), base: None, marks: Vec::new(), now: AgentFold::new(agent), read: 0, sound: 0 }
    }

    /// Forgets the places up to here, in whole steps between checkpoints; the last place stays.
    fn forget(&mut self, newest: &EventOrderKey) {
        let before = self.places.partition_point(|place| place <= newest).min(self.places.len().saturating_sub(1));
        let steps = (before.min(self.sound) / CHECKPOINT_INTERVAL_EVENTS).min(self.marks.len());
        if let Some(base) = self.marks.drain(..steps).next_back() {
            self.base = Some(base);
            self.places.drain(..steps * CHECKPOINT_INTERVAL_EVENTS);
            self.read -= steps * CHECKPOINT_INTERVAL_EVENTS;
            self.sound -= steps * CHECKPOINT_INTERVAL_EVENTS;
        }
    }

    fn settle<'a>(&mut self, agent: &str, event: &impl Fn(&EventOrderKey) -> Option<&'a SchemaEvent>) {
        if self.sound < self.read {
            self.marks.truncate(self.sound / CHECKPOINT_INTERVAL_EVENTS);
            let before = self.marks.last().or(self.base.as_ref());
            self.now = before.cloned().unwrap_or_else(|| AgentFold::new(agent));
            self.read = self.marks.len() * CHECKPOINT_INTERVAL_EVENTS;
            // Places of evicted events stay until something before the end changes.
            let behind = self.places.split_off(self.read);
            self.places.extend(behind.into_iter().filter(|place| event(place).is_some()));
        }
        for place in self.places.get(self.read..).unwrap_or_default() {
            if let Some(event) = event(place) {
                self.now.step(event);
            }
            self.read += 1;
            if self.read.is_multiple_of(CHECKPOINT_INTERVAL_EVENTS) {
                self.marks.push(self.now.clone());
            }
        }
        self.sound = self.read;
    }
}
