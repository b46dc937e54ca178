//! Folding of text for comparison: NFC, lower case, no invisible characters. It keeps a map back to the original text.
//! Composed Hangul then equals decomposed Hangul, as in macOS file names.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// A text as compared. Folding it again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedText<'a> {
    /// The folded text.
    pub text: Cow<'a, str>,
    /// Where folding changed the length, in order. Between these, bytes correspond one to one.
    odd: Vec<FoldMapping>,
}

/// A piece whose bytes do not correspond one to one to the written text: it counts as one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoldMapping {
    folded: Range<usize>,
    written: Range<usize>,
}

impl FoldedText<'_> {
    /// The range in the written text of a range in the folded text, in bytes, on character boundaries. What was
    /// folded as a whole is there as a whole.
    #[must_use]
    pub fn written(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start, false);
        start..self.place(range.end, true).max(start)
    }

    fn place(&self, at: usize, is_end: bool) -> usize {
        // An end belongs to the piece before it, a start to the piece behind it.
        let before =
            self.odd.partition_point(|odd| if is_end { odd.folded.start < at } else { odd.folded.start <= at });
        let Some(odd) = before.checked_sub(1).and_then(|last| self.odd.get(last)) else { return at };
        match (odd.folded.contains(&at), is_end) {
            (true, false) => odd.written.start,
            (true, true) => odd.written.end,
            (false, _) => odd.written.end + (at - odd.folded.end),
        }
    }
}

/// Folds a text for comparing alone.
#[must_use]
pub fn folded(text: &str) -> String {
    fold(text).text.into_owned()
}

/// Folds a text.
#[must_use]
pub fn fold(text: &str) -> FoldedText<'_> {
    if text.is_ascii() {
        let same = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let text = if same { Cow::Borrowed(text) } else { Cow::Owned(text.to_ascii_lowercase()) };
        return FoldedText { text, odd: Vec::new() };
    }
    let mut out = String::with_capacity(text.len());
    let mut odd = Vec::new();
    let mut rest = text.char_indices().peekable();
    // Simple characters from here on are not in `out` yet: they go there together.
    let mut simple_from = 0;
    while let Some((start, c)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        if is_simple(c) && next.is_none_or(begins) {
            continue;
        }
        push_simple(text.get(simple_from..start).unwrap_or_default(), &mut out);
        // A letter with all that may be composed with it or with its marks.
        let mut end = start + c.len_utf8();
        while let Some((at, more)) = rest.next_if(|(_, more)| !begins(*more)) {
            end = at + more.len_utf8();
        }
        simple_from = end;
        let from = out.len();
        push_folded(text.get(start..end).unwrap_or_default(), &mut out);
        let alone = end - start == c.len_utf8();
        if !alone || out.len() - from != end - start {
            odd.push(FoldMapping { folded: from..out.len(), written: start..end });
        }
    }
    push_simple(text.get(simple_from..).unwrap_or_default(), &mut out);
    FoldedText { text: Cow::Owned(out), odd }
}

fn push_simple(piece: &str, out: &mut String) {
    let from = out.len();
    out.push_str(piece);
    if let Some(added) = out.get_mut(from..) {
        added.make_ascii_lowercase();
    }
}

fn push_folded(piece: &str, out: &mut String) {
    let lower = piece.chars().filter(|c| !is_passed_over(*c)).nfd().flat_map(char::to_lowercase);
    let mut previous = None;
    // `İ` is an `i` in a search; its dot, and every one after it, is removed before the marks that follow
    // are joined to the letter.
    let plain = lower.filter(move |&c| {
        let dot = previous == Some('i') && c == '\u{307}';
        previous = if dot { previous } else { Some(c) };
        !dot
    });
    out.extend(plain.nfc().map(|c| if c == 'ς' { 'σ' } else { c }));
}

/// Folds to its small ASCII letter or to itself, whatever precedes it.
fn is_simple(c: char) -> bool {
    matches!(c, '\0'..='\u{7f}' | '\u{ac00}'..='\u{d7a3}' | '\u{4e00}'..='\u{9fa5}' | '\u{2010}'..='\u{2027}')
}

/// Never composes with the character before it.
fn begins(c: char) -> bool {
    if is_simple(c) {
        return true;
    }
    if is_passed_over(c) {
        return false;
    }
    let mut first = None;
    decompose_canonical(c, |part| first = first.or(Some(part)));
    first.is_some_and(|first| {
        canonical_combining_class(first) == 0 && is_nfc_quick(std::iter::once(first)) != IsNormalized::Maybe
    })
}

/// Shows nothing and parts no words: soft hyphens, zero-width spaces, the choice between text and emoji.
fn is_passed_over(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200b}' | '\u{200c}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written_match(text: &str, looked_for: &str) -> Option<String> {
        let folded = fold(text);
        let at = folded.text.find(looked_for)?;
        text.get(folded.written(&(at..at + looked_for.len()))).map(str::to_owned)
    }

    #[test]
    fn folded_range_maps_to_written_text() {
        let decomposed: String = "내일 배포합니다".nfd().collect();
        let piece: String = "배포".nfd().collect();
        assert_eq!(written_match(&decomposed, "배포"), Some(piece));
        assert_eq!(written_match("İstanbul API", "istanbul"), Some("İstanbul".to_owned()));
        assert_eq!(written_match("아 İstanbul API", "api"), Some("API".to_owned()));
        assert_eq!(written_match("주의 ⚠\u{fe0f} 배\u{200b}포", "배포"), Some("배\u{200b}포".to_owned()));
        assert_eq!(written_match("주의 ⚠\u{fe0f} 둘", "⚠"), Some("⚠\u{fe0f}".to_owned()));
        assert_eq!(written_match("ZWEI A\u{308}PFEL", "äp"), Some("A\u{308}P".to_owned()));
        assert_eq!(folded("ΟΔΟΣ \u{212a}"), "οδοσ k");
        assert_eq!(folded("İ\u{300}"), "ì");
        assert_eq!(folded("İ\u{307}"), "i");
    }

    proptest! {
        #[test]
        fn folding_is_done_once_and_for_all(text in "\\PC{0,40}|[ -~가-힣ㄱ-ㅎᄀ-ᇿ\u{300}-\u{345}İΣςßǰÅé🚀\u{200d}\u{fe0f}]{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(folded(&once.text), once.text.as_ref());
            let composed: String = text.nfc().collect();
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(folded(&composed), once.text.as_ref());
            prop_assert_eq!(folded(&decomposed), once.text.as_ref());
        }

        #[test]
        fn mapped_range_is_on_char_boundaries(
            text in "[ -~가-힣ᄀ-하-ᅵᆨ-ᇂ\u{300}-\u{308}İΣßé🚀\u{200d}\u{fe0f}]{1,30}", from in 0_usize..40, length in 1_usize..6,
        ) {
            let whole = fold(&text);
            let bounds: Vec<usize> = whole.text.char_indices().map(|(at, _)| at).chain([whole.text.len()]).collect();
            let start = from % bounds.len();
            let end = (start + length).min(bounds.len() - 1);
            let range = bounds[start]..bounds[end];
            let written = text.get(whole.written(&range));
            prop_assert!(written.is_some());
            // Pieces count as a whole, so that at least what was found is there.
            prop_assert!(folded(written.unwrap_or_default()).contains(&whole.text[range]));
        }
    }
}
