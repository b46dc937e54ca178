//! Display of an event: functions that return its name, text, colour tone and icon.

use coordination::api::{EventRow, Origin};

use crate::components::status::delivery_state_style;
use crate::i18n::messages::Messages;
use crate::ui::{Icon, Tone};

/// Name of an event; `None` for an unknown type. A missing answer is named by its delivery state.
pub fn event_name(event: &EventRow, words: &Messages) -> Option<&'static str> {
    match event.missing {
        Some(missing) => Some((words.common.delivery)(missing.state)),
        None => (words.events().type_name)(&event.event_type),
    }
}

/// Text of an event. For a missing answer without a text, the reason why it is missing.
pub fn event_text(event: &EventRow, words: &Messages) -> String {
    match event.missing {
        Some(missing) if event.text.is_empty() => {
            format!("{}: {}", words.thread().cause, (words.thread().reason)(missing.reason))
        }
        _ => waits_for(event).and_then(words.events().waits_for).map_or_else(|| event.text.clone(), ToOwned::to_owned),
    }
}

/// What an agent waits for, or waited for, where only a code names it.
fn waits_for(event: &EventRow) -> Option<&str> {
    let waits =
        matches!(event.event_type.as_str(), "agent.blocked" | "agent.unblocked" | "task.blocked" | "task.resumed");
    Some(event.text.as_str()).filter(|_| waits && event.origin == Origin::Hooks)
}

/// Tone and icon of an event. A missing answer comes first, then an error, then the event type.
pub fn event_style(event: &EventRow) -> (Tone, Icon) {
    if let Some(missing) = event.missing {
        return delivery_state_style(missing.state);
    }
    if matches!(event.outcome.as_deref(), Some("error" | "failed")) {
        return (Tone::Bad, Icon::Warn);
    }
    match event.event_type.as_str() {
        "a2a.send" => (Tone::Rest, Icon::ArrowRight),
        "a2a.response" => (Tone::Live, Icon::Talk),
        "a2a.complete" => (Tone::Rest, Icon::Flag),
        "a2a.auto_route" => (Tone::Rest, Icon::Flow),
        "a2a.spawn" | "a2a.spawn_result" => (Tone::Info, Icon::Event),
        "a2a.retry" => (Tone::Warn, Icon::Retry),
        "task.started" | "task.updated" | "task.resumed" | "continuation.sent" => (Tone::Live, Icon::ArrowRight),
        "task.completed" | "continuation.complete" | "continuation.completed" => (Tone::Live, Icon::Ok),
        "task.approved" | "plan.approved" => (Tone::Review, Icon::Ok),
        "plan.submitted" => (Tone::Review, Icon::Plan),
        "plan.rejected" | "task.cancelled" => (Tone::Rest, Icon::Close),
        "task.blocked" => (Tone::Bad, Icon::Blocked),
        "unblock.requested" | "resume_reminder.sent" => (Tone::Warn, Icon::Person),
        "unblock.failed" | "milestone.sync_failed" => (Tone::Bad, Icon::Warn),
        "task.backlog_added" | "task.backlog_picked" | "backlog.auto_picked" => (Tone::Rest, Icon::Archive),
        "continuation.backoff" => (Tone::Warn, Icon::Hourglass),
        "zombie.abandoned" => (Tone::Warn, Icon::Clock),
        "tool.failed" | "system.schema_error" => (Tone::Bad, Icon::Warn),
        "agent.blocked" => (Tone::Review, Icon::Hourglass),
        "agent.started" | "agent.unblocked" => (Tone::Live, Icon::Running),
        _ => (Tone::Rest, Icon::Dash),
    }
}
