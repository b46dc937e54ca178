//! Read-only view of a stored hook: time, session, agent, tool and other payload fields. The code that derives events
//! from hooks reads them through this view.

use serde_json::{Map, Value};

use super::reduce::text;
use super::who::is_leader;
use crate::{HookStamp, InputKind, SchemaInput};

/// The order of hooks in a session: when they were received, then their keys.
pub(super) type HookOrderKey = (i64, String);

/// One hook.
#[derive(Clone, Copy)]
pub(super) struct HookView<'a> {
    /// Id of the hook.
    pub(super) key: &'a str,
    /// Time of the hook, in epoch milliseconds.
    pub(super) at: i64,
    /// The reduced payload.
    pub(super) fields: &'a Map<String, Value>,
    pub(super) stamp: &'a HookStamp,
}

impl<'a> HookView<'a> {
    /// The hook of an input. `None` for an input that is an event itself.
    pub(super) fn from_input(input: &'a SchemaInput) -> Option<Self> {
        match &input.what {
            InputKind::Hook { payload, stamp } => Some(Self { key: &input.key, at: input.at, fields: payload, stamp }),
            InputKind::Event(_) => None,
        }
    }

    pub(super) fn place(&self) -> HookOrderKey {
        (self.at, self.key.to_owned())
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        text(self.fields, name)
    }

    pub(super) fn name(&self) -> &'a str {
        self.text("hook_event_name").unwrap_or_default()
    }

    pub(super) fn session(&self) -> &'a str {
        self.text("session_id").unwrap_or_default()
    }

    pub(super) fn tool(&self) -> &'a str {
        self.text("tool_name").unwrap_or_default()
    }

    /// Identity of the hook's agent within its session: the program's id, or the name where there is no id. None
    /// for the main thread.
    pub(super) fn agent(&self) -> Option<&'a str> {
        let named = || self.text("agent_name").filter(|name| !is_leader(name));
        self.text("agent_id").or_else(named)
    }

    /// The call's id.
    pub(super) fn call(&self) -> Option<&'a str> {
        self.text("tool_use_id")
    }

    /// A text of the tool's input.
    pub(super) fn input(&self, name: &str) -> Option<&'a str> {
        text(self.inside("tool_input")?, name)
    }

    /// A text of its answer.
    pub(super) fn answer(&self, name: &str) -> Option<&'a str> {
        text(self.inside("tool_response")?, name)
    }

    pub(super) fn inside(&self, name: &str) -> Option<&'a Map<String, Value>> {
        self.fields.get(name).and_then(Value::as_object)
    }

    /// `PostToolUse` whose answer reports a failure (§C.2).
    pub(super) fn answer_failed(&self) -> bool {
        self.inside("tool_response").and_then(|answer| answer.get("is_error")).and_then(Value::as_bool) == Some(true)
    }
}
