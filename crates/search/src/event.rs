//! Searchable texts of an event. The index (`index/`) and the scan of events that are not indexed both use these texts.

use std::borrow::Cow;

use coordination_log::event::Event;

/// Part of an event in which a word is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventTextPart {
    /// What people read of it: [`event_text`]. A message is found by this alone.
    Text,
    /// What else it says of itself: [`event_rest`].
    Rest,
}

/// What people read of an event; where that is nothing (a control token), the text as written.
#[must_use]
pub fn event_text(event: &Event) -> Option<Cow<'_, str>> {
    event.display_text().map(Cow::Owned).or_else(|| event.written_text().map(Cow::Borrowed))
}

/// Label, reason, error, task, type and agents of an event, each for itself: no word spans two of them.
pub fn event_rest(event: &Event) -> impl Iterator<Item = &str> {
    let agents = [event.agent(), event.from_text(), event.to_text()];
    let [agent, from, to] = agents.map(|agent| (agent != "unknown").then_some(agent));
    let agents = [agent, from.filter(|_| from != agent), to.filter(|_| to != agent && to != from)];
    let fields = [
        event.label(),
        event.reason(),
        event.error(),
        event.text(coordination_log::event::Field::TaskId),
        Some(event.event_type()),
    ];
    fields.into_iter().chain(agents).flatten()
}
