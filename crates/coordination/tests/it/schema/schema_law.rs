//! Property tests of event schema 1.1: results do not depend on order or repetition of the inputs; every valid event
//! except heartbeats maps to log lines.
//!
//! Proves (claude-code): Any order, repetition and batch of the same inputs gives the same events and states.
//! Long form: `make soak ARGS=schema`.

use std::collections::BTreeMap;

use coordination::event::event_from_value;
use coordination::hub::Hub;
use coordination::ids::EventId;
use coordination::schema::{
    EventProducer, EventTimeline, Kind, SchemaEvent, check, from_coordination, schema_error, to_coordination,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

use super::{DEFAULTS, START};

const AGENTS: [&str; 4] = ["core/leader", "core/worker-1", "core/Explore-12ab34", "task-hub/leader"];
const HOOKS: [&str; 4] = ["PreToolUse", "SubagentStart", "Notification", "TaskCreated"];

fn a_kind() -> impl Strategy<Value = String> {
    let known: Vec<String> = Kind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    prop_oneof![20 => select(known), 1 => Just("agent_daydreamed".to_owned())]
}

fn a_text() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => Just(Value::Null),
        12 => select(vec!["permission", "failed", "leader", "subagent", "teammate", "t1", ""]).prop_map(Value::from),
        6 => "\\PC{0,40}".prop_map(Value::from),
        1 => Just(json!("😀".repeat(2_100))),
        3 => any::<i32>().prop_map(Value::from),
    ]
}

/// A right event, few times and agents, so that many of them meet.
fn an_event() -> impl Strategy<Value = Value> {
    let names = [
        "message",
        "summary",
        "reason",
        "state",
        "tool_use_id",
        "native_agent_id",
        "agent_kind",
        "target_kind",
        "label",
        "current_task",
        "team_name",
    ];
    let hints = vec((select(names.to_vec()), a_text()), 0..4);
    let base = (a_kind(), 0..40_i64, select(AGENTS.to_vec()), proptest::option::of(select(AGENTS.to_vec())));
    let more = (select(vec!["hook", "sdk", "synthetic"]), select(HOOKS.to_vec()), 0..3_u8, hints);
    (base, more).prop_map(|((kind, at, agent, target), (source, hook, task, hints))| {
        let mut event = super::bodies::whole(&kind);
        event["ts"] = json!(coordination::time::to_iso(START + at * 500));
        event["agent_id"] = json!(agent);
        if let Some(target) = target {
            event["target_agent_id"] = json!(target);
        }
        event["source"] = json!(if kind == "heartbeat" { "synthetic" } else { source });
        event["raw"] = json!({"provider": "claude_code", "event_name": hook});
        if task > 0 {
            event["task_id"] = json!(format!("task_{task}"));
        }
        let payload = event["payload"].as_object_mut().unwrap();
        for (name, value) in hints {
            // What a type needs stays as it is.
            payload.entry(name).or_insert(value);
        }
        event
    })
}

/// Each with an id of its own.
fn numbered(values: Vec<Value>) -> Vec<SchemaEvent> {
    let number = |(number, mut value): (usize, Value)| {
        value["id"] = json!(format!("evt_{number}"));
        check(&value, &DEFAULTS).unwrap_or_else(|faults| panic!("{value}: {faults:?}"))
    };
    values.into_iter().enumerate().map(number).collect()
}

fn same(one: &EventTimeline, other: &EventTimeline) -> Result<(), TestCaseError> {
    prop_assert_eq!(one.events().collect::<Vec<_>>(), other.events().collect::<Vec<_>>());
    prop_assert_eq!(one.agents().collect::<Vec<_>>(), other.agents().collect::<Vec<_>>());
    prop_assert_eq!(one.len(), one.events().count());
    prop_assert_eq!(one.conflicts(), other.conflicts());
    Ok(())
}

