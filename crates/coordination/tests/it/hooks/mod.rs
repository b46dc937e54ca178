//! Helpers for the tests of Claude Code hooks (`hook_*.rs`): builders of example hooks, and of a [`Ledger`] (received
//! hooks and the events derived from them) that contains the examples. A random generator shuffles hooks.
#![allow(dead_code, reason = "every test uses a part of it")]

use coordination::schema::hook::Capture;
use coordination::schema::{Defaults, Ledger, SchemaEvent, SchemaInput, check, read_item};
use serde_json::{Value, json};

/// The fixtures' clock.
pub(crate) const NOW: i64 = 1_771_651_020_000;
/// When the hooks of a test begin.
pub(crate) const START: i64 = NOW - 3_600_000;
pub(crate) const STORY: &str = include_str!("../../../../../fixtures/claude-code/team.ndjson");

/// A payload with the common fields of §B.
pub(crate) fn payload(name: &str, own: &Value) -> Value {
    let mut payload = json!({
        "session_id": "8c35adc1-0000-4000-8000-000000000001",
        "transcript_path": "/home/mina/.claude/projects/-repo/8c35adc1.jsonl",
        "cwd": "/home/mina/repo",
        "permission_mode": "default",
        "hook_event_name": name,
    });
    for (name, value) in own.as_object().unwrap() {
        payload[name] = value.clone();
    }
    payload
}

/// A wrapped hook, received so many milliseconds after the start.
pub(crate) fn wrapped(after: i64, name: &str, own: &Value) -> Value {
    json!({
        "received_at": coordination::time::to_iso(START + after),
        "terminal_session_id": "term_t1",
        "workspace_id": "repo_repo",
        "payload": payload(name, own),
    })
}

pub(crate) fn input_at(level: Capture, after: i64, name: &str, own: &Value) -> SchemaInput {
    read_item(&wrapped(after, name, own), START + after + 20, level).unwrap()
}

pub(crate) fn input(after: i64, name: &str, own: &Value) -> SchemaInput {
    input_at(Capture::Summary, after, name, own)
}

/// Hooks of a test: when, which, its own fields.
pub(crate) type TestHook = (i64, &'static str, Value);

pub(crate) fn ledger(hooks: &[TestHook]) -> Ledger {
    ledger_at(Capture::Summary, hooks)
}

pub(crate) fn ledger_at(level: Capture, hooks: &[TestHook]) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.take(hooks.iter().map(|(after, name, own)| input_at(level, *after, name, own)).collect());
    for event in ledger.timeline().events() {
        valid(event);
    }
    ledger
}

/// Whatever the fold makes passes the check of every other event.
pub(crate) fn valid(event: &SchemaEvent) {
    let defaults = Defaults { workspace_id: "w", terminal_session_id: "t", locale: "", arrived_at: NOW };
    let value = serde_json::to_value(event).unwrap();
    assert_eq!(check(&value, &defaults).as_ref(), Ok(event), "{value}");
}

/// Events in brief: type, agent, target, task.
pub(crate) fn brief(ledger: &Ledger) -> Vec<String> {
    ledger.timeline().events().map(line).collect()
}

pub(crate) fn line(event: &SchemaEvent) -> String {
    let mut line = format!("{} {}", event.kind.as_str(), event.agent_id);
    if let Some(target) = &event.target_agent_id {
        line += &format!(" > {target}");
    }
    if let Some(task) = &event.task_id {
        line += &format!(" # {task}");
    }
    if event.source.as_str() == "synthetic" {
        line += " ~";
    }
    line
}

/// The one event of a type.
pub(crate) fn only<'a>(ledger: &'a Ledger, kind: &str) -> &'a SchemaEvent {
    let all: Vec<&SchemaEvent> = ledger.timeline().events().filter(|event| event.kind.as_str() == kind).collect();
    assert_eq!(all.len(), 1, "{kind}: {:#?}", brief(ledger));
    all[0]
}

/// The recorded story, as inputs.
pub(crate) fn story(level: Capture) -> Vec<SchemaInput> {
    STORY.lines().map(|line| read_item(&serde_json::from_str(line).unwrap(), NOW, level).unwrap()).collect()
}

/// A number made of another, so that a failing case can be made again.
pub(crate) struct HookRandom(pub(crate) u64);

impl HookRandom {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// All that can be seen of a ledger.
pub(crate) fn seen(ledger: &Ledger) -> Value {
    json!({
        "events": ledger.timeline().events().collect::<Vec<_>>(),
        "agents": ledger.timeline().agents().collect::<Vec<_>>(),
        "counts": ledger.hooks().counts(),
        "due": ledger.due(),
    })
}
