//! Icon and tone of an event by its type.

use crate::ui::{Icon, Tone};

/// Face of an event. An outcome that says something went wrong outranks the type.
pub fn event_face(event_type: &str, outcome: Option<&str>) -> (Tone, Icon) {
    match outcome {
        Some("no_reply") => return (Tone::Bad, Icon::NoReply),
        Some("blocked") => return (Tone::Bad, Icon::Blocked),
        Some("error" | "failed") => return (Tone::Bad, Icon::Warn),
        _ => {}
    }
    match event_type {
        "a2a.send" => (Tone::Rest, Icon::ArrowRight),
        "a2a.response" => (Tone::Live, Icon::Talk),
        "a2a.complete" => (Tone::Rest, Icon::Flag),
        "a2a.auto_route" => (Tone::Rest, Icon::Braid),
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
        _ => (Tone::Rest, Icon::Dash),
    }
}
