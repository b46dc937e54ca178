//! Tests of the index, whose results are compared with a scan of every text.
//!
//! Proves (search): The index finds what a scan of every text finds.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Candidates, IndexEntry, IndexMatches, SearchIndex, Set};
use crate::{Class, EventTextPart, Term, TermPlan, folded, has_initials, tokens};

/// Korean and English with particles glued to them, decomposed, identifiers, emoji, initials, numbers, marks.
const PIECES: &[&str] = &[
    "배포",
    "배포를",
    "배",
    "포",
    "회의",
    "회의록",
    "nginx",
    "nginx를",
    "Deploy",
    "deploy",
    "workSessionId",
    "work_session_id",
    "crates/monitor/src",
    "v2",
    "로",
    "ㅂㅍ",
    "ㅋㅋㅋ",
    "ㅋ",
    "🚀",
    "👨\u{200d}👩\u{200d}👧",
    "会議",
    "カイ",
    "é",
    "İstanbul",
    "한글날",
    "각하",
    "가카",
    "123",
    "12:30",
    "a",
    "aa",
    "ab",
    "b",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[ㄱ가-힣a-c_ .🚀]{1,5}",
        1 => prop::sample::select(PIECES).prop_map(decomposed),
        1 => (0_usize..2).prop_map(|long| "ab가".repeat(if long == 0 { 2 } else { 90 })),
        1 => (0_usize..4).prop_map(|more| format!("{}끝", "가나".repeat(40 + more))),
    ];
    vec((piece, prop::sample::select(vec![" ", "", "_", ", ", "\n"])), 0..7)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, gap)| piece + gap).collect())
}

fn decomposed(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfd().collect()
}

/// An event with this text.
fn entry(text: &str) -> IndexEntry {
    IndexEntry { text: text.to_owned(), rest: "a2a.send\n".to_owned(), mute: false }
}

/// The events for which it is true.
fn naive(events: &[Vec<String>], fits: impl Fn(Class, &str) -> bool) -> Vec<u32> {
    let holds = |texts: &Vec<String>| texts.iter().any(|text| tokens(text).any(|(_, class, word)| fits(class, word)));
    (0..).zip(events).filter(|(_, texts)| holds(texts)).map(|(event, _)| event).collect()
}

/// What is sure holds it, what is neither sure nor possible does not, and only long words leave a doubt.
fn check(found: &IndexMatches, naive: &[u32], doubtful: &[u32]) -> Result<(), TestCaseError> {
    let sure: Vec<u32> = found.sure.iter().collect();
    let possible = found.possible();
    prop_assert!(sure.iter().all(|event| naive.contains(event)), "sure: {:?} of {:?}", sure, naive);
    prop_assert!(naive.iter().all(|event| possible.contains(*event)), "possible: {:?} of {:?}", possible, naive);
    prop_assert!(found.maybe.iter().all(|event| doubtful.contains(&event)), "doubt: {:?}", found.maybe);
    Ok(())
}

