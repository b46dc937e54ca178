//! The task pages in English.

use coordination::api::{StepState, TaskSource};

use crate::i18n::messages::{ProgressWords, Tasks};

pub(in crate::i18n) static TASKS: Tasks = Tasks {
    title: "Tasks",
    subtitle: |n| {
        if n == 1 {
            "Task files and events of 1 agent, side by side".to_owned()
        } else {
            format!("Task files and events of {n} agents, side by side")
        }
    },
    filter: "Filter tasks",
    status_label: "Status",
    any_status: "Any status",
    grouping: "Group",
    by_status: "By status",
    by_agent: "By agent",
    search: "Search tasks",
    untitled: "Untitled task",
    steps: "Steps",
    steps_of: |done, all| format!("{done}/{all} steps"),
    step_state: |state| match state {
        StepState::Done => "done",
        StepState::InProgress => "under way",
        StepState::Pending => "to do",
        StepState::Skipped => "skipped",
        StepState::Unknown => "unknown",
    },
    stuck_here: "stuck here",
    who_unblocks: "Who can unblock",
    requests: |n| format!("request {n}/3"),
    no_due: "no due date",
    depends_on: |n| if n == 1 { "waits for 1 task".to_owned() } else { format!("waits for {n} tasks") },
    asked_by: |name| format!("asked by {name}"),
    focus: "current focus",
    from_events: "known from events only",
    differs: "differs",
    stale: "Silent (guess)",
    stale_why: "Written down as in progress, but neither file nor events moved for over an hour",
    given_up: |hours| format!("Given up after {hours} h"),
    more: |n| format!("{n} more"),
    here_of: |here, total| format!("{here} of {total} are loaded."),
    detail: "Task details",
    back: "Task list",
    started: |when| format!("created {when}"),
    differs_title: "File and events differ.",
    differs_why: |file, event, at| {
        format!("The task file says “{file}”, the newest event ({at}) “{event}”. The file counts.")
    },
    why_blocked: "Why it is blocked",
    no_reason: "No reason was written down",
    needed_action: "What is needed",
    escalation: |word| match word {
        "requesting" => Some("asking for help"),
        "escalated" => Some("raised in the channel"),
        "failed" => Some("requests failed"),
        _ => None,
    },
    escalation_label: "Requests",
    failures: |n| if n == 1 { "1 failed request".to_owned() } else { format!("{n} failed requests") },
    last_request: "Last request",
    blocked_since: "Blocked since",
    description: "Description",
    context: "Context",
    plan: "Plan",
    plan_status: |word| match word {
        "pending" => Some("awaiting approval"),
        "approved" => Some("approved"),
        "rejected" => Some("rejected"),
        _ => None,
    },
    plan_by: |name| format!("decided by {name}"),
    progress: "Progress notes",
    progress_note: "In the order of the task file, which gives no times",
    line: ProgressWords {
        started: "Task started",
        awaits_approval: "Task created, awaiting approval",
        approved: "Approved and started",
        blocked: |reason| format!("Blocked: {reason}"),
        resumed: "Unblocked and resumed",
        request: |n, agent| format!("Asked {agent} to unblock, {n}/3"),
        request_escalated: |n, agent| format!("Asked {agent} to unblock, {n}/3, escalated to the channel"),
        step_completed: |step| format!("{step}: done"),
        step_started: |step| format!("{step}: started"),
        step_skipped: |step| format!("{step}: skipped"),
        reordered: "Steps reordered",
        completed: "Task completed",
        cancelled: |reason| match reason {
            "" => "Task cancelled".to_owned(),
            reason => format!("Task cancelled: {reason}"),
        },
        recovered: |n| format!("Stalled for long, back to the backlog (time {n})"),
        stop_guard: |n| format!("Completion refused with {n} steps left"),
        forced: |n| format!("Completed with {n} steps left"),
    },
    outcome: "Outcome",
    outcome_kind: |word| match word {
        "completed" => Some("completed"),
        "cancelled" => Some("cancelled"),
        "error" => Some("error"),
        "interrupted" => Some("interrupted"),
        _ => None,
    },
    history: "Event history",
    records: "Related records",
    session: "Session",
    previous_session: "Previous session",
    other_sessions: "Seen in sessions",
    origin: "Origin",
    origin_word: |word| match word {
        "user" => Some("a person"),
        "self" => Some("the agent itself"),
        _ => None,
    },
    file: "Task file",
    source: |source| match source {
        TaskSource::File => "task file",
        TaskSource::History => "history",
        TaskSource::Events => "events",
        TaskSource::Unknown => "unknown",
    },
    source_label: "Status comes from",
    all_events: "Events of this task",
    effort_label: "Estimated effort",
    effort: |word| match word {
        "small" => Some("small"),
        "medium" => Some("medium"),
        "large" => Some("large"),
        _ => None,
    },
    due_label: "Due",
    depends_label: "Waits for",
    handed_back: "Handed back",
    times: |n| if n == 1 { "once".to_owned() } else { format!("{n} times") },
    nothing_open: "No task chosen",
    choose: "Choose a task from the list to see its steps, why it is stuck and its session.",

    empty: "No tasks",
    empty_why: "As soon as an agent writes a task file, it appears here.",
    none_match: "No task matches",
    none_match_why: "Clear the filters to see them again.",
    missing: "This task cannot be found",
    missing_why: "It is in no task file, no history and no event.",
    unreadable: |n| {
        if n == 1 {
            "1 task file could not be read. It is not missing, only unreadable.".to_owned()
        } else {
            format!("{n} task files could not be read. They are not missing, only unreadable.")
        }
    },
};
