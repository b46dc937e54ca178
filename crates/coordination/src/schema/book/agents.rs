//! The agents of a book. A late event is read again with what follows it, not with what came before.

use std::collections::{BTreeMap, BTreeSet};

use super::Place;
use crate::schema::state::{Fold, concerns};
use crate::schema::{AgentNow, AgentStage, SchemaEvent};

/// After so many events an agent's state is kept, to begin from.
const EVERY: usize = 64;

/// What goes on at another terminal is told for so long behind the newest event.
const ELSEWHERE_MS: i64 = 86_400_000;

/// Agents by id and terminal: three terminals in one project have three leaders of one name, and one of them that goes on
/// ends no wait of another.
#[derive(Debug, Clone, Default)]
pub(super) struct Agents {
    lines: BTreeMap<String, BTreeMap<String, Line>>,
    touched: BTreeSet<(String, String)>,
}

/// One agent: the places of what concerns it, and its state.
#[derive(Debug, Clone)]
struct Line {
    places: Vec<Place>,
    /// Its state after each [`EVERY`] events.
    marks: Vec<Fold>,
    now: Fold,
    /// How many events the state holds.
    read: usize,
    /// How many of them are as they were when they were read.
    sound: usize,
}

impl Agents {
    /// Each agent where it was heard of last; behind that where else it is at something, or waits, since a day, and has
    /// not gone on elsewhere.
    pub(super) fn now(&self) -> impl Iterator<Item = &Fold> {
        self.lines.values().flat_map(|places| {
            let mut all: Vec<&Fold> = places.values().map(|line| &line.now).collect();
            all.sort_by(|one, other| {
                let (one, other) = (one.now(), other.now());
                (other.last_at, &other.terminal_session_id).cmp(&(one.last_at, &one.terminal_session_id))
            });
            let newest = all.first().map_or(0, |fold| fold.now().last_at);
            let recent = move |now: &AgentNow| {
                now.last_at == newest || (is_at_something(now) && newest.saturating_sub(now.last_at) <= ELSEWHERE_MS)
            };
            // Of many terminals few are at something: only those are held against the others.
            let went = |fold: &Fold| places.values().any(|other| fold.went_to(&other.now));
            let counts = move |at: usize, fold: &Fold| at == 0 || (recent(fold.now()) && !went(fold));
            all.into_iter().enumerate().filter(move |(at, fold)| counts(*at, fold)).map(|(_, fold)| fold)
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// An event is shown. Read when the step is settled.
    pub(super) fn put(&mut self, place: &Place, event: &SchemaEvent) {
        let terminal = &event.terminal_session_id;
        for agent in concerns(event) {
            let places = match self.lines.get_mut(agent) {
                Some(places) => places,
                None => self.lines.entry(agent.to_owned()).or_default(),
            };
            let line = match places.get_mut(terminal) {
                Some(line) => line,
                None => places.entry(terminal.clone()).or_insert_with(|| Line::new(agent)),
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

    /// An event is no longer shown.
    pub(super) fn take(&mut self, place: &Place, event: &SchemaEvent) {
        let terminal = &event.terminal_session_id;
        for agent in concerns(event) {
            let Some(line) = self.lines.get_mut(agent).and_then(|places| places.get_mut(terminal)) else { continue };
            if let Ok(at) = line.places.binary_search(place) {
                line.places.remove(at);
                line.sound = line.sound.min(at);
                self.touched.insert((agent.to_owned(), terminal.clone()));
            }
        }
    }

    /// Reads what was put and taken.
    pub(super) fn settle<'a>(&mut self, event: &impl Fn(&Place) -> Option<&'a SchemaEvent>) {
        for (agent, terminal) in std::mem::take(&mut self.touched) {
            let Some(places) = self.lines.get_mut(&agent) else { continue };
            let Some(line) = places.get_mut(&terminal) else { continue };
            if line.places.is_empty() {
                places.remove(&terminal);
                if places.is_empty() {
                    self.lines.remove(&agent);
                }
            } else {
                line.settle(&agent, event);
            }
        }
    }
}

/// It works, or a person should know that it does not.
fn is_at_something(now: &AgentNow) -> bool {
    match now.stage {
        AgentStage::Working | AgentStage::InMeeting | AgentStage::Failed => true,
        AgentStage::PendingInput => !now.rests(),
        AgentStage::Idle | AgentStage::Stopped => false,
    }
}

impl Line {
    fn new(agent: &str) -> Self {
        Self { places: Vec::new(), marks: Vec::new(), now: Fold::new(agent), read: 0, sound: 0 }
    }

    fn settle<'a>(&mut self, agent: &str, event: &impl Fn(&Place) -> Option<&'a SchemaEvent>) {
        if self.sound < self.read {
            self.marks.truncate(self.sound / EVERY);
            self.now = self.marks.last().cloned().unwrap_or_else(|| Fold::new(agent));
            self.read = self.marks.len() * EVERY;
        }
        for place in self.places.get(self.read..).unwrap_or_default() {
            if let Some(event) = event(place) {
                self.now.step(event);
            }
            self.read += 1;
            if self.read.is_multiple_of(EVERY) {
                self.marks.push(self.now.clone());
            }
        }
        self.sound = self.read;
    }
}
