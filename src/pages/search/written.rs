//! Edits of the text of a search query: removal or replacement of a clause (such as `from:eden`), and a new clause at
//! the end. Ranges count UTF-16 units, like those of the API.

use coordination::api::Marked;

use crate::components::marked::{bytes, pieces};

/// The part of a text.
pub(super) fn part(text: &str, range: [u32; 2]) -> &str {
    text.get(bytes(text, range)).unwrap_or_default()
}

/// The query without a part.
pub(super) fn without(q: &str, range: [u32; 2]) -> String {
    replaced(q, range, "")
}

/// The query with another text for a part.
pub(super) fn replaced(q: &str, range: [u32; 2], by: &str) -> String {
    let range = bytes(q, range);
    let (before, after) = (q.get(..range.start).unwrap_or_default(), q.get(range.end..).unwrap_or_default());
    let parts = [before.trim_end(), by, after.trim_start()];
    // Texts next to the removed clause stay adjacent.
    let (open, close) = (before.ends_with(char::is_whitespace), after.starts_with(char::is_whitespace));
    let mut out = String::with_capacity(q.len() + by.len());
    for (number, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let apart = match number {
            1 => open,
            2 if by.is_empty() => open || close,
            _ => close,
        };
        if apart && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

/// The query narrowed by an operator.
pub(super) fn narrowed(q: &str, operator: &str, value: &str) -> String {
    let clause = format!("{operator}:{}", quoted(value));
    if q.trim().is_empty() { clause } else { format!("{} {clause}", q.trim_end()) }
}

/// A value as an operator takes it: in quotes where it is more than a word.
pub(super) fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:@/+".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('"', ""))
}

/// What was found, each once, as it is written: the words to mark where a hit leads.
pub(super) fn found(marked: &Marked) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (_, text) in pieces(marked).into_iter().filter(|(hit, _)| *hit) {
        if !out.iter().any(|known| known == text) {
            out.push(text.to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_clause_keeps_rest_as_written() {
        assert_eq!(without("배포 from:eden 확인", [3, 12]), "배포 확인");
        assert_eq!(without("from:eden 확인", [0, 9]), "확인");
        assert_eq!(without("🙂  a:b", [0, 2]), "a:b", "an emoji is two units");
        assert_eq!(without("배포", [0, 2]), "");
        assert_eq!(without("배포", [7, 9]), "배포", "a range of another text does no harm");
        assert_eq!(replaced("is:blokced 배포", [3, 10], "blocked"), "is:blocked 배포");
        assert_eq!(replaced("a frm:x b", [2, 5], "from"), "a from:x b");
    }

    #[test]
    fn found_value_is_named_once() {
        let marked = Marked { text: "🙂 배포와 배포".to_owned(), marks: vec![[3, 5], [7, 9]] };
        assert_eq!(found(&marked), ["배포"]);
    }

    #[test]
    fn query_accepts_values_of_any_form() {
        assert_eq!(narrowed("배포 ", "from", "eden"), "배포 from:eden");
        assert_eq!(narrowed("", "tag", "A/B & C"), "tag:\"A/B & C\"");
        assert_eq!(quoted("conv:한글-1"), "conv:한글-1");
        assert_eq!(quoted("a\"b"), "\"ab\"", "a quotation mark cannot be quoted");
        assert_eq!(quoted(""), "\"\"");
    }
}
