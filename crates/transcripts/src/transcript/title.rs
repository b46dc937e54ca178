//! Title and last message of a stored session (`contract/sessions.md` §5). Only the first and the last bytes of its
//! transcript are read.

use super::entry::{newest, read};
use super::{MessageRole, TranscriptMessage, first_units, units};
use protocol::time;

/// Bytes from the beginning that are looked at for the first message.
pub const HEAD_BYTES: usize = 8_192;
/// Lines from the beginning, blank ones too.
pub const HEAD_LINES: usize = 10;
/// Bytes from the end that are looked at for the last message.
pub const TAIL_BYTES: usize = 16_384;
/// Lines from the end that are not blank.
pub const TAIL_LINES: usize = 20;
/// UTF-16 units of a title.
pub const TITLE_UNITS: usize = 60;
/// A space behind this unit is where a longer title is cut.
const CUT_AFTER: usize = 36;

/// First message of a person, as stored; of another session only on request. `head` is the beginning of the file; text
/// after [`HEAD_BYTES`] is ignored.
#[must_use]
pub fn first_user_text(head: &[u8], inter_session_too: bool) -> Option<String> {
    let head = head.get(..HEAD_BYTES).unwrap_or(head);
    head.split(|byte| *byte == b'\n')
        .take(HEAD_LINES)
        .find_map(|line| person_text(read(line, 0)?.message()?, inter_session_too).map(str::to_owned))
}

/// The text of a person's message, as stored; of another session only on request.
#[must_use]
pub fn person_text(message: TranscriptMessage<'_>, inter_session_too: bool) -> Option<&str> {
    let person = message.role() == MessageRole::User && (inter_session_too || !message.is_inter_session());
    message.first_text().filter(|_| person)
}

/// Last message of a person or the agent, as stored, and its role. `tail` is the end of the file, all of it when it
/// `begins` the file: the text before its last [`TAIL_BYTES`] is not looked at.
#[must_use]
pub fn last_text(tail: &[u8], begins: bool) -> Option<(MessageRole, String)> {
    let from = tail.len().saturating_sub(TAIL_BYTES);
    newest(&tail[from..], begins && from == 0).take(TAIL_LINES).find_map(|line| {
        let entry = read(line, 0)?;
        let (role, text) = conversation_text(entry.message()?)?;
        Some((role, text.to_owned()))
    })
}

/// The text of a message of a person or the agent, as stored, and its role.
#[must_use]
pub fn conversation_text(message: TranscriptMessage<'_>) -> Option<(MessageRole, &str)> {
    let role = message.role();
    let is_conversation = matches!(role, MessageRole::User | MessageRole::Assistant);
    message.first_text().filter(|_| is_conversation).map(|text| (role, text))
}

/// A text as a title: on one line, at most [`TITLE_UNITS`] long.
#[must_use]
pub fn short_title(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return None;
    }
    let Some(_) = first_units(&line, TITLE_UNITS) else { return Some(line) };
    let cut = first_units(&line, TITLE_UNITS - 1).unwrap_or(&line);
    let space = cut.rfind(' ').filter(|at| units(&cut[..*at]) > CUT_AFTER);
    Some(format!("{}…", space.map_or(cut, |at| &cut[..at])))
}

/// The title of a session: its name, its subject, its first message, else its id and the day of its last change.
#[must_use]
pub fn derived_title(
    display_name: Option<&str>,
    subject: Option<&str>,
    first_text: Option<&str>,
    session_id: &str,
    updated_at_ms: Option<i64>,
) -> Option<String> {
    let given = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    given(display_name).or_else(|| given(subject)).or_else(|| short_title(first_text?)).or_else(|| {
        let id = first_units(session_id, 8).unwrap_or(session_id);
        let day = updated_at_ms.filter(|ms| *ms > 0).map(time::to_iso);
        let day = day.and_then(|iso| iso.split_once('T').map(|(day, _)| format!(" ({day})"))).unwrap_or_default();
        (!id.is_empty()).then(|| format!("{id}{day}"))
    })
}
