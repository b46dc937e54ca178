//! Fuzz target of event schema 1.1. Each JSON line either passes validation or has validation errors. A valid event
//! is unchanged by serialisation and parsing. The timeline does not depend on the order in which events are added. Log
//! lines made from an event can be read.
#![no_main]

use std::collections::BTreeMap;

use coordination::event::event_from_value;
use coordination::ids::EventId;
use coordination::schema::{
    Defaults, EventProducer, EventTimeline, SchemaEvent, check, from_coordination, schema_error, to_coordination,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const NOW: i64 = 1_772_000_000_000;
const DEFAULTS: Defaults<'static> =
    Defaults { workspace_id: "repo_a", terminal_session_id: "term_a", locale: "ko-KR", arrived_at: NOW };

fn again(event: &SchemaEvent) {
    let written = serde_json::to_string(event).expect("an event is JSON");
    let read: Value = serde_json::from_str(&written).expect("what was written");
    let silent = Defaults { locale: "", ..DEFAULTS };
    assert_eq!(check(&read, &silent).as_ref(), Ok(event), "{written}");
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut events: BTreeMap<String, SchemaEvent> = BTreeMap::new();
    for line in text.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let event = check(&value, &DEFAULTS).unwrap_or_else(|faults| {
            assert!(!faults.is_empty());
            schema_error(&faults, &value, "fuzz", NOW)
        });
        again(&event);
        events.entry(event.id.clone()).or_insert(event);
        if let Some(event) = from_coordination(&value, 0) {
            again(&event);
            events.entry(event.id.clone()).or_insert(event);
        }
    }
    let (mut at_once, mut backwards) = (EventTimeline::default(), EventTimeline::default());
    drop(at_once.put(events.values().cloned().collect(), EventProducer::External));
    for event in events.values().rev() {
        drop(backwards.put(vec![event.clone()], EventProducer::External));
    }
    assert!(at_once.events().eq(backwards.events()) && at_once.agents().eq(backwards.agents()));
    assert_eq!(at_once.conflicts() + backwards.conflicts(), 0);
    for event in at_once.events() {
        for line in to_coordination(event) {
            let read = event_from_value(&line, &EventId::from("0.team.a-0")).expect("a line of the log");
            assert_eq!(read.at, event.ts);
            assert!(from_coordination(&line, 0).is_none());
        }
    }
});
