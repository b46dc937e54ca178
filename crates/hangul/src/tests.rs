//! Tests of Korean matching: typed queries and the texts they find.
//!
//! Proves (search): Names are found by initial consonants and half-typed syllables, with the matching positions.

use proptest::prelude::*;

use super::{find, has_lone_letter, initials};

/// The matched pieces of a text.
fn hits<'a>(query: &str, text: &'a str) -> Option<Vec<&'a str>> {
    find(query, text).map(|found| found.ranges.into_iter().map(|range| &text[range]).collect())
}

#[test]
fn initials_find_a_word_of_korean() {
    assert_eq!(hits("ㅂㅍ", "결제 게이트웨이 운영 배포"), Some(vec!["배포"]));
    assert_eq!(hits("ㄱㅈ", "결제 게이트웨이"), Some(vec!["결제"]));
    assert_eq!(hits("ㅂㅍ", "결제 게이트웨이"), None);
}

#[test]
fn every_step_of_typing_a_word_finds_it() {
    for typed in ["ㅂ", "배", "뱊", "배포"] {
        assert!(find(typed, "운영 배포").is_some(), "{typed}");
    }
    for typed in ["ㄷ", "다", "달", "닭", "닭가", "닭갈"] {
        assert!(find(typed, "닭갈비").is_some(), "{typed}");
    }
    for typed in ["ㅇ", "오", "와", "왇", "와드"] {
        assert!(find(typed, "와드").is_some(), "{typed}");
    }
    assert_eq!(hits("배ㅍ", "운영 배포"), Some(vec!["배포"]));
    assert_eq!(hits("뱊", "운영 배포"), Some(vec!["배포"]));
}

#[test]
fn only_the_last_syllable_may_be_unfinished() {
    assert_eq!(find("뱊포", "배포포"), None);
    assert_eq!(find("배프", "배포"), None);
}

#[test]
fn combined_initials_match_as_two() {
    assert_eq!(hits("ㄳ", "검색"), Some(vec!["검색"]));
    assert_eq!(hits("ㅄ", "비서"), Some(vec!["비서"]));
    assert_eq!(hits("ㄳ", "ㄳ합니다"), Some(vec!["ㄳ"]));
}

#[test]
fn spaces_and_case_count_for_nothing() {
    assert_eq!(hits("ㅇㅇㅂㅍ", "운영 배포"), Some(vec!["운영", "배포"]));
    assert_eq!(hits("운영배포", "운영 배포"), Some(vec!["운영", "배포"]));
    assert_eq!(hits("REDIS", "token bucket to Redis"), Some(vec!["Redis"]));
}

#[test]
fn every_word_must_be_there_in_any_order() {
    assert_eq!(hits("배포 운영", "운영 배포"), Some(vec!["운영", "배포"]));
    assert_eq!(find("배포 없음", "운영 배포"), None);
    assert_eq!(hits("  ", "운영"), Some(Vec::new()));
}

#[test]
fn the_other_keyboard_layout_is_understood() {
    assert_eq!(hits("qovh", "운영 배포"), Some(vec!["배포"]));
    assert_eq!(hits("ㅗㅐㅡㄷ", "Go home"), Some(vec!["home"]));
    assert_eq!(hits("ㄱ디ㅐ모", "Reload the page"), None);
    assert_eq!(find("q", "배포"), None, "one letter is no mistake");
}

#[test]
fn prefix_match_ranks_above_inner_match() {
    let rank = |query, text| find(query, text).map(|found| found.rank).expect("found");
    assert!(rank("배", "배포") < rank("배", "운영 배포"));
    assert!(rank("배", "운영 배포") < rank("배", "분배"));
    assert!(rank("배포", "운영 배포") < rank("ㅂㅍ", "운영 배포"));
    assert!(rank("ㅂㅍ", "분배포") < rank("qovh", "배포"));
    assert_eq!(hits("배포", "재배포와 배포"), Some(vec!["배포"]), "the better place, although it is later");
    assert_eq!(find("배포", "재배포와 배포").map(|found| found.ranges[0].start), Some("재배포와 ".len()));
}

#[test]
fn lone_letter_is_detected() {
    assert!(has_lone_letter("배ㅍ") && has_lone_letter("ㅏ") && has_lone_letter("ㄳ"));
    assert!(!has_lone_letter("뱊 v2") && !has_lone_letter(""));
}

/// Texts of the kinds that meet here: Korean, Latin, emoji, letters alone, odd spaces, combining marks.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[가-힣a-zA-Z0-9 ]{0,24}",
        1 => "[ㄱ-ㅣ가-힣 \u{3000}\t]{0,16}",
        1 => "\\PC{0,24}",
        1 => proptest::collection::vec(any::<char>(), 0..16).prop_map(String::from_iter),
    ]
}

proptest! {
    #[test]
    fn ranges_are_pieces_of_the_text_in_order(query in texts(), text in texts()) {
        if let Some(found) = find(&query, &text) {
            let mut end = None;
            for range in found.ranges {
                prop_assert!(range.start < range.end && text.get(range.clone()).is_some());
                prop_assert!(end.is_none_or(|end| end < range.start), "ranges that touch are one");
                end = Some(range.end);
            }
        }
    }

    #[test]
    fn text_is_found_by_itself_and_initials(text in texts()) {
        let short: String = text.chars().take(100).collect();
        prop_assert!(find(&short, &text).is_some());
        prop_assert!(find(&initials(&short), &text).is_some());
    }

    #[test]
    fn every_beginning_of_a_text_finds_it(text in "[가-힣]{1,6}", cut in 1..6_usize) {
        let typed: String = text.chars().take(cut).collect();
        let found = find(&typed, &text).expect("found");
        prop_assert_eq!(found.ranges, vec![0..typed.len()]);
    }
}

#[test]
fn syllables_of_a_consonant_are_its_range() {
    for consonant in 'ㄱ'..='ㅣ' {
        let known: Vec<char> = ('가'..='힣').filter(|c| crate::lead(*c) == Some(consonant)).collect();
        let range: Vec<char> = crate::syllables_with(consonant).into_iter().flatten().collect();
        assert_eq!(range, known, "{consonant}");
    }
}
