//! Text filter of lists, such as sessions, events and tasks: every word and quoted phrase of the query must occur;
//! there are no operators. [`Anchors`] are pieces of the query that exclude raw log lines before they are parsed.

use std::ops::Range;

use super::fold::fold;
use super::term::Term;

/// Terms that must all be in one text.
#[derive(Debug, Clone)]
pub struct WordFilter {
    terms: Vec<Term>,
    anchors: Anchors,
}

/// Runs of syllables, or of letters and digits of ASCII, that every text with all of some terms has when it is composed
/// as is usual and in small letters.
#[derive(Debug, Clone, Default)]
pub struct Anchors(Vec<String>);

/// Most terms: each is a bit of a mask.
const MAX_TERMS: usize = 32;

impl WordFilter {
    /// Reads `word "a phrase" word`; a quote that is not closed is a character. Nothing for a blank text. What is
    /// behind the 32nd word counts as one phrase.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut terms: Vec<Term> = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let quoted = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
            let (term, after) = match quoted {
                _ if terms.len() + 1 == MAX_TERMS => (Term::phrase(rest), ""),
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
        let anchors = Anchors::of(&terms);
        (!terms.is_empty()).then_some(Self { terms, anchors })
    }

    /// These texts, each as an exact phrase. Nothing where all are blank.
    #[must_use]
    pub fn phrases<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let terms: Vec<Term> = texts.into_iter().filter_map(Term::phrase).take(MAX_TERMS).collect();
        let anchors = Anchors::of(&terms);
        (!terms.is_empty()).then_some(Self { terms, anchors })
    }

    /// Each word and phrase.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether all of them are in a text.
    #[must_use]
    pub fn are_in(&self, text: &str) -> bool {
        self.is_all(self.mask(text))
    }

    /// Which of them are in a text, a bit each.
    #[must_use]
    pub fn mask(&self, text: &str) -> u32 {
        self.mask_folded(&fold(text).text)
    }

    /// The same of a text that is folded.
    #[must_use]
    pub fn mask_folded(&self, folded: &str) -> u32 {
        (0_u32..).zip(&self.terms).fold(0, |mask, (bit, term)| mask | u32::from(term.matches(folded).is_some()) << bit)
    }

    /// These are all.
    #[must_use]
    pub fn is_all(&self, mask: u32) -> bool {
        mask.count_ones() as usize >= self.terms.len()
    }

    /// First match in a text, in bytes.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        let folded = fold(text);
        let places = self.terms.iter().filter_map(|term| term.matches(&folded.text));
        places.min_by_key(|place| place.start).map(|place| folded.written(&place))
    }

    /// All matches in a text, in bytes, in order and apart from each other.
    #[must_use]
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        places(self.terms.iter(), text)
    }

    /// As [`Anchors::may_be_in_line`].
    #[must_use]
    pub fn may_be_in_line(&self, line: &str) -> bool {
        self.anchors.may_be_in_line(line)
    }
}

impl Anchors {
    /// The anchors of these terms.
    #[must_use]
    pub fn of<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Self {
        Self(terms.into_iter().filter_map(Term::anchor).collect())
    }

    /// False when no text of the event that this line says can hold all of them: one look at the line instead of one at
    /// each of its fields. Of the ways to write a character only its number can hide a letter.
    #[must_use]
    pub fn may_be_in_line(&self, line: &str) -> bool {
        let lower = line.to_ascii_lowercase();
        self.0.iter().all(|anchor| lower.contains(anchor.as_str())) || line.contains("\\u") || holds_odd(line)
    }
}

