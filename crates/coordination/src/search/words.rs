//! Words and phrases without operators: the text filter of a list.

use std::ops::Range;

use super::fold::fold;
use super::term::Term;

/// Terms of which all must stand in one text.
#[derive(Debug, Clone)]
pub struct Words {
    terms: Vec<Term>,
    /// Runs of syllables, or of letters and digits of ASCII, that every text with all terms has when it is composed as
    /// is usual and in small letters.
    anchors: Vec<String>,
}

/// Most terms: each is a bit of a mask.
const MOST: usize = 32;

impl Words {
    /// Reads `word "a phrase" word`; a quote that is not closed is a character. Nothing for a blank text. What stands
    /// behind the 32nd word counts as one phrase.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut terms: Vec<Term> = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let quoted = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
            let (term, after) = match quoted {
                _ if terms.len() + 1 == MOST => (Term::phrase(rest), ""),
                Some((phrase, after)) if !phrase.trim().is_empty() => (Term::phrase(phrase), after),
                _ => {
                    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                    let (word, after) = rest.split_at(end);
                    (Term::word(word), after)
                }
            };
            terms.extend(term);
            rest = after.trim_start();
        }
        let anchors = terms.iter().filter_map(Term::anchor).collect();
        (!terms.is_empty()).then_some(Self { terms, anchors })
    }

    /// Each word and phrase.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// All of them stand in a text.
    #[must_use]
    pub fn are_in(&self, text: &str) -> bool {
        self.is_all(self.mask(text))
    }

    /// Which of them stand in a text, a bit each.
    #[must_use]
    pub fn mask(&self, text: &str) -> u32 {
        let folded = fold(text);
        (0_u32..)
            .zip(&self.terms)
            .fold(0, |mask, (bit, term)| mask | u32::from(term.matches(&folded.text).is_some()) << bit)
    }

    /// These are all.
    #[must_use]
    pub fn is_all(&self, mask: u32) -> bool {
        mask.count_ones() as usize >= self.terms.len()
    }

    /// Where the first of them stands in a text, in bytes.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        let folded = fold(text);
        let places = self.terms.iter().filter_map(|term| term.matches(&folded.text));
        places.min_by_key(|place| place.start).map(|place| folded.written(&place))
    }

    /// False when no text of the event that this line says can hold all of them: one look at the line instead of one at
    /// each of its fields. Of the ways to write a character only its number can hide a letter.
    pub(crate) fn may_be_in_line(&self, line: &str) -> bool {
        let lower = line.to_ascii_lowercase();
        self.anchors.iter().all(|anchor| lower.contains(anchor.as_str()))
            || line.contains("\\u")
            || line.chars().any(is_odd)
    }
}

/// May become part of a syllable, be passed over between two, or turn into a letter of ASCII.
fn is_odd(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{130}' | '\u{212a}' | '\u{1100}'..='\u{11ff}' | '\u{200b}'..='\u{200c}' | '\u{2060}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_stand_in_one_text_in_any_order() {
        let are_in = |words: &str, text: &str| Words::read(words).is_some_and(|words| words.are_in(text));
        assert!(are_in("배포를 API", "api 서버 배포"));
        assert!(are_in("\"서버 배포\" api", "API 서버  배포"));
        assert!(!are_in("\"배포 서버\"", "서버 배포"));
        assert!(are_in("\"배포", "그는 \"배포\"라고"));
        assert!(!are_in("배포 롤백", "배포"));
        assert!(Words::read(" \u{200b} ").is_none());
        assert!(Words::read(&"가 ".repeat(100)).is_some_and(|words| words.terms.len() == MOST));
        assert_eq!(Words::read("nginx 배포").and_then(|words| words.find("내일 배포 nginx")), Some(7..13));
    }
}
