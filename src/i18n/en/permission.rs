//! English texts of the page that answers a permission request.

use coordination::api::{DangerKind, ErrorCode, PermissionChannel, PermissionDecision, PermissionState};

use crate::i18n::messages::PermissionMessages;

pub(in crate::i18n) static PERMISSION: PermissionMessages = PermissionMessages {
    title: "Permission request",
    asks: |agent, tool| format!("{agent} wants to use {tool}"),
    command: "Command",
    file: "File",
    old_text: "Removed",
    new_text: "Added",
    content: "Content",
    input: "Input",
    plan: "Plan",
    folder: "Folder",
    description: "The agent's description",
    heading: "Title",
    details: "Description",
    warning: "Warning by OpenClaw",
    host: "Runs on",
    no_right: "Only people who may answer see what would run.",
    dangers: "This may be hard to undo",
    danger: |kind| match kind {
        DangerKind::Deletes => "Deletes or overwrites files",
        DangerKind::RewritesHistory => "Discards history or changes of a repository",
        DangerKind::DropsData => "Deletes data of a database",
        DangerKind::Privileged => "Runs as administrator",
        DangerKind::RunsDownload => "Runs what it downloads",
        DangerKind::Publishes => "Publishes, or changes something outside this machine",
        DangerKind::System => "Changes the system",
        DangerKind::OutsideFolder => "Writes outside the working folder",
        DangerKind::HiddenCharacters => "Invisible or look-alike characters",
        DangerKind::Configured => "Words from the settings",
        DangerKind::Unknown => "Needs a look",
    },
    story: "How it came to this",
    first_words: "First request",
    last_words: "Last request",
    chain: "Delegated by",
    delegated: "Delegated work",
    last_message: "Last message",
    waiting: |count, names| match count {
        1 => format!("1 agent waits: {names}"),
        count => format!("{count} agents wait: {names}"),
    },
    session: "Session",
    left: |secs| match secs {
        0 => "Time is over".to_owned(),
        secs if secs >= 120 => format!("{} min left", secs / 60),
        secs => format!("{secs} s left"),
    },
    serial: "The terminal asks only when this is answered or the time is over.",
    beside: "The terminal asks as well. The first answer counts.",
    beside_openclaw: "OpenClaw takes an answer as well. The first answer counts.",
    allow: "Allow once",
    allow_again: "I checked it, allow",
    deny: "Deny",
    deny_send: "Send denial",
    reason: "Reason (optional)",
    reason_hint: "The agent reads it",
    terminal: "In the terminal",
    sending: "Sending",
    state: |state| match state {
        PermissionState::Open => "Waiting for an answer",
        PermissionState::Answered => "The answer was delivered",
        PermissionState::NotDelivered => "The answer was not delivered",
        PermissionState::Expired => "The time is over",
        PermissionState::Withdrawn => "The request has ended",
        PermissionState::Terminal => "It was answered in the terminal",
        PermissionState::Elsewhere => "It ended elsewhere",
        PermissionState::Uncertain => "Nobody knows whether the answer arrived",
        PermissionState::Unknown => "Unknown state",
    },
    state_why: |state, channel| match (state, channel) {
        (PermissionState::Expired, PermissionChannel::OpenClaw) => "OpenClaw denied it by itself.",
        (PermissionState::Withdrawn, PermissionChannel::OpenClaw) => "The gateway restarted and cancelled it.",
        (PermissionState::Elsewhere, _) => "No answer of this page was used. The first answer is in OpenClaw.",
        (PermissionState::Uncertain, _) => {
            "The connection broke after the answer was sent. It is not sent again. See in OpenClaw what happened."
        }
        (PermissionState::Answered, _) => "The agent's next event shows what really happened.",
        (PermissionState::NotDelivered, _) => "The agent stopped waiting meanwhile. Nothing was allowed or denied.",
        (PermissionState::Expired, _) => "Only the agent's terminal can answer now.",
        (PermissionState::Withdrawn, _) => "It was denied in the terminal or interrupted, or its program ended.",
        (PermissionState::Terminal, _) => "The agent has already finished it.",
        (PermissionState::Open | PermissionState::Unknown, _) => "",
    },
    decided: |decision| match decision {
        PermissionDecision::Allow => "Allowed once",
        PermissionDecision::Deny => "Denied",
        PermissionDecision::Terminal => "Left to the terminal",
    },
    decided_by: |name| format!("Answered by {name}"),
    missing: "There is no such permission request",
    missing_why: "It has ended, or the monitor was restarted. Answers are never stored and sent later.",
    refusal: |code| match code {
        ErrorCode::MachineOffline => Some(
            "This machine cannot be reached or takes no answers, so nothing was sent to the agent. Answer in its terminal.",
        ),
        ErrorCode::DurabilityUncertain => Some(
            "The connection broke after the answer was sent. It is not sent again. The agent's next event shows what happened.",
        ),
        ErrorCode::NotOffered => {
            Some("This machine shows its requests on its own dashboard only. Nothing was sent to the agent.")
        }
        ErrorCode::Conflict => Some("The request ended meanwhile. Nothing was sent to the agent."),
        ErrorCode::SourceUnavailable => {
            Some("The gateway did not take the answer, so nothing changed. Answer in OpenClaw.")
        }
        ErrorCode::NotCommitted => Some("The answer could not be recorded, so it was not sent. Check the disk."),
        _ => None,
    },
};
