//! Icon, tone and label of every status: sessions, deliveries, agents, tasks, work list.

use coordination::api::{AgentState, AttentionKind};
use coordination::delivery::DeliveryState;
use coordination::session::Status;
use coordination::workspace::TaskStatus;
use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::ui::mark::Mark;
use crate::ui::{Icon, Tone};

/// Face of a session's status.
pub fn status_face(status: Status) -> (Tone, Icon) {
    match status {
        Status::Active => (Tone::Live, Icon::Running),
        Status::Quiet => (Tone::Rest, Icon::Quiet),
        Status::Archived => (Tone::Rest, Icon::Archive),
    }
}

/// Face of a delivery.
pub fn delivery_face(state: DeliveryState) -> (Tone, Icon) {
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

/// Face of what an agent does.
pub fn agent_face(state: AgentState) -> (Tone, Icon) {
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

/// Face of a task's status.
pub fn task_face(status: TaskStatus) -> (Tone, Icon) {
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

/// Face of a matter that waits.
pub fn attention_face(kind: AttentionKind) -> (Tone, Icon) {
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

/// A session's status.
#[component]
pub fn StatusMark(status: Status) -> impl IntoView {
    let words = use_i18n();
    let (tone, icon) = status_face(status);
    view! { <Mark tone=tone icon=icon text=Signal::derive(move || (words.get().common.status)(status).to_owned()) /> }
}

/// What an agent does.
#[component]
pub fn AgentStateMark(state: AgentState) -> impl IntoView {
    let words = use_i18n();
    let (tone, icon) = agent_face(state);
    view! { <Mark tone=tone icon=icon text=Signal::derive(move || (words.get().common.agent_state)(state).to_owned()) /> }
}

/// What became of a send.
#[component]
pub fn DeliveryMark(state: DeliveryState) -> impl IntoView {
    let words = use_i18n();
    let (tone, icon) = delivery_face(state);
    view! { <Mark tone=tone icon=icon text=Signal::derive(move || (words.get().common.delivery)(state).to_owned()) /> }
}

/// A task's status.
#[component]
pub fn TaskStatusMark(status: TaskStatus) -> impl IntoView {
    let words = use_i18n();
    let (tone, icon) = task_face(status);
    view! { <Mark tone=tone icon=icon text=Signal::derive(move || (words.get().common.task_status)(status).to_owned()) /> }
}
