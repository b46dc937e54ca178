//! Tests of the validator of schema events. Every rule of §A.1–§A.3 and §A.6 of `contract/event-schema-v1_1.md` is
//! broken alone, and together with each other rule that can be broken in the same event.
//!
//! Proves (claude-code): Each field, type and version rule of the schema is broken by itself and in pairs, and is
//! reported.

use coordination::schema::{Kind, Severity, VERSION, canonical, check};
use serde_json::{Value, json};

use super::bodies::{set, whole};
use super::broken::broken;
use super::{ASSIGN, DEFAULTS, FAILED, faults, value};

#[test]
fn a_right_event_of_every_type_is_taken() {
    for kind in Kind::ALL {
        assert_eq!(faults(&whole(kind.as_str())), [""; 0], "{}", kind.as_str());
    }
    assert_eq!(Kind::ALL.len(), 19, "A.2");
}

#[test]
fn each_broken_rule_is_reported() {
    for (rule, kind, path, to, expected) in broken() {
        let mut event = whole(kind);
        set(&mut event, path, to);
        assert_eq!(faults(&event), [expected], "{rule}");
    }
}

/// Both faults are reported, whatever else is wrong, unless both are in the same field.
#[test]
fn each_pair_of_broken_rules_is_reported() {
    let all = broken();
    let mut pairs = 0;
    for (number, one) in all.iter().enumerate() {
        for other in &all[number + 1..] {
            let (_, kind, path, to, expected) = one;
            let (_, other_kind, other_path, other_to, other_expected) = other;
            // A type's own rule needs its type; the rules of all are broken in an event of any.
            let kind = if *kind == "agent_started" { other_kind } else { kind };
            let same_kind = *other_kind == "agent_started" || other_kind == kind;
            let inside = |inner: &str, outer: &str| inner.split('.').next() == Some(outer);
            let apart = path != other_path && !inside(path, other_path) && !inside(other_path, path);
            // Of a type that cannot be read, nothing says what it needs.
            let typed = (*path != "type" && *other_path != "type") || (one.1 == other.1);
            let of_versions =
                expected.ends_with("unsupported_version") || other_expected.ends_with("unsupported_version");
            if !same_kind || !apart || !typed || of_versions {
                continue;
            }
            let mut event = whole(kind);
            set(&mut event, path, to.clone());
            set(&mut event, other_path, other_to.clone());
            let mut wanted = vec![(*expected).to_owned(), (*other_expected).to_owned()];
            let mut found = faults(&event);
            wanted.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, wanted, "{} and {}", one.0, other.0);
            pairs += 1;
        }
    }
    assert!(pairs > 1_500, "{pairs} pairs");
}

#[test]
fn non_object_is_a_type_fault() {
    for value in [json!(null), json!([]), json!("evt"), json!(1), json!(true)] {
        assert_eq!(faults(&value), [" type"], "A.1 an event is an object: {value}");
    }
    let all = faults(&json!({}));
    assert_eq!(
        all,
        ["version required", "id required", "ts required", "type required", "source required", "agent_id required"]
    );
}

/// §A.7: both samples pass, and what is written means what was read.
#[test]
fn samples_pass_and_round_trip() {
    for sample in [ASSIGN, FAILED] {
        let expected = value(sample);
        let event = check(&expected, &DEFAULTS).unwrap();
        let written = serde_json::to_value(&event).unwrap();
        assert_eq!(canonical(&written), canonical(&expected));
        assert_eq!(check(&written, &DEFAULTS).unwrap(), event);
    }
}

/// §A.1: writers emit `null` for these two, and omit the other optional fields.
#[test]
fn writers_emit_null_target_and_task_only() {
    let mut event = whole("agent_started");
    for name in ["run_id", "session_id", "target_agent_id", "task_id", "severity", "locale", "payload", "raw"] {
        let mut with_null = event.clone();
        with_null[name] = json!(null);
        assert_eq!(check(&with_null, &DEFAULTS), check(&event, &DEFAULTS), "A.1 absent and null are equal: {name}");
    }
    event["payload"] = json!(null);
    let written = serde_json::to_value(check(&event, &DEFAULTS).unwrap()).unwrap();
    assert_eq!(written["target_agent_id"], json!(null));
    assert_eq!(written["task_id"], json!(null));
    assert_eq!(written["payload"], json!({}), "A.1 payload is {{}} by default");
    let fields = written.as_object().unwrap();
    assert!(fields.contains_key("target_agent_id") && fields.contains_key("task_id"));
    assert!(["run_id", "session_id", "raw"].iter().all(|name| !fields.contains_key(*name)), "{written}");
}

#[test]
fn the_server_fills_in_what_it_knows() {
    let mut event = whole("agent_started");
    set(&mut event, "workspace_id", json!(null));
    set(&mut event, "terminal_session_id", json!(null));
    let event = check(&event, &DEFAULTS).unwrap();
    assert_eq!(event.workspace_id, "repo_filled", "A.1 workspace_id is filled in");
    assert_eq!(event.terminal_session_id, "term_filled", "A.1 terminal_session_id is filled in");
    assert_eq!(event.locale.as_deref(), Some("ko-KR"), "A.1 locale is the server's by default");
    assert_eq!(event.run_id, None, "A.6 a run is filled in for 1.0 only");
}

