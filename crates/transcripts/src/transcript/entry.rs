//! Parser of transcript entries. An entry is a message or another record: one JSON object, in a line of a transcript
//! file or in a row of a database (`contract/sessions.md` §3).

use serde_json::{Map, Value};

use super::message::TranscriptMessage;
use coordination_log::event::repair_surrogates;
use protocol::time;

/// Longer lines are passed over and counted. Replies and results of tools are on one line each, inline images too.
pub const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// The header.
    Session,
    /// A message, a call or an answer: any line with a `message` object, whatever its type.
    Message,
    /// An extension's line; shown when it is marked as visible.
    CustomMessage,
    /// Earlier entries were summarised.
    Compaction,
    /// The session was reset.
    Reset,
    /// Another branch was left with a summary.
    BranchSummary,
    /// Anything else, by its type: stored, not shown.
    Other(String),
}

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptEntry {
    /// Position in its session: the offset of its first byte in a file, its `seq` in a database.
    pub place: u64,
    /// Its own name, from version 2 on.
    pub id: Option<String>,
    /// What it follows; nothing for a root.
    pub parent_id: Option<String>,
    /// What it is.
    pub kind: EntryKind,
    /// When, in epoch milliseconds: the message's own time, else the line's.
    pub at_ms: Option<i64>,
    /// The line's object; [`TranscriptEntry::kind`] says which fields it has.
    fields: Map<String, Value>,
}

/// The first line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// 1 where none is written: linear. 2 and later: a tree.
    pub version: u64,
    /// The session's id.
    pub id: Option<String>,
    /// The transcript it was forked from.
    pub parent_session: Option<String>,
}

/// Parsed entries of a block of a transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptLines {
    /// Entries in the order of the file.
    pub entries: Vec<TranscriptEntry>,
    /// Complete lines that are no entries. What the edges of the piece cut is not among them.
    pub bad: usize,
}

/// Reads the lines of a piece of a file. `base` is the offset of its first byte in the file. A half line at the
/// beginning (when `base` is not 0) and at the end is passed over quietly: it is no line yet, or none of this piece.
#[must_use]
pub fn lines(bytes: &[u8], base: u64) -> TranscriptLines {
    let mut out = TranscriptLines::default();
    let mut place = base;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let whole = line.ends_with(b"\n");
        // A fragment that was cut on both sides may be a whole object of its own: something inside a line.
        let fragment = !whole && place == base && base > 0;
        if !is_blank(line) && !fragment {
            match read(line, place) {
                Some(entry) => out.entries.push(entry),
                None if whole && (base == 0 || place > base) => out.bad += 1,
                None => {}
            }
        }
        place = place.saturating_add(line.len() as u64);
    }
    out
}

/// Reads the rows of a database: `seq` and text of each, in order.
#[must_use]
pub fn rows<'a>(rows: impl IntoIterator<Item = (u64, &'a str)>) -> TranscriptLines {
    let mut out = TranscriptLines::default();
    for (seq, text) in rows {
        match read(text.as_bytes(), seq) {
            Some(entry) => out.entries.push(entry),
            None => out.bad += 1,
        }
    }
    out
}

/// Lines that are not blank, the last one first. Of a piece that does not begin the file the first line may be cut in
/// front, and is empty where the end is cut too.
pub(super) fn newest(tail: &[u8], begins: bool) -> impl Iterator<Item = &[u8]> {
    let fragment = !begins && !tail.contains(&b'\n');
    let tail = if fragment { &[] } else { tail };
    tail.rsplit(|byte| *byte == b'\n').filter(|line| !is_blank(line))
}

fn is_blank(line: &[u8]) -> bool {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).iter().all(u8::is_ascii_whitespace)
}

/// One line; nothing when it is no JSON object.
pub(super) fn read(line: &[u8], place: u64) -> Option<TranscriptEntry> {
    if line.len() > MAX_LINE_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(line);
    let text = text.trim_matches(|c: char| c == '\u{feff}' || c.is_ascii_whitespace());
    if !text.starts_with('{') {
        return None;
    }
    let fields = match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(fields) => fields,
        // A cut by UTF-16 units leaves a lone surrogate, which no strict reader takes.
        Err(_) => serde_json::from_str(&repair_surrogates(text)?).ok()?,
    };
    Some(TranscriptEntry::from_fields(fields, place))
}

impl TranscriptEntry {
    fn from_fields(fields: Map<String, Value>, place: u64) -> Self {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let message = fields.get("message").and_then(Value::as_object);
        let kind = match (message, text("type").unwrap_or_default()) {
            (Some(_), _) => EntryKind::Message,
            (None, "session") => EntryKind::Session,
            (None, "custom_message") => EntryKind::CustomMessage,
            (None, "compaction") => EntryKind::Compaction,
            (None, "reset") => EntryKind::Reset,
            (None, "branch_summary") => EntryKind::BranchSummary,
            (None, other) => EntryKind::Other(other.to_owned()),
        };
        let message_time = message.and_then(|message| message.get("timestamp")).and_then(millis);
        let at_ms = message_time.or_else(|| fields.get("timestamp").and_then(millis));
        let (id, parent_id) = (text("id").map(str::to_owned), text("parentId").map(str::to_owned));
        Self { place, id, parent_id, kind, at_ms, fields }
    }

    /// The message it holds.
    #[must_use]
    pub fn message(&self) -> Option<TranscriptMessage<'_>> {
        self.fields.get("message").and_then(Value::as_object).map(TranscriptMessage::new)
    }

    /// All it holds, unknown fields too.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// A text field of the line itself.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// The header it is.
    #[must_use]
    pub fn header(&self) -> Option<Header> {
        (self.kind == EntryKind::Session).then(|| Header {
            version: self.fields.get("version").and_then(Value::as_u64).unwrap_or(1),
            id: self.id.clone(),
            parent_session: self.text("parentSession").map(str::to_owned),
        })
    }
}

/// Epoch milliseconds as a number, or an ISO text.
fn millis(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            number.as_i64().or_else(|| number.as_f64().filter(|ms| ms.abs() < 9e15).map(|ms| ms as i64))
        }
        Value::String(text) => time::parse_iso(text),
        _ => None,
    }
}
