//! Tests of the heartbeats that the server generates as schema events, for connections and for agents
//! (`contract/event-schema-v1_1.md` §A.5).
//!
//! Proves (claude-code): An agent has heartbeats at a fixed interval and at each change of state, until it is silent.
//! Each heartbeat is a valid schema event.

use coordination::schema::{
    AgentsChanged, Beats, Defaults, EventProducer, EventTimeline, SchemaEvent, check, connection_heartbeat,
};
use serde_json::{Value, json};

const START_MS: i64 = super::START;
const MINUTE: i64 = 60_000;

fn agents(at: i64, names: &[&str]) -> AgentsChanged {
    let mut book = EventTimeline::default();
    let started = |name: &&str| {
        super::event(
            &format!("e-{}", name.replace('/', "-")),
            at - START_MS,
            "agent_started",
            json!({"agent_id": name}),
        )
    };
    book.put(names.iter().map(started).collect(), EventProducer::External);
    book.agents().cloned().collect()
}

fn valid(event: &SchemaEvent) -> Value {
    let value = serde_json::to_value(event).unwrap();
    let defaults = Defaults { workspace_id: "w", terminal_session_id: "t", locale: "", arrived_at: 0 };
    assert_eq!(check(&value, &defaults).as_ref(), Ok(event), "{value}");
    value
}

/// Agent and state of each beat.
fn agent_states(beats: impl IntoIterator<Item = Option<SchemaEvent>>) -> Vec<String> {
    let one = |event: SchemaEvent| format!("{} {}", event.agent_id, event.text("state").unwrap_or_default());
    beats.into_iter().map(|event| event.map_or("gone".to_owned(), one)).collect()
}

#[test]
fn connection_beat_is_a_standard_event() {
    let event = valid(&connection_heartbeat("a.1", 15, "ko-KR", START_MS));
    assert_eq!(
        (&event["type"], &event["source"], &event["severity"]),
        (&json!("heartbeat"), &json!("synthetic"), &json!("debug"))
    );
    assert_eq!((&event["version"], &event["locale"]), (&json!("1.1"), &json!("ko-KR")));
    assert_eq!((&event["payload"]["scope"], &event["payload"]["interval_sec"]), (&json!("connection"), &json!(15)));
    assert_ne!(
        event["id"],
        valid(&connection_heartbeat("a.1", 15, "ko-KR", START_MS + 1))["id"],
        "each beat is an event"
    );
}

#[test]
fn agent_beats_until_silent() {
    let mut beats = Beats::new(25_000, "ko-KR");
    let first = beats.take(&agents(START_MS, &["x/1"]), START_MS + 1_000);
    let event = first.values().next().unwrap().clone().unwrap();
    assert_eq!(
        (valid(&event)["payload"]["last_at"].as_str(), event.ts),
        (Some(&*coordination::time::to_iso(START_MS)), START_MS + 1_000)
    );
    assert_eq!(agent_states(first.into_values()), ["x/1 active"]);
    let mut seen = Vec::new();
    while let Some(due) = beats.due() {
        assert!(beats.turn(due - 1).is_empty(), "not before it is due");
        for line in agent_states(beats.turn(due).into_values()) {
            seen.push(format!("{line} {}", (due - START_MS) / 1_000));
        }
    }
    assert_eq!(seen[..4], ["x/1 active 26", "x/1 active 51", "x/1 idle 60", "x/1 idle 85"]);
    assert_eq!(seen.last().unwrap(), "x/1 silent 600", "and nothing of it later");
    let later = beats.take(&agents(START_MS + 20 * MINUTE, &["x/1"]), START_MS + 20 * MINUTE);
    assert_eq!(agent_states(later.into_values()), ["x/1 active"]);
}

#[test]
fn agent_without_change_beats_only_at_the_interval() {
    let mut beats = Beats::new(30_000, "");
    beats.take(&agents(START_MS, &["x/1"]), START_MS);
    for second in 1..30 {
        let now = START_MS + second * 1_000;
        assert!(beats.take(&agents(now, &["x/1"]), now).is_empty(), "a sign of life is no change of state");
        assert!(beats.turn(now).is_empty());
    }
    assert_eq!(agent_states(beats.turn(START_MS + 30_000).into_values()), ["x/1 active"]);
}

#[test]
fn agents_of_long_ago_do_not_beat() {
    let mut beats = Beats::new(15_000, "");
    assert!(beats.take(&agents(START_MS, &["x/1", "x/2"]), START_MS + 11 * MINUTE).is_empty());
    assert_eq!(beats.due(), None, "and cost nothing while time passes");
}

#[test]
fn removed_agent_loses_its_beat() {
    let mut beats = Beats::new(15_000, "");
    beats.take(&agents(START_MS, &["x/1", "x/2"]), START_MS);
    let removed = AgentsChanged([("x/1".to_owned(), Vec::new())].into());
    assert_eq!(agent_states(beats.take(&removed, START_MS + 1).into_values()), ["gone"]);
    assert_eq!(agent_states(beats.turn(START_MS + 15_000).into_values()), ["x/2 active"]);
}
