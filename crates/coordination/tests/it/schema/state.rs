//! Tests of agent states (§C.5 of `contract/event-schema-v1_1.md`) and of the age of their newest event (§A.5).
//!
//! Proves (claude-code): States of agents and their freshness follow the schema.

use coordination::schema::{AgentNow, AgentStage, Beat, EventProducer, EventTimeline, beat};
use serde_json::json;

use super::event;

/// What `core/worker-1` is at after these types, a second apart.
fn agent_after(kinds: &[&str]) -> AgentNow {
    let mut book = EventTimeline::default();
    let events = kinds.iter().enumerate().map(|(number, kind)| {
        let mut body = super::bodies::body(kind);
        if *kind == "failed" {
            body["payload"] = json!({"state": "failed"});
        }
        let kind = if *kind == "failed" { "agent_blocked" } else { kind };
        event(&format!("evt_{number}"), number as i64 * 10_000, kind, body)
    });
    drop(book.put(events.collect(), EventProducer::External));
    book.agents().find(|agent| agent.agent_id == "core/worker-1").unwrap().clone()
}

#[test]
fn a_state_follows_from_the_types() {
    use AgentStage::{Failed, Idle, InMeeting, PendingInput, Stopped, Working};
    for (rule, kinds, stage) in [
        ("C.5 an agent begins idle", &["task_progress"][..], Idle),
        ("C.5 agent_started: working", &["agent_started"], Working),
        ("C.5 tool_started: working", &["tool_started"], Working),
        ("C.5 task_started: working", &["task_started"], Working),
        ("C.5 a tool's end alone is no work", &["tool_succeeded", "tool_failed"], Idle),
        ("C.5 agent_blocked: pending_input", &["agent_started", "agent_blocked"], PendingInput),
        ("C.5 agent_blocked with state failed: failed", &["agent_started", "failed"], Failed),
        ("C.5 agent_unblocked: working", &["agent_started", "agent_blocked", "agent_unblocked"], Working),
        ("C.5 agent_unblocked after failing: working", &["agent_started", "failed", "agent_unblocked"], Working),
        (
            "C.5 what waits, waits until it is unblocked",
            &["agent_blocked", "tool_started", "task_started"],
            PendingInput,
        ),
        ("C.5 meeting_started: in_meeting", &["agent_started", "meeting_started"], InMeeting),
        ("C.5 a request is no meeting", &["agent_started", "meeting_requested"], Working),
        ("C.5 meeting_ended: as before", &["agent_started", "meeting_started", "meeting_ended"], Working),
        ("C.5 meeting_ended of an idle agent: idle", &["meeting_started", "meeting_ended"], Idle),
        ("C.5 one may wait in a meeting", &["meeting_started", "agent_blocked"], PendingInput),
        ("C.5 and go on in it", &["meeting_started", "agent_blocked", "agent_unblocked"], InMeeting),
        ("C.5 agent_stopped: stopped", &["agent_started", "meeting_started", "agent_stopped"], Stopped),
        (
            "C.5 nothing but a start revives",
            &["agent_stopped", "tool_started", "task_started", "agent_unblocked", "agent_blocked", "meeting_started"],
            Stopped,
        ),
        ("C.5 a later agent_started revives", &["agent_started", "agent_stopped", "agent_started"], Working),
        ("C.5 a start is free of what was", &["failed", "meeting_started", "agent_started"], Working),
        ("A.2 a schema_error changes nothing", &["agent_started", "schema_error"], Working),
        ("A.5 a heartbeat changes nothing", &["agent_started", "heartbeat"], Working),
        ("A.2 an unknown type changes nothing", &["agent_started", "agent_daydreamed"], Working),
    ] {
        assert_eq!(agent_after(kinds).stage, stage, "{rule}");
    }
}

#[test]
fn wait_has_reason_and_start() {
    let mut book = EventTimeline::default();
    let put = |book: &mut EventTimeline, id: &str, at, kind, more| {
        drop(book.put(vec![event(id, at, kind, more)], EventProducer::External))
    };
    put(&mut book, "a", 0, "agent_started", json!({"payload": {"agent_kind": "teammate"}}));
    put(&mut book, "b", 10_000, "tool_started", json!({"payload": {"tool_name": "Bash", "tool_use_id": "t1"}}));
    put(
        &mut book,
        "c",
        20_000,
        "agent_blocked",
        json!({"target_agent_id": "core/leader", "payload": {"reason": "permission"}}),
    );
    put(&mut book, "d", 30_000, "tool_succeeded", json!({"payload": {"tool_name": "Bash", "tool_use_id": "other"}}));
    let now = |book: &EventTimeline| book.agents().next().unwrap().clone();
    let waits = now(&book);
    assert_eq!(
        (waits.stage, waits.since, waits.last_at),
        (AgentStage::PendingInput, super::START + 20_000, super::START + 30_000)
    );
    assert_eq!(waits.waiting_for.as_deref(), Some("permission"));
    assert_eq!(waits.tool.as_deref(), Some("Bash"), "another call's end is not this one's");
    assert_eq!(waits.target_agent_id.as_deref(), Some("core/leader"));
    assert_eq!(waits.agent_kind.as_deref(), Some("teammate"));
    put(&mut book, "e", 40_000, "agent_blocked", json!({"payload": {"reason": "question"}}));
    assert_eq!(now(&book).since, super::START + 40_000, "another wait has its own start");
    put(&mut book, "f", 50_000, "agent_unblocked", json!({}));
    put(
        &mut book,
        "g",
        60_000,
        "tool_failed",
        json!({"payload": {"tool_name": "Bash", "tool_use_id": "t1", "exit_code": 1, "error_message": "x"}}),
    );
    let resumed = now(&book);
    assert_eq!((resumed.stage, resumed.waiting_for, resumed.tool), (AgentStage::Working, None, None));
    assert_eq!(resumed.since, super::START + 50_000);
    assert_eq!(serde_json::to_value(AgentStage::PendingInput).unwrap(), "pending_input");
}

#[test]
fn a_meeting_is_all_of_its_participants() {
    let mut book = EventTimeline::default();
    let meeting = json!({"payload": {"participants": ["core/leader", "core/worker-2", "사람"]}});
    drop(book.put(vec![event("a", 0, "meeting_started", meeting)], EventProducer::External));
    let states: Vec<_> = book.agents().map(|agent| (agent.agent_id.as_str(), agent.stage)).collect();
    let meets = ["core/leader", "core/worker-1", "core/worker-2"].map(|id| (id, AgentStage::InMeeting));
    assert_eq!(states, meets, "C.5 in_meeting between meeting_started and meeting_ended");
}

#[test]
fn a5_heartbeat_depends_on_last_event_and_now() {
    let at = super::START;
    for (age, wanted) in [
        (-1, Beat::Active),
        (0, Beat::Active),
        (59_999, Beat::Active),
        (60_000, Beat::Idle),
        (599_999, Beat::Idle),
        (600_000, Beat::Silent),
    ] {
        assert_eq!(beat(at, at + age), wanted, "A.5 {age} ms");
    }
    assert_eq!(beat(i64::MIN, i64::MAX), Beat::Silent);
    assert_eq!(beat(i64::MAX, i64::MIN), Beat::Active);
}
