//! Check of the fields that each event type requires (`contract/event-schema-v1_1.md` §A.3).

use serde_json::Value;

use super::Faults;
use crate::{Kind, SchemaEvent, Source};

/// Adds what an event of its type lacks.
pub(super) fn of_kind(event: &SchemaEvent, faults: &mut Faults) {
    let mut needs = Needs { event, faults };
    match &event.kind {
        Kind::ManagerAssign => {
            needs.target();
            needs.task();
            needs.text("summary");
        }
        Kind::AgentAcknowledged => {
            needs.target();
            needs.task();
        }
        Kind::TaskCreated | Kind::TaskStarted | Kind::TaskProgress | Kind::TaskCompleted | Kind::TaskFailed => {
            needs.task();
        }
        Kind::ToolStarted | Kind::ToolSucceeded => needs.text("tool_name"),
        Kind::ToolFailed => {
            needs.text("tool_name");
            needs.exit_code();
            needs.optional_text("error_message");
        }
        Kind::MeetingRequested | Kind::MeetingStarted | Kind::MeetingEnded => needs.participants(),
        // Hooks may send some, which are ignored (§A.5); nobody else makes them but the server.
        Kind::Heartbeat if event.source == Source::Sdk => needs.faults.add("source", "enum"),
        Kind::SchemaError => needs.errors(),
        _ => {}
    }
}

struct Needs<'a> {
    event: &'a SchemaEvent,
    faults: &'a mut Faults,
}

impl Needs<'_> {
    fn target(&mut self) {
        if self.event.target_agent_id.is_none() {
            // A target that is there but wrong has been reported.
            self.faults.add("target_agent_id", "required");
        }
    }

    fn task(&mut self) {
        if self.event.task_id.is_none() {
            self.faults.add("task_id", "required");
        }
    }

    /// A field of the payload. Of a payload that could not be read, nothing is reported as missing.
    fn field(&mut self, name: &str) -> Option<&Value> {
        let value = self.event.payload.get(name).filter(|value| !value.is_null());
        if value.is_none() && !self.faults.has("payload") {
            self.faults.add(&format!("payload.{name}"), "required");
        }
        value
    }

    /// A text, maybe an empty one.
    fn optional_text(&mut self, name: &str) {
        if self.field(name).is_some_and(|value| !value.is_string()) {
            self.faults.add(&format!("payload.{name}"), "type");
        }
    }

    /// A text that says something.
    fn text(&mut self, name: &str) {
        self.optional_text(name);
        if self.event.text(name).is_some_and(|text| text.trim().is_empty()) {
            self.faults.add(&format!("payload.{name}"), "length");
        }
    }

    fn exit_code(&mut self) {
        if self.field("exit_code").is_some_and(|code| !(code.is_i64() || code.is_u64())) {
            self.faults.add("payload.exit_code", "type");
        }
    }

    fn participants(&mut self) {
        let Some(value) = self.field("participants") else { return };
        let Value::Array(names) = value.clone() else { return self.faults.add("payload.participants", "type") };
        if names.len() < 2 {
            self.faults.add("payload.participants", "length");
        }
        for (number, name) in names.iter().enumerate() {
            if !name.is_string() {
                self.faults.add(&format!("payload.participants.{number}"), "type");
            }
        }
    }

    fn errors(&mut self) {
        if self.event.payload.get("rejected_id").is_some_and(|id| !(id.is_string() || id.is_null())) {
            self.faults.add("payload.rejected_id", "type");
        }
        let Some(value) = self.field("errors") else { return };
        let Value::Array(errors) = value.clone() else { return self.faults.add("payload.errors", "type") };
        if errors.is_empty() {
            self.faults.add("payload.errors", "length");
        }
        for (number, error) in errors.iter().enumerate() {
            let Value::Object(error) = error else {
                self.faults.add(&format!("payload.errors.{number}"), "type");
                continue;
            };
            for name in ["path", "code"] {
                let code = match error.get(name) {
                    Some(Value::String(_)) => continue,
                    None | Some(Value::Null) => "required",
                    Some(_) => "type",
                };
                self.faults.add(&format!("payload.errors.{number}.{name}"), code);
            }
        }
    }
}
