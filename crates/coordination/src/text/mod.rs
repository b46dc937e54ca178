//! What a user reads of a message: control tokens, directives, outcome texts and prefixes taken off
//! (`contract/events.md` §5.1, §6, §7). Markdown stays; `crate::markdown` reads it.

pub mod hidden;
pub mod lookalike;
mod markers;
mod needle;
mod notice;
mod outcome;
mod plain;

pub use markers::{
    RunResult, Team, human_prefix, is_control_token, is_machine, run_result, strip_directives, strip_tokens, team,
};
pub(crate) use needle::Needle;
pub use notice::{Notice, NoticeKind, notice};
pub use outcome::{Missing, Outcome, acknowledges, missing, outcome, reason_class, waited_secs};
pub use plain::preview;

use crate::event::{Event, Field};

/// Units at which the writer cuts a send's message, from E4 on (`contract/events.md` §2, §5.1).
const MESSAGE_CUT: usize = 4000;
/// Units at which it cuts every preview, and messages before E4, of spawns and of routed mentions.
const PREVIEW_CUT: usize = 200;

/// The beginning of a text: at most so many bytes, and no torn character.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    &text[..end]
}

/// Display text of an event: `message`, else `replyPreview`, cleaned. Nothing for texts that say a reply is missing,
/// lone control tokens, bare result markers, `spawn accepted · run …` and empty texts. Markdown is kept.
#[must_use]
pub fn display(event: &Event) -> Option<String> {
    if event.event_type() == "a2a.spawn_result" || missing(event).is_some() {
        return None;
    }
    clean(written(event)?)
}

/// Cleans a text for display (see [`display`]).
#[must_use]
pub fn clean(text: &str) -> Option<String> {
    if is_control_token(text) || run_result(text).is_some() {
        return None;
    }
    let text = human_prefix(text).unwrap_or(text);
    let said = outcome(text);
    let text = said.as_ref().map_or(text, |outcome| outcome.text.as_str());
    let grouped = team(text);
    let text = grouped.as_ref().map_or(text, |team| team.text.as_str());
    let text = strip_tokens(text);
    let text = text.trim_end_matches('\u{fffd}').trim();
    (!text.is_empty() && !is_control_token(text)).then(|| text.to_owned())
}

/// The text as the log has it: `message`, else `replyPreview`.
#[must_use]
pub fn written(event: &Event) -> Option<&str> {
    event.message().or_else(|| event.reply_preview())
}

/// The log cut this event's text: it is exactly as long as the writer's limit.
#[must_use]
pub fn is_truncated(event: &Event) -> bool {
    let Some(message) = event.message() else {
        return event.reply_preview().is_some_and(|preview| units(preview) == PREVIEW_CUT);
    };
    match event.event_type() {
        "a2a.response" => false,
        "a2a.send" if event.text(Field::EventRole).is_some() => units(message) == MESSAGE_CUT,
        _ => matches!(units(message), PREVIEW_CUT | MESSAGE_CUT),
    }
}

/// What a message is for: `messageIntent`, else what its tokens say (`contract/events.md` §7.1, §7.2). Informational.
#[must_use]
pub fn intent(event: &Event) -> Option<&str> {
    event.message_intent().or_else(|| markers::token_intent(written(event)?))
}

fn units(text: &str) -> usize {
    // A text of fewer bytes than the limit cannot reach it: the common case, without counting.
    if text.len() < PREVIEW_CUT { text.len() } else { text.encode_utf16().count() }
}
