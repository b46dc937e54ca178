//! English texts that several pages share: categories, statuses, errors and common buttons.

use coordination::api::{AgentState, ConfigState, ErrorCode};
use coordination::category::Category;
use coordination::delivery::DeliveryState;
use coordination::role::Role;
use coordination::session::Status;
use coordination::text::NoticeKind;
use coordination::text::hidden::HiddenKind;
use coordination::workspace::{Priority, TaskStatus};

use crate::i18n::messages::CommonMessages;
use crate::routes::Since;

pub(super) const COMMON: CommonMessages = CommonMessages {
    category: |category| match category {
        Category::EngineeringBuild => "Engineering",
        Category::InfraOps => "Infra & Ops",
        Category::QaValidation => "QA",
        Category::PlanningDecision => "Planning",
        Category::ResearchAnalysis => "Research",
        Category::DocsKnowledge => "Docs",
        Category::GrowthMarketing => "Marketing",
        Category::CustomerCommunity => "Customers",
        Category::LegalCompliance => "Legal",
        Category::BizStrategy => "Strategy",
    },
    category_short: |category| match category {
        Category::EngineeringBuild => "Eng",
        Category::InfraOps => "Infra",
        Category::QaValidation => "QA",
        Category::PlanningDecision => "Planning",
        Category::ResearchAnalysis => "Research",
        Category::DocsKnowledge => "Docs",
        Category::GrowthMarketing => "Marketing",
        Category::CustomerCommunity => "Customer",
        Category::LegalCompliance => "Legal",
        Category::BizStrategy => "Strategy",
    },
    category_hint: |category| match category {
        Category::EngineeringBuild => "Features, fixes, refactoring",
        Category::InfraOps => "Deployments, incidents, environments",
        Category::QaValidation => "Tests, reproduction, regressions",
        Category::PlanningDecision => "Priorities, design, decisions",
        Category::ResearchAnalysis => "Research, data analysis, comparison",
        Category::DocsKnowledge => "Writing, editing, shared knowledge",
        Category::GrowthMarketing => "Campaigns, content, growth experiments",
        Category::CustomerCommunity => "Customer questions, community",
        Category::LegalCompliance => "Terms, privacy, regulation",
        Category::BizStrategy => "Business model, pricing, partners",
    },
    status: |status| match status {
        Status::Active => "Active",
        Status::Quiet => "Quiet",
        Status::Archived => "Archived",
    },
    role: |role| match role {
        Role::ConversationMain => "Conversation",
        Role::DelegationSubagent => "Delegation",
        Role::OrchestrationTask => "Task",
        Role::SystemObservability => "System",
    },
    delivery: |state| match state {
        DeliveryState::Waiting => "Waiting",
        DeliveryState::Answered => "Answered",
        DeliveryState::NoReply => "No reply",
        DeliveryState::Blocked => "Refused",
        DeliveryState::EndedWithoutAnswer => "Ended without answer",
        DeliveryState::NoTrace => "No trace since",
        DeliveryState::NoAnswerRequested => "Delivered",
        DeliveryState::Notice => "Notice",
        DeliveryState::Acknowledged => "Taken up",
        DeliveryState::Unknown => "Unknown",
    },
    last_sign: "Last activity",
    silent_why: "Recorded as in progress, but without any sign for over an hour: it may have stopped",
    blocked_tasks: |n| if n == 1 { "1 blocked task".to_owned() } else { format!("{n} blocked tasks") },
    agent_state: |state| match state {
        AgentState::Working => "Working",
        AgentState::Silent => "No news",
        AgentState::Waiting => "Waiting",
        AgentState::Blocked => "Blocked",
        AgentState::Idle => "Idle",
        AgentState::PendingInput => "Needs input",
        AgentState::InMeeting => "In a meeting",
        AgentState::Failed => "Failed",
        AgentState::Stopped => "Ended",
        AgentState::Unknown => "Unknown",
    },
    task_status: |status| match status {
        TaskStatus::Pending => "Pending",
        TaskStatus::PendingApproval => "Needs approval",
        TaskStatus::InProgress => "In progress",
        TaskStatus::Blocked => "Blocked",
        TaskStatus::Backlog => "Backlog",
        TaskStatus::Completed => "Completed",
        TaskStatus::Cancelled => "Cancelled",
        TaskStatus::Abandoned => "Abandoned",
        TaskStatus::Interrupted => "Interrupted",
        TaskStatus::Unknown => "Unknown",
    },
    priority: |priority| match priority {
        Priority::Urgent => "Urgent",
        Priority::High => "High",
        Priority::Medium => "Medium",
        Priority::Low => "Low",
        Priority::Unknown => "Priority unknown",
    },
    since: |since| match since {
        Since::Hour => "Last hour",
        Since::SixHours => "Last 6 hours",
        Since::Day => "Last 24 hours",
        Since::Week => "Last 7 days",
    },
    config_state: |state| match state {
        ConfigState::Ok => "The configuration was read",
        ConfigState::Missing => "There is no openclaw.json: names and roles of agents are guessed from events alone",
        ConfigState::Stale => "openclaw.json could not be read: the last good configuration is in use",
        ConfigState::Invalid => "openclaw.json could not be read: names and roles of agents may be wrong",
        ConfigState::Unknown => "The state of the configuration is unknown",
    },
    default_title: "Collaboration",
    unknown_agent: "Unknown",
    all: "All",
    everything: "All sessions",
    inferred: "inferred",
    inferred_hint: "No single event proves this; a rule concludes it",
    resolved: "Resolved",
    notes_n: |n| if n == 1 { "1 note".to_owned() } else { format!("{n} notes") },
    by_hand: "Set by hand",
    guessed: "Check category",
    retry: "Try again",
    close: "Close",
    cancel: "Cancel",
    copy: "Copy",
    copied: "Copied",
    copy_failed: "Could not copy. Check the browser’s permissions.",
    more: "Show more",
    loading: "Loading",
    clear_filters: "Clear filters",
    remove_filter: |name| format!("Remove filter {name}"),
    machine: "Machine",
    agent: "Agent",
    threads_messages: |threads, messages| {
        [
            ("", threads, if threads == 1 { " thread" } else { " threads" }),
            ("", messages, if messages == 1 { " message" } else { " messages" }),
        ]
    },
    load_failed: "Could not load this",
    not_offered: "Shown on the machine itself only",
    part_missing: "The program of this page could not be fetched: the connection is down, or a newer version has taken its place.",
    not_in_evidence: "This evidence file does not have this page",
    not_in_evidence_text: "An evidence file shows sessions and threads, the flow, events and search. Open the file on a dashboard to see other pages.",
    reload: "Reload",
    error_network: "The monitor cannot be reached. This page reads again by itself once it can.",
    error_decode: "The monitor’s answer was not understood. Check that the versions fit.",
    error_unsupported: "The connected monitor does not offer this.",
    error: |code| match code {
        ErrorCode::InvalidValue => "The monitor did not accept one of the conditions in the address.",
        ErrorCode::InvalidBody => "What was sent has the wrong form.",
        ErrorCode::NotFound => "The log holds nothing by that name.",
        ErrorCode::Unauthorized => {
            "This page has no right to change anything. Open it on the machine the monitor runs on, or through a host that adds the write token."
        }
        ErrorCode::ReadOnly => "This monitor is read-only: other machines can reach it and no write token is set.",
        ErrorCode::RateLimited => {
            "Too many changes without the right were tried from here. Please try again in a minute."
        }
        ErrorCode::Forbidden => "You do not have the right to do this. Ask the administrator of this monitor.",
        ErrorCode::ForbiddenOrigin => "Requests from this address are not allowed.",
        ErrorCode::MisdirectedHost => "The monitor does not answer under this host name.",
        ErrorCode::MethodNotAllowed => "This kind of request is not allowed.",
        ErrorCode::TooLarge => "What was sent is too large.",
        ErrorCode::UnsupportedMediaType => "What was sent has the wrong type.",
        ErrorCode::Conflict => "Somebody else changed it meanwhile.",
        ErrorCode::NotCommitted => "Not saved. The previous value still applies.",
        ErrorCode::DurabilityUncertain => "Saved, but it could not be confirmed that it reached the disk.",
        ErrorCode::MachineOffline => {
            "This machine is off, does not answer or takes no changes, so nothing was changed."
        }
        ErrorCode::NotOffered => {
            "This machine shows this on its own dashboard only. To show it here, set fleet.reads there."
        }
        ErrorCode::AnswerTooLarge => {
            "This answer is too large to travel from its machine. Look at it on the machine’s own dashboard."
        }
        ErrorCode::CursorExpired => "This position has expired; reading again from the start.",
        ErrorCode::Gone => "This is no longer offered.",
        ErrorCode::SourceUnavailable => "The monitor cannot read its data files.",
        ErrorCode::Internal => "Something went wrong inside the monitor.",
        ErrorCode::Unknown => "An unknown error.",
    },
    error_allowed: |field, allowed| format!("{field} must be one of: {allowed}"),
    cause: |word| match word {
        "EACCES" => Some("no permission to read"),
        "ENOENT" => Some("gone"),
        "too large" => Some("too large"),
        "not a task" => Some("not the shape of a task file"),
        "not a folder" => Some("not a folder"),
        "not a regular file" => Some("not a regular file"),
        "a link" => Some("a link, which is never followed"),
        "leads outside its folder" => Some("leads outside its folder"),
        word if word.starts_with("too many files") => Some("Too many files"),
        "no entry of a transcript" => Some("no line is an entry of a transcript"),
        "HTTP" => Some("the monitor gave no answer"),
        _ => None,
    },
    request_id: "Request",
    notice: |notice| {
        let kind = match notice.kind {
            // Its text is a fixed prompt.
            NoticeKind::Continue => return "Reminder to continue the task".to_owned(),
            NoticeKind::Unblock => "Request to unblock",
            NoticeKind::LastUnblock => "Last request to unblock",
            NoticeKind::Unblocked => "No longer blocked",
            NoticeKind::Zombie => "Task without a sign for long",
            NoticeKind::Other => "System notice",
        };
        if notice.text.is_empty() { kind.to_owned() } else { format!("{kind}: {}", notice.text) }
    },
    filters: |set| if set == 0 { "Filters".to_owned() } else { format!("Filters {set}") },
    not_found: "There is nothing at this address",
    not_found_hint: "The address may be cut off or from an old link.",
    to_home: "To home",
    unread_n: |n| format!("{n} unread {}", if n == 1 { "message" } else { "messages" }),
    unread_some: "unread messages",
    unread_sessions: |n, more| {
        let sessions = if n == 1 && !more { "session" } else { "sessions" };
        if more { format!("{n} or more unread {sessions}") } else { format!("{n} unread {sessions}") }
    },
    all_read: "Mark all read",
    all_read_done: "All marked as read",
    undo: "Undo",
    hidden_char: |kind, code| {
        let what = match kind {
            HiddenKind::Direction => "changes the direction of text",
            HiddenKind::Invisible => "has no width",
            HiddenKind::Tag => "a tag, invisible to people",
            HiddenKind::Variation => "selects a variation",
            HiddenKind::Control => "a control character",
            HiddenKind::Annotation => "an annotation",
        };
        format!("Hidden character {code}: {what}")
    },
    imitates: |name| format!("Not “{name}”: only looks like it"),
    whole_text: |bytes| format!("Show all ({bytes} bytes)"),
    fold: "Fold",
};
