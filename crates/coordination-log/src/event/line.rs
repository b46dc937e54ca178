//! Parser of one line, or of a chunk of complete lines, into events (`contract/events.md` §1). An invalid line is
//! reported, and the lines around it are still parsed.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::position::{EventPosition, TextInterner};
use super::quirk::{self, Quirk, QuirkKind, sample};
use super::recover::{glued_parts, repair_surrogates};
use super::value::{Envelope, read};
use super::{CategoryCache, Event, Field, LineError, LineErrorReason, lower};
use protocol::ids::EventId;

/// Longer lines are skipped and counted. The minimum that `contract/events.md` §1 requires: replies are not cut by the
/// writer, and a lost long reply is worse than the memory one such line takes while it is read.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// Parsed content of a piece of a file.
#[derive(Debug, Default, PartialEq)]
pub struct ParsedLines {
    /// Events in order.
    pub events: Vec<Event>,
    /// Lines that are not events.
    pub errors: Vec<LineError>,
    /// Oddities of lines, readable or not.
    pub quirks: Vec<Quirk>,
}

/// Reads one line. `offset` is that of its first byte in the file named by `file_token`.
///
/// # Errors
/// When the line is too long, no JSON, no object or without a type.
pub fn parse_line(line: &[u8], file_token: &str, offset: u64) -> Result<Event, LineError> {
    one_line(line, &file_token.into(), offset, &mut TextInterner::default())
}

fn one_line(line: &[u8], file: &Arc<str>, offset: u64, shared: &mut TextInterner) -> Result<Event, LineError> {
    if line.len() > MAX_LINE_BYTES {
        return Err(error(offset, LineErrorReason::TooLong, &String::from_utf8_lossy(line.get(..512).unwrap_or(line))));
    }
    // Checking for UTF-8 costs a small part of what repairing it would.
    let text = std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    let text = text.trim_matches(|c: char| c == '\u{feff}' || c.is_ascii_whitespace());
    parse_text(text, offset, EventPosition::new(Arc::clone(file), offset), shared)
}

/// Reads the complete lines of `bytes`; what follows the last newline is ignored, because the writer may still be
/// writing it. Records glued together on one line (`}{`) and a whole record behind a torn one are recovered.
#[must_use]
pub fn parse_lines(bytes: &[u8], file_token: &str, base_offset: u64) -> (Vec<Event>, Vec<LineError>) {
    let ParsedLines { events, errors, .. } = read_lines(bytes, file_token, base_offset);
    (events, errors)
}

/// [`parse_lines`] that also returns the quirks.
#[must_use]
pub fn read_lines(bytes: &[u8], file_token: &str, base_offset: u64) -> ParsedLines {
    let mut lines = ParsedLines::default();
    let mut offset = base_offset;
    let file: Arc<str> = file_token.into();
    let mut shared = TextInterner::default();
    let mut from = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        let body = bytes.get(from..end).unwrap_or_default();
        let length = end + 1 - from;
        from = end + 1;
        if !is_blank(body) {
            match one_line(body, &file, offset, &mut shared) {
                Ok(event) => {
                    event.cache_category();
                    quirk::of_event(body, offset, &event.raw, &mut lines.quirks);
                    lines.events.push(event);
                }
                Err(problem) => {
                    quirk::of_bad_line(body, offset, &mut lines.quirks);
                    recover(body, file_token, problem, &mut lines);
                }
            }
        }
        offset = offset.saturating_add(length as u64);
    }
    lines
}

/// Reads an event that came as a value: from a 1.x monitor's REST or WebSocket answer, or a line read elsewhere.
///
/// # Errors
/// When the value is no object or without a type.
pub fn event_from_value(value: &Value, id: &EventId) -> Result<Event, LineError> {
    parse_text(&value.to_string(), 0, EventPosition::of_id(id), &mut TextInterner::default())
}

fn is_blank(line: &[u8]) -> bool {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii_start().is_empty()
}

fn recover(body: &[u8], file_token: &str, problem: LineError, lines: &mut ParsedLines) {
    let before = lines.events.len();
    let base = problem.offset;
    let mut clean = true;
    if problem.reason == LineErrorReason::NotJson {
        for part in glued_parts(body) {
            let start = base.saturating_add(part.range.start as u64);
            let record = body.get(part.range).filter(|_| part.whole);
            match record.map(|bytes| parse_line(bytes, file_token, start)) {
                Some(Ok(event)) => lines.events.push(event),
                _ => clean = false,
            }
        }
    }
    if lines.events.len() > before {
        lines.quirks.push(Quirk { offset: base, kind: QuirkKind::Glued });
    }
    if !clean || lines.events.len() == before {
        lines.errors.push(problem);
    }
}

fn parse_text(text: &str, offset: u64, position: EventPosition, shared: &mut TextInterner) -> Result<Event, LineError> {
    match read(text) {
        Ok(envelope) => finish(text.into(), envelope, offset, position, shared),
        Err(_) => {
            // A cut by UTF-16 units leaves a lone surrogate, which strict parsers reject (`contract/events.md` §5.1).
            let repaired = repair_surrogates(text);
            match repaired.as_deref().map(read) {
                Some(Ok(envelope)) => {
                    finish(repaired.as_deref().unwrap_or_default().into(), envelope, offset, position, shared)
                }
                _ if text.starts_with('{') => Err(error(offset, LineErrorReason::NotJson, text)),
                _ if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => {
                    Err(error(offset, LineErrorReason::NotObject, text))
                }
                _ => Err(error(offset, LineErrorReason::NotJson, text)),
            }
        }
    }
}

fn finish(
    raw: Box<str>,
    envelope: Envelope<'_>,
    offset: u64,
    position: EventPosition,
    shared: &mut TextInterner,
) -> Result<Event, LineError> {
    let Some(event_type) = envelope.event_type else {
        return Err(error(offset, LineErrorReason::NoType, &raw));
    };
    let agent = shared.text(&lower(envelope.slots.text(&raw, Field::AgentId).unwrap_or("unknown")));
    let event_type = shared.text(&event_type);
    let category = CategoryCache::default();
    Ok(Event { position, event_type, agent, category, at: envelope.at, raw, slots: envelope.slots })
}

impl Event {
    /// Frees the line and everything derived from it; position, time, type and agent stay.
    pub fn free_line(&mut self) {
        self.raw = Box::default();
        self.slots = super::field::FieldTable::default();
        self.category = CategoryCache::default();
    }

    /// Reads a line that was an event before.
    #[must_use]
    pub fn reparse(line: &str, position: EventPosition) -> Self {
        let mut shared = TextInterner::default();
        parse_text(line, 0, position.clone(), &mut shared).unwrap_or_else(|_| Self {
            position,
            event_type: shared.text("monitor.unreadable"),
            agent: shared.text("unknown"),
            category: CategoryCache::default(),
            at: 0,
            raw: line.into(),
            slots: super::field::FieldTable::default(),
        })
    }
}

fn error(offset: u64, reason: LineErrorReason, text: &str) -> LineError {
    LineError { offset, reason, sample: sample(text) }
}