/// Short: 200 fixed cases of each law. Long (`TASK_HUB_SOAK`): 20,000 fresh ones.
fn config() -> ProptestConfig {
    let (cases, rng_seed) = match std::env::var_os("TASK_HUB_SOAK") {
        Some(_) => (20_000, RngSeed::Random),
        None => (200, RngSeed::Fixed(11)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn timeline_is_independent_of_order_and_repetition(
        values in vec(an_event(), 1..40),
        order in vec(any::<prop::sample::Index>(), 0..80),
        batch in 1..9_usize,
        hooks in any::<bool>(),
    ) {
        let from = if hooks { EventProducer::Hooks } else { EventProducer::External };
        let events = numbered(values);
        let (mut at_once, mut mixed) = (EventTimeline::default(), EventTimeline::default());
        drop(at_once.put(events.clone(), from));
        let mut rest: Vec<SchemaEvent> = order.iter().map(|index| index.get(&events).clone()).collect();
        rest.extend(events.iter().rev().cloned());
        // The reported changes of all steps, put together, are what is shown.
        let mut shown: BTreeMap<(i64, String), SchemaEvent> = BTreeMap::new();
        for batch in rest.chunks(batch) {
            let changed = mixed.put(batch.to_vec(), from);
            shown.retain(|(_, id), _| !changed.removed.contains(id));
            shown.extend(changed.put.into_iter().map(|event| ((event.ts, event.id.clone()), event)));
        }
        same(&at_once, &mixed)?;
        prop_assert!(shown.values().eq(at_once.events()));
    }

    #[test]
    fn removed_events_leave_no_trace(values in vec(an_event(), 1..40), out in vec(any::<bool>(), 40)) {
        let events = numbered(values);
        let (out, remaining): (Vec<_>, Vec<_>) = events.iter().cloned().zip(out).partition(|(_, out)| *out);
        let [out, remaining] = [out, remaining].map(|list| list.into_iter().map(|(event, _)| event).collect::<Vec<_>>());
        let (mut book, mut never) = (EventTimeline::default(), EventTimeline::default());
        drop(book.put(events, EventProducer::Hooks));
        drop(book.remove(&out.into_iter().map(|event| event.id).collect::<Vec<_>>()));
        drop(never.put(remaining, EventProducer::Hooks));
        same(&never, &book)?;
    }

    #[test]
    fn every_event_maps_to_explicit_log_lines(values in vec(an_event(), 1..20)) {
        let mut hub = Hub::new();
        for event in numbered(values) {
            let lines = to_coordination(&event);
            let two = event.kind == Kind::AgentStopped && lines.len() == 2;
            prop_assert_eq!(lines.len(), if two { 2 } else { usize::from(event.kind != Kind::Heartbeat) });
            for (number, line) in lines.iter().enumerate() {
                let read = event_from_value(line, &EventId::from(format!("0.team.{}-{number}", event.id).as_str()));
                let read = read.map_err(|error| TestCaseError::fail(format!("{line}: {error:?}")))?;
                prop_assert_eq!(read.at, event.ts);
                let data = &line["data"];
                let role = data["eventRole"].as_str().unwrap_or_default();
                prop_assert!(role.parse::<coordination::role::Role>().is_ok(), "{}", line);
                for side in ["fromSessionType", "toSessionType"] {
                    prop_assert!(matches!(data[side].as_str(), Some("main" | "subagent" | "unknown")), "{}", line);
                }
                prop_assert_eq!(&data["sourceEventId"], &json!(event.id));
                prop_assert!(from_coordination(line, 0).is_none(), "an event of the schema is not read back");
                hub.apply(vec![read]);
            }
        }
    }

    #[test]
    fn any_line_becomes_valid_events(
        kind in select(super::back::TYPES.to_vec()),
        fields in vec((select(super::back::FIELDS.to_vec()), a_text()), 0..8),
        agent in a_text(),
        at in prop_oneof![any::<i64>(), START..START + 9_000],
    ) {
        let data: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let line = json!({"type": kind, "agentId": agent, "ts": at, "data": data});
        if let Some(event) = from_coordination(&line, 3) {
            let written = serde_json::to_value(&event).unwrap();
            prop_assert_eq!(check(&written, &DEFAULTS).map_err(|faults| TestCaseError::fail(format!("{written}: {faults:?}")))?.id, event.id);
        }
    }

    #[test]
    fn any_input_is_event_or_has_faults(text in "\\PC{0,60}", at in select(vec!["id", "ts", "type", "agent_id", "payload", "raw", "version", "x"]), kind in a_kind()) {
        let mut value = super::bodies::whole(&kind);
        value[at] = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
        match check(&value, &DEFAULTS) {
            Ok(event) => {
                // What was let in once is let in again, as it is.
                let written = serde_json::to_value(&event).unwrap();
                prop_assert_eq!(check(&written, &DEFAULTS), Ok(event));
            }
            Err(faults) => {
                prop_assert!(!faults.is_empty());
                let written = serde_json::to_value(schema_error(&faults, &value, "api", START)).unwrap();
                prop_assert!(check(&written, &DEFAULTS).is_ok(), "{}", written);
            }
        }
    }
}
