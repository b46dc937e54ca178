//! Detector of new events in REST 1.x responses. Events have no ids, and each request repeats the last minute of the
//! previous one. So equal lines are counted: if a response has a line three times and earlier ones had it at most
//! twice, one of the three is new.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use coordination::api::{ConfigState, SourceInfo, SourceState};
use coordination::event::{Event, event_from_value};
use coordination::ids::EventId;
use serde_json::Value;

/// Events this much older than the newest one are asked for again: several writers append to one log, each a
/// little late in its own way.
const OVERLAP_MS: i64 = 60_000;

/// What was taken so far. Shrinks never; one number an event.
#[derive(Default)]
pub(super) struct Intake {
    /// How often each line was taken.
    taken: HashMap<u64, u32>,
    /// Events taken, also the next id.
    count: u64,
    /// Newest time seen.
    newest: i64,
}

impl Intake {
    /// The events of `values` that were not taken yet, as often as they occur.
    pub(super) fn fresh(&mut self, values: &[Value]) -> Vec<Event> {
        let mut here: HashMap<u64, u32> = HashMap::new();
        let mut fresh = Vec::new();
        for value in values {
            let line = fingerprint(value);
            let seen = here.entry(line).or_default();
            *seen += 1;
            let taken = self.taken.entry(line).or_default();
            if *seen <= *taken {
                continue;
            }
            *taken = *seen;
            let id = EventId::from(format!("v1-{}", self.count));
            // A line that is no event was not shown by the monitor either.
            if let Ok(event) = event_from_value(value, &id) {
                self.count += 1;
                self.newest = self.newest.max(event.at);
                fresh.push(event);
            }
        }
        fresh
    }

    /// What to ask for next: an ISO time, or everything.
    pub(super) fn since(&self) -> Option<String> {
        (self.newest > OVERLAP_MS).then(|| coordination::time::to_iso(self.newest - OVERLAP_MS))
    }

    /// What is known of the files behind the monitor: that they were read if there are events, else nothing.
    pub(super) fn source(&self) -> SourceInfo {
        SourceInfo {
            state: if self.count > 0 { SourceState::Ok } else { SourceState::Unknown },
            config: ConfigState::Ok,
            newest_event: (self.newest > 0).then_some(self.newest),
            ..SourceInfo::default()
        }
    }
}

fn fingerprint(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(ts: i64, text: &str) -> Value {
        json!({"type": "a2a.send", "agentId": "eden", "ts": ts, "data": {"fromAgent": "eden", "toAgent": "seum", "message": text}})
    }

    /// Events at the `since` boundary are taken once, equal events as often as they occur.
    #[test]
    fn boundary_deduplicates_but_keeps_equal_events() {
        let mut intake = Intake::default();
        let first = [event(1_000_000, "a"), event(2_000_000, "b"), event(2_000_000, "b")];
        assert_eq!(intake.fresh(&first).len(), 3);
        let again = [event(2_000_000, "b"), event(2_000_000, "b"), event(2_000_000, "b"), event(2_000_001, "c")];
        assert_eq!(intake.fresh(&again).len(), 2);
        assert_eq!(intake.fresh(&again).len(), 0);
    }

    #[test]
    fn late_events_are_still_requested() {
        let mut intake = Intake::default();
        assert_eq!(intake.since(), None);
        intake.fresh(&[event(1_771_651_020_000, "a")]);
        assert_eq!(intake.since().as_deref(), Some("2026-02-21T05:16:00.000Z"));
    }
}
