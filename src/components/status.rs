//! Icons and tones for the status of sessions, deliveries, agents, tasks and work-list entries, and status badges.

use coordination::api::{AgentState, AttentionKind};
use coordination::delivery::DeliveryState;
use coordination::session::Status;
use coordination::workspace::TaskStatus;
use leptos::prelude::*;

use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::{Icon, Tone};

/// Style of a session's status.
pub fn session_status_style(status: Status) -> StatusStyle {
    match status {
        Status::Active => style(Tone::Success, Icon::Running),
        Status::Quiet => style(Tone::Neutral, Icon::Quiet),
        Status::Archived => style(Tone::Neutral, Icon::Archive),
    }
}

/// Style of a delivery state.
pub fn delivery_state_style(state: DeliveryState) -> StatusStyle {
    match state {
        DeliveryState::Waiting => style(Tone::Warning, Icon::Hourglass),
        DeliveryState::Answered => style(Tone::Success, Icon::Ok),
        DeliveryState::NoReply => style(Tone::Danger, Icon::NoReply),
        DeliveryState::Blocked => style(Tone::Danger, Icon::Blocked),
        DeliveryState::EndedWithoutAnswer => style(Tone::Neutral, Icon::Flag),
        DeliveryState::NoAnswerRequested | DeliveryState::Notice | DeliveryState::Acknowledged => {
            style(Tone::Neutral, Icon::Check)
        }
        DeliveryState::NoTrace | DeliveryState::Unknown => style(Tone::Neutral, Icon::Help),
    }
}

/// Style of an agent's state.
pub fn agent_state_style(state: AgentState) -> StatusStyle {
    match state {
        AgentState::Working => style(Tone::Success, Icon::Running),
        AgentState::Silent => style(Tone::Neutral, Icon::Quiet),
        AgentState::Waiting => style(Tone::Warning, Icon::Hourglass),
        AgentState::Blocked => style(Tone::Danger, Icon::Blocked),
        AgentState::PendingInput => style(Tone::Review, Icon::Hourglass),
        AgentState::InMeeting => style(Tone::Success, Icon::Talk),
        AgentState::Failed => style(Tone::Danger, Icon::Warn),
        AgentState::Idle | AgentState::Stopped => style(Tone::Neutral, Icon::Quiet),
        AgentState::Unknown => style(Tone::Neutral, Icon::Help),
    }
}

/// Style of a task's status.
pub fn task_status_style(status: TaskStatus) -> StatusStyle {
    match status {
        TaskStatus::Blocked => style(Tone::Danger, Icon::Blocked),
        TaskStatus::InProgress => style(Tone::Success, Icon::Running),
        TaskStatus::PendingApproval => style(Tone::Review, Icon::Plan),
        TaskStatus::Pending => style(Tone::Info, Icon::Todo),
        TaskStatus::Interrupted => style(Tone::Warning, Icon::Warn),
        TaskStatus::Backlog => style(Tone::Neutral, Icon::Archive),
        TaskStatus::Completed => style(Tone::Success, Icon::Ok),
        TaskStatus::Cancelled | TaskStatus::Abandoned => style(Tone::Neutral, Icon::Close),
        TaskStatus::Unknown => style(Tone::Neutral, Icon::Help),
    }
}

/// Style of a work-list entry.
pub fn attention_style(kind: AttentionKind) -> StatusStyle {
    match kind {
        AttentionKind::TaskBlocked | AttentionKind::Blocked => style(Tone::Danger, Icon::Blocked),
        AttentionKind::UnblockFailed => style(Tone::Danger, Icon::Warn),
        AttentionKind::Backoff => style(Tone::Warning, Icon::Hourglass),
        AttentionKind::NoReply => style(Tone::Danger, Icon::NoReply),
        AttentionKind::Approval => style(Tone::Review, Icon::Plan),
        AttentionKind::Permission => style(Tone::Review, Icon::Hourglass),
        AttentionKind::ToolApproval => style(Tone::Review, Icon::Hourglass),
        AttentionKind::AgentRequest => style(Tone::Review, Icon::Flag),
        AttentionKind::Question => style(Tone::Review, Icon::Help),
        AttentionKind::AgentFailed => style(Tone::Danger, Icon::Warn),
        AttentionKind::FallbackDrift => style(Tone::Warning, Icon::Chart),
        AttentionKind::LowConfidence => style(Tone::Warning, Icon::Warn),
        AttentionKind::Zombie => style(Tone::Warning, Icon::Clock),
        AttentionKind::Deadlock => style(Tone::Danger, Icon::Blocked),
        AttentionKind::Unknown => style(Tone::Neutral, Icon::Help),
    }
}

/// Badge of a status: its style, and its word in the user's language.
fn status_badge(
    StatusStyle { tone, icon }: StatusStyle,
    word: impl Fn(&Messages) -> &'static str + Send + Sync + 'static,
) -> impl IntoView {
    let words = use_i18n();
    view! { <Badge tone=tone icon=icon text=Signal::derive(move || word(words.get()).to_owned()) /> }
}

/// Badge of a session's status.
#[component]
pub fn SessionStatusBadge(status: Status) -> impl IntoView {
    status_badge(session_status_style(status), move |words| (words.common.status)(status))
}

/// Badge of an agent's state.
#[component]
pub fn AgentStateBadge(state: AgentState) -> impl IntoView {
    status_badge(agent_state_style(state), move |words| (words.common.agent_state)(state))
}

/// Badge of a send's delivery state.
#[component]
pub fn DeliveryStateBadge(state: DeliveryState) -> impl IntoView {
    status_badge(delivery_state_style(state), move |words| (words.common.delivery)(state))
}

/// Badge of a task's status.
#[component]
pub fn TaskStatusBadge(status: TaskStatus) -> impl IntoView {
    status_badge(task_status_style(status), move |words| (words.common.task_status)(status))
}
