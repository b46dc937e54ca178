//! Accessors of the columns of the event log: time, id, speaker, addressee and writer (agent that wrote the line) of an
//! event. They avoid parsing the event's log line, which may be compressed. Agent names are stored as 16-bit numbers.
//! The line is parsed only for names beyond the first 65,535.

use std::borrow::Cow;

use super::Hub;
use crate::event::Event;
use crate::ids::{AgentId, EventId};

impl Hub {
    /// When an event was, in epoch milliseconds. Costs nothing, however old it is.
    pub(crate) fn at(&self, index: u32) -> i64 {
        self.events.log.at(index)
    }

    /// The id of an event, likewise.
    pub(crate) fn id(&self, index: u32) -> EventId {
        self.events.log.id(index)
    }

    /// Whether one of these agents spoke, from the columns.
    pub(crate) fn spoke(&self, index: u32, wanted: &[AgentId]) -> bool {
        self.is_one(self.meta_of(index).flags.speaker, wanted, || self.event(index).speaker())
    }

    /// Whether it is addressed to one of these, likewise.
    pub(crate) fn addresses(&self, index: u32, wanted: &[AgentId]) -> bool {
        self.is_one(self.meta_of(index).flags.addressee, wanted, || self.event(index).addressee())
    }

    /// Whether one of these wrote it, likewise.
    pub(crate) fn wrote(&self, index: u32, wanted: &[AgentId]) -> bool {
        self.is_one(self.meta_of(index).flags.agent, wanted, || self.event(index).agent_id())
    }

    /// Whether one of these spoke, is addressed or wrote it, likewise.
    pub(crate) fn concerns(&self, index: u32, wanted: &[AgentId]) -> bool {
        self.spoke(index, wanted) || self.addresses(index, wanted) || self.wrote(index, wanted)
    }

    /// Who spoke and who is addressed, likewise.
    pub(crate) fn speaker_and_addressee(&self, index: u32) -> (String, String) {
        let (flags, people) = (&self.meta_of(index).flags, &self.indexes.people);
        let name = |number: u16, line: fn(&Event) -> Cow<'_, str>| match usize::from(number) < people.len() {
            true => people.name(number).to_owned(),
            false => line(self.event(index)).into_owned(),
        };
        (name(flags.speaker, Event::speaker_name), name(flags.addressee, Event::addressee_name))
    }

    /// Whether speaker, addressee and writer have numbers of their own, so that filters need no line.
    pub(crate) fn is_numbered(&self, index: u32) -> bool {
        let flags = &self.meta_of(index).flags;
        [flags.speaker, flags.addressee, flags.agent]
            .into_iter()
            .all(|number| usize::from(number) < self.indexes.people.len())
    }

    /// A log may have more people than numbers: for the others the line decides.
    fn is_one(&self, number: u16, wanted: &[AgentId], line: impl FnOnce() -> AgentId) -> bool {
        match usize::from(number) < self.indexes.people.len() {
            true => wanted.iter().any(|wanted| wanted.as_str() == self.indexes.people.name(number)),
            false => wanted.contains(&line()),
        }
    }
}
