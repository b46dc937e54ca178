//! Message struct of the page that answers a permission request: one field per text. Each language is a value of it.

use coordination::api::{DangerKind, ErrorCode, PermissionChannel, PermissionDecision, PermissionState};

/// Messages of answering permission requests.
pub struct PermissionMessages {
    pub title: &'static str,
    /// Who wants what.
    pub asks: fn(agent: &str, tool: &str) -> String,
    pub command: &'static str,
    pub file: &'static str,
    pub old_text: &'static str,
    pub new_text: &'static str,
    pub content: &'static str,
    pub input: &'static str,
    pub plan: &'static str,
    pub folder: &'static str,
    pub description: &'static str,
    /// Of OpenClaw: heading, description and details of a plugin's tool, its warning, and where a command runs.
    pub heading: &'static str,
    pub details: &'static str,
    pub warning: &'static str,
    pub host: &'static str,
    /// Nothing is shown of what would run.
    pub no_right: &'static str,
    pub dangers: &'static str,
    pub danger: fn(DangerKind) -> &'static str,
    /// What led to it.
    pub story: &'static str,
    pub first_words: &'static str,
    pub last_words: &'static str,
    pub chain: &'static str,
    pub delegated: &'static str,
    pub last_message: &'static str,
    pub waiting: fn(count: u32, names: &str) -> String,
    pub session: &'static str,
    /// The time that is left.
    pub left: fn(secs: u32) -> String,
    pub serial: &'static str,
    pub beside: &'static str,
    /// Of OpenClaw: its other surfaces can answer, too.
    pub beside_openclaw: &'static str,
    pub allow: &'static str,
    pub allow_again: &'static str,
    pub deny: &'static str,
    pub deny_send: &'static str,
    pub reason: &'static str,
    pub reason_hint: &'static str,
    pub terminal: &'static str,
    pub sending: &'static str,
    pub state: fn(PermissionState) -> &'static str,
    pub state_why: fn(PermissionState, PermissionChannel) -> &'static str,
    pub decided: fn(PermissionDecision) -> &'static str,
    pub decided_by: fn(name: &str) -> String,
    pub missing: &'static str,
    pub missing_why: &'static str,
    pub refusal: fn(ErrorCode) -> Option<&'static str>,
}
