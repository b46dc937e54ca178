//! Icons and tones for the status of sessions, deliveries, agents, tasks and work-list entries, and status badges.

use coordination::api::{AgentState, AttentionKind};
use coordination::delivery::DeliveryState;
use coordination::session::Status;
use coordination::workspace::TaskStatus;
use leptos::prelude::*;

use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::ui::badge::Badge;
use crate::ui::{Icon, Tone};

/// Tone and icon of a session's status.
pub fn session_status_style(status: Status) -> (Tone, Icon) {
    match status {
        Status::Active => (Tone::Live, Icon::Running),
        Status::Quiet => (Tone::Rest, Icon::Quiet),
        Status::Archived => (Tone::Rest, Icon::Archive),
    }
}

/// Tone and icon of a delivery state.
pub fn delivery_state_style(state: DeliveryState) -> (Tone, Icon) {
    match state {
        DeliveryState::Waiting => (Tone::Warn, Icon::Hourglass),
        DeliveryState::Answered => (Tone::Live, Icon::Ok),
        DeliveryState::NoReply => (Tone::Bad, Icon::NoReply),
        DeliveryState::Blocked => (Tone::Bad, Icon::Blocked),
        DeliveryState::EndedWithoutAnswer => (Tone::Rest, Icon::Flag),
        DeliveryState::Told | DeliveryState::Notice | DeliveryState::Acknowledged => (Tone::Rest, Icon::Check),
        DeliveryState::NoTrace | DeliveryState::Unknown => (Tone::Rest, Icon::Help),
    }
}

/// Tone and icon of an agent's state.
pub fn agent_state_style(state: AgentState) -> (Tone, Icon) {
    match state {
        AgentState::Working => (Tone::Live, Icon::Running),
        AgentState::Silent => (Tone::Rest, Icon::Quiet),
        AgentState::Waiting => (Tone::Warn, Icon::Hourglass),
        AgentState::Blocked => (Tone::Bad, Icon::Blocked),
        AgentState::PendingInput => (Tone::Review, Icon::Hourglass),
        AgentState::InMeeting => (Tone::Live, Icon::Talk),
        AgentState::Failed => (Tone::Bad, Icon::Warn),
        AgentState::Idle | AgentState::Stopped => (Tone::Rest, Icon::Quiet),
        AgentState::Unknown => (Tone::Rest, Icon::Help),
    }
}

/// Tone and icon of a task's status.
pub fn task_status_style(status: TaskStatus) -> (Tone, Icon) {
    match status {
        TaskStatus::Blocked => (Tone::Bad, Icon::Blocked),
        TaskStatus::InProgress => (Tone::Live, Icon::Running),
        TaskStatus::PendingApproval => (Tone::Review, Icon::Plan),
        TaskStatus::Pending => (Tone::Info, Icon::Todo),
        TaskStatus::Interrupted => (Tone::Warn, Icon::Warn),
        TaskStatus::Backlog => (Tone::Rest, Icon::Archive),
        TaskStatus::Completed => (Tone::Live, Icon::Ok),
        TaskStatus::Cancelled | TaskStatus::Abandoned => (Tone::Rest, Icon::Close),
        TaskStatus::Unknown => (Tone::Rest, Icon::Help),
    }
}

/// Tone and icon of a work-list entry.
pub fn attention_style(kind: AttentionKind) -> (Tone, Icon) {
    match kind {
        AttentionKind::TaskBlocked | AttentionKind::Blocked => (Tone::Bad, Icon::Blocked),
        AttentionKind::UnblockFailed => (Tone::Bad, Icon::Warn),
        AttentionKind::Backoff => (Tone::Warn, Icon::Hourglass),
        AttentionKind::NoReply => (Tone::Bad, Icon::NoReply),
        AttentionKind::Approval => (Tone::Review, Icon::Plan),
        AttentionKind::Permission => (Tone::Review, Icon::Hourglass),
        AttentionKind::Question => (Tone::Review, Icon::Help),
        AttentionKind::AgentFailed => (Tone::Bad, Icon::Warn),
        AttentionKind::FallbackDrift => (Tone::Warn, Icon::Chart),
        AttentionKind::LowConfidence => (Tone::Warn, Icon::Warn),
        AttentionKind::Zombie => (Tone::Warn, Icon::Clock),
        AttentionKind::Unknown => (Tone::Rest, Icon::Help),
    }
}

/// Badge of a status: tone and icon, and its word in the user's language.
fn status_badge(
    (tone, icon): (Tone, Icon),
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
