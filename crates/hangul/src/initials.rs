//! Search by initial consonants (`ㅂㅍ` for 배포) in texts of any length.

use std::ops::Range;

use super::jamo::{lead, parts};

/// Fewer consonants than this are in nearly every text.
const MIN_CONSONANTS: usize = 2;

/// The typed consonants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitialsQuery(Vec<char>);

impl InitialsQuery {
    /// Nothing when the query holds anything else, or only one consonant. One like ㄳ is what an IME makes of two.
    #[must_use]
    pub fn from_query(query: &str) -> Option<Self> {
        let mut wanted = Vec::new();
        for c in query.chars().filter(|c| !c.is_whitespace()) {
            let parts = parts(c);
            if parts.is_empty() {
                return None;
            }
            wanted.extend(parts);
        }
        (wanted.len() >= MIN_CONSONANTS).then_some(Self(wanted))
    }

    /// Where syllables that begin so, or the letters themselves, first occur in `text` from a byte on. Spaces between
    /// words count for nothing.
    #[must_use]
    pub fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let rest = text.get(from..)?;
        let begins = |c: char| self.0.first().is_some_and(|first| fits(*first, c));
        let starts = rest.char_indices().filter(|(_, c)| begins(*c)).map(|(at, _)| from + at);
        starts.filter_map(|start| Some(start..self.end(text, start)?)).next()
    }

    fn end(&self, text: &str, start: usize) -> Option<usize> {
        let mut wanted = self.0.iter();
        let mut next = *wanted.next()?;
        for (at, c) in text.get(start..)?.char_indices() {
            if fits(next, c) {
                match wanted.next() {
                    Some(then) => next = *then,
                    None => return Some(start + at + c.len_utf8()),
                }
            } else if c != ' ' {
                return None;
            }
        }
        None
    }
}

fn fits(wanted: char, c: char) -> bool {
    c == wanted || lead(c) == Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consonants_find_the_syllables_that_begin_with_them() {
        let place = |query: &str, text: &str| {
            let range = InitialsQuery::from_query(query).and_then(|initials| initials.find(text, 0))?;
            text.get(range).map(ToOwned::to_owned)
        };
        assert_eq!(place("ㅂㅍ", "내일 배포합니다").as_deref(), Some("배포"));
        assert_eq!(place("ㄴㅇㅂㅍ", "내일 배포").as_deref(), Some("내일 배포"));
        assert_eq!(place("ㄳ", "결과와 감사").as_deref(), Some("감사"));
        assert_eq!(place("ㅋㅋ", "네 ㅋㅋㅋ").as_deref(), Some("ㅋㅋ"));
        assert_eq!(place("ㅂㅍ", "배-포"), None);
        assert!(
            InitialsQuery::from_query("ㅂ").is_none()
                && InitialsQuery::from_query("배ㅍ").is_none()
                && InitialsQuery::from_query("").is_none()
        );
    }
}
