//! Ids of events and agents (`contract/event-schema-v1_1.md` §A.4, §C.3). An event id is a SHA-256 digest of canonical
//! JSON, so a repeated input gets the same id. Names in agent ids are reduced to ASCII.

use serde_json::Value;

use protocol::digest::digest_hex;

/// Letters of an id that a digest gives.
const ID_LETTERS: usize = 26;
/// Characters of a segment.
pub(crate) const MAX_SEGMENT_CHARS: usize = 64;
/// Letters of a native id, or of a digest, in a name.
pub(crate) const SHORT_ID_LETTERS: usize = 6;

/// JSON with sorted keys and no spaces, UTF-8: the same value always gives the same text.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            out.push('{');
            for (number, name) in names.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(&Value::String(name.clone()), out);
                out.push(':');
                write(&fields[name], out);
            }
            out.push('}');
        }
        // Neither of these has parts whose order is free.
        single => out.push_str(&single.to_string()),
    }
}

/// `evt_` and 26 letters of what makes an input itself.
#[must_use]
pub fn event_id(of: &Value) -> String {
    format!("evt_{}", digest_hex(&canonical(of), ID_LETTERS))
}

/// A segment of an id: `[A-Za-z0-9_.-]`, at most 64. What has letters of other scripts, or is longer, keeps apart from
/// others like it by a digest.
pub(crate) fn segment(name: &str) -> String {
    let name = name.trim();
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '-' })
        .take(MAX_SEGMENT_CHARS)
        .collect();
    if name.is_ascii() && name.len() <= MAX_SEGMENT_CHARS && !plain.is_empty() {
        return plain;
    }
    let readable: String = plain.chars().take(MAX_SEGMENT_CHARS - SHORT_ID_LETTERS - 1).collect();
    let readable = readable.trim_matches('-');
    let digest = digest_hex(name, SHORT_ID_LETTERS);
    if readable.is_empty() { format!("a-{digest}") } else { format!("{readable}-{digest}") }
}

/// The letters of a native id that tell it from others in a name: the first ones. A UUID of version 7 begins with the
/// time, so ids of the same minute begin alike; of these it is the last ones, which are random.
pub(crate) fn short_id(id: &str, letters: usize) -> String {
    let count = id.chars().count();
    let is_by_time =
        count == 36 && id.as_bytes().get(14) == Some(&b'7') && id.bytes().filter(|b| *b == b'-').count() == 4;
    id.chars().skip(if is_by_time { count.saturating_sub(letters) } else { 0 }).take(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::{segment, short_id};

    #[test]
    fn ids_by_time_are_shortened_to_their_end() {
        assert_eq!(short_id("8c35adc1-0b7e-4a51-9d4b-0e6d4cf6c8f0", 8), "8c35adc1");
        assert_eq!(short_id("01a22364-4399-7cb3-b45e-994a00f96cee", 6), "f96cee");
        assert_eq!(short_id("한글", 6), "한글");
    }

    #[test]
    fn c3_segments_are_folded_and_stay_apart() {
        assert_eq!(segment("worker-1"), "worker-1");
        assert_eq!(segment("worker 1/x"), "worker-1-x");
        assert_ne!(segment("검토자"), segment("작성자"));
        assert!(segment("검토자").bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        assert_eq!(segment(&"x".repeat(64)).len(), 64);
        assert_eq!(segment(&"x".repeat(65)).len(), 64);
        assert_ne!(segment(&"x".repeat(65)), segment(&"x".repeat(66)));
        assert!(!segment("").is_empty());
    }
}
