//! Conversion of exchanges found in transcripts into events in the form of the coordination log (`contract/events.md`
//! §3–§5). The field `transcript` of an event names its transcript line, if known. A refused request and each spawn
//! give two events: request and result.

use serde_json::{Map, Value, json};

use super::{TranscriptExchange, place};
use crate::event::{Event, event_from_value};
use crate::ids::EventId;
use crate::role::{Role, SessionType};
use crate::transcript::exchanges::{ChildOutcome, ExchangeEvent, ExchangeEventKind};

/// Work session and conversation of a converted event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventScope<'a> {
    /// Work session of the exchange; absent when the log's conversation implies it.
    pub(crate) session: Option<&'a str>,
    /// Conversation of the log, else that of the exchange.
    pub(crate) conversation: &'a str,
}

/// Converts event `number` of an exchange and appends the result to `out`.
pub(crate) fn push(exchange: &TranscriptExchange, number: usize, scope: EventScope<'_>, out: &mut Vec<Event>) {
    let (event, id) = (&exchange.events[number], &exchange.ids[number]);
    let announced = exchange.events.iter().any(|event| event.kind == ExchangeEventKind::Announce);
    let mut put = |id: &str, kind: &str, own: Value, turned: bool| {
        let line = line(event, kind, scope, own, turned);
        // It is an object with a type, so it is an event.
        out.extend(event_from_value(&line, &EventId::from(id)));
    };
    let second = place::second(id);
    match event.kind {
        ExchangeEventKind::Send => put(id, "a2a.send", json!({"message": event.text}), false),
        ExchangeEventKind::Refused => {
            put(id, "a2a.send", json!({"message": event.text}), false);
            put(&second, "a2a.response", json!({"outcome": "blocked", "waitError": event.error}), true);
        }
        ExchangeEventKind::Response => {
            put(id, "a2a.response", json!({"message": event.text, "turn": event.turn}), false)
        }
        ExchangeEventKind::NoReply => {
            let waited = event.status.as_deref().filter(|status| matches!(*status, "error" | "timeout"));
            let own = json!({"outcome": "no_reply", "waitStatus": waited, "waitError": event.error});
            put(id, "a2a.response", own, false);
        }
        ExchangeEventKind::Announce => put(id, "a2a.announce", json!({"message": event.text}), false),
        ExchangeEventKind::Complete => {
            let own = json!({"announced": announced, "actualTurns": event.turn, "terminationReason": event.status});
            put(id, "a2a.complete", own, false);
        }
        ExchangeEventKind::Spawn => {
            put(id, "a2a.spawn", json!({"message": event.text, "depth": depth(event)}), false);
            let own = json!({"status": "accepted", "runId": event.run_id.as_ref().unwrap_or(&event.exchange)});
            put(&second, "a2a.spawn_result", own, false);
        }
        ExchangeEventKind::SpawnFailed => {
            put(id, "a2a.spawn", json!({"message": event.text, "depth": depth(event)}), false);
            put(&second, "a2a.spawn_result", json!({"status": "error", "error": event.error}), false);
        }
        ExchangeEventKind::ChildResult => {
            let (message, preview) = result(event);
            let own = json!({
                "message": message, "replyPreview": preview, "runId": event.run_id.as_ref().unwrap_or(&event.exchange),
                "turn": 1, "maxTurns": 1,
            });
            put(id, "a2a.response", own, false);
        }
    }
}

/// Last message of a child, or the word for how it ended with its message so far (`contract/events.md` §5.2).
fn result(event: &ExchangeEvent) -> (Option<String>, Option<&str>) {
    let text = event.text.as_deref();
    match event.outcome {
        Some(ChildOutcome::Timeout) => (Some("[timed out]".to_owned()), text),
        Some(ChildOutcome::Error) => {
            let why = event.error.as_deref().map_or_else(|| "[failed]".to_owned(), |why| format!("[failed: {why}]"));
            (Some(why), text)
        }
        _ if text.is_some() => (text.map(str::to_owned), None),
        Some(ChildOutcome::Ok) => (Some("[completed successfully]".to_owned()), None),
        Some(ChildOutcome::Unknown) | None => (Some("[finished with unknown status]".to_owned()), None),
    }
}

/// Nesting depth of the child: below another child or not.
fn depth(event: &ExchangeEvent) -> usize {
    event.from.key.as_deref().map_or(0, |key| key.to_lowercase().matches(":subagent:").count())
}

/// One event in the log's form. `turned` swaps sender and receiver: an answer to a request.
fn line(event: &ExchangeEvent, kind: &str, scope: EventScope<'_>, own: Value, turned: bool) -> Value {
    let (from, to) = if turned { (&event.to, &event.from) } else { (&event.from, &event.to) };
    let subagent = |key: &Option<String>| {
        key.as_deref().is_some_and(|key| SessionType::of_key(&key.to_lowercase()) == SessionType::Subagent)
    };
    let delegated = super::is_child(event.kind) || subagent(&from.key) || subagent(&to.key);
    let role = match kind {
        // Announcements go to a channel, not to the other agent.
        "a2a.announce" => Role::SystemObservability,
        _ if delegated => Role::DelegationSubagent,
        _ => Role::ConversationMain,
    };
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            data.insert(name.to_owned(), value);
        }
    };
    put("fromAgent", json!(from.agent));
    put("toAgent", json!(to.agent));
    put("sourceSessionKey", json!(from.key));
    put("targetSessionKey", json!(to.key));
    put("conversationId", json!(scope.conversation));
    put("workSessionId", json!(scope.session));
    put("taskId", json!(event.context.task));
    // The label of a message is its receiver.
    put("label", json!(event.label.as_ref().filter(|_| super::is_child(event.kind))));
    put("eventRole", json!(role.as_str()));
    if let Value::Object(own) = own {
        own.into_iter().for_each(|(name, value)| put(&name, value));
    }
    let mut place = Map::new();
    if let Some(found) = place::looked_up(event) {
        place.insert("key".to_owned(), json!(found.key));
        let agent = found.agent.map(String::from);
        for (name, value) in [("agent", agent), ("session", found.session), ("entry", found.entry)] {
            place.extend(value.map(|value| (name.to_owned(), json!(value))));
        }
    }
    if event.routed {
        place.insert("routed".to_owned(), json!(true));
    }
    json!({
        "type": kind, "agentId": from.agent, "ts": event.at_ms, "origin": "transcript",
        "transcript": place, "data": data,
    })
}
