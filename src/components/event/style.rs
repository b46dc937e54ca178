//! Display of an event: functions that return its name, text, colour tone and icon.

use coordination::api::{EventRow, Origin};

use crate::components::status::delivery_state_style;
use crate::i18n::messages::Messages;
use crate::ui::badge::{StatusStyle, style};
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

/// Style of an event. A missing answer comes first, then an error, then the event type.
pub fn event_style(event: &EventRow) -> StatusStyle {
    if let Some(missing) = event.missing {
        return delivery_state_style(missing.state);
    }
    if matches!(event.outcome.as_deref(), Some("error" | "failed")) {
        return style(Tone::Danger, Icon::Warn);
    }
    match event.event_type.as_str() {
        "a2a.send" => style(Tone::Neutral, Icon::ArrowRight),
        "a2a.response" => style(Tone::Success, Icon::Talk),
        "a2a.complete" => style(Tone::Neutral, Icon::Flag),
        "a2a.auto_route" => style(Tone::Neutral, Icon::Flow),
        "a2a.spawn" | "a2a.spawn_result" => style(Tone::Info, Icon::Event),
        "a2a.retry" => style(Tone::Warning, Icon::Retry),
        "task.started" | "task.updated" | "task.resumed" | "continuation.sent" => {
            style(Tone::Success, Icon::ArrowRight)
        }
        "task.completed" | "continuation.complete" | "continuation.completed" => style(Tone::Success, Icon::Ok),
        "task.approved" | "plan.approved" => style(Tone::Review, Icon::Ok),
        "plan.submitted" => style(Tone::Review, Icon::Plan),
        "plan.rejected" | "task.cancelled" => style(Tone::Neutral, Icon::Close),
        "task.blocked" => style(Tone::Danger, Icon::Blocked),
        "unblock.requested" | "resume_reminder.sent" => style(Tone::Warning, Icon::Person),
        "unblock.failed" | "milestone.sync_failed" => style(Tone::Danger, Icon::Warn),
        "task.backlog_added" | "task.backlog_picked" | "backlog.auto_picked" => style(Tone::Neutral, Icon::Archive),
        "continuation.backoff" => style(Tone::Warning, Icon::Hourglass),
        "zombie.abandoned" => style(Tone::Warning, Icon::Clock),
        "tool.failed" | "system.schema_error" => style(Tone::Danger, Icon::Warn),
        "agent.blocked" => style(Tone::Review, Icon::Hourglass),
        "agent.started" | "agent.unblocked" => style(Tone::Success, Icon::Running),
        _ => style(Tone::Neutral, Icon::Dash),
    }
}
