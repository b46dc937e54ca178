//! Highlighted ranges of a text, such as the words that a search found. The API sends the ranges in UTF-16 units; they
//! are converted to byte ranges, and the text is split into highlighted and other parts.

use std::ops::Range;

use coordination::api::Marked;

/// Where a range of UTF-16 units lies in the bytes of a text; one that does not fit is cut to it.
pub fn bytes(text: &str, range: [u32; 2]) -> Range<usize> {
    let at = |units: u32| {
        let mut passed = 0;
        let found = text.char_indices().find(|(_, c)| {
            let here = passed >= units;
            passed += c.len_utf16() as u32;
            here
        });
        found.map_or(text.len(), |(at, _)| at)
    };
    let start = at(range[0]);
    start..at(range[1].max(range[0])).max(start)
}

/// A text in pieces that are marked and not, in order.
pub fn pieces(marked: &Marked) -> Vec<(bool, &str)> {
    let text = marked.text.as_str();
    let mut out = Vec::new();
    let mut done = 0;
    for range in &marked.marks {
        let range = bytes(text, *range);
        let range = range.start.max(done)..range.end.max(done);
        out.push((false, text.get(done..range.start).unwrap_or_default()));
        out.push((true, text.get(range.clone()).unwrap_or_default()));
        done = range.end;
    }
    out.push((false, text.get(done..).unwrap_or_default()));
    out.retain(|(_, text)| !text.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces joined are the text; ranges beyond the text are clipped.
    #[test]
    fn mark_offsets_count_utf16_units() {
        let marked = Marked { text: "🙂 배포와 배포".to_owned(), marks: vec![[3, 5], [7, 9]] };
        let pieces = pieces(&marked);
        assert_eq!(pieces.iter().map(|(_, text)| *text).collect::<String>(), marked.text);
        assert_eq!(pieces, [(false, "🙂 "), (true, "배포"), (false, "와 "), (true, "배포")]);
        let wild = Marked { text: "ab".to_owned(), marks: vec![[1, 9], [0, 1]] };
        assert_eq!(super::pieces(&wild), [(false, "a"), (true, "b")]);
    }
}
