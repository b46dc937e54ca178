//! Repairs for lines no strict JSON reader takes: lone surrogate escapes, and records glued together.

use std::ops::Range;

/// Attempts at finding a whole record inside a broken line.
const MAX_STARTS: usize = 16;

/// Replaces every lone surrogate escape (`\ud83d` without its partner) by `\ufffd`; nothing if there is none.
pub(super) fn repair_surrogates(text: &str) -> Option<String> {
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

fn unicode_escape(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(escape.get(2..)?).ok()?, 16).ok()
}

/// Byte ranges of the records that stand on one line. A stretch that is no record is given too, so that the
/// caller can tell a clean recovery from a partial one.
pub(super) fn glued_parts(line: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < line.len() && parts.len() < MAX_STARTS {
        if line[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let end = whole_value(line, at).or_else(|| next_start(line, at + 1)).unwrap_or(line.len());
        parts.push(at..end);
        at = end;
    }
    if at < line.len() {
        parts.push(at..line.len());
    }
    parts
}

/// End of the balanced object that begins at `start`, strings respected; none when it is torn.
fn whole_value(line: &[u8], start: usize) -> Option<usize> {
    if line.get(start) != Some(&b'{') {
        return None;
    }
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (index, byte) in line.iter().enumerate().skip(start) {
        match (in_text, *byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b'{') => depth += 1,
            (false, b'}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(index + 1).filter(|end| starts_like_record(line, start, *end));
                }
            }
            _ => {}
        }
    }
    None
}

/// A torn record swallows the next one (`{"type":"a","da{"type":…}`) and may balance by accident; it is no JSON then.
fn starts_like_record(line: &[u8], start: usize, end: usize) -> bool {
    line.get(start..end).is_some_and(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let repaired = repair_surrogates(&text);
        serde_json::from_str::<serde::de::IgnoredAny>(repaired.as_deref().unwrap_or(&text)).is_ok()
    })
}

fn next_start(line: &[u8], from: usize) -> Option<usize> {
    const START: &[u8] = br#"{"type":"#;
    line.get(from..)?.windows(START.len()).position(|window| window == START).map(|index| from + index)
}
