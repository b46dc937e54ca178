//! Tests of `EventTimeline`, which orders and deduplicates schema events (`contract/event-schema-v1_1.md` §A.4).
//!
//! Proves (claude-code): Schema events are ordered by time, then by id. A repeated id adds no event, and hooks that
//! report the same fact within five seconds make one event.

use coordination::schema::{AgentStage, Changed, EventProducer, EventTimeline, SchemaEvent};
use serde_json::{Value, json};

use super::event;

fn ids(events: &[SchemaEvent]) -> Vec<&str> {
    events.iter().map(|event| event.id.as_str()).collect()
}

fn shown(book: &EventTimeline) -> Vec<&str> {
    book.events().map(|event| event.id.as_str()).collect()
}

fn superseded<'a>(book: &'a EventTimeline, id: &str) -> Vec<&'a str> {
    let raw = book.event(id).unwrap().raw.as_ref();
    let ids = raw.and_then(|raw| raw.get("superseded")).and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A start by a hook of this name; `Synthetic` says that the server filled it in.
fn start(id: &str, at: i64, hook: &str) -> SchemaEvent {
    let source = if hook == "Synthetic" { "synthetic" } else { "hook" };
    let raw = json!({"provider": "claude_code", "event_name": hook});
    event(id, at, "agent_started", json!({"source": source, "raw": raw}))
}

#[test]
fn events_are_ordered_by_time_then_id() {
    let mut book = EventTimeline::default();
    for (id, at) in [("b", 5), ("a.", 5), ("c", 4), ("A", 5), ("a", 5), ("a-", 5), ("z", 6)] {
        drop(book.put(vec![event(id, at, "task_progress", json!({"task_id": "t"}))], EventProducer::External));
    }
    assert_eq!(shown(&book), ["c", "A", "a", "a-", "a.", "b", "z"], "A.4 ties by code points of the id");
    let behind: Vec<_> = book.since((super::START + 5, "a-")).map(|event| event.id.as_str()).collect();
    assert_eq!(behind, ["a.", "b", "z"]);
    assert_eq!(book.since((i64::MIN, "")).count(), 7);
    assert_eq!(book.len(), 7);
}

#[test]
fn repeated_id_keeps_first_event() {
    let mut book = EventTimeline::default();
    let first = event("a", 0, "agent_started", json!({}));
    assert_eq!(book.put(vec![first.clone()], EventProducer::External).put, std::slice::from_ref(&first));
    assert_eq!(book.put(vec![first.clone()], EventProducer::External), Changed::default(), "A.4 equal: skipped");
    assert_eq!(book.conflicts(), 0);
    let other = event("a", 1, "agent_stopped", json!({}));
    assert_eq!(book.put(vec![other], EventProducer::External), Changed::default(), "A.4 differing: the first is kept");
    assert_eq!(book.conflicts(), 1, "A.4 and a conflict counted");
    assert_eq!(book.events().collect::<Vec<_>>(), [&first]);
}

#[test]
fn hook_correction_replaces_event() {
    let mut book = EventTimeline::default();
    let guess = event("a", 0, "agent_started", json!({"agent_id": "core/Explore-123456"}));
    let known = event("a", 0, "agent_started", json!({"agent_id": "core/scout"}));
    drop(book.put(vec![guess], EventProducer::Hooks));
    let changed = book.put(vec![known.clone()], EventProducer::Hooks);
    assert_eq!((changed.put, changed.removed), (vec![known.clone()], Vec::new()));
    assert_eq!(book.agents().map(|agent| agent.agent_id.as_str()).collect::<Vec<_>>(), ["core/scout"]);
    assert_eq!(book.put(vec![known], EventProducer::Hooks), Changed::default());
    assert_eq!(book.conflicts(), 0, "a correction is no conflict");
    assert_eq!(book.remove(&["a".to_owned(), "b".to_owned()]).removed, ["a"]);
    assert_eq!((book.len(), book.agents().count()), (0, 0));
}

