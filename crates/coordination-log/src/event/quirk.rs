//! Quirks of a log line: byte order mark, CR LF, NUL bytes, invalid UTF-8, or several records in one line. An editor, a
//! power cut or two concurrent writers leave them. [`sample`] is the beginning of a line in printable form.

/// Longest sample, in characters.
const SAMPLE_CHARS: usize = 200;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Something odd about one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirk {
    /// Byte offset of the line.
    pub offset: u64,
    /// Its kind.
    pub kind: QuirkKind,
}

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuirkKind {
    /// It begins with a byte order mark.
    Bom,
    /// It ends with CR LF.
    Crlf,
    /// It holds NUL bytes.
    Nul,
    /// It holds bytes that are no UTF-8.
    NotUtf8,
    /// It held whole records that could only be read one by one.
    Glued,
}

/// Quirks of a line that is an event. Its text is the line itself unless something was removed or repaired, so
/// that an ordinary line costs one comparison; it cannot contain NUL bytes, as no JSON does.
pub(super) fn of_event(line: &[u8], offset: u64, raw: &str, quirks: &mut Vec<Quirk>) {
    if raw.as_bytes() != line {
        of_ends(line, offset, quirks);
        of_encoding(line, offset, quirks);
    }
}

/// Quirks of a line that is not an event.
pub(super) fn of_bad_line(line: &[u8], offset: u64, quirks: &mut Vec<Quirk>) {
    of_ends(line, offset, quirks);
    if line.contains(&0) {
        quirks.push(Quirk { offset, kind: QuirkKind::Nul });
    }
    of_encoding(line, offset, quirks);
}

fn of_ends(line: &[u8], offset: u64, quirks: &mut Vec<Quirk>) {
    if line.starts_with(BOM) {
        quirks.push(Quirk { offset, kind: QuirkKind::Bom });
    }
    if line.ends_with(b"\r") {
        quirks.push(Quirk { offset, kind: QuirkKind::Crlf });
    }
}

fn of_encoding(line: &[u8], offset: u64, quirks: &mut Vec<Quirk>) {
    if std::str::from_utf8(line).is_err() {
        quirks.push(Quirk { offset, kind: QuirkKind::NotUtf8 });
    }
}

/// The first characters of a line for people: at most 200, with control and invisible ones written as `\u{…}`.
#[must_use]
pub fn sample(text: &str) -> String {
    let mut out = String::new();
    let mut room = SAMPLE_CHARS;
    for c in text.chars() {
        let escaped = is_hidden(c).then(|| c.escape_unicode());
        let length = escaped.as_ref().map_or(1, ExactSizeIterator::len);
        if length > room {
            break;
        }
        room -= length;
        match escaped {
            Some(escaped) => out.extend(escaped),
            None => out.push(c),
        }
    }
    out
}

/// Controls, zero-width characters and those that change the direction of what follows.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn a_sample_hides_nothing_and_stays_short() {
        assert_eq!(sample("a\0b\u{202e}안녕"), "a\\u{0}b\\u{202e}안녕");
        assert_eq!(sample(&"가".repeat(300)).chars().count(), 200);
        assert!(sample(&"\0".repeat(300)).chars().count() <= 200);
    }
}
