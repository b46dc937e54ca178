//! The sessions of OpenClaw's own stores in English.

use coordination::session_key::{Classification, ToolKind};
use coordination::store::RunStatus;

use crate::i18n::messages::Stores;

pub(in crate::i18n) static STORES: Stores = Stores {
    title: "OpenClaw sessions",
    subtitle: "Sessions in OpenClaw's own stores, and what was said in them",
    list: "OpenClaw sessions",
    count: |n| format!("{n} in all"),
    here_of: |here, all| format!("{here} of {all}."),
    find: "Find by name, label or key",
    kinds: "Any kind",
    kind: |kind| match kind {
        ToolKind::Main => "Main",
        ToolKind::Group => "Group or channel",
        ToolKind::Cron => "Scheduled",
        ToolKind::Hook => "Webhook",
        ToolKind::Node => "Device",
        ToolKind::Other => "Other (subagents …)",
    },
    face: |kind, class| match (kind, class) {
        (ToolKind::Main, _) => "Main",
        (ToolKind::Group, _) => "Group",
        (ToolKind::Cron, _) => "Scheduled",
        (ToolKind::Hook, _) => "Webhook",
        (ToolKind::Node, _) => "Device",
        (ToolKind::Other, Some(Classification::Subagent)) => "Subagent",
        (ToolKind::Other, Some(Classification::Cron)) => "Scheduled",
        (ToolKind::Other, Some(Classification::Direct)) => "Direct",
        (ToolKind::Other, Some(Classification::Custom)) => "Custom",
        (ToolKind::Other, _) => "Other",
    },
    which: "Archived or not",
    current: "Current",
    archived: "Archived",
    pinned: "Pinned",
    run: |status| match status {
        RunStatus::Running => "Running",
        RunStatus::Done => "Done",
        RunStatus::Failed => "Failed",
        RunStatus::Killed => "Killed",
        RunStatus::Timeout => "Timed out",
    },
    tokens: |n| format!("{n} tokens"),
    context: |share| format!("{share} of context"),
    context_of: |share, size| format!("{share} of a context of {size}"),
    spawned_by: "Started by",
    child_of: |name| format!("Child of {name}"),
    children: |n| if n == 1 { "1 child".to_owned() } else { format!("{n} children") },
    nameless: "A session without a name",
    places_bad: |n| {
        if n == 1 { "1 store was not read in full".to_owned() } else { format!("{n} stores were not read in full") }
    },
    stale: "Cannot be read now",
    stale_why: "what was read last is shown",
    unreadable: "Cannot be read",
    unsupported: |version| format!("Unsupported store version ({version})"),
    partial: |odd| {
        if odd == 1 { "1 entry was not understood".to_owned() } else { format!("{odd} entries were not understood") }
    },
    empty: ("No session in any store yet", "Sessions appear here once an agent of OpenClaw has run."),
    empty_archived: ("No archived sessions", "Sessions that OpenClaw archives are kept apart here."),
    none_match: ("No session fits these filters", "Clear the filters to see them again."),
    none_read: ("No session was read", "The stores above could not be read. That does not mean there are none."),
    old_monitor: (
        "This monitor does not show OpenClaw's sessions",
        "An older monitor cannot read session stores. Conversations and events are there as before.",
    ),

    history: "What was said",
    messages: "Messages",
    back: "All sessions",
    copy_key: "Copy the session's key",
    session_id: "Session id",
    channel: "Channel",
    model: "Model",
    tokens_used: "Tokens",
    last_change: "Last change",
    goal: "Goal",
    last_error: "Last error",
    children_heading: "Children",
    with_tools: "With tools",
    with_tools_hint: "Shows what tools gave, too",
    person: "Person",
    forwarded: |name| format!("Forwarded from {name}"),
    forwarded_unknown: "Forwarded from another session",
    task: "The task",
    system: "OpenClaw",
    mirror: "Written by OpenClaw",
    said_at: |who, at| format!("{who}, {at}"),
    thinking: "Thinking",
    result_of: |name| format!("Result of {name}"),
    tool: "Tool",
    arguments: "Arguments",
    result: "Result",
    result_hidden: "Turn on ‘With tools’ to see the result.",
    no_result: "The record holds no result.",
    failed: "Failed",
    run_failed: "The run failed without an answer",
    aborted: "The run was broken off",
    cut: "Only the first 4,000 characters are given.",
    image: "Picture",
    image_of: |bytes| format!("Picture ({bytes} bytes)"),
    other_part: |kind| format!("Something unknown ({kind})"),
    omitted: "One message is too large to be given.",
    compaction: "What was said so far was summed up to shorten the context (compaction)",
    reset: "The talk began anew here (reset)",
    branch: "Another branch was left, back to this one",
    divider: "The talk is divided here",
    older: "Show what was said before",
    older_end: "No more can be opened at one address.",
    begins: "The talk begins here",
    bad_lines: |n| {
        if n == 1 {
            "1 line of the record could not be read and is missing below.".to_owned()
        } else {
            format!("{n} lines of the record could not be read and are missing below.")
        }
    },
    seeking: "Looking for the line that the link means.",
    not_here: "The line that the link means was not found here. It was deleted, or stands in another record.",
    silent: ("Nothing was said yet", "There is a record, and no message in it to show."),
    missing: ("There is no record", "The store knows this session, but nothing of what was said is left."),
    unread: ("The record could not be read", "It is there and cannot be opened. That does not mean nothing was said."),
    unknown: ("No session has this key", "No store knows it. It was deleted, or the address was cut."),
    talks: "Takes part in",
    original: "See the transcript",
    told: "Transcript",
    told_why: "Not in the coordination log; read from an agent's session transcript",
    told_list: "All of this was read from the agents' session transcripts. The coordination log has none of it.",
    told_thread: "all read from transcripts",
    told_messages: |told, all| format!("{told} of {all} read from transcripts"),
    told_part: "Partly from transcripts",
    told_events: |told, all| {
        format!(
            "{told} of {all} events are not in the coordination log; they were read from the agents' session transcripts"
        )
    },
    filled: "The log cut this; the rest was read from the session transcript",
    unrecorded: "Not in the coordination log · read from a transcript",
};
