//! Repair of lines that no strict JSON parser accepts: invalid UTF-8, lone surrogate escapes, and concatenated records.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

/// Replaces every lone surrogate escape (`\ud83d` without its partner) by `\ufffd`; nothing if there is none.
#[must_use]
pub fn repair_surrogates(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = unicode_escape(bytes, at) else {
            at += 2;
            continue;
        };
        if !(0xd800..0xe000).contains(&unit) {
            at += 6;
            continue;
        }
        let paired =
            unit < 0xdc00 && unicode_escape(bytes, at + 6).is_some_and(|next| (0xdc00..0xe000).contains(&next));
        if paired {
            at += 12;
            continue;
        }
        let repaired = out.get_or_insert_with(|| String::with_capacity(text.len()));
        repaired.push_str(text.get(copied..at)?);
        repaired.push_str("\\ufffd");
        at += 6;
        copied = at;
    }
    let mut repaired = out?;
    repaired.push_str(text.get(copied..)?);
    Some(repaired)
}

/// Bytes as a text that strict parsers accept, as far as it can be repaired: invalid UTF-8 and lone surrogate escapes
/// become U+FFFD.
#[must_use]
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    repair_surrogates(&text).map_or(text, Cow::Owned)
}

fn unicode_escape(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(escape.get(2..)?).ok()?, 16).ok()
}

/// Budget of byte reads for one broken line; beyond it only the last record is tried.
const LOOKS_PER_BYTE: usize = 64;

/// A stretch of a broken line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinePart {
    /// Its range in the line.
    pub(super) range: Range<usize>,
    /// A whole JSON object, and no part of another one.
    pub(super) whole: bool,
}

/// Splits a line on which records are glued together: whole ones, or a torn one and the records after it.
/// An object inside a torn record is not a record: after a record comes another one or the line's end,
/// or it has all keys that the writer gives a record.
pub(super) fn glued_parts(line: &[u8]) -> Vec<LinePart> {
    let mut parts: Vec<LinePart> = Vec::new();
    let mut budget = line.len().saturating_mul(LOOKS_PER_BYTE);
    let mut at = skip_blank(line, 0);
    while at < line.len() {
        let behind_whole = parts.last().is_none_or(|part| part.whole);
        let end = object_end(line, at, &mut budget).filter(|end| {
            let next = skip_blank(line, *end);
            behind_whole || next == line.len() || line[next] == b'{' || has_envelope(&line[at..*end])
        });
        let whole = end.is_some();
        let end = end.or_else(|| if budget > 0 { next_start(line, at + 1) } else { last_start(line, at + 1) });
        let end = end.unwrap_or(line.len());
        match parts.last_mut() {
            Some(torn) if !whole && !torn.whole => torn.range.end = end,
            _ => parts.push(LinePart { range: at..end, whole }),
        }
        at = skip_blank(line, end);
    }
    parts
}

/// The keys in every line of the real writer (`contract/events.md` §1).
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only their presence counts")]
struct EnvelopeKeys {
    r#type: IgnoredAny,
    agent_id: IgnoredAny,
    ts: IgnoredAny,
    data: IgnoredAny,
}

fn has_envelope(object: &[u8]) -> bool {
    serde_json::from_slice::<EnvelopeKeys>(object).is_ok()
}

fn skip_blank(line: &[u8], from: usize) -> usize {
    line[from..].iter().position(|byte| !byte.is_ascii_whitespace()).map_or(line.len(), |index| from + index)
}

/// End of the JSON object that begins at `start`; the bytes read are taken from the budget.
fn object_end(line: &[u8], start: usize, budget: &mut usize) -> Option<usize> {
    if line.get(start) != Some(&b'{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_slice(&line[start..]).into_iter::<IgnoredAny>();
    match values.next()? {
        Ok(_) => {
            *budget = budget.saturating_sub(values.byte_offset());
            Some(start + values.byte_offset())
        }
        Err(fault) => {
            *budget = budget.saturating_sub(fault.column());
            None
        }
    }
}

const RECORD_START: &[u8] = br#"{"type":"#;

fn next_start(line: &[u8], from: usize) -> Option<usize> {
    line.get(from..)?.windows(RECORD_START.len()).position(|window| window == RECORD_START).map(|index| from + index)
}

fn last_start(line: &[u8], from: usize) -> Option<usize> {
    line.get(from..)?.windows(RECORD_START.len()).rposition(|window| window == RECORD_START).map(|index| from + index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Vec<(&str, bool)> {
        glued_parts(line.as_bytes()).into_iter().map(|part| (&line[part.range], part.whole)).collect()
    }

    #[test]
    fn object_inside_torn_record_is_not_record() {
        let torn = r#"{"type":"a","data":{"content":[{"type":"text"},{"type":"image"}],"message":"ha"#;
        assert_eq!(parts(torn), [(torn, false)]);
        let glued = format!("{torn}{}", r#"{"type":"b","data":{"content":{"type":"text"}}}"#);
        assert_eq!(parts(&glued), [(torn, false), (&glued[torn.len()..], true)]);
    }

    #[test]
    fn record_found_after_many_torn_starts() {
        let torn = format!(r#"{{"type":"a","data":[{}"#, r#"{"type":"x"},"#.repeat(20_000));
        let glued = format!("{torn}{}", r#"{"type":"b"}"#);
        assert_eq!(parts(&glued), [(torn.as_str(), false), (r#"{"type":"b"}"#, true)]);
        let nested = format!("{}{}", r#"{"type":"#.repeat(5_000), r#"{"type":"b"}"#);
        assert_eq!(parts(&nested).last(), Some(&(r#"{"type":"b"}"#, true)));
    }

    #[test]
    fn record_between_torn_ones_found_by_envelope() {
        let record = r#"{"type":"b","agentId":"eden","ts":1,"data":{}}"#;
        let line = format!("{{\"ty{record}{{\"type\":\"c\",");
        assert_eq!(parts(&line), [("{\"ty", false), (record, true), ("{\"type\":\"c\",", false)]);
    }

    #[test]
    fn trailing_garbage_is_split_from_whole_record() {
        assert_eq!(
            parts(r#" {"type":"a"} {"type":"b"}noise"#),
            [(r#"{"type":"a"}"#, true), (r#"{"type":"b"}"#, true), ("noise", false)]
        );
    }
}
