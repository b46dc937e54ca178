//! Texts that say how a send ended, and why (`contract/events.md` §6).

use crate::delivery::{DeliveryState, ReasonClass};
use crate::event::{Event, Field};

const PREFIX: &str = "[outcome]";
/// What the machinery writes after the word; anything longer was written by an agent.
const NO_ANSWER: [&str; 2] = ["응답을 받지 못했습니다", "메시지가 전달되었으나 응답을 수신하지 못했습니다"];
const OVER_LIMIT: &str = "동시 처리 한도 초과";
const NOT_FOUND: &str = "실행 상태를 찾을 수 없음";
const RUN_ERROR: &str = "실행 오류";
const WAITED: &str = "대기 시간";

/// A text of the form `[outcome] word: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// `blocked`, `no_reply`, `failed`, `success`, `partial` or what was written, lower-cased.
    pub word: String,
    /// What follows the colon, trimmed.
    pub text: String,
    /// Content of the last balanced parentheses at the end.
    pub reason: Option<String>,
}

/// Reads an `[outcome] word: …` text.
#[must_use]
pub fn outcome(text: &str) -> Option<Outcome> {
    let text = text.trim();
    let head = text.get(..PREFIX.len()).filter(|head| head.eq_ignore_ascii_case(PREFIX))?;
    let (word, rest) = text.get(head.len()..)?.split_once(':')?;
    let word = word.trim();
    if word.is_empty() || !word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
        return None;
    }
    let rest = rest.trim();
    let reason = last_parentheses(rest).map(str::to_owned);
    Some(Outcome { word: word.to_lowercase(), text: rest.to_owned(), reason })
}

/// Why a send has no answer, as far as its own event tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// [`DeliveryState::NoReply`] or [`DeliveryState::Blocked`].
    pub state: DeliveryState,
    /// Class of the reason.
    pub reason: ReasonClass,
    /// The reason as written; for display on demand only.
    pub detail: Option<String>,
    /// Seconds waited, if the text says so.
    pub waited_secs: Option<u32>,
}

/// Reads a response that says there is no response. `data.outcome` decides, then the text, then the wait's own status.
///
/// E4–E5 wrote `blocked` for a missing reply; only the concurrency limit is a refusal by the target.
#[must_use]
pub fn missing(event: &Event) -> Option<Missing> {
    if event.event_type() != "a2a.response" {
        return None;
    }
    let text = super::written(event).and_then(outcome);
    let word = event.outcome().map(str::to_lowercase).filter(|word| is_missing_word(word)).or_else(|| {
        let said = text.as_ref().filter(|said| is_missing_word(&said.word))?;
        let by_machine = said.word == "no_reply" || is_machinery(&said.text) || !said.text.contains('\n');
        by_machine.then(|| said.word.clone())
    });
    let wait_status = event.wait_status();
    let silent = word.is_none()
        && super::written(event).is_none()
        && (matches!(wait_status, Some("timeout" | "error" | "not_found" | "forbidden"))
            || event.wait_error().is_some());
    if word.is_none() && !silent {
        return None;
    }
    let no_answer = text.as_ref().is_some_and(|said| NO_ANSWER.iter().any(|start| said.text.starts_with(start)));
    let refused_by_target = event.is_concurrency_block() && !no_answer && wait_status.is_none();
    let over_limit = refused_by_target
        || event.flag(Field::ConcurrencyBlocked) == Some(true)
        || text.as_ref().is_some_and(|said| said.text.starts_with(OVER_LIMIT));
    let own_words = || text.as_ref().filter(|said| !is_machinery(&said.text)).map(|said| said.text.clone());
    let detail = text
        .as_ref()
        .and_then(|said| said.reason.clone())
        .or_else(|| event.wait_error().map(str::to_owned))
        .or_else(own_words)
        .filter(|detail| !detail.is_empty());
    let reason = if over_limit {
        ReasonClass::Concurrency
    } else {
        reason_class(word.as_deref().unwrap_or_default(), detail.as_deref(), wait_status)
    };
    let state = match word.as_deref() {
        _ if reason == ReasonClass::Policy => DeliveryState::Blocked,
        Some("blocked") if over_limit || !(no_answer || wait_status.is_some()) => DeliveryState::Blocked,
        _ => DeliveryState::NoReply,
    };
    let waited_secs = detail.as_deref().and_then(waited_secs);
    Some(Missing { state, reason, detail, waited_secs })
}

/// A response that only says that its speaker took the work: no answer is missing, and nothing has ended
/// (`contract/event-schema-v1_1.md` §D.2).
#[must_use]
pub fn acknowledges(event: &Event) -> bool {
    event.event_type() == "a2a.response" && event.outcome() == Some("acknowledged")
}

fn is_missing_word(word: &str) -> bool {
    matches!(word, "blocked" | "no_reply")
}

fn is_machinery(text: &str) -> bool {
    text.starts_with(OVER_LIMIT) || NO_ANSWER.iter().any(|start| text.starts_with(start))
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
        // A reason is there, in words nobody listed: the run said what went wrong.
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

/// The provider took the request for too large and said no more; with more behind the colon that is the reason.
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
