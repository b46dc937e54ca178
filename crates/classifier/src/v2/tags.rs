//! Extraction of sub-tags: the domain terms of a session. Terms are the words of an allow-list (`terms.txt`) and Korean
//! compounds of these words, also with a suffix. An English plural counts as its singular. Other words are no tags,
//! because a wrong tag is worse than none.

use std::borrow::Cow;
use std::sync::OnceLock;

use hangul::syllable::is_syllable;

/// The allow-list, grouped by category; comments begin with `#`.
const TERMS: &str = include_str!("terms.txt");
/// Syllables that form another noun from a term: 클릭률, 광고비, 계약서.
const SUFFIXES: &str = "법서안률율비액팀량표일본록";
/// Bytes of a Hangul syllable in UTF-8.
const SYLLABLE_BYTES: usize = 3;
/// Terms in a compound.
const MAX_COMPOUND_PARTS: usize = 3;

/// The sub-tags among words, in their order, each once, at most `most`.
#[must_use]
pub fn of_words<'a>(words: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in words.filter_map(tag) {
        if tags.len() == most {
            break;
        }
        if !tags.iter().any(|known| **known == *tag) {
            tags.push(tag.into_owned());
        }
    }
    tags
}

/// The sub-tag of a word, in display form; `word` is without particles and in lower case
/// ([`super::shown::shown`]).
fn tag(word: &str) -> Option<Cow<'_, str>> {
    if is_term(word) {
        return Some(Cow::Borrowed(word));
    }
    if word.is_ascii() {
        return singular(word).map(Cow::Owned);
    }
    let hangul = word.chars().all(is_syllable);
    (hangul && is_compound(word, MAX_COMPOUND_PARTS)).then_some(Cow::Borrowed(word))
}

/// `policies` → `policy`, `queries` → `query`, `contracts` → `contract`, where that is a term.
fn singular(word: &str) -> Option<String> {
    let of_ies = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let of_es = word.strip_suffix("es").map(str::to_owned);
    let of_s = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')).map(str::to_owned);
    [of_ies, of_s, of_es].into_iter().flatten().find(|word| is_term(word))
}

/// Whether a word of Hangul syllables is a sequence of at most `parts` terms, the last perhaps with a suffix.
fn is_compound(word: &str, parts: usize) -> bool {
    if parts == 0 {
        return false;
    }
    (2 * SYLLABLE_BYTES..word.len()).step_by(SYLLABLE_BYTES).any(|at| {
        let Some((first, rest)) = word.split_at_checked(at) else { return false };
        let ends = || match rest.len() {
            SYLLABLE_BYTES => SUFFIXES.contains(rest),
            _ => is_term(rest) || is_compound(rest, parts - 1),
        };
        is_term(first) && ends()
    })
}

fn is_term(word: &str) -> bool {
    static SORTED: OnceLock<Vec<&'static str>> = OnceLock::new();
    let sorted = SORTED.get_or_init(|| {
        let lines = TERMS.lines().filter(|line| !line.starts_with('#'));
        let mut terms: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        terms.sort_unstable();
        terms
    });
    sorted.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_compounds_and_plurals_are_tags() {
        for (word, expected) in [
            ("배포", "배포"),
            ("클릭률", "클릭률"),
            ("결제게이트웨이", "결제게이트웨이"),
            ("광고비", "광고비"),
            ("계약서", "계약서"),
            ("rollback", "rollback"),
            ("contracts", "contract"),
            ("policies", "policy"),
            ("db", "db"),
        ] {
            assert_eq!(tag(word).as_deref(), Some(expected), "{word}");
        }
    }

    /// Occurred as sub-tags of the demo home before there was a list.
    #[test]
    fn verbs_times_and_particles_are_no_tags() {
        for word in [
            "thanked",
            "weeks",
            "wrote",
            "else",
            "both",
            "really",
            "time",
            "시로",
            "때문인",
            "나눠",
            "보내",
            "골라야",
            "운영하기",
            "손님일수록",
            "알려드리기",
            "운영이냐",
            "화요일",
            "tuesday",
            "behind",
            "after",
            "because",
            "했던",
            "배포하",
            "기기별",
            "시나리오용",
            "셋이",
            "",
            "s",
        ] {
            assert_eq!(tag(word), None, "{word}");
        }
    }

    #[test]
    fn every_term_is_listed_once() {
        let lines = TERMS.lines().filter(|line| !line.starts_with('#'));
        let mut terms: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        terms.sort_unstable();
        let twice: Vec<_> = terms.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
        let short = terms.iter().filter(|term| term.chars().count() < 2).count();
        assert_eq!(short, 0, "one letter says nothing");
    }
}
