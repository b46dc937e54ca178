//! English texts of what changed since the last visit.

use coordination::api::{RecapKind, RecapOutcome};

use crate::i18n::messages::RecapMessages;

pub(in crate::i18n) static RECAP: RecapMessages = RecapMessages {
    title: "While you were away",
    since: |time| format!("since {time}"),
    look: "See it as it was",
    dismiss: "Got it",
    kind: |kind| match kind {
        RecapKind::Blocked => "Newly blocked",
        RecapKind::Failed => "Failed",
        RecapKind::Decided => "Decided",
        RecapKind::Resolved => "Resolved",
        RecapKind::Slow => "Slow",
        RecapKind::Quiet => "Quiet",
        RecapKind::Unknown => "Changed",
    },
    outcome: |outcome, agent, other, title, n| {
        let named = |text: String| if title.is_empty() { text } else { format!("{text}: {title}") };
        let requests = if n > 1 { format!("{n} requests") } else { "a request".to_owned() };
        match outcome {
            RecapOutcome::NoReply => format!("{other} did not reply to {requests} from {agent}"),
            RecapOutcome::Refused => format!("{other} refused {requests} from {agent}"),
            RecapOutcome::NotStarted => named(format!("Work that {agent} delegated could not start")),
            RecapOutcome::Abandoned => named(format!("A stalled task of {agent} was given up")),
            RecapOutcome::Approved => named(format!("A task of {agent} was approved")),
            RecapOutcome::Cancelled => named(format!("A task of {agent} was cancelled")),
            RecapOutcome::Completed => named(format!("{agent} completed a task")),
            RecapOutcome::Unblocked => named(format!("A blocked task of {agent} goes on")),
            RecapOutcome::Unknown => title.to_owned(),
        }
    },
    slow: |agent, took, usual| format!("{agent} took {took} to reply (usually {usual})"),
    quiet: |agent| format!("{agent} was not active"),
    more: |n| format!("{n} more."),
    summary: |sessions, events| format!("Sessions with events: {sessions}; events: {events}."),
};
