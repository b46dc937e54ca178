//! What a user reads of a message: control tokens, directives, outcome texts, prefixes
//! (`contract/events.md` §5.1, §6, §7).

use crate::delivery::ReasonClass;
use crate::event::Event;

/// A text that says how a send ended (`contract/events.md` §6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// `blocked`, `no_reply`, `failed`, `success`, `partial` or what was written, lower-cased.
    pub word: String,
    /// What follows the colon.
    pub text: String,
    /// Content of the last balanced parentheses at the end.
    pub reason: Option<String>,
}

/// Display text of an event: `message`, else `replyPreview`, cleaned; nothing for outcome texts of the machinery
/// (`blocked`, `no_reply`), lone control tokens and empty texts. Markdown is kept.
#[must_use]
pub fn display(event: &Event) -> Option<String> {
    event.message().or_else(|| event.reply_preview()).map(str::to_owned)
}

/// The log cut this event's display text (exactly at the writer's limit).
#[must_use]
pub fn is_truncated(event: &Event) -> bool {
    let _ = event;
    false
}

/// Reads an `[outcome] word: …` text.
#[must_use]
pub fn outcome(text: &str) -> Option<Outcome> {
    let _ = text;
    None
}

/// Class of a missing or refused answer, from the outcome word, the reason text and `waitStatus`.
#[must_use]
pub fn reason_class(word: &str, reason: Option<&str>, wait_status: Option<&str>) -> ReasonClass {
    let _ = (word, reason, wait_status);
    ReasonClass::Unspecified
}

/// Seconds waited, when the reason text says so.
#[must_use]
pub fn waited_secs(reason: &str) -> Option<u32> {
    let _ = reason;
    None
}

/// Machine-made text: starts with `[SYSTEM` or `[ESCALATION - `.
#[must_use]
pub fn is_machine(text: &str) -> bool {
    let _ = text;
    false
}

/// The whole text is a control token such as `REPLY_SKIP`.
#[must_use]
pub fn is_control_token(text: &str) -> bool {
    let _ = text;
    false
}

/// What follows `[Human Intervention]`, when a person wrote it.
#[must_use]
pub fn human_prefix(text: &str) -> Option<&str> {
    let _ = text;
    None
}

/// Team name of a broadcast `[팀 작업 - <name>]` and the text after the heading.
#[must_use]
pub fn team(text: &str) -> Option<(String, String)> {
    let _ = text;
    None
}

/// Marker results of a delegation (`contract/events.md` §5.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunResult {
    /// `[completed successfully]`
    Succeeded,
    /// `[timed out]`
    TimedOut,
    /// `[failed: <error>]`
    Failed(String),
    /// `[finished with unknown status]`
    Finished,
}

/// Reads a bare marker of a subagent result; any other text is the result itself.
#[must_use]
pub fn run_result(text: &str) -> Option<RunResult> {
    let _ = text;
    None
}

/// At most `max` characters of a text on one line, without markdown, mentions and directives.
#[must_use]
pub fn preview(text: &str, max: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(max).collect()
}
