//! Messages of the REST 1.x WebSocket `/ws` (`contract/monitor-api.md` §8) as JSON text: the greeting, and messages
//! about new events and about changes of agents' files, such as tasks and plans.

use std::collections::BTreeSet;

use coordination::event::Event;
use coordination::hub::Hub;
use serde_json::{Value, json};

use crate::sources::workspace::FileChange;
use coordination::workspace::FileKind;

/// The greeting.
pub(super) fn connected(timestamp: &str) -> String {
    message("connected", None, None, timestamp, json!({ "message": "Connected to Task Monitor" }))
}

/// Messages for new events: the log changed, the events themselves, and each continuation (D16).
pub(super) fn of_events(events: &[Event], hub: &Hub, timestamp: &str) -> Vec<String> {
    const FILE: &str = "coordination-events.ndjson";
    let enriched: Vec<Value> = events.iter().map(|event| hub.enrich(event)).collect();
    let data = |event: &Value, key: &str| event.get("data").and_then(|data| data.get(key)).cloned();
    let sessions: BTreeSet<String> = enriched
        .iter()
        .filter_map(|event| data(event, "workSessionId")?.as_str().map(|id| id.trim().to_owned()))
        .filter(|id| !id.is_empty())
        .collect();
    let continuations = enriched.iter().filter_map(|event| {
        let kind = event.get("type")?.as_str()?;
        let agent = event.get("agentId").and_then(Value::as_str);
        let task = data(event, "taskId");
        let body = json!({ "event": "change", "file": FILE, "eventType": kind, "eventData": event.get("data") });
        kind.starts_with("continuation.")
            .then(|| message("continuation_event", agent, task.as_ref().and_then(Value::as_str), timestamp, body))
    });
    let mut messages = vec![message("event_log", None, None, timestamp, json!({ "event": "change", "file": FILE }))];
    let continuations: Vec<String> = continuations.collect();
    let body = json!({ "events": enriched, "affectedWorkSessions": sessions });
    messages.push(message("coordination_event_new", None, None, timestamp, body));
    messages.extend(continuations);
    messages
}

/// Messages for one changed file.
pub(super) fn of_file(change: &FileChange, timestamp: &str) -> Vec<String> {
    let agent = change.agent_id.as_ref().map(|id| id.as_str());
    let task = change.task_id.as_ref().map(|id| id.as_str());
    let body = json!({ "event": change.event.as_str(), "file": change.file });
    let kind = match change.kind {
        FileKind::TeamState => "team_state_update",
        FileKind::Plan => "plan_update",
        FileKind::Current => "agent_update",
        FileKind::Task | FileKind::History | FileKind::Identity | FileKind::Milestones => "task_update",
    };
    let mut messages = vec![message(kind, agent, task, timestamp, body.clone())];
    if let Some(steps) = change.steps {
        let mut body = body;
        body["stepsProgress"] = json!(steps);
        body["stepCount"] = steps.total.into();
        messages.push(message("task_step_update", agent, task, timestamp, body));
    }
    messages
}

fn message(kind: &str, agent: Option<&str>, task: Option<&str>, timestamp: &str, data: Value) -> String {
    let mut envelope = json!({ "type": kind });
    if let Some(agent) = agent {
        envelope["agentId"] = agent.into();
    }
    if let Some(task) = task {
        envelope["taskId"] = task.into();
    }
    envelope["timestamp"] = timestamp.into();
    envelope["data"] = data;
    envelope.to_string()
}
