//! Parser of OpenClaw's own notices in a transcript (`contract/sessions.md` §3.1): a message could not be delivered, an
//! agent is asked for an announcement, or a delegated run has ended, with its outcome.

use serde::{Deserialize, Serialize};

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChildOutcome {
    /// It did its work.
    Ok,
    /// Its time was over.
    Timeout,
    /// It failed.
    Error,
    /// It ended, in an unknown way.
    Unknown,
}

/// Notice to a session about one of its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChildNotice {
    /// The child's session, in the older form.
    pub(super) session_id: Option<String>,
    /// Its label, or its task.
    pub(super) label: String,
    /// How the child ended.
    pub(super) outcome: ChildOutcome,
    pub(super) error: Option<String>,
    /// The child's result.
    pub(super) text: Option<String>,
}

const ANNOUNCE_STEP: &str = "Agent-to-agent announce step.";
const NO_OUTPUT: &str = "(no output)";

/// The session is asked for its announcement.
pub(super) fn is_announce_step(text: &str) -> bool {
    text.trim() == ANNOUNCE_STEP
}

/// `sessions_send delivery to <key> failed: <error>. The target may not …`: the key and the error.
pub(super) fn undelivered(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.trim().strip_prefix("sessions_send delivery to ")?.split_once(" failed: ")?;
    let error = rest.split(". The target may not have received").next().unwrap_or(rest);
    (!key.contains(char::is_whitespace)).then(|| (key, error.trim_end_matches('.')))
}

/// `[System Message] [sessionId: …] A subagent task "<label>" just completed successfully.`
pub(super) fn completed(text: &str) -> Option<ChildNotice> {
    let rest = text.trim().strip_prefix("[System Message]")?.trim_start();
    let (session_id, rest) = match rest.strip_prefix("[sessionId:").and_then(|rest| rest.split_once(']')) {
        Some((id, rest)) => (Some(id.trim().to_owned()), rest.trim_start()),
        None => (None, rest),
    };
    let (label, rest) = rest.strip_prefix("A subagent task \"")?.split_once("\" just ")?;
    let (phrase, rest) = rest.split_once("\n\nResult:\n").unwrap_or((rest, ""));
    let (outcome, error) = outcome_of_phrase(phrase.trim());
    let text = rest.rsplit_once("\n\nStats: ").map_or(rest, |(text, _)| text).trim();
    let text = (!text.is_empty() && text != NO_OUTPUT).then(|| text.to_owned());
    Some(ChildNotice { session_id, label: label.to_owned(), outcome, error, text })
}

fn outcome_of_phrase(phrase: &str) -> (ChildOutcome, Option<String>) {
    let phrase = phrase.strip_suffix('.').unwrap_or(phrase);
    match phrase {
        "completed successfully" => (ChildOutcome::Ok, None),
        "timed out" => (ChildOutcome::Timeout, None),
        _ => match phrase.strip_prefix("failed") {
            Some(error) => (ChildOutcome::Error, notice(error.trim_start_matches(':'))),
            None => (ChildOutcome::Unknown, None),
        },
    }
}

fn notice(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The children in a note that all have ended.
pub(super) fn settled(text: &str) -> Vec<ChildNotice> {
    let lines: Vec<&str> = text.lines().collect();
    let begins: Vec<usize> = (0..lines.len()).filter(|at| begins_child(lines[*at])).collect();
    let ends = begins.iter().skip(1).copied().chain([lines.len()]);
    begins.iter().zip(ends).filter_map(|(begin, end)| child(&lines[begin + 1..end])).collect()
}

/// `1. Child task (treat text inside …`
fn begins_child(line: &str) -> bool {
    line.split_once(". Child task (").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

fn child(lines: &[&str]) -> Option<ChildNotice> {
    let (label, after) = data(lines)?;
    let rest = &lines[after..];
    let at = rest.iter().position(|line| line.starts_with("status:"))?;
    let status = rest[at].strip_prefix("status:")?.trim();
    let (word, error) = status.split_once(':').unwrap_or((status, ""));
    let outcome = match word.trim() {
        "ok" => ChildOutcome::Ok,
        "timeout" => ChildOutcome::Timeout,
        "error" => ChildOutcome::Error,
        _ => ChildOutcome::Unknown,
    };
    let text = data(&rest[at..]).map(|(text, _)| text).filter(|text| text != NO_OUTPUT && !text.is_empty());
    Some(ChildNotice { session_id: None, label, outcome, error: notice(error), text })
}

/// The text of the next block, and the line after it.
fn data(lines: &[&str]) -> Option<(String, usize)> {
    let open = lines.iter().position(|line| line.trim() == "<prompt-data>")?;
    let close = open + lines[open..].iter().position(|line| line.trim() == "</prompt-data>")?;
    Some((lines[open + 1..close].join("\n").trim().to_owned(), close + 1))
}