/// All matches of any of these terms in a text, in bytes, in order and apart from each other.
#[must_use]
pub fn places<'a>(terms: impl Iterator<Item = &'a Term>, text: &str) -> Vec<Range<usize>> {
    let folded = fold(text);
    let mut places: Vec<Range<usize>> = terms
        .flat_map(|term| term.places(&folded.text).map(|place| folded.written(&place)).collect::<Vec<_>>())
        .collect();
    places.sort_by_key(|place| place.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(places.len());
    for place in places {
        match apart.last_mut() {
            Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
            _ => apart.push(place),
        }
    }
    apart
}

/// Some character of it is odd ([`is_odd`]). Most texts have no byte that one begins with.
fn holds_odd(line: &str) -> bool {
    let bytes = line.as_bytes();
    let may = memchr::memchr3(0xc2, 0xc4, 0xcc, bytes).is_some()
        || memchr::memchr3(0xe1, 0xe2, 0xef, bytes).is_some()
        || memchr::memchr(0xf3, bytes).is_some();
    may && line.chars().any(is_odd)
}

/// May become part of a syllable, be passed over between two, or turn into a letter of ASCII.
fn is_odd(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{130}' | '\u{307}' | '\u{212a}' | '\u{1100}'..='\u{11ff}' | '\u{200b}'..='\u{200c}' | '\u{2060}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use unicode_normalization::UnicodeNormalization;

    use super::*;

    #[test]
    fn all_words_match_in_any_order() {
        let are_in = |words: &str, text: &str| WordFilter::read(words).is_some_and(|words| words.are_in(text));
        assert!(are_in("배포를 API", "api 서버 배포"));
        assert!(are_in("\"서버 배포\" api", "API 서버  배포"));
        assert!(!are_in("\"배포 서버\"", "서버 배포"));
        assert!(are_in("\"배포", "그는 \"배포\"라고"));
        assert!(!are_in("배포 롤백", "배포"));
        assert!(WordFilter::read(" \u{200b} ").is_none());
        assert!(WordFilter::read(&"가 ".repeat(100)).is_some_and(|words| words.terms.len() == MAX_TERMS));
        assert_eq!(WordFilter::read("nginx 배포").and_then(|words| words.find("내일 배포 nginx")), Some(7..13));
    }

    #[test]
    fn matches_are_marked_despite_spelling_variants() {
        fn marked(words: Option<WordFilter>, text: &str) -> Vec<&str> {
            let places = words.map(|words| words.places(text)).unwrap_or_default();
            places.into_iter().filter_map(|place| text.get(place)).collect()
        }
        let written = "배포는 내일, workSession의 Work_Session 배포";
        assert_eq!(
            marked(WordFilter::read("배포를 work-session"), written),
            ["배포", "workSession", "Work_Session", "배포"]
        );
        assert_eq!(marked(WordFilter::read("ㅂㅍ"), "재배포, 비품"), ["배포", "비품"]);
        assert_eq!(marked(WordFilter::read("배포 배포를"), "배포"), ["배포"], "one place is marked once");
        assert_eq!(marked(WordFilter::phrases(["서버  배포", " "]), "서버\n배포를 서버에 배포"), ["서버\n배포"]);
        assert!(WordFilter::phrases([" "]).is_none());
    }

    #[test]
    fn every_odd_character_is_detected_by_byte() {
        let odd = (0..=0x0010_ffff).filter_map(char::from_u32).filter(|c| is_odd(*c));
        let mut seen = 0;
        for c in odd {
            assert!(holds_odd(&format!("가a{c}")), "{c:?}");
            seen += 1;
        }
        assert!(seen > 256 && !holds_odd("배포 API nginx"));
    }

    #[test]
    fn line_is_skipped_only_without_possible_match() {
        let may = |word: &str, line: &str| WordFilter::read(word).is_some_and(|words| words.may_be_in_line(line));
        let decomposed: String = "배포".nfd().collect();
        let odd = ["İstanbul", "I\u{307}stanbul", "is\u{ad}tanbul", "ISTANBUL", "\\u0069stanbul"];
        for line in odd {
            assert!(may("istanbul", line), "{line:?}");
        }
        for line in ["재배포", decomposed.as_str(), "배\u{200b}포", "\\ubc30포"] {
            assert!(may("배포를", line), "{line:?}");
        }
        assert!(may("kelvin", "\u{212a}elvin") && !may("istanbul", "Ankara") && !may("배포", "회의"));
    }

    /// Every match shows a mark.
    #[test]
    fn matching_text_has_a_match_range() {
        let texts = ["배포를 했다", "nginx를 켰다", "HTTPServer 시작", "a_b c", "\u{1107}\u{1162}포", "없다"];
        for query in ["배포", "배포가", "nginx", "http-server", "ab", "\"a_b\"", "ㅂㅍ", "켜"] {
            let words = WordFilter::read(query).unwrap();
            for text in texts {
                assert_eq!(words.are_in(text), !words.places(text).is_empty(), "{query} in {text}");
            }
        }
    }
}
