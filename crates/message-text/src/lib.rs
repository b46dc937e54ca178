//! Cleaning of agents' messages for display. It removes control tokens, directives and prefixes such as
//! `[outcome] blocked:` (`contract/events.md` §5.1, §6, §7). It also makes previews, and detects invisible characters
//! and names that look alike.
//!
//! Markdown stays as written; `safe-markdown` parses it. Start with [`clean`].

#![warn(missing_docs)]

pub mod hidden;
pub mod lookalike;
mod markers;
mod needle;
mod notice;
mod outcome;
mod plain;

pub use markers::token_intent;
pub use markers::{
    RunResult, TeamBroadcast, human_prefix, is_control_token, is_machine, run_result, strip_directives, strip_tokens,
    team,
};
pub use needle::Needle;
pub use notice::{Notice, NoticeKind, notice};
pub use outcome::{OutcomeText, outcome, reason_class, waited_secs};
pub use outcome::{is_machinery, is_missing_word, is_no_answer, is_over_limit};
pub use plain::preview;

/// The beginning of a text: at most `bytes` bytes, and no torn character.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    &text[..end]
}

/// Cleans a text for display. Nothing for lone control tokens, bare result markers and empty texts; Markdown stays.
#[must_use]
pub fn clean(text: &str) -> Option<String> {
    if is_control_token(text) || run_result(text).is_some() {
        return None;
    }
    let text = human_prefix(text).unwrap_or(text);
    let parsed_outcome = outcome(text);
    let text = parsed_outcome.as_ref().map_or(text, |outcome| outcome.text.as_str());
    let grouped = team(text);
    let text = grouped.as_ref().map_or(text, |team| team.text.as_str());
    let text = strip_tokens(text);
    let text = text.trim_end_matches('\u{fffd}').trim();
    (!text.is_empty() && !is_control_token(text)).then(|| text.to_owned())
}
