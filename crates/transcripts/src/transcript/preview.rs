//! Preview of a stored OpenClaw session: the last messages of its transcript, masked and shortened
//! (`contract/sessions.md` §5).

use super::entry::{newest, read};
use super::{ContentBlock, MessageRole, TranscriptMessage, clean, first_units, mask};

/// How many bytes from the end are read, one after the other, until there is something.
pub const PREVIEW_READS: [usize; 3] = [64 * 1024, 256 * 1024, 1024 * 1024];
/// Lines from the end that are looked at.
pub const PREVIEW_LINES: usize = 200;
const MIN_MAX_ITEMS: (usize, usize) = (1, 50);
const MIN_MAX_CHARS: (usize, usize) = (20, 2_000);
/// Calls of tools that are named.
const NAMED_CALLS: usize = 2;
const CUT: &str = "...";

/// Author of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PreviewRole {
    /// A person, or another session in a person's place.
    User,
    /// The agent.
    Assistant,
    /// The program.
    System,
    /// A call of a tool, or its result.
    Tool,
    /// Anything else.
    Other,
}

impl PreviewRole {
    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
            Self::Other => "other",
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewItem {
    /// Its author.
    pub role: PreviewRole,
    /// At most the requested number of UTF-16 units.
    pub text: String,
}

/// The items of the last messages, oldest first, masked. `tail` is what one read gave, all of the file when it `begins`
/// it: nothing in it means that a longer one is to be tried, as long as there is one in [`PREVIEW_READS`]. `limit` is
/// held between 1 and 50, `max_chars` between 20 and 2,000.
///
/// The limit counts messages, those without words too: fewer items may come out.
#[must_use]
pub fn items(tail: &[u8], begins: bool, limit: usize, max_chars: usize) -> Option<Vec<PreviewItem>> {
    let limit = limit.clamp(MIN_MAX_ITEMS.0, MIN_MAX_ITEMS.1);
    let lines = newest(tail, begins).take(PREVIEW_LINES);
    let mut newest: Vec<_> =
        lines.filter_map(|line| read(line, 0).filter(|entry| entry.message().is_some())).take(limit).collect();
    newest.reverse();
    (!newest.is_empty()).then(|| items_of(newest.iter().filter_map(super::TranscriptEntry::message), max_chars))
}

/// The items of messages that were chosen elsewhere, masked.
pub fn items_of<'a>(messages: impl IntoIterator<Item = TranscriptMessage<'a>>, max_chars: usize) -> Vec<PreviewItem> {
    let max_chars = max_chars.clamp(MIN_MAX_CHARS.0, MIN_MAX_CHARS.1);
    messages.into_iter().filter_map(|message| item(message, max_chars)).collect()
}

fn item(message: TranscriptMessage<'_>, max_chars: usize) -> Option<PreviewItem> {
    let role = message.role();
    let calls: Vec<&str> = message.calls().map(|call| call.name).filter(|name| !name.is_empty()).collect();
    let text = message.whole_text().or_else(|| called(&calls)).or_else(|| pictured(message))?;
    let text = text.trim();
    let cleaned = if role == MessageRole::User { clean::stored(text, role) } else { text.to_owned() };
    let cleaned = cleaned.trim();
    if cleaned.is_empty() {
        return None;
    }
    // Masked before it is cut: half a token is no token any more.
    Some(PreviewItem { role: preview_role(role, !calls.is_empty()), text: short(&mask(cleaned), max_chars) })
}

fn preview_role(role: MessageRole, calls: bool) -> PreviewRole {
    match role {
        _ if calls => PreviewRole::Tool,
        MessageRole::User => PreviewRole::User,
        MessageRole::Assistant => PreviewRole::Assistant,
        MessageRole::Tool => PreviewRole::Tool,
        MessageRole::System => PreviewRole::System,
        MessageRole::Custom | MessageRole::Other => PreviewRole::Other,
    }
}

/// `call a, b +3`
fn called(names: &[&str]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let shown = names[..names.len().min(NAMED_CALLS)].join(", ");
    let more = names.len().saturating_sub(NAMED_CALLS);
    Some(if more > 0 { format!("call {shown} +{more}") } else { format!("call {shown}") })
}

fn pictured(message: TranscriptMessage<'_>) -> Option<String> {
    message.blocks().any(|block| block == ContentBlock::Image).then(|| "[image]".to_owned())
}

fn short(text: &str, max_chars: usize) -> String {
    match first_units(text, max_chars) {
        None => text.to_owned(),
        Some(_) => format!("{}{CUT}", first_units(text, max_chars - CUT.len()).unwrap_or(text)),
    }
}
