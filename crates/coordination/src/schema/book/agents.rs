//! The agents of a book. A late event is read again with what follows it, not with what came before.

use std::collections::{BTreeMap, BTreeSet};

use super::Place;
use crate::schema::state::{Fold, concerns};
use crate::schema::{AgentNow, SchemaEvent};

/// After so many events an agent's state is kept, to begin from.
const EVERY: usize = 64;

/// Agents by id.
#[derive(Debug, Clone, Default)]
pub(super) struct Agents {
    lines: BTreeMap<String, Line>,
    touched: BTreeSet<String>,
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
    pub(super) fn now(&self) -> impl Iterator<Item = &AgentNow> {
        self.lines.values().map(|line| line.now.now())
    }

    /// An event is shown. Read when the step is settled.
    pub(super) fn put(&mut self, place: &Place, event: &SchemaEvent) {
        for agent in concerns(event) {
            let line = match self.lines.get_mut(agent) {
                Some(line) => line,
                None => self.lines.entry(agent.to_owned()).or_insert_with(|| Line::new(agent)),
            };
            // Nearly every event is the last one.
            let at = if line.places.last().is_none_or(|last| last < place) {
                line.places.len()
            } else {
                line.places.partition_point(|it| it < place)
            };
            line.places.insert(at, place.clone());
            line.sound = line.sound.min(at);
            self.touch(agent);
        }
    }

    /// An event is no longer shown.
    pub(super) fn take(&mut self, place: &Place, event: &SchemaEvent) {
        for agent in concerns(event) {
            let Some(line) = self.lines.get_mut(agent) else { continue };
            if let Ok(at) = line.places.binary_search(place) {
                line.places.remove(at);
                line.sound = line.sound.min(at);
                self.touch(agent);
            }
        }
    }

    fn touch(&mut self, agent: &str) {
        if !self.touched.contains(agent) {
            self.touched.insert(agent.to_owned());
        }
    }

    /// Reads what was put and taken.
    pub(super) fn settle<'a>(&mut self, event: &impl Fn(&Place) -> Option<&'a SchemaEvent>) {
        for agent in std::mem::take(&mut self.touched) {
            let Some(line) = self.lines.get_mut(&agent) else { continue };
            if line.places.is_empty() {
                self.lines.remove(&agent);
            } else {
                line.settle(&agent, event);
            }
        }
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
