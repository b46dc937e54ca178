//! English texts of the fleet page.

use coordination::api::FleetSourceState;

use crate::i18n::messages::FleetMessages;

pub(in crate::i18n) static FLEET: FleetMessages = FleetMessages {
    machines: "Machines",
    sessions: "Latest sessions",
    no_sessions: "No sessions are recorded yet.",
    summary: |machines, live, active| {
        let state = match (machines, machines.saturating_sub(live)) {
            (1, 0) => "1 machine is up to date.".to_owned(),
            (n, 0) => format!("All {n} machines are up to date."),
            (1, _) => "Please check the machine.".to_owned(),
            (all, n) => format!("Please check {n} of {all} machines."),
        };
        match active {
            0 => state,
            1 => format!("{state} 1 session is active."),
            n => format!("{state} {n} sessions are active."),
        }
    },
    state: |state| match state {
        FleetSourceState::Conflict => "ID conflict",
        FleetSourceState::Stopped => "Stopped",
        FleetSourceState::Silent => "No news",
        FleetSourceState::Behind => "Catching up",
        FleetSourceState::Incomplete => "Incomplete",
        FleetSourceState::Live => "Up to date",
    },
    state_hint: |state| match state {
        FleetSourceState::Conflict => "Another machine publishes under the same ID. Is it a copy?",
        FleetSourceState::Stopped => "Publishing was ended there. This is the state received last.",
        FleetSourceState::Silent => "The machine is off or disconnected. This is the state received last.",
        FleetSourceState::Behind => "Some of what it published is not read yet.",
        FleetSourceState::Incomplete => "A part of its log is missing.",
        FleetSourceState::Live => "All that it published is read.",
    },
    connecting: "Connecting to the NATS server.",
    lost: "The connection to the NATS server is lost. This is the state read last.",
    old: |at| format!("The refresh failed. This is the state of {at}."),
    stopped: |name| format!("{name}: publishing was ended"),
    silent: |name, lasting| format!("{name}: no news {lasting}"),
    never_seen: |name| format!("{name}: no news yet"),
    behind: |name, size| format!("{name}: {size} not read yet"),
    missing: |name, size| format!("{name}: {size} missing"),
    refused: |name, messages| match messages {
        1 => format!("{name}: 1 message refused"),
        n => format!("{name}: {n} messages refused"),
    },
    incomplete: |name| format!("{name}: a part of its log is missing"),
    conflict: |name| format!("{name}: another machine publishes under the same ID"),
    notices: "Machines to check",
    more_notices: |n| format!("and {n} more"),
    last_seen: "Last news",
    not_yet: "none yet",
    version: "Version",
    waiting: |n| match n {
        1 => "1 decision".to_owned(),
        n => format!("{n} decisions"),
    },
    details: "Details",
    id: "ID",
    size: "Received",
    size_behind: "Not read yet",
    texts: "Message texts",
    text_level: |level| match level {
        "full" => "all",
        "summary" => "summaries only",
        "none" => "none",
        other => other,
    },
    clock: "Clock",
    clock_ahead: |length| format!("{length} ahead"),
    clock_behind: |length| format!("{length} behind"),
    holes: "Missing parts",
    skipped: "Files not published",
    refused_messages: "Refused messages",
    unread_messages: |n| match n {
        1 => "1 message not read yet".to_owned(),
        n => format!("{n} messages not read yet"),
    },
    filter: "Machine",
    all: "All",
    unknown_machine: |name| format!("There is no machine “{name}”."),
    search: "Search all machines",
    host_operator: "host:",
    search_hint: "Words, host:name …",
    search_now: "Search",
    end_search: "Close search",
    found: |n| match n {
        1 => "1 result".to_owned(),
        n => format!("{n} results"),
    },
    nothing_found: "Nothing found",
    all_found: |n| format!("Show all {n} results"),
    unsure: "There may be more to decide",
    unsure_hint: "The state of some machines is not fully known.",
    more: "Not all lines are shown. Each machine has the rest.",
    empty_title: "No machine has published yet",
    empty_text: "Run this command on a machine to show:",
};
