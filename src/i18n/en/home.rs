//! English texts of the home page.

use coordination::api::{ApprovalKind, AttentionKind};

use crate::i18n::messages::HomeMessages;

pub(super) const HOME: HomeMessages = HomeMessages {
    past: "View the past",
    title: "Home",
    unsure: "It is not known whether anything needs you",
    unsure_offline: "The monitor cannot be reached: only what was read last is shown.",
    headline: |waiting, more| match (waiting, more) {
        (0, _) => "Nothing needs you now".to_owned(),
        (1, false) => "1 thing needs you".to_owned(),
        (n, false) => format!("{n} things need you"),
        (n, true) => format!("{n}+ things need you"),
    },
    summary: |between, more, working, active| {
        let agents = |n| if n == 1 { "1 agent is working".to_owned() } else { format!("{n} agents are working") };
        let sessions = |n| if n == 1 { "1 session is active".to_owned() } else { format!("{n} sessions are active") };
        let between = match (between, more) {
            (0, _) => String::new(),
            (1, false) => "Agents are stuck on each other in 1 matter. ".to_owned(),
            (n, false) => format!("Agents are stuck on each other in {n} matters. "),
            (n, true) => format!("Agents are stuck on each other in {n}+ matters. "),
        };
        let going_on = match (working, active) {
            (0, 0) => "No agent is working and no session is active.".to_owned(),
            (0, n) => format!("{}.", sessions(n)),
            (w, 0) => format!("{}.", agents(w)),
            (w, n) => format!("{} and {}.", agents(w), sessions(n)),
        };
        between + &going_on
    },
    headline_then: |waiting| match waiting {
        0 => "Nothing needed you then".to_owned(),
        1 => "1 thing needed you then".to_owned(),
        _ => format!("{waiting} things needed you then"),
    },
    headline_before: |waiting| match waiting {
        1 => "1 thing needed you when last read".to_owned(),
        n => format!("{n} things needed you when last read"),
    },
    summary_before: |working, active| {
        let agents = if working == 1 { "1 agent was".to_owned() } else { format!("{working} agents were") };
        let sessions = if active == 1 { "1 session was".to_owned() } else { format!("{active} sessions were") };
        format!("Before the link was lost, {agents} working and {sessions} active.")
    },
    for_me: "For you to decide",
    between_agents: "Stuck between agents",
    between_agents_calm: "No agent is stuck on another",
    alert_rule: |group| format!("{group}: new alert rule"),
    alert_rule_like_this: "New alert rule for this kind of thing",
    checks: "Check category",
    show_more: |n| format!("Show {n} more"),
    show_less: "Show less",
    calm: "Nothing to decide",
    calm_hint: "Anything new appears here with its evidence.",
    attention: |kind| match kind {
        AttentionKind::TaskBlocked => "Blocked",
        AttentionKind::Blocked => "Refused",
        AttentionKind::UnblockFailed => "Not unblocked",
        AttentionKind::Backoff => "Backing off",
        AttentionKind::NoReply => "No reply",
        AttentionKind::Approval => "Needs approval",
        AttentionKind::LowConfidence => "Check category",
        AttentionKind::FallbackDrift => "Category drift",
        AttentionKind::Zombie => "Stuck",
        AttentionKind::Deadlock => "Deadlock",
        AttentionKind::ToolApproval => "Approve to run",
        AttentionKind::AgentRequest => "Asks for you",
        AttentionKind::Permission => "Permission",
        AttentionKind::Question => "Question",
        AttentionKind::AgentFailed => "Failed",
        AttentionKind::Unknown => "Needs a look",
    },
    task_blocked: |agent| format!("A task of {agent} is blocked"),
    permission: |agent, tool| {
        if tool.is_empty() {
            format!("{agent} waits for a permission")
        } else {
            format!("{agent} waits for permission to use {tool}")
        }
    },
    question: |agent| format!("{agent} waits for an answer"),
    agent_failed: |agent| format!("{agent} was stopped by an error"),
    send_blocked: |other| format!("{other} did not take the request"),
    no_reply: |other| format!("{other} did not answer"),
    zombie: |agent| format!("A task of {agent} does not move"),
    deadlock: |names| format!("Agents wait for each other: {names}"),
    approval: |agent| format!("A plan of {agent} awaits approval"),
    tool_approval: |kind, agent| {
        let who = match (kind, agent) {
            (ApprovalKind::SystemAgent, _) | (_, "") => "OpenClaw",
            _ => agent,
        };
        let what = match kind {
            ApprovalKind::Exec => "to run a command",
            ApprovalKind::Plugin => "to use a tool",
            ApprovalKind::SystemAgent => "to change its installation",
            ApprovalKind::Unknown => "of a request",
        };
        format!("{who} waits for approval {what}")
    },
    agent_request: |agent| format!("{agent} asks for your attention"),
    stated: |note| format!("Written by the agent: “{note}”"),
    request_ends: |at| format!("Denied by itself at {at}"),
    statement_ends: |at| format!("until {at}"),
    request_unreadable: "The request could not be read. See it in OpenClaw.",
    left_out: |n| format!("The last {n} characters are not shown here. See all of it in OpenClaw."),
    answer_in_openclaw: "Answer in OpenClaw",
    settle_unblock: |names| format!("{names} can unblock it"),
    settle_action: |action| format!("needed: {action}"),
    settle_nobody: "Nobody is named who could unblock it",
    settle_approval: "Goes on once it is approved or sent back",
    settle_permission: |agent| format!("Goes on once it is allowed or denied in {agent}'s terminal"),
    settle_permission_here: "Can be answered here",
    settle_question: |agent| format!("Goes on once it is answered in {agent}'s terminal"),
    settle_failed: |agent| format!("Continues once it is asked again in {agent}'s terminal"),
    settle_reply: |recipient, asking| format!("Solved once {recipient} answers or {asking} asks again"),
    settle_policy: "Can be sent once the OpenClaw settings allow messages between the two",
    settle_refused: |recipient, asking| format!("Solved once {recipient} has room and {asking} asks again"),
    settle_backoff: |reason| match reason {
        "rate_limit" => "Goes on by itself once the limit is lifted",
        "billing" => "Goes on once the bill is paid",
        "context_overflow" => "Continues once the conversation is compacted or a new one is started",
        _ => "Goes on by itself once the cause is gone",
    },
    settle_zombie: "Settled once it is started again or closed",
    settle_tool_approval: "Goes on once it is allowed or denied in OpenClaw",
    settle_agent_request: |agent| format!("Gone once somebody reads or answers {agent}'s session in OpenClaw"),
    settle_deadlock: "Goes on once one of them gets an answer or one task is unblocked",
    times: |n| format!("{n} requests alike"),
    in_vain: |n| if n == 1 { "1 request without reply".to_owned() } else { format!("{n} requests without reply") },
    freed: |n| if n == 1 { "1 goes on when it is settled".to_owned() } else { format!("{n} go on when it is settled") },
    held_up: |n| if n == 1 { "1 agent waits for it".to_owned() } else { format!("{n} agents wait for it") },
    waiters: |names, more| if more == 0 { names.to_owned() } else { format!("{names} and {more} more") },
    sent_by: |agent| format!("sent by {agent}"),
    requests: |n| format!("unblock request {n}/3"),
    retries: |n| if n == 1 { "1 retry".to_owned() } else { format!("{n} retries") },
    evidence: "Evidence",
    categories: "Categories",
    sessions_unit: |n| if n == 1 { "session" } else { "sessions" },
    active: |n| format!("{n} active"),
    quiet: "Quiet",
    empty: "None yet",
    spark: "Events of the last 24 hours",
    all_hint: "Across categories, newest first",
    agents: "Agents",
    agents_region: "Agents",
    could_settle: |n| format!("could settle {n}"),
    all_agents: |n| format!("See all {n}"),
    idle: |n| format!("{n} idle"),
    other_agents: |n| format!("and {n} more"),
    no_agents: "Neither the configuration nor the log names an agent yet.",
    empty_title: "No session recorded yet",
    empty_text: "It appears here once agents write to each other. The log file was found.",
    log_missing_title: "The log file was not found",
    log_missing_text: "The gateway has not started yet or the path has changed. It is read as soon as it appears.",
    home_missing_title: "The OpenClaw home was not found",
    home_missing_text: "This is where the monitor looked. It is read as soon as it appears; set OPENCLAW_STATE_DIR if it is elsewhere.",
    not_folder_title: "The OpenClaw home is not a folder",
    not_folder_text: "This path is a file. Name the folder with --home or OPENCLAW_STATE_DIR.",
    unreadable_title: "The log file cannot be read",
    unreadable_text: "It is there, but could not be read. This is “could not read”, not “nothing there”. It is read as soon as it can be.",
    starting_title: "Reading the history",
    starting_text: "It appears here once the whole history has been read.",
    source_unknown_title: "No events were received",
    source_unknown_text: "An old monitor does not tell whether it could read the log. Check that it looks at the right home.",
    unread: "not read",
    unread_files: |n| {
        if n == 1 { "1 file could not be read".to_owned() } else { format!("{n} files could not be read") }
    },
    unblock_failed: |agent| format!("Nobody could unblock a task of {agent}"),
    backoff: |agent| format!("A task of {agent} is put off again and again"),
    backoff_reason: |reason| match reason {
        "rate_limit" => "rate limit",
        "billing" => "billing",
        "timeout" => "time-out",
        "context_overflow" => "context too long",
        "unknown" => "reason unknown",
        other => other,
    },
    backoff_times: |n| format!("{n} times"),
    fallback_drift: |more| {
        if more {
            "More sessions than usual have no grounds for a category"
        } else {
            "Fewer sessions than usual lack grounds for a category"
        }
    },
    drift_figures: |part, whole, share, low, high| {
        format!("{part} of {whole} ({share}) in the last 7 days · usually {low}–{high}")
    },
    new_lines: |n| format!("{n} new things to decide"),
    headline_but_hidden: |n| format!("Nothing needs you but the {n} you hid"),
    calm_but_hidden: |n| format!("Nothing but the {n} you hid"),
    put_away: "Hide this line",
    put_away_done: "The line is hidden",
    put_away_n: |n| format!("{n} hidden"),
    until_news: "Hide until it happens again",
    not_today: "Not today",
    bring_back: "Show again",
};
