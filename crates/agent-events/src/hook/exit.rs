//! Parser of a failed tool's exit code (`contract/event-schema-v1_1.md` §C.4). It infers the code from the error text,
//! for hooks without an exit code field.

/// Exit code of an interrupted call, as in a shell.
pub(super) const INTERRUPTED_EXIT_CODE: i64 = 130;
/// Exit code when the text has none.
pub(super) const UNKNOWN_EXIT_CODE: i64 = 1;
/// How far behind its word a number may be, in bytes.
const MAX_NUMBER_DISTANCE_BYTES: usize = 24;

/// The first number of `(?:exit(?:ed with)?|status)\D{0,24}(\d{1,3})`, in any case.
pub(super) fn exit_code_in(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let begins =
        |at: usize, word: &[u8]| bytes.get(at..at + word.len()).is_some_and(|is| is.eq_ignore_ascii_case(word));
    (0..bytes.len()).filter(|at| matches!(bytes[*at], b'e' | b'E' | b's' | b'S')).find_map(|at| {
        let words: [&[u8]; 3] = [b"exited with", b"exit", b"status"];
        let word = words.into_iter().find(|word| begins(at, word))?;
        number(text.get(at + word.len()..)?)
    })
}

fn number(text: &str) -> Option<i64> {
    let (digits, _) = text.char_indices().take(MAX_NUMBER_DISTANCE_BYTES + 1).find(|(_, c)| c.is_ascii_digit())?;
    let rest = &text[digits..];
    let length = rest.bytes().take(3).take_while(u8::is_ascii_digit).count();
    rest[..length].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c4_exit_code_is_read_from_text() {
        for (text, code) in [
            ("Command exited with non-zero status code 101", Some(101)),
            ("Command failed with exit code 1", Some(1)),
            ("EXIT STATUS: 7", Some(7)),
            ("process exited with code 2 after status 9", Some(2)),
            ("종료: exit 값은 127 입니다", Some(127)),
            ("HTTP status 404", Some(404)),
            ("exit 1012", Some(101)),
            ("exit code is far too far away from here 3", None),
            ("exit                        5", Some(5)),
            ("exit                         5", None),
            ("failed", None),
            ("", None),
            ("exit", None),
        ] {
            assert_eq!(exit_code_in(text), code, "{text}");
        }
    }
}
