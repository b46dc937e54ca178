//! Shift of all times in a recorded home's files, so that the recording looks recent. Epochs in milliseconds and ISO
//! times move by the same amount. Dates in quotes move by whole days.

use coordination::time::{parse_iso, to_iso};

const DAY_MS: i64 = 86_400_000;

/// Moves 13-digit epochs and ISO times by `by` milliseconds and dates in quotes by whole days. Other digits (ids,
/// amounts, Discord snowflakes) stay.
pub(super) fn shift(text: &str, by: i64) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let starts_number = bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        if !starts_number {
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let moved = time(rest, by).or_else(|| epoch(rest, by)).or_else(|| quoted_date(text, at, by));
        match moved {
            Some((length, new)) => {
                out.push_str(&text[copied..at]);
                out.push_str(&new);
                at += length;
                copied = at;
            }
            None => at += 1,
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// `2026-02-17T02:20:00.000Z`, with or without the fraction.
fn time(rest: &str, by: i64) -> Option<(usize, String)> {
    let end = rest.find('Z').filter(|end| (19..=23).contains(end))? + 1;
    let text = rest.get(..end)?;
    if text.as_bytes().get(10) != Some(&b'T') {
        return None;
    }
    let moved = to_iso(parse_iso(text)?.saturating_add(by));
    // A time written without a fraction stays one.
    Some((end, if text.contains('.') { moved } else { format!("{}Z", moved.get(..19)?) }))
}

/// `1771294800000`
fn epoch(rest: &str, by: i64) -> Option<(usize, String)> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let next = rest.as_bytes().get(digits);
    if digits != 13 || next.is_some_and(u8::is_ascii_alphanumeric) || next == Some(&b'-') {
        return None;
    }
    let value: i64 = rest.get(..digits)?.parse().ok()?;
    (1_500_000_000_000..2_500_000_000_000).contains(&value).then(|| (digits, (value + by).to_string()))
}

/// `"2026-02-24"`
fn quoted_date(text: &str, at: usize, by: i64) -> Option<(usize, String)> {
    let date = text.get(at..at + 10)?;
    let quoted = at > 0 && text.as_bytes()[at - 1] == b'"' && text.as_bytes().get(at + 10) == Some(&b'"');
    let moved = parse_iso(date).filter(|_| quoted)?.saturating_add(by.div_euclid(DAY_MS) * DAY_MS);
    Some((10, to_iso(moved).get(..10)?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_shift_and_other_digits_stay() {
        let text = r#"{"ts":1771294800000,"at":"2026-02-17T02:20:00.000Z","due":"2026-02-20","id":"1203948571029384756"} 5a60-1771294800000 v2.14.0"#;
        let moved = shift(text, DAY_MS + 1);
        assert_eq!(
            moved,
            r#"{"ts":1771381200001,"at":"2026-02-18T02:20:00.001Z","due":"2026-02-21","id":"1203948571029384756"} 5a60-1771381200001 v2.14.0"#
        );
        assert_eq!(shift(text, 0), text);
    }

    #[test]
    fn korean_text_around_time_is_unchanged() {
        assert_eq!(shift("시각 2026-02-17T02:20:00Z 에 끝", 0), "시각 2026-02-17T02:20:00Z 에 끝");
    }
}