/// Somebody may tell an event under an id that a hook makes. In whatever order they come: the hook's is shown, and the
/// other one when the hook's is withdrawn.
#[test]
fn hook_ids_win_over_program_ids() {
    let (program_event, hook) = (event("a", 0, "agent_stopped", json!({})), event("a", 9, "agent_started", json!({})));
    for program_first in [true, false] {
        let mut book = EventTimeline::default();
        let mut put = |first: bool| {
            let (event, from) = if first {
                (program_event.clone(), EventProducer::External)
            } else {
                (hook.clone(), EventProducer::Hooks)
            };
            book.put(vec![event], from)
        };
        drop(put(program_first));
        drop(put(!program_first));
        assert_eq!(book.events().collect::<Vec<_>>(), [&hook]);
        assert_eq!(book.conflicts(), 1);
        let changed = book.remove(&["a".to_owned()]);
        assert_eq!((changed.put, changed.removed), (vec![program_event.clone()], Vec::new()));
    }
}

/// §A.4: fact, then guess, then filler; the loser is evidence.
#[test]
fn better_report_of_equal_events_wins() {
    let reports =
        [start("fact", 4_000, "SubagentStart"), start("guess", 2_000, "PreToolUse"), start("filler", 0, "Synthetic")];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut book = EventTimeline::default();
        for number in order {
            drop(book.put(vec![reports[number].clone()], EventProducer::Hooks));
        }
        assert_eq!(shown(&book), ["fact"], "A.4 fact > guess > synthetic, {order:?}");
        assert_eq!(superseded(&book, "fact"), ["filler", "guess"], "A.4 raw.superseded");
        assert_eq!(book.event("guess").unwrap().raw.as_ref().unwrap().get("superseded"), None);
        let changed = book.remove(&["fact".to_owned()]);
        assert_eq!((ids(&changed.put), changed.removed), (vec!["guess"], vec!["fact".to_owned()]));
        assert_eq!(superseded(&book, "guess"), ["filler"]);
        drop(book.remove(&["guess".to_owned()]));
        assert_eq!(book.event("filler"), Some(&reports[2]), "nothing is left of what was taken back");
    }
}

#[test]
fn equivalence_window_is_five_seconds() {
    let two = |apart: i64| {
        let mut book = EventTimeline::default();
        drop(book.put(vec![start("a", 0, "PreToolUse"), start("b", apart, "SubagentStart")], EventProducer::Hooks));
        book.len()
    };
    assert_eq!((two(5_000), two(5_001), two(-5_000), two(-5_001)), (1, 2, 1, 2), "A.4 within 5 s");
}

#[test]
fn equivalent_hooks_make_one_event() {
    let created = |id: &str, at, hook: &str, task: &str| {
        event(id, at, "task_created", json!({"task_id": task, "raw": {"event_name": hook}}))
    };
    let mut book = EventTimeline::default();
    drop(
        book.put(
            vec![created("b", 300, "PostToolUse", "1"), created("a", 0, "TaskCreated", "1")],
            EventProducer::Hooks,
        ),
    );
    assert_eq!((shown(&book), superseded(&book, "a")), (vec!["a"], vec!["b"]), "C.2 TaskCreated, or the tool's end");
    drop(
        book.put(
            vec![created("c", 400, "PostToolUse", "2"), created("d", 500, "TaskCreated", "1")],
            EventProducer::Hooks,
        ),
    );
    assert_eq!(shown(&book), ["a", "c", "d"], "A.4 another task, and the same hook again");
}

/// A wait that ends and comes again within five seconds is two waits, whichever hooks reported them and their ends.
#[test]
fn repeatable_events_are_not_merged() {
    let hook_event = |id: &str, at, kind: &str, source: &str, hook: &str| {
        let payload = json!({"state": "pending_input", "reason": "permission"});
        event(id, at, kind, json!({"source": source, "payload": payload, "raw": {"event_name": hook}}))
    };
    let mut book = EventTimeline::default();
    let events = vec![
        hook_event("a", 0, "agent_blocked", "hook", "PermissionRequest"),
        hook_event("b", 900, "agent_unblocked", "synthetic", "PostToolUse"),
        hook_event("c", 1_500, "agent_blocked", "hook", "Notification"),
    ];
    drop(book.put(events, EventProducer::Hooks));
    assert_eq!(book.agents().next().unwrap().stage, AgentStage::PendingInput, "C.5");
    drop(book.put(vec![hook_event("d", 2_000, "agent_unblocked", "synthetic", "PreToolUse")], EventProducer::Hooks));
    assert_eq!(book.agents().next().unwrap().stage, AgentStage::Working, "C.5");
    assert_eq!(book.len(), 4);
    let mut book = EventTimeline::default();
    drop(book.put(vec![start("a", 0, "SubagentStart"), start("b", 1_000, "SubagentStart")], EventProducer::Hooks));
    assert_eq!(book.len(), 2, "B: a subagent starts again each turn");
}

