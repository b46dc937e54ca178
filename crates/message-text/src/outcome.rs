//! Parser of outcome texts: how a send ended, and why (`contract/events.md` §6).

use protocol::delivery::ReasonClass;

const PREFIX: &str = "[outcome]";
/// What the machinery writes after the word; anything longer was written by an agent.
const NO_ANSWER: [&str; 2] = ["응답을 받지 못했습니다", "메시지가 전달되었으나 응답을 수신하지 못했습니다"];
const OVER_LIMIT: &str = "동시 처리 한도 초과";
const NOT_FOUND: &str = "실행 상태를 찾을 수 없음";
const RUN_ERROR: &str = "실행 오류";
const WAITED: &str = "대기 시간";

/// A text of the form `[outcome] word: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeText {
    /// `blocked`, `no_reply`, `failed`, `success`, `partial` or what was written, lower-cased.
    pub word: String,
    /// What follows the colon, trimmed.
    pub text: String,
    /// Content of the last balanced parentheses at the end.
    pub reason: Option<String>,
}

/// Reads an `[outcome] word: …` text.
#[must_use]
pub fn outcome(text: &str) -> Option<OutcomeText> {
    let text = text.trim();
    let head = text.get(..PREFIX.len()).filter(|head| head.eq_ignore_ascii_case(PREFIX))?;
    let (word, rest) = text.get(head.len()..)?.split_once(':')?;
    let word = word.trim();
    if word.is_empty() || !word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
        return None;
    }
    let rest = rest.trim();
    let reason = last_parentheses(rest).map(str::to_owned);
    Some(OutcomeText { word: word.to_lowercase(), text: rest.to_owned(), reason })
}

/// The words of an outcome that says there is no answer.
#[must_use]
pub fn is_missing_word(word: &str) -> bool {
    matches!(word, "blocked" | "no_reply")
}

/// A text that OpenClaw writes after the word, not an agent.
#[must_use]
pub fn is_machinery(text: &str) -> bool {
    is_over_limit(text) || is_no_answer(text)
}

/// OpenClaw's text for a missing answer.
#[must_use]
pub fn is_no_answer(text: &str) -> bool {
    NO_ANSWER.iter().any(|start| text.starts_with(start))
}

/// OpenClaw's text for a target that is over its limit.
#[must_use]
pub fn is_over_limit(text: &str) -> bool {
    text.starts_with(OVER_LIMIT)
}

/// Class of a missing or refused answer, from the outcome word, the reason text and `waitStatus`.
#[must_use]
pub fn reason_class(word: &str, reason: Option<&str>, wait_status: Option<&str>) -> ReasonClass {
    let by_text = reason.map(str::trim).filter(|text| !text.is_empty()).and_then(|text| class_of_text(word, text));
    by_text.unwrap_or(match wait_status {
        Some("forbidden") => ReasonClass::Policy,
        Some("timeout") => ReasonClass::Timeout,
        Some("not_found") => ReasonClass::RunNotFound,
        Some("error") => ReasonClass::RunError,
        // An unlisted reason: the run described the failure.
        _ if word != "blocked" && reason.is_some_and(|text| !text.trim().is_empty()) => ReasonClass::RunError,
        _ => ReasonClass::Unspecified,
    })
}

fn class_of_text(word: &str, text: &str) -> Option<ReasonClass> {
    const CONTEXT: [&str; 8] = [
        "context overflow",
        "context_overflow",
        "context length",
        "context_length",
        "context window",
        "maximum context",
        "prompt is too long",
        "too many tokens",
    ];
    const RATE: [&str; 7] =
        ["rate limit", "rate_limit", "ratelimit", "too many requests", "quota", "overloaded", "billing"];
    const TIME: [&str; 4] = ["timeout", "timed out", "time out", "deadline"];
    const LOST: [&str; 4] = ["not_found", "not found", "no such run", "unknown run"];
    // What OpenClaw 2026.2.26 and 2026.9.6 write of a send or a helper that their settings forbid.
    const POLICY: [&str; 9] = [
        "agent-to-agent",
        "agenttoagent",
        "visibility",
        "session not visible",
        "sandboxed sessions_send",
        "is not allowed for sessions_spawn",
        "sessions_spawn is not allowed",
        "by policy",
        "outside session tree",
    ];
    let lower = text.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if any(&CONTEXT) || is_bare_rejection(&lower) {
        Some(ReasonClass::ContextOverflow)
    } else if lower.starts_with("forbidden") || any(&POLICY) {
        Some(ReasonClass::Policy)
    } else if any(&RATE) || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == "429") {
        Some(ReasonClass::RateLimit)
    } else if text.contains("동시 처리 한도") || lower.contains("concurren") || is_agent_note(word, &lower) {
        Some(ReasonClass::Concurrency)
    } else if any(&TIME) || text.contains(WAITED) || text.contains("시간 초과") {
        Some(ReasonClass::Timeout)
    } else if text.contains(NOT_FOUND) || any(&LOST) {
        Some(ReasonClass::RunNotFound)
    } else if text.contains(RUN_ERROR) || lower.contains("error") || lower.contains("fail") {
        Some(ReasonClass::RunError)
    } else {
        None
    }
}

/// The provider rejected the request as too large without details; any text after the colon is the reason.
fn is_bare_rejection(lower: &str) -> bool {
    lower.strip_prefix("llm request rejected").is_some_and(|rest| !rest.contains(char::is_alphanumeric))
}

/// `(agent: seum)` behind a refusal names the agent that was over its limit.
fn is_agent_note(word: &str, lower: &str) -> bool {
    word == "blocked" && lower.starts_with("agent:")
}

/// Seconds waited, when the reason says `대기 시간 300초 초과`.
#[must_use]
pub fn waited_secs(reason: &str) -> Option<u32> {
    let rest = reason.get(reason.find(WAITED)? + WAITED.len()..)?.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    rest.get(digits..)?.trim_start().starts_with('초').then(|| rest.get(..digits)?.parse().ok())?
}

fn last_parentheses(text: &str) -> Option<&str> {
    let inner_end = text.strip_suffix(')')?.len();
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => {
                depth -= 1;
                if depth == 0 {
                    return text.get(at + 1..inner_end).map(str::trim).filter(|reason| !reason.is_empty());
                }
            }
            _ => {}
        }
    }
    None
}