#[test]
fn severity_follows_from_the_type() {
    for kind in Kind::ALL {
        let wanted = match kind.as_str() {
            "tool_failed" | "task_failed" | "schema_error" => Severity::Error,
            "agent_blocked" => Severity::Warn,
            "heartbeat" | "tool_started" => Severity::Debug,
            _ => Severity::Info,
        };
        assert_eq!(
            check(&whole(kind.as_str()), &DEFAULTS).unwrap().severity,
            wanted,
            "A.1 severity of {}",
            kind.as_str()
        );
    }
    let mut expected = whole("tool_failed");
    expected["severity"] = json!("warn");
    assert_eq!(check(&expected, &DEFAULTS).unwrap().severity, Severity::Warn, "A.1 a given severity is used");
}

#[test]
fn versions_are_read_by_their_major_number() {
    let with = |version: Value| {
        let mut event = whole("agent_started");
        set(&mut event, "version", version);
        event
    };
    for first in [json!(null), json!("1.0")] {
        let event = check(&with(first.clone()), &DEFAULTS).unwrap();
        assert_eq!(event.version, VERSION, "A.6 1.0 is converted: {first}");
        assert_eq!(event.run_id.as_deref(), Some("run_term_1"), "A.6 run_id is filled in: {first}");
    }
    for later in ["1.2", "1.17"] {
        assert_eq!(check(&with(json!(later)), &DEFAULTS).unwrap().version, later, "A.6 a later 1.x is kept as it is");
    }
    for other in ["2.0", "2.1", "0.9", "10.0"] {
        assert_eq!(faults(&with(json!(other))), ["version unsupported_version"], "A.6 {other}");
    }
    for none in ["", "1", "1.", ".1", "1.1.1", "v1.1", "1.x", " 1.1", "+1.1", "1.-1", "1.99999"] {
        assert_eq!(faults(&with(json!(none))), ["version format"], "A.6 {none}");
    }
    let mut shapeless = with(json!(null));
    set(&mut shapeless, "type", json!(null));
    assert!(faults(&shapeless).contains(&"version required".to_owned()), "A.6 without the shape it is no 1.0");
}

#[test]
fn fields_of_later_versions_are_preserved() {
    let mut event = whole("agent_started");
    set(&mut event, "version", json!("1.4"));
    set(&mut event, "type", json!("agent_daydreamed"));
    set(&mut event, "mood", json!({"of": ["blue", 1]}));
    let read = check(&event, &DEFAULTS).unwrap();
    assert_eq!(read.kind, Kind::Other("agent_daydreamed".to_owned()), "A.2 an unknown type is stored");
    assert_eq!(read.extra["mood"], json!({"of": ["blue", 1]}), "A.6 unknown fields stay in the storage");
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(written["mood"], event["mood"]);
    assert_eq!(written["type"], "agent_daydreamed");
}

/// §A.5: hooks may send heartbeats; they are taken and lead to nothing (`book` shows that).
#[test]
fn heartbeats_of_hooks_are_accepted() {
    let mut event = whole("heartbeat");
    event["source"] = json!("hook");
    assert_eq!(faults(&event), [""; 0]);
}

/// A list of what is no name costs no more than it is long.
#[test]
fn at_most_hundred_faults_are_reported() {
    let mut event = whole("meeting_started");
    set(&mut event, "payload.participants", json!(vec![1; 30_000]));
    set(&mut event, "ts", json!("gestern"));
    let expected = faults(&event);
    assert_eq!(
        (expected.len(), expected[0].as_str(), expected[99].as_str()),
        (100, "ts format", "payload.participants.98 type")
    );
}

/// §A.3 for every type of a family, not for one of them.
#[test]
fn a3_meetings_need_participants_tools_need_names() {
    for kind in ["meeting_requested", "meeting_started", "meeting_ended"] {
        for (participants, fault) in [
            (json!(["core/leader"]), "payload.participants length"),
            (json!("core/leader"), "payload.participants type"),
            (json!(["core/leader", 7]), "payload.participants.1 type"),
            (Value::Null, "payload.participants required"),
        ] {
            let mut event = whole(kind);
            set(&mut event, "payload.participants", participants);
            assert_eq!(faults(&event), [fault], "A.3 {kind}");
        }
    }
    for kind in ["tool_started", "tool_succeeded", "tool_failed"] {
        for (name, code) in [(json!(7), "type"), (json!(" "), "length"), (Value::Null, "required")] {
            let mut event = whole(kind);
            set(&mut event, "payload.tool_name", name);
            assert_eq!(faults(&event), [format!("payload.tool_name {code}")], "A.3 {kind}");
        }
    }
}