#[test]
fn calls_differ_by_name_only() {
    let call = |id: &str, hook: &str, name: Value| {
        let more = json!({"payload": {"tool_name": "Bash", "tool_use_id": name}, "raw": {"event_name": hook}});
        event(id, 0, "tool_started", more)
    };
    let mut book = EventTimeline::default();
    drop(book.put(vec![call("a", "PreToolUse", json!("t1")), call("b", "Other", json!("t1"))], EventProducer::Hooks));
    assert_eq!(shown(&book), ["a"], "A.4 the same call");
    drop(book.put(
        vec![call("c", "Other", json!("t2")), call("d", "X", json!(null)), call("e", "Y", json!(null))],
        EventProducer::Hooks,
    ));
    assert_eq!(shown(&book), ["a", "c", "d", "e"], "A.4 another call, and calls without a name");
}

#[test]
fn heartbeats_of_hooks_are_ignored() {
    let mut book = EventTimeline::default();
    let beat = |source: &str| event("a", 0, "heartbeat", json!({"source": source}));
    assert_eq!(book.put(vec![beat("hook")], EventProducer::External), Changed::default(), "A.5");
    assert!(book.is_empty());
    drop(book.put(vec![beat("synthetic")], EventProducer::External));
    assert_eq!((book.len(), book.agents().count()), (1, 0), "A.5 a heartbeat is no sign of life of its own");
}

/// The reported changes, put together, are what is shown.
#[test]
fn each_change_is_reported_once() {
    let mut book = EventTimeline::default();
    let changed = book.put(vec![start("b", 10, "SubagentStart"), start("a", 5, "PreToolUse")], EventProducer::Hooks);
    assert_eq!((ids(&changed.put), changed.removed), (vec!["b"], Vec::new()), "what was never shown is not withdrawn");
    let changed = book.put(vec![start("c", 20, "Synthetic")], EventProducer::Hooks);
    assert_eq!(ids(&changed.put), ["b"], "evidence is part of what is shown");
    assert_eq!(superseded(&book, "b"), ["a", "c"]);
}

/// Long enough that states are read again from the middle, from marks and from the beginning.
#[test]
fn long_timeline_accepts_late_events() {
    const EVENTS: i64 = 4_000;
    let kinds = ["tool_started", "tool_succeeded", "agent_blocked", "agent_unblocked"];
    let made = |number: i64| {
        let kind = kinds[usize::try_from(number).unwrap() % kinds.len()];
        event(&format!("evt_{number:06}"), number * 100, kind, super::bodies::body(kind))
    };
    let (mut in_order, mut mixed) = (EventTimeline::default(), EventTimeline::default());
    let events: Vec<_> = (0..EVENTS).map(made).collect();
    for event in &events {
        drop(in_order.put(vec![event.clone()], EventProducer::External));
    }
    // Neighbours change places, and the first hundred come last.
    for pair in events[100..].chunks(2) {
        pair.iter().rev().for_each(|event| drop(mixed.put(vec![event.clone()], EventProducer::External)));
    }
    drop(mixed.put(events[..100].to_vec(), EventProducer::External));
    assert!(in_order.events().eq(mixed.events()));
    assert!(in_order.agents().eq(mixed.agents()));
}

/// What comes late and decides: an end long before the last event, among so many that states are read from marks.
#[test]
fn a_late_event_changes_what_follows_it() {
    let tool = |number: i64| {
        event(&format!("evt_{number:03}"), number * 1_000, "tool_started", super::bodies::body("tool_started"))
    };
    let mut book = EventTimeline::default();
    drop(book.put(vec![event("evt_start", -1_000, "agent_started", json!({}))], EventProducer::Hooks));
    (0..300).for_each(|number| drop(book.put(vec![tool(number)], EventProducer::Hooks)));
    let stage = |book: &EventTimeline| book.agents().next().unwrap().stage;
    assert_eq!(stage(&book), AgentStage::Working);
    for at in [-500, 62_500, 63_500, 64_500, 150_500, 299_500] {
        drop(book.put(vec![event("evt_end", at, "agent_stopped", json!({}))], EventProducer::Hooks));
        assert_eq!(stage(&book), AgentStage::Stopped, "C.5 late by {} s", 300 - at / 1_000);
        drop(book.remove(&["evt_end".to_owned()]));
        assert_eq!(stage(&book), AgentStage::Working);
    }
}