proptest! {
    /// Every part of every word, and parts that occur nowhere.
    #[test]
    fn index_agrees_with_full_scan(
        written in vec(vec(text(), 1..3), 1..20),
        other in "[ㄱㅂㅍ가-힣a-c]{1,2}",
        cut in (0_usize..200, 0_usize..6, 1_usize..5),
    ) {
        let events: Vec<Vec<String>> = written.iter().map(|texts| texts.iter().map(|text| folded(text)).collect()).collect();
        let mut index = SearchIndex::new();
        for texts in &events {
            prop_assert!(index.add(&entry(&texts.join("\n"))));
        }
        prop_assert_eq!(index.covered() as usize, events.len());
        let doubtful = naive(&events, |_, word| word.len() > super::words::MAX_WORD_BYTES);
        let words: Vec<(Class, String)> = events.iter().flatten().flat_map(|text| tokens(text)).map(|(_, class, word)| (class, word.to_owned())).collect();
        let some = words.get(cut.0 % words.len().max(1)).map(|(class, word)| (*class, word.chars().skip(cut.1 % word.chars().count()).take(cut.2).collect::<String>()));
        for (class, part) in some.into_iter().chain([(Class::Hangul, other.clone()), (Class::Latin, other)]) {
            let expected = naive(&events, |other, word| other == class && word.contains(&part));
            check(&index.find(EventTextPart::Text, &TermPlan::Within(class, part.clone())), &expected, &doubtful)?;
            if let Some(consonants) = hangul::consonants(&hangul::initials(&part)) {
                let expected = naive(&events, |other, word| other == Class::Hangul && has_initials(word, &consonants));
                check(&index.find(EventTextPart::Text, &TermPlan::Initials(consonants)), &expected, &doubtful)?;
            }
        }
    }

    /// Words and phrases cut out of the texts: whatever holds one is found, and what is sure holds it.
    #[test]
    fn whatever_holds_a_term_is_found(written in vec(text(), 1..20), cut in (0_usize..500, 1_usize..14), quoted: bool) {
        let mut index = SearchIndex::new();
        let texts: Vec<String> = written.iter().map(|text| folded(text)).collect();
        texts.iter().for_each(|text| assert!(index.add(&entry(text))));
        let all: Vec<char> = written.join(" ").chars().collect();
        let piece: String = all.iter().skip(cut.0 % all.len().max(1)).take(cut.1).collect();
        let Some(term) = (if quoted { Term::phrase(&piece) } else { Term::word(&piece) }) else { return Ok(()) };
        let found = index.find(EventTextPart::Text, &term.plan());
        let possible = found.possible();
        for (event, text) in (0..).zip(&texts) {
            let holds = term.matches(text).is_some();
            prop_assert!(possible.contains(event) || !holds, "{:?} is lost in {:?}", term, text);
            prop_assert!(!found.sure.contains(event) || holds, "{:?} is not in {:?}", term, text);
        }
    }

    /// State of each event: no, perhaps (and then either), yes.
    #[test]
    fn sure_matches_stay_sure_when_combined(events in vec((0_u8..4, 0_u8..4), 1..100)) {
        let bound = events.len() as u32;
        let found = |which: fn(&(u8, u8)) -> u8| {
            let mut found = IndexMatches { sure: Set::none(bound), maybe: Set::none(bound) };
            for (event, state) in (0..).zip(&events) {
                match which(state) {
                    0 => {}
                    3 => found.sure.insert(event),
                    _ => found.maybe.insert(event),
                }
            }
            found
        };
        let (a, b) = (found(|both| both.0), found(|both| both.1));
        let truth = |state: u8| state >= 2;
        for (what, found, holds) in [
            ("and", a.clone().and(&b), &(|x: &(u8, u8)| truth(x.0) && truth(x.1)) as &dyn Fn(&(u8, u8)) -> bool),
            ("or", a.clone().or(&b), &|x| truth(x.0) || truth(x.1)),
            ("not", a.clone().opposite(), &|x| !truth(x.0)),
            ("and not", b.clone().and(&a.clone().opposite()), &|x| truth(x.1) && !truth(x.0)),
        ] {
            for (event, state) in (0..).zip(&events) {
                prop_assert!(!(found.sure.contains(event) && found.maybe.contains(event)), "{} is both", what);
                prop_assert!(!found.sure.contains(event) || holds(state), "{}: sure of {:?}", what, state);
                prop_assert!(found.possible().contains(event) || !holds(state), "{}: lost {:?}", what, state);
                let clear = |state: u8| matches!(state, 0 | 3);
                prop_assert!(!(clear(state.0) && clear(state.1) && found.maybe.contains(event)), "{}: doubts {:?}", what, state);
            }
        }
    }
}

/// Words too long for the dictionary use little memory, and are scanned only where the filter allows a match.
#[test]
fn long_words_use_a_small_filter() {
    let mut index = SearchIndex::new();
    let blob = |event: u32| -> String {
        (0..20_000_u32).map(|at| char::from(b'a' + ((at * 7 + event * 13 + at * at % 97) % 26) as u8)).collect()
    };
    for event in 0..200 {
        assert!(index.add(&entry(&format!("{} 로그", blob(event)))));
    }
    assert!(index.bytes() < 1_000_000, "{}", index.bytes());
    let maybe = |part: &str| index.find(EventTextPart::Text, &TermPlan::Within(Class::Latin, part.to_owned())).maybe;
    let part = &blob(3)[..4];
    let holding: Vec<u32> = (0..200).filter(|event| blob(*event).contains(part)).collect();
    assert!(!holding.is_empty() && holding.iter().all(|event| maybe(part).contains(*event)), "{part}");
    assert!(maybe("qqqq").is_empty(), "no blob holds a letter twice in a row");
    assert_eq!(index.find(EventTextPart::Text, &TermPlan::Within(Class::Hangul, "로".to_owned())).sure.len(), 200);
}
