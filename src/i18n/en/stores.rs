//! English texts of the pages of OpenClaw's stored sessions.

use coordination::api::ModelSource;
use coordination::roster::{PolicySource, SendPolicy, Visibility};
use coordination::session_key::{Classification, ToolKind};
use coordination::store::{ArchiveCause, ArchiveReason, RunStatus};

use crate::i18n::messages::StoresMessages;

pub(in crate::i18n) static STORES: StoresMessages = StoresMessages {
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
    empty: (
        "No OpenClaw sessions",
        "OpenClaw keeps a record of each agent's own runs in its session store. This home has none yet. What agents say to each other is under Sessions.",
    ),
    empty_archived: ("No archived sessions", "Sessions that OpenClaw archives appear here."),
    none_match: ("No session fits these filters", "Clear the filters to see them again."),
    none_read: ("No session was read", "The stores above could not be read. That does not mean there are none."),
    old_monitor: (
        "This monitor does not show OpenClaw's sessions",
        "An older monitor cannot read session stores. Sessions and events are there as before.",
    ),

    history: "What was said",
    messages: "Messages",
    back: "All OpenClaw sessions",
    copy_key: "Copy the session's key",
    session_id: "Session id",
    internal: "Internal",
    model_source: |source| match source {
        ModelSource::Session => None,
        ModelSource::Override => Some("chosen for this session"),
        ModelSource::Agent => Some("the agent’s default"),
        ModelSource::Default => Some("the default of all agents"),
    },
    send_policy: "Replies to the channel",
    send_policy_is: |policy| match policy {
        SendPolicy::Allow => "Allowed",
        SendPolicy::Deny => "Blocked",
    },
    send_policy_source: |source| match source {
        PolicySource::Session => "set for this session",
        PolicySource::Rule => "a rule in OpenClaw’s settings",
        PolicySource::Default => "default",
    },
    visibility: "Other sessions it can see",
    visibility_is: |visibility| match visibility {
        Visibility::Own => "Only its own session",
        Visibility::Tree => "Its own session and those it started",
        Visibility::Agent => "All sessions of its agent",
        Visibility::All => "All sessions",
        Visibility::Unknown => "Unknown",
    },
    channel: "Channel",
    model: "Model",
    tokens_used: "Tokens",
    last_change: "Last change",
    goal: "Goal",
    stated: "Written by the agent",
    stated_over: "(void by now)",
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
    author_at: |who, at| format!("{who}, {at}"),
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
    reset: "The conversation was reset here",
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
    not_here: "The line of this link was not found here. It was deleted, or is in another record.",
    silent: ("Nothing was said yet", "There is a record, and no message in it to show."),
    missing: ("There is no record", "The store knows this session, but nothing of what was said is left."),
    unread: ("The record could not be read", "It is there and cannot be opened. That does not mean nothing was said."),
    unknown: ("No session has this key", "No store knows it. It was deleted, or the address was cut."),
    talks: "Takes part in",
    records: |n| if n == "1" { "1 past transcript".to_owned() } else { format!("{n} past transcripts") },
    records_list: "Past transcripts",
    records_none: "There are no past transcripts.",
    records_none_match: "No past transcript fits these filters.",
    records_unread: "Whether there are past transcripts could not be read.",
    all_records: "See all past transcripts of this key",
    earlier: |n| if n == 1 { "1 earlier transcript".to_owned() } else { format!("{n} earlier transcripts") },
    archive_reason: |reason| match reason {
        ArchiveReason::Reset => "Kept at a reset",
        ArchiveReason::Deleted => "Of a deleted session",
        ArchiveReason::Imported => "Left behind by the move to the database",
        ArchiveReason::Cold => "In cold storage",
        ArchiveReason::Earlier => "From before a new session began",
        ArchiveReason::Unknown => "Kept",
    },
    archive_cause: |cause| match cause {
        ArchiveCause::AfterMinutes { minutes } => {
            Some(format!("removed automatically {minutes} minutes after it started"))
        }
        ArchiveCause::Cleanup => Some("started with removal at the end".to_owned()),
        ArchiveCause::Word { word } => Some(match word.as_str() {
            "idle" => "a new session began after an idle time".to_owned(),
            "daily" => "a new session began with a new day".to_owned(),
            word => format!("OpenClaw’s word: {word}"),
        }),
        ArchiveCause::Unknown => None,
    },
    archived_by: |word| match word {
        "manual" => "archived by a person".to_owned(),
        word => format!("OpenClaw’s word: {word}"),
    },
    archive_note: "This is a past transcript. It can only be read.",
    archive_unknown: (
        "Nothing is left of this transcript",
        "None of this agent's stores or archives has it. It was deleted, or the address is incomplete.",
    ),
    unlisted: "Not in any list of archives",
    current_session: "Session now",
    original: "See the transcript",
    from_transcripts: "Transcript",
    transcript_only_why: "Not in the coordination log; read from an agent's session transcript",
    from_hooks: "Hooks",
    hooked_why: "From the hooks of a coding agent; not in the coordination log",
    hooked_place: "Not in the coordination log · received from hooks",
    transcript_only_list: "All of this was read from the agents' session transcripts. The coordination log has none of it.",
    hooked_list: "All of this comes from the hooks of coding agents. The coordination log has none of it.",
    transcript_only_thread: "all read from transcripts",
    transcript_only_messages: |count, all| format!("{count} of {all} read from transcripts"),
    partly_from_transcripts: "Partly from transcripts",
    transcript_only_events: |count, all| {
        format!(
            "{count} of {all} events are not in the coordination log; they were read from the agents' session transcripts"
        )
    },
    filled: "The log cut this; the rest was read from the session transcript",
    unrecorded: "Not in the coordination log · read from a transcript",
};
