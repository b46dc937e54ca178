//! Order and duplicates (§A.4).
//!
//! Proves (claude-code): Schema events are ordered and deduplicated by the schema's rules.

use coordination::schema::{AgentStage, Changed, EventTimeline, From, SchemaEvent};
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
fn events_stand_by_time_and_then_by_id() {
    let mut book = EventTimeline::default();
    for (id, at) in [("b", 5), ("a.", 5), ("c", 4), ("A", 5), ("a", 5), ("a-", 5), ("z", 6)] {
        drop(book.put(vec![event(id, at, "task_progress", json!({"task_id": "t"}))], From::Told));
    }
    assert_eq!(shown(&book), ["c", "A", "a", "a-", "a.", "b", "z"], "A.4 ties by code points of the id");
    let behind: Vec<_> = book.since((super::START + 5, "a-")).map(|event| event.id.as_str()).collect();
    assert_eq!(behind, ["a.", "b", "z"]);
    assert_eq!(book.since((i64::MIN, "")).count(), 7);
    assert_eq!(book.len(), 7);
}

#[test]
fn the_same_id_again_is_the_same_event_and_the_first_stands() {
    let mut book = EventTimeline::default();
    let first = event("a", 0, "agent_started", json!({}));
    assert_eq!(book.put(vec![first.clone()], From::Told).put, std::slice::from_ref(&first));
    assert_eq!(book.put(vec![first.clone()], From::Told), Changed::default(), "A.4 equal: skipped");
    assert_eq!(book.conflicts(), 0);
    let other = event("a", 1, "agent_stopped", json!({}));
    assert_eq!(book.put(vec![other], From::Told), Changed::default(), "A.4 differing: the first is kept");
    assert_eq!(book.conflicts(), 1, "A.4 and a conflict counted");
    assert_eq!(book.events().collect::<Vec<_>>(), [&first]);
}

#[test]
fn what_the_hooks_know_better_takes_the_place() {
    let mut book = EventTimeline::default();
    let guess = event("a", 0, "agent_started", json!({"agent_id": "core/Explore-123456"}));
    let known = event("a", 0, "agent_started", json!({"agent_id": "core/scout"}));
    drop(book.put(vec![guess], From::Hooks));
    let changed = book.put(vec![known.clone()], From::Hooks);
    assert_eq!((changed.put, changed.gone), (vec![known.clone()], Vec::new()));
    assert_eq!(book.agents().map(|agent| agent.agent_id.as_str()).collect::<Vec<_>>(), ["core/scout"]);
    assert_eq!(book.put(vec![known], From::Hooks), Changed::default());
    assert_eq!(book.conflicts(), 0, "a correction is no conflict");
    assert_eq!(book.remove(&["a".to_owned(), "b".to_owned()]).gone, ["a"]);
    assert_eq!((book.len(), book.agents().count()), (0, 0));
}

/// Somebody may tell an event under an id that a hook makes. In whatever order they come: the hook's is shown, and the
/// other one when the hook's is withdrawn.
#[test]
fn an_id_of_the_hooks_is_theirs() {
    let (told, hook) = (event("a", 0, "agent_stopped", json!({})), event("a", 9, "agent_started", json!({})));
    for told_first in [true, false] {
        let mut book = EventTimeline::default();
        let mut put = |first: bool| {
            let (event, from) = if first { (told.clone(), From::Told) } else { (hook.clone(), From::Hooks) };
            book.put(vec![event], from)
        };
        drop(put(told_first));
        drop(put(!told_first));
        assert_eq!(book.events().collect::<Vec<_>>(), [&hook]);
        assert_eq!(book.conflicts(), 1);
        let changed = book.remove(&["a".to_owned()]);
        assert_eq!((changed.put, changed.gone), (vec![told.clone()], Vec::new()));
    }
}

/// §A.4: fact, then guess, then filler; the loser is evidence.
#[test]
fn of_equal_tellings_the_better_one_stands() {
    let tellings =
        [start("fact", 4_000, "SubagentStart"), start("guess", 2_000, "PreToolUse"), start("filler", 0, "Synthetic")];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut book = EventTimeline::default();
        for number in order {
            drop(book.put(vec![tellings[number].clone()], From::Hooks));
        }
        assert_eq!(shown(&book), ["fact"], "A.4 fact > guess > synthetic, {order:?}");
        assert_eq!(superseded(&book, "fact"), ["filler", "guess"], "A.4 raw.superseded");
        assert_eq!(book.event("guess").unwrap().raw.as_ref().unwrap().get("superseded"), None);
        let changed = book.remove(&["fact".to_owned()]);
        assert_eq!((ids(&changed.put), changed.gone), (vec!["guess"], vec!["fact".to_owned()]));
        assert_eq!(superseded(&book, "guess"), ["filler"]);
        drop(book.remove(&["guess".to_owned()]));
        assert_eq!(book.event("filler"), Some(&tellings[2]), "nothing is left of what was taken back");
    }
}

#[test]
fn five_seconds_are_the_measure() {
    let two = |apart: i64| {
        let mut book = EventTimeline::default();
        drop(book.put(vec![start("a", 0, "PreToolUse"), start("b", apart, "SubagentStart")], From::Hooks));
        book.len()
    };
    assert_eq!((two(5_000), two(5_001), two(-5_000), two(-5_001)), (1, 2, 1, 2), "A.4 within 5 s");
}

