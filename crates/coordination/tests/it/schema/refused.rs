//! Tests of the events that replace refused inputs (§A.2, §A.3 of `contract/event-schema-v1_1.md`), and of their rate
//! limit.
//!
//! Proves (claude-code): A refused input becomes a `schema_error` without its content, at a limited rate.

use coordination::schema::{ErrorRate, Fault, Kind, Severity, Source, check, schema_error};
use serde_json::{Value, json};

use super::bodies::{set, whole};
use super::{DEFAULTS, START};

fn refused(value: &Value) -> coordination::schema::SchemaEvent {
    let faults = check(value, &DEFAULTS).unwrap_err();
    schema_error(&faults, value, "api", START)
}

#[test]
fn refused_input_becomes_one_valid_event() {
    let mut bad = whole("tool_failed");
    set(&mut bad, "payload.exit_code", json!(null));
    set(&mut bad, "ts", json!("gestern"));
    set(&mut bad, "payload.secret", json!("hunter2"));
    let event = refused(&bad);
    assert_eq!(
        (&event.kind, &event.source, &event.severity),
        (&Kind::SchemaError, &Source::Synthetic, &Severity::Error)
    );
    let wanted = json!([{"path": "ts", "code": "format"}, {"path": "payload.exit_code", "code": "required"}]);
    assert_eq!(event.payload["errors"], wanted, "A.3 payload.errors tells path and code of all");
    assert_eq!(event.payload["rejected_id"], "evt_1", "A.3 payload.rejected_id");
    assert_eq!((event.workspace_id.as_str(), event.agent_id.as_str()), ("repo_task-hub", "core/worker-1"));
    assert_eq!(event.ts, START, "it happened when the input arrived");
    let written = serde_json::to_value(&event).unwrap();
    assert!(!written.to_string().contains("hunter2"), "nothing of what was not understood is quoted");
    let silent = coordination::schema::Defaults { locale: "", ..DEFAULTS };
    assert_eq!(check(&written, &silent).unwrap(), event);
}

#[test]
fn its_id_is_made_of_the_content() {
    let bad = json!({"id": "x y", "type": "agent_started"});
    let repeated: Value = serde_json::from_str(r#"{"type":"agent_started","id":"x y"}"#).unwrap();
    assert_eq!(refused(&bad).id, refused(&repeated).id, "the same input has the same error");
    assert_ne!(refused(&bad).id, refused(&json!({"id": "x y", "type": "agent_stopped"})).id);
    let faults = check(&bad, &DEFAULTS).unwrap_err();
    let ids = ["api", "drop"].map(|source| schema_error(&faults, &bad, source, START).id);
    assert_ne!(ids[0], ids[1], "sources differ");
    let later = schema_error(&faults, &bad, "api", START + 9_000);
    assert_eq!(later.id, ids[0], "when it came is nothing of its content");
}

#[test]
fn refusal_names_only_valid_fields() {
    for bad in [
        json!(null),
        json!("text"),
        json!([1, 2]),
        json!({"id": "no good", "agent_id": "nobody", "workspace_id": " ", "terminal_session_id": 7, "session_id": "a\u{0}"}),
        json!({"id": "x".repeat(9_000), "agent_id": "a/b/c", "version": "2.0"}),
    ] {
        let event = refused(&bad);
        assert!(!event.payload.contains_key("rejected_id"), "{bad}");
        assert_eq!(event.agent_id, "system/schema");
        assert_eq!((event.workspace_id.as_str(), event.session_id), ("unknown", None));
        let written = serde_json::to_value(refused(&bad)).unwrap();
        assert!(check(&written, &DEFAULTS).is_ok(), "{written}");
    }
}

#[test]
fn many_faults_are_counted_not_all_listed() {
    let faults: Vec<Fault> =
        (0..3_000).map(|n| Fault { path: format!("payload.{n}"), code: "type".to_owned() }).collect();
    let event = schema_error(&faults, &json!({}), "api", START);
    assert_eq!(event.payload["errors"].as_array().unwrap().len(), 50);
    assert_eq!(event.payload["more"], 2_950);
    assert!(check(&serde_json::to_value(&event).unwrap(), &DEFAULTS).is_ok());
}

/// A clock that is far off gives a time that can be written and read.
#[test]
fn refusal_has_time_for_any_clock() {
    for (clock, ts) in [(i64::MIN, 0), (-1, 0), (i64::MAX, 253_402_300_799_999)] {
        let event = schema_error(&[], &json!({}), "api", clock);
        assert_eq!(event.ts, ts);
        let written = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<coordination::schema::SchemaEvent>(&written).unwrap(), event);
    }
}

/// §A.3: one a second a source, the others counted.
#[test]
fn errors_are_limited_per_source_and_second() {
    let mut rate = ErrorRate::default();
    let taken: Vec<bool> = [0, 1, 999, 1_000, 1_999, 2_000].map(|at| rate.take("api", START + at)).to_vec();
    assert_eq!(taken, [true, false, false, true, false, true]);
    assert!(rate.take("drop", START + 1), "A.3 each source has a limit of its own");
    assert_eq!((rate.left_out_of("api"), rate.left_out_of("drop"), rate.left_out()), (3, 0, 3));
    assert!(rate.take("api", START - 60_000), "a clock that was set back shuts nobody out");
    assert!(!rate.take("api", START - 60_000 + 999));
}

#[test]
fn a_flood_of_sources_is_one_source() {
    let mut rate = ErrorRate::default();
    let taken = (0..10_000).filter(|number| rate.take(&format!("source {number}"), START)).count();
    assert_eq!(taken, 65, "64 sources, and one for all others");
    assert_eq!(rate.left_out(), 10_000 - 65);
}
