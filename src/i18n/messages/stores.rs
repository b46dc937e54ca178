//! Message struct of the pages of OpenClaw's stored sessions: one field per text. Each language is a value of it.

use coordination::api::ModelSource;
use coordination::roster::{PolicySource, SendPolicy, Visibility};
use coordination::session_key::{Classification, ToolKind};
use coordination::store::{ArchiveCause, ArchiveReason, RunStatus};

/// Title and reason.
type CountText = (&'static str, &'static str);

/// Messages of the sessions of OpenClaw's own stores.
pub struct StoresMessages {
    pub title: &'static str,
    pub subtitle: &'static str,
    pub list: &'static str,
    pub count: fn(&str) -> String,
    pub here_of: fn(here: &str, all: &str) -> String,
    pub find: &'static str,
    pub kinds: &'static str,
    pub kind: fn(ToolKind) -> &'static str,
    /// The kind of a row, finer where it is known to be.
    pub face: fn(ToolKind, Option<Classification>) -> &'static str,
    pub which: &'static str,
    pub current: &'static str,
    pub archived: &'static str,
    pub pinned: &'static str,
    pub run: fn(RunStatus) -> &'static str,
    pub tokens: fn(&str) -> String,
    /// How much of the model's context is used.
    pub context: fn(share: &str) -> String,
    pub context_of: fn(share: &str, size: &str) -> String,
    pub spawned_by: &'static str,
    pub child_of: fn(&str) -> String,
    pub children: fn(usize) -> String,
    pub nameless: &'static str,
    pub places_bad: fn(usize) -> String,
    pub stale: &'static str,
    pub stale_why: &'static str,
    pub unreadable: &'static str,
    pub unsupported: fn(i64) -> String,
    pub partial: fn(usize) -> String,
    pub empty: CountText,
    pub empty_archived: CountText,
    pub none_match: CountText,
    pub none_read: CountText,
    pub old_monitor: CountText,

    pub history: &'static str,
    pub messages: &'static str,
    pub back: &'static str,
    pub copy_key: &'static str,
    pub session_id: &'static str,
    /// The channel of jobs, webhooks and devices.
    pub internal: &'static str,
    pub model_source: fn(ModelSource) -> Option<&'static str>,
    /// Whether the session may send to its channel.
    pub send_policy: &'static str,
    pub send_policy_is: fn(SendPolicy) -> &'static str,
    pub send_policy_source: fn(PolicySource) -> &'static str,
    /// Which sessions its session tools reach.
    pub visibility: &'static str,
    pub visibility_is: fn(Visibility) -> &'static str,
    pub channel: &'static str,
    pub model: &'static str,
    pub tokens_used: &'static str,
    pub last_change: &'static str,
    pub goal: &'static str,
    /// Before words that the agent wrote about the session, and behind them once they are void.
    pub stated: &'static str,
    pub stated_over: &'static str,
    pub last_error: &'static str,
    pub children_heading: &'static str,
    pub with_tools: &'static str,
    pub with_tools_hint: &'static str,
    pub person: &'static str,
    /// Another session's words, by the name of its agent.
    pub forwarded: fn(&str) -> String,
    pub forwarded_unknown: &'static str,
    pub task: &'static str,
    pub system: &'static str,
    pub mirror: &'static str,
    pub author_at: fn(who: &str, at: &str) -> String,
    pub thinking: &'static str,
    pub result_of: fn(&str) -> String,
    pub tool: &'static str,
    pub arguments: &'static str,
    pub result: &'static str,
    pub result_hidden: &'static str,
    pub no_result: &'static str,
    pub failed: &'static str,
    pub run_failed: &'static str,
    pub aborted: &'static str,
    pub cut: &'static str,
    pub image: &'static str,
    pub image_of: fn(&str) -> String,
    pub other_part: fn(&str) -> String,
    pub omitted: &'static str,
    pub compaction: &'static str,
    pub reset: &'static str,
    pub branch: &'static str,
    pub divider: &'static str,
    pub older: &'static str,
    pub older_end: &'static str,
    pub begins: &'static str,
    pub bad_lines: fn(usize) -> String,
    pub seeking: &'static str,
    pub not_here: &'static str,
    pub silent: CountText,
    pub missing: CountText,
    pub unread: CountText,
    pub unknown: CountText,
    pub talks: &'static str,
    /// Number of archived transcripts.
    pub records: fn(&str) -> String,
    pub records_list: &'static str,
    pub records_none: &'static str,
    pub records_none_match: &'static str,
    pub records_unread: &'static str,
    pub all_records: &'static str,
    /// Earlier transcripts of a key, and those archived under it.
    pub earlier: fn(usize) -> String,
    pub archive_reason: fn(ArchiveReason) -> &'static str,
    /// What the reason follows from.
    pub archive_cause: fn(&ArchiveCause) -> Option<String>,
    /// Why a session in a store was archived, by the store's word.
    pub archived_by: fn(&str) -> String,
    pub archive_note: &'static str,
    pub archive_unknown: CountText,
    pub unlisted: &'static str,
    pub current_session: &'static str,
    /// The way from a bubble to its line.
    pub original: &'static str,
    /// Mark of what only transcripts record.
    pub from_transcripts: &'static str,
    pub transcript_only_why: &'static str,
    /// Mark of what hooks of coding agents reported, and why it is shown.
    pub from_hooks: &'static str,
    pub hooked_why: &'static str,
    /// Position of an event in a transcript.
    pub hooked_place: &'static str,
    pub transcript_only_list: &'static str,
    pub hooked_list: &'static str,
    pub transcript_only_thread: &'static str,
    pub transcript_only_messages: fn(count: u32, all: u32) -> String,
    /// Of a session of which the log has a part.
    pub partly_from_transcripts: &'static str,
    pub transcript_only_events: fn(count: u32, all: u32) -> String,
    pub filled: &'static str,
    pub unrecorded: &'static str,
}
