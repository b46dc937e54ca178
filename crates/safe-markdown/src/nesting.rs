//! Cost limit for nested quotes and lists. The parser visits every open quote and list for every line. So a line that
//! opens thousands of them above many short lines would take seconds. Such a text is shown unparsed.

/// Open quotes and lists that are walked through, for each byte of a text. An honest text needs less than two.
const MAX_WALKS: usize = 32;

/// The parser would take far longer than the text is long.
pub(super) fn is_costly(text: &str) -> bool {
    // Never less than what one line can open: a text has to repeat or indent what it wants to keep open.
    let deepest = text.lines().map(marks).max().unwrap_or_default();
    deepest.saturating_mul(text.lines().count()) > MAX_WALKS * text.len()
}

/// At most so many quotes and lists are open behind the marks at the beginning of a line; none when it has no mark.
fn marks(line: &str) -> usize {
    let (mut marks, mut columns) = (0, 0);
    let mut rest = line;
    loop {
        let after = rest.trim_start_matches([' ', '\t']);
        let space = rest.get(..rest.len() - after.len()).unwrap_or_default();
        columns += space.bytes().map(|byte| if byte == b'\t' { 4 } else { 1 }).sum::<usize>();
        match mark(after) {
            Some(length) => {
                marks += 1;
                rest = after.get(length..).unwrap_or_default();
            }
            // A list's content is indented by two columns, at least, and a list with its item is two.
            None => return if marks == 0 { 0 } else { 2 * marks + columns },
        }
    }
}

/// Length of the mark of a quote or an item at the start of `text`.
fn mark(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (length, quote) = match text.as_bytes().get(digits)? {
        b'>' if digits == 0 => (1, true),
        b'-' | b'+' | b'*' if digits == 0 => (1, false),
        b'.' | b')' if (1..10).contains(&digits) => (digits + 1, false),
        _ => return None,
    };
    let open = quote || text.as_bytes().get(length).is_none_or(|next| matches!(next, b' ' | b'\t'));
    open.then_some(length)
}

#[cfg(test)]
mod tests {
    use super::{is_costly, marks};

    #[test]
    fn leading_marks_are_counted() {
        for (line, most) in [
            ("a > b", 0),
            ("    a", 0),
            (">>> a", 7),
            ("> - 1. a", 9),
            ("  - a", 5),
            ("-a", 0),
            ("1234567890. a", 0),
            ("\t-", 6),
        ] {
            assert_eq!(marks(line), most, "{line:?}");
        }
    }

    #[test]
    fn many_lines_below_many_marks_are_costly() {
        assert!(is_costly(&format!("{}{}", ">".repeat(55_000), "a\n".repeat(4_000))));
        assert!(is_costly(&format!("{}{}", "- ".repeat(10_000), "a\n".repeat(10_000))));
        assert!(!is_costly(&">".repeat(60_000)), "one line");
        assert!(!is_costly(&"> - a\n".repeat(10_000)));
        let divided = format!("{}\n{}", ">".repeat(200), "무엇을 했는지 적은 한 줄\n".repeat(1_000));
        assert!(!is_costly(&divided), "a line of marks between honest ones");
        assert!(!is_costly(""));
    }
}
