//! Parser of markers in messages: tokens, directives, prefixes and headings that agents and OpenClaw write
//! (`contract/events.md` §7).

use std::borrow::Cow;

/// Whole replies that mean "nothing to say".
const SILENT: [&str; 3] = ["REPLY_SKIP", "ANNOUNCE_SKIP", "NO_REPLY"];
/// Tokens that may be anywhere, in any case, with the intent they carry.
const TOKENS: [(&str, &str); 4] = [
    ("[no_reply_needed]", "notification"),
    ("[notification]", "notification"),
    ("[urgent]", "escalation"),
    ("[escalation]", "escalation"),
];
/// Beginnings of texts no agent and no person wrote.
const MACHINE: [&str; 3] = ["[SYSTEM", "[ESCALATION - ", "[UNBLOCK RESOLVED]"];
/// Bytes of the longest `[[directive]]` between its brackets, with an id in it.
const MAX_DIRECTIVE_BYTES: usize = 128;
const HUMAN: &str = "[human intervention]";
const TEAM: &str = "[팀 작업 - ";
const MEMBERS: &str = "팀원:";

/// The whole text is a control token such as `REPLY_SKIP`.
#[must_use]
pub fn is_control_token(text: &str) -> bool {
    SILENT.contains(&text.trim())
}

/// Machine-made text: starts with `[SYSTEM`, `[ESCALATION - ` or `[UNBLOCK RESOLVED]`.
#[must_use]
pub fn is_machine(text: &str) -> bool {
    let text = text.trim_start();
    MACHINE.iter().any(|start| text.starts_with(start))
}

/// What follows `[Human Intervention]`, when a person wrote it (`contract/events.md` §7.4).
#[must_use]
pub fn human_prefix(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let rest = text.get(HUMAN.len()..)?;
    let prefixed = text.get(..HUMAN.len())?.eq_ignore_ascii_case(HUMAN);
    (prefixed && (rest.is_empty() || rest.starts_with(char::is_whitespace))).then(|| rest.trim())
}

/// A broadcast to a team (`contract/events.md` §7.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamBroadcast {
    /// Its name.
    pub name: String,
    /// The line that follows `팀원:`, if there is one.
    pub members: Option<String>,
    /// The message: without heading, members and the boilerplate after `---`.
    pub text: String,
}

/// Reads a text that begins with `[팀 작업 - <name>]`.
#[must_use]
pub fn team(text: &str) -> Option<TeamBroadcast> {
    let rest = text.trim_start().strip_prefix(TEAM)?;
    let (name, rest) = rest.split_once(']')?;
    let mut members = None;
    let mut body = Vec::new();
    for line in rest.lines() {
        let trimmed = line.trim();
        if trimmed == "---" {
            break;
        }
        match trimmed.strip_prefix(MEMBERS) {
            Some(list) if members.is_none() && body.iter().all(|line: &&str| line.trim().is_empty()) => {
                members = Some(list.trim().to_owned());
            }
            _ => body.push(line),
        }
    }
    Some(TeamBroadcast { name: name.trim().to_owned(), members, text: body.join("\n").trim().to_owned() })
}

/// The intent that a token in the text means.
#[must_use]
pub fn token_intent(text: &str) -> Option<&'static str> {
    if !text.contains('[') {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    TOKENS.iter().find(|(token, _)| lower.contains(token)).map(|(_, intent)| *intent)
}

/// The text without control tokens and `[[directives]]`; code is left alone.
#[must_use]
pub fn strip_tokens(text: &str) -> Cow<'_, str> {
    strip(text, token_length)
}

/// The text without `[[directives]]` only; code is left alone.
#[must_use]
pub fn strip_directives(text: &str) -> Cow<'_, str> {
    strip(text, directive_length)
}

fn strip(text: &str, length: fn(&str) -> Option<usize>) -> Cow<'_, str> {
    if !text.contains('[') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if fenced || fence || !line.contains('[') {
            out.push_str(line);
            continue;
        }
        let stripped = strip_line(line, length);
        // A line that held nothing but tokens goes as a whole; a blank line the writer made stays.
        if !stripped.trim().is_empty() || line.trim().is_empty() {
            out.push_str(&stripped);
        }
    }
    Cow::Owned(out)
}

fn strip_line(line: &str, token: fn(&str) -> Option<usize>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let mut in_code = false;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = (c == '[' && !in_code).then(|| token(rest)).flatten() {
            rest = rest.get(length..).unwrap_or_default();
            if out.is_empty() || out.ends_with(' ') {
                rest = rest.trim_start_matches(' ');
            }
            continue;
        }
        in_code ^= c == '`';
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    out
}

fn token_length(text: &str) -> Option<usize> {
    let starts = |token: &str| text.get(..token.len()).is_some_and(|start| start.eq_ignore_ascii_case(token));
    if let Some((token, _)) = TOKENS.iter().find(|(token, _)| starts(token)) {
        return Some(token.len());
    }
    directive_length(text)
}

fn directive_length(text: &str) -> Option<usize> {
    let tag = directive(text)?;
    let end = tag.len();
    let tag = tag.trim();
    let name = tag.split(':').next().unwrap_or_default().trim();
    let known = ["reply_to_current", "reply_to", "audio_as_voice"].iter().any(|known| name.eq_ignore_ascii_case(known));
    (known && !tag.contains(['[', ']', '\n'])).then_some(end + 4)
}

/// The text between the brackets of `[[…]]` at the beginning of the text, when it is short enough to be a directive.
/// Looking for the end further away, at each bracket of a line of brackets, would take quadratic time.
pub(super) fn directive(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("[[")?;
    let near = inner.as_bytes().get(..MAX_DIRECTIVE_BYTES).unwrap_or(inner.as_bytes());
    inner.get(..near.windows(2).position(|pair| pair == b"]]")?)
}

/// Bare markers of a delegation's result (`contract/events.md` §5.2).
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

/// Reads a bare marker of a subagent's result; any other text is the result itself.
#[must_use]
pub fn run_result(text: &str) -> Option<RunResult> {
    let inner = text.trim().strip_prefix('[')?;
    // A long error text may be cut before its bracket closes.
    if let Some(error) = inner.strip_prefix("failed:") {
        return Some(RunResult::Failed(error.strip_suffix(']').unwrap_or(error).trim().to_owned()));
    }
    match inner.strip_suffix(']')? {
        "completed successfully" => Some(RunResult::Succeeded),
        "timed out" => Some(RunResult::TimedOut),
        "failed" => Some(RunResult::Failed(String::new())),
        "finished with unknown status" => Some(RunResult::Finished),
        _ => None,
    }
}