#[test]
fn what_happens_once_is_one_event_by_whichever_hooks_it_is_told() {
    let created = |id: &str, at, hook: &str, task: &str| {
        event(id, at, "task_created", json!({"task_id": task, "raw": {"event_name": hook}}))
    };
    let mut book = EventTimeline::default();
    drop(book.put(vec![created("b", 300, "PostToolUse", "1"), created("a", 0, "TaskCreated", "1")], From::Hooks));
    assert_eq!((shown(&book), superseded(&book, "a")), (vec!["a"], vec!["b"]), "C.2 TaskCreated, or the tool's end");
    drop(book.put(vec![created("c", 400, "PostToolUse", "2"), created("d", 500, "TaskCreated", "1")], From::Hooks));
    assert_eq!(shown(&book), ["a", "c", "d"], "A.4 another task, and the same hook again");
}

/// A wait that ends and comes again within five seconds is two waits, whichever hooks told them and their ends.
#[test]
fn what_can_happen_again_is_not_taken_for_the_same() {
    let told = |id: &str, at, kind: &str, source: &str, hook: &str| {
        let payload = json!({"state": "pending_input", "reason": "permission"});
        event(id, at, kind, json!({"source": source, "payload": payload, "raw": {"event_name": hook}}))
    };
    let mut book = EventTimeline::default();
    let events = vec![
        told("a", 0, "agent_blocked", "hook", "PermissionRequest"),
        told("b", 900, "agent_unblocked", "synthetic", "PostToolUse"),
        told("c", 1_500, "agent_blocked", "hook", "Notification"),
    ];
    drop(book.put(events, From::Hooks));
    assert_eq!(book.agents().next().unwrap().stage, AgentStage::PendingInput, "C.5");
    drop(book.put(vec![told("d", 2_000, "agent_unblocked", "synthetic", "PreToolUse")], From::Hooks));
    assert_eq!(book.agents().next().unwrap().stage, AgentStage::Working, "C.5");
    assert_eq!(book.len(), 4);
    let mut book = EventTimeline::default();
    drop(book.put(vec![start("a", 0, "SubagentStart"), start("b", 1_000, "SubagentStart")], From::Hooks));
    assert_eq!(book.len(), 2, "B: a subagent starts again each turn");
}

#[test]
fn calls_are_told_apart_by_their_names_only() {
    let call = |id: &str, hook: &str, name: Value| {
        let more = json!({"payload": {"tool_name": "Bash", "tool_use_id": name}, "raw": {"event_name": hook}});
        event(id, 0, "tool_started", more)
    };
    let mut book = EventTimeline::default();
    drop(book.put(vec![call("a", "PreToolUse", json!("t1")), call("b", "Other", json!("t1"))], From::Hooks));
    assert_eq!(shown(&book), ["a"], "A.4 the same call");
    drop(book.put(
        vec![call("c", "Other", json!("t2")), call("d", "X", json!(null)), call("e", "Y", json!(null))],
        From::Hooks,
    ));
    assert_eq!(shown(&book), ["a", "c", "d", "e"], "A.4 another call, and calls without a name");
}

#[test]
fn heartbeats_of_hooks_are_ignored() {
    let mut book = EventTimeline::default();
    let beat = |source: &str| event("a", 0, "heartbeat", json!({"source": source}));
    assert_eq!(book.put(vec![beat("hook")], From::Told), Changed::default(), "A.5");
    assert!(book.is_empty());
    drop(book.put(vec![beat("synthetic")], From::Told));
    assert_eq!((book.len(), book.agents().count()), (1, 0), "A.5 a heartbeat is no sign of life of its own");
}

/// What an answer told of what changed, put together, is what is shown.
#[test]
fn what_changed_is_told_once() {
    let mut book = EventTimeline::default();
    let changed = book.put(vec![start("b", 10, "SubagentStart"), start("a", 5, "PreToolUse")], From::Hooks);
    assert_eq!((ids(&changed.put), changed.gone), (vec!["b"], Vec::new()), "what was never shown is not withdrawn");
    let changed = book.put(vec![start("c", 20, "Synthetic")], From::Hooks);
    assert_eq!(ids(&changed.put), ["b"], "evidence is part of what is shown");
    assert_eq!(superseded(&book, "b"), ["a", "c"]);
}

/// Long enough that states are read again from the middle, from marks and from the beginning.
#[test]
fn a_long_book_takes_late_events_as_any_other() {
    const EVENTS: i64 = 4_000;
    let kinds = ["tool_started", "tool_succeeded", "agent_blocked", "agent_unblocked"];
    let made = |number: i64| {
        let kind = kinds[usize::try_from(number).unwrap() % kinds.len()];
        event(&format!("evt_{number:06}"), number * 100, kind, super::bodies::body(kind))
    };
    let (mut in_order, mut mixed) = (EventTimeline::default(), EventTimeline::default());
    let events: Vec<_> = (0..EVENTS).map(made).collect();
    for event in &events {
        drop(in_order.put(vec![event.clone()], From::Told));
    }
    // Neighbours change places, and the first hundred come last.
    for pair in events[100..].chunks(2) {
        pair.iter().rev().for_each(|event| drop(mixed.put(vec![event.clone()], From::Told)));
    }
    drop(mixed.put(events[..100].to_vec(), From::Told));
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
    drop(book.put(vec![event("evt_start", -1_000, "agent_started", json!({}))], From::Hooks));
    (0..300).for_each(|number| drop(book.put(vec![tool(number)], From::Hooks)));
    let stage = |book: &EventTimeline| book.agents().next().unwrap().stage;
    assert_eq!(stage(&book), AgentStage::Working);
    for at in [-500, 62_500, 63_500, 64_500, 150_500, 299_500] {
        drop(book.put(vec![event("evt_end", at, "agent_stopped", json!({}))], From::Hooks));
        assert_eq!(stage(&book), AgentStage::Stopped, "C.5 late by {} s", 300 - at / 1_000);
        drop(book.remove(&["evt_end".to_owned()]));
        assert_eq!(stage(&book), AgentStage::Working);
    }
}
