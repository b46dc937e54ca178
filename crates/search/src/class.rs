//! Tokeniser of folded text (`fold.rs`). A token is a run of Hangul, a run of Latin letters and digits, a run of other
//! letters, or a single symbol or emoji.
//!
//! Whether a token ends between two characters depends only on these two characters. So when a text contains a search
//! word of one token, one token of the text contains it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

const JOINER: char = '\u{200d}';

/// What a token consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Class {
    /// Syllables and letters of Hangul.
    Hangul,
    /// Letters of alphabets, digits, and the marks on letters.
    Latin,
    /// Other letters: Han, Kana and their like.
    Other,
    /// One symbol or emoji; several where zero-width joiners make one picture of them.
    Symbol,
}

/// The class of a character; nothing for separators of tokens: white space, punctuation, `_`, control characters.
#[must_use]
pub fn class_of(c: char) -> Option<Class> {
    match c {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => Some(Class::Latin),
        '\0'..='\u{a0}' => None,
        '\u{ac00}'..='\u{d7fb}' | '\u{3131}'..='\u{318e}' | '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97c}' => {
            Some(Class::Hangul)
        }
        _ if c.is_alphanumeric() => match c {
            '\0'..='\u{2e7f}' | '\u{a640}'..='\u{abff}' | '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{ff5a}' => {
                Some(Class::Latin)
            }
            _ => Some(Class::Other),
        },
        _ if is_combining_mark(c) => Some(Class::Latin),
        _ if c.is_whitespace() || c.is_control() || is_punctuation(c) => None,
        _ => Some(Class::Symbol),
    }
}

/// Punctuation beyond ASCII, by its blocks.
fn is_punctuation(c: char) -> bool {
    matches!(c,
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{207d}' | '\u{207e}' | '\u{208d}' | '\u{208e}'
        | '\u{2308}'..='\u{230b}' | '\u{2329}' | '\u{232a}' | '\u{2768}'..='\u{2775}' | '\u{27e6}'..='\u{27ef}'
        | '\u{2983}'..='\u{2998}' | '\u{2e00}'..='\u{2e7f}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301f}' | '\u{3030}' | '\u{303d}' | '\u{30a0}' | '\u{30fb}' | '\u{fe10}'..='\u{fe19}'
        | '\u{fe30}'..='\u{fe6b}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff65}')
}

/// The tokens of a folded text in order: the position of each (bytes), its class, and itself.
pub fn tokens(folded: &str) -> impl Iterator<Item = (Range<usize>, Class, &str)> {
    let mut rest = folded.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, class, mut last) = loop {
            let (at, c) = rest.next()?;
            if let Some(class) = class_of(c) {
                break (at, class, c);
            }
        };
        let mut end = start + last.len_utf8();
        while let Some((at, c)) = rest.peek().copied() {
            let alone = class == Class::Symbol && c != JOINER && last != JOINER;
            if class_of(c) != Some(class) || alone {
                break;
            }
            (end, last) = (at + c.len_utf8(), c);
            rest.next();
        }
        Some((start..end, class, folded.get(start..end)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_runs_of_one_class() {
        let all = |text: &'static str| tokens(text).map(|(_, class, text)| (class, text)).collect::<Vec<_>>();
        let (hangul, latin, other, symbol) = (Class::Hangul, Class::Latin, Class::Other, Class::Symbol);
        assert_eq!(
            all("nginx를 재시작, v2로"),
            [(latin, "nginx"), (hangul, "를"), (hangul, "재시작"), (latin, "v2"), (hangul, "로")]
        );
        assert_eq!(all("work_session-id"), [(latin, "work"), (latin, "session"), (latin, "id")]);
        assert_eq!(all("会議カイ 🚀🚀→"), [(other, "会議カイ"), (symbol, "🚀"), (symbol, "🚀"), (symbol, "→")]);
        assert_eq!(all("👨\u{200d}👩\u{200d}👧👍"), [(symbol, "👨\u{200d}👩\u{200d}👧"), (symbol, "👍")]);
        assert_eq!(all("ㅋㅋ…?! ").len(), 1);
    }
}
