//! The agents page in English.

use coordination::api::EvidenceKind;
use coordination::schema::Beat;

use crate::i18n::messages::Agents;
use crate::routes::{PairsSince, RoleShown};

pub(in crate::i18n) static AGENTS: Agents = Agents {
    title: "Agents",
    subtitle: |all| {
        if all == 1 {
            "What the one agent does now, and how that is known".to_owned()
        } else {
            format!("What {all} agents do now, and how that is known")
        }
    },
    states: "Filter by state",
    roles: "Filter by role",
    role: |role| match role {
        RoleShown::Main => "Main agents",
        RoleShown::Worker => "Workers",
    },
    all: "All",
    marked: "Set by you",
    mark_as: |role| match role {
        RoleShown::Main => "Set as main agent",
        RoleShown::Worker => "Set as worker",
    },
    unmark: "Back to the configuration",
    mark_hint: "Kept in this browser only; the roles of events stay as they are",
    not_configured: "Not configured",
    not_configured_why: "Not in openclaw.json, only seen in the log or as a folder",
    picture: "Picture",
    evidence: |kind| match kind {
        EvidenceKind::Task => "Task record",
        EvidenceKind::Send => "Message sent",
        EvidenceKind::Event => "Last event",
        EvidenceKind::Current => "Current-task file",
        EvidenceKind::Unknown => "Evidence",
    },
    to_event: "See the event",
    to_task: "See the task",
    to_talk: "See the talk",
    no_evidence: "Neither log nor files tell anything",
    waits_for: |name| format!("Waits for {name}"),
    current: "Current task",
    no_task: "No task",
    open_tasks: |n| if n == 1 { "1 open task".to_owned() } else { format!("{n} open tasks") },
    talks: "Open talks",
    no_talks: "No open talks",
    with: |name| format!("with {name}"),
    awaited: "Awaits an answer",
    heard: "Last heard",
    active: "Last active",
    beat: |beat| match beat {
        Beat::Active => "active",
        Beat::Idle => "quiet",
        Beat::Silent => "silent",
    },
    more_talks: |n| format!("and {n} more"),
    queue: |name, count| format!("{count} waiting for {name}"),
    place: |n| format!("No. {n}"),
    asked_by: |name| format!("from {name}"),
    more_queued: |n| format!("and {n} more wait"),
    events_of: "Events",
    sessions_of: "Conversations",
    links: |name| format!("More of {name}"),
    role_of: |name| format!("Role of {name}"),
    pairs: "Who asks whom",
    pairs_hint: "Who asked whom, and how soon they answered",
    pairs_time: "Period of the pairs",
    since: |since| match since {
        PairsSince::Day => "Last 24 hours",
        PairsSince::Week => "Last 7 days",
        PairsSince::Always => "All time",
    },
    pair: "Who → whom",
    sends: "Sent",
    p50: "Reply p50",
    p95: "Reply p95",
    blocked: "Refused",
    no_reply: "No reply",
    turns: "Turns used",
    last: "Last",
    percentile_hint: |n| format!("Over {n} answers whose time is written"),
    turns_hint: |n| format!("Average over {n} exchanges that tell their turns, of those allowed"),
    none_measured: "No answer measured",
    no_pairs: "No messages were exchanged in this period",
    more_pairs: |n| if n == 1 { "Show 1 more pair".to_owned() } else { format!("Show {n} more pairs") },
    fewer_pairs: "Show fewer",
    pairs_left_off: |shown, all| format!("The {shown} busiest of {all} pairs"),
    empty: "No agents yet",
    empty_why: "They show here once openclaw.json or the log names them.",
    none_match: "No agent matches",
    none_match_why: "Clear the filters to see them again.",
};
