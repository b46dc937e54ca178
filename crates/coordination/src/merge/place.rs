//! Ids of events that come from transcripts or from OpenClaw's records of runs, and not from the log. An id contains
//! the position of the event's first transcript line. Without such a line it contains the id of the exchange (a request
//! with its answers).

use std::collections::HashMap;

use serde_json::Value;

use crate::api::TranscriptPlace;
use crate::event::{Event, RUN_TOKEN, TALK_TOKEN, is_from_transcript};
use crate::ids::AgentId;
use crate::transcript::exchanges::{ExchangeEvent, ExchangeEventKind};

/// Prefix of the ids of synthetic work sessions and conversations.
pub const PREFIX: &str = "talk:";

/// The id of a work session or a conversation that begins with this event.
pub(super) fn synthetic(id: &str) -> String {
    format!("{PREFIX}{}", id.strip_prefix("0.").unwrap_or(id))
}

/// Whether the event is not in a log.
pub(crate) fn of_event(event: &Event) -> bool {
    is_from_transcript(event.position().parts().0)
}

/// An id for each event: `0.talk.<session id>.<kind>-<place of its first line>`. Two of one kind on one line, such as
/// two calls in one message, are distinguished by their number.
pub(super) fn ids(exchanges: &[Vec<ExchangeEvent>]) -> Vec<Vec<String>> {
    let mut taken: HashMap<String, u32> = HashMap::new();
    // Sorted, so that the same two always get the same numbers.
    let mut order: Vec<(usize, usize)> =
        exchanges.iter().enumerate().flat_map(|(at, events)| (0..events.len()).map(move |event| (at, event))).collect();
    let event_at = |(at, event): (usize, usize)| &exchanges[at][event];
    order.sort_by(|one, other| {
        let key = |event: &ExchangeEvent| (event.at_ms, event.turn, event.exchange.clone());
        key(event_at(*one)).cmp(&key(event_at(*other)))
    });
    let mut ids: Vec<Vec<String>> = exchanges.iter().map(|events| vec![String::new(); events.len()]).collect();
    for place in order {
        let event = event_at(place);
        let (token, offset) = match event.written.first() {
            Some(line) => (format!("{TALK_TOKEN}{}.{}", line.session_id, code(event.kind)), line.place),
            None => (format!("{RUN_TOKEN}{}.{}", event.exchange, code(event.kind)), 0),
        };
        let number = taken.entry(format!("{token}-{offset}")).or_default();
        *number += 1;
        let more = if *number > 1 { number.to_string() } else { String::new() };
        ids[place.0][place.1] = format!("{token}{more}-{offset}");
    }
    ids
}

/// Code of a kind, in the order of events at equal times.
fn code(kind: ExchangeEventKind) -> &'static str {
    match kind {
        ExchangeEventKind::Send | ExchangeEventKind::Refused => "a",
        ExchangeEventKind::Spawn | ExchangeEventKind::SpawnFailed => "b",
        ExchangeEventKind::Response | ExchangeEventKind::NoReply => "d",
        ExchangeEventKind::ChildResult => "e",
        ExchangeEventKind::Announce => "f",
        ExchangeEventKind::Complete => "g",
    }
}

/// The id of the second event that some produce: the outcome of a spawn, or of a refused message.
pub(super) fn second(id: &str) -> String {
    match id.rsplit_once('-') {
        Some((token, offset)) => {
            let (front, code) = token.rsplit_once('.').unwrap_or((token, ""));
            format!("{front}.c{code}-{offset}")
        }
        None => format!("{id}.c"),
    }
}

/// The first line that a key leads to; for archived transcripts, the first line.
pub(crate) fn looked_up(event: &ExchangeEvent) -> Option<TranscriptPlace> {
    let line = event.written.iter().find(|line| line.key.is_some()).or(event.written.first())?;
    let key = line.key.as_deref().unwrap_or_default().to_owned();
    Some(TranscriptPlace {
        agent: key.is_empty().then(|| AgentId::from(&*line.agent)),
        key,
        session: Some(line.session_id.as_ref().to_owned()),
        entry: line.entry.as_deref().map(str::to_owned),
    })
}

/// The transcript line from which an event was made.
pub(crate) fn place_of(event: &Event) -> Option<TranscriptPlace> {
    if !of_event(event) {
        return None;
    }
    let line = event.to_value();
    let place = line.get("transcript")?;
    let text = |name: &str| place.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(TranscriptPlace {
        key: text("key")?,
        agent: text("agent").map(AgentId::from),
        session: text("session"),
        entry: text("entry"),
    })
}
