//! Field checks of the validator of schema events (`contract/event-schema-v1_1.md` §A.1): the list of known fields and
//! the format of each. The file also measures the nesting depth and the size of values.

use serde_json::Value;

use super::{MAX_ID_LETTERS, NAME_LETTERS, PART_LETTERS};
use crate::canonical;

/// Rule of a field: returns the fault code of an invalid text.
pub(super) type FieldFormat = fn(&str) -> Option<&'static str>;

/// Every field of §A.1; all others are unknown.
pub(super) const FIELDS: [&str; 16] = [
    "id",
    "version",
    "ts",
    "type",
    "source",
    "workspace_id",
    "terminal_session_id",
    "run_id",
    "session_id",
    "agent_id",
    "target_agent_id",
    "task_id",
    "severity",
    "locale",
    "payload",
    "raw",
];

/// Most letters of a type's name that this build does not know.
const WORD_LETTERS: usize = 64;
/// Most letters of a language tag that anything writes.
const LOCALE_LETTERS: usize = 35;

fn id_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "._:-".contains(letter)
}

fn letters(text: &str, most: usize, fits: impl Fn(char) -> bool) -> Option<&'static str> {
    // Counting stops where it is decided, however long the text is.
    let count = text.chars().take(most + 1).count();
    if count == 0 || count > most {
        return Some("length");
    }
    (!text.chars().all(fits)).then_some("format")
}

/// Its value is checked by the caller.
pub(super) fn any(_: &str) -> Option<&'static str> {
    None
}

/// `id`.
pub(super) fn id(text: &str) -> Option<&'static str> {
    letters(text, MAX_ID_LETTERS, id_letter)
}

/// `type`: one of the document's words, or one that a later 1.x may bring.
pub(super) fn word(text: &str) -> Option<&'static str> {
    letters(text, WORD_LETTERS, id_letter)
}

/// A name without a required form: not blank, no control characters.
pub(super) fn name_of(text: &str) -> Option<&'static str> {
    let blank = text.trim().is_empty().then_some("length");
    blank.or_else(|| letters(text, NAME_LETTERS, |letter| !letter.is_control()))
}

/// `team/agent`, in letters and digits of any script, `_`, `.` and `-` (§A.1, §C.3).
pub(super) fn agent(text: &str) -> Option<&'static str> {
    let (team, name) = match text.split_once('/') {
        Some(parts) => parts,
        None if text.is_empty() => return Some("length"),
        None => return Some("format"),
    };
    let part = |part| letters(part, PART_LETTERS, |letter| letter.is_alphanumeric() || "_.-".contains(letter));
    // An empty part is no matter of how long the whole is.
    if team.is_empty() || name.is_empty() { Some("format") } else { part(team).or_else(|| part(name)) }
}

/// `YYYY-MM-DDTHH:MM:SS[.f{1,9}]Z`; `+00:00` says the same (§A.1).
pub(super) fn time(text: &str) -> Option<&'static str> {
    let Some((clock, offset)) = split_offset(text) else { return Some("format") };
    let (whole, fraction) = clock.split_once('.').map_or((clock, None), |(whole, rest)| (whole, Some(rest)));
    let form = "dddd-dd-ddTdd:dd:dd";
    let fits = whole.len() == form.len()
        && whole.bytes().zip(form.bytes()).all(|(byte, form)| {
            if form == b'd' { byte.is_ascii_digit() } else { byte == form }
        })
        && fraction.is_none_or(|digits| (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
        // The day ends with 23:59:59.
        && whole.get(11..13).is_some_and(|hour| hour < "24");
    if !fits || protocol::time::parse_iso(&format!("{clock}Z")).is_none() {
        return Some("format");
    }
    (!matches!(offset, "Z" | "+00:00")).then_some("offset")
}

/// The clock and what follows it; none where nothing of the kind does.
fn split_offset(text: &str) -> Option<(&str, &str)> {
    if let Some(clock) = text.strip_suffix('Z') {
        return Some((clock, "Z"));
    }
    // The sign of an offset is after the `T`; signs before it belong to the date.
    let from = text.find('T')?;
    let at = from + text.get(from..)?.find(['+', '-'])?;
    let offset = text.get(at..)?;
    let form = offset.len() == 6
        && offset.bytes().enumerate().all(|(at, byte)| match at {
            0 => true,
            3 => byte == b':',
            _ => byte.is_ascii_digit(),
        });
    form.then_some((text.get(..at)?, offset))
}

/// A BCP-47 tag by its form: letters, then parts of one to eight letters or digits.
pub(super) fn locale(text: &str) -> Option<&'static str> {
    if text.is_empty() || text.len() > LOCALE_LETTERS {
        return Some("length");
    }
    let mut parts = text.split('-');
    let language = parts.next().unwrap_or_default();
    let fits = (2..=8).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    (!fits).then_some("format")
}

/// The run of a 1.0 event that names none (§A.6): one for its session.
pub(super) fn run_of(session: &str) -> String {
    let run = format!("run_{session}");
    // A name of full length has no place for more in front of it.
    run.chars().take(NAME_LETTERS).collect()
}

/// Nested deeper than `most`. Looks no deeper than that.
pub(super) fn depth_over(value: &Value, most: usize) -> bool {
    let Some(below) = most.checked_sub(1) else { return matches!(value, Value::Array(_) | Value::Object(_)) };
    match value {
        Value::Array(items) => items.iter().any(|item| depth_over(item, below)),
        Value::Object(fields) => fields.values().any(|item| depth_over(item, below)),
        _ => false,
    }
}

/// Bytes as canonical JSON.
pub(super) fn size_of(value: &Value) -> usize {
    canonical(value).len()
}
