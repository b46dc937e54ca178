//! Tests of word and phrase matches: Korean particles, initial consonants and Unicode forms, spellings of identifiers,
//! exact phrases, symbols.
//!
//! Proves (search): A search word finds every spelling that the tests list: Korean with and without particles, initial
//! consonants, composed and decomposed Hangul, and identifiers however their parts are joined.

use coordination::search::{Term, TermPlan, fold, has_initials, tokens};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

/// What a word finds in a text, as written.
fn word<'a>(word: &str, text: &'a str) -> Option<&'a str> {
    found(&Term::word(word)?, text)
}

fn phrase<'a>(phrase: &str, text: &'a str) -> Option<&'a str> {
    found(&Term::phrase(phrase)?, text)
}

fn found<'a>(term: &Term, text: &'a str) -> Option<&'a str> {
    let folded = fold(text);
    let range = folded.written(&term.matches(&folded.text)?);
    text.get(range)
}

#[test]
fn korean_matches_single_syllables_inside_words() {
    assert_eq!(word("배", "내일 배포합니다"), Some("배"));
    assert_eq!(word("포", "내일 배포합니다"), Some("포"));
    assert_eq!(word("배포", "재배포했습니다"), Some("배포"));
    assert_eq!(word("포합", "내일 배포합니다"), Some("포합"));
    assert_eq!(word("배포", "배 포"), None);
}

#[test]
fn query_particles_are_ignored() {
    assert_eq!(word("배포를", "배포 완료"), Some("배포"));
    assert_eq!(word("배포", "배포를 시작"), Some("배포"));
    assert_eq!(word("배포를", "배포는 내일"), Some("배포"));
    assert_eq!(word("회의", "회의실"), Some("회의"));
    assert_eq!(word("회의", "회사"), None);
    assert_eq!(word("nginx를", "nginx 재시작"), Some("nginx"));
    assert_eq!(word("nginx", "NGINX를 재시작"), Some("NGINX"));
    assert_eq!(word("v2로", "API v2 전환"), Some("v2"));
    assert!(Term::word("배포를").is_some_and(|term| term.understood() == "배포" && term.contains_whole("배포를")));
}

#[test]
fn consonants_find_the_syllables_that_begin_with_them() {
    assert_eq!(word("ㅂㅍ", "내일 배포합니다"), Some("배포"));
    assert_eq!(word("ㅂㅍㅎ", "내일 배포합니다"), Some("배포합"));
    assert_eq!(word("ㄳ", "결과와 감사"), Some("감사"));
    assert_eq!(word("ㅋㅋ", "네 ㅋㅋㅋ"), Some("ㅋㅋ"));
    assert_eq!(word("ㅂㅍ", "배 포"), None, "within one word");
    assert_eq!(word("ㅋ", "카드 ㅋ"), Some("ㅋ"), "one alone is the letter");
}

#[test]
fn hangul_encodings_match_each_other() {
    let decomposed: String = "내일 배포합니다".nfd().collect();
    let piece: String = "배포".nfd().collect();
    assert_eq!(word("배포", &decomposed), Some(piece.as_str()));
    assert_eq!(word(&piece, "내일 배포합니다"), Some("배포"));
    assert_eq!(word("ㅂㅍ", &decomposed), Some(piece.as_str()));
    let with_particle: String = "배포를".nfd().collect();
    assert_eq!(word(&with_particle, "배포 완료"), Some("배포"));
}

#[test]
fn identifiers_are_found_however_their_parts_are_joined() {
    for looked_for in ["workSessionId", "work_session_id", "work-session-id", "WorkSessionID", "worksessionid"] {
        let texts = ["workSessionId", "WORK_SESSION_ID", "work-session-id", "work session id"];
        let parted = looked_for != "worksessionid";
        for text in texts.iter().filter(|text| parted || !text.contains(['_', '-', ' '])) {
            assert_eq!(word(looked_for, text), Some(*text), "{looked_for} in {text}");
        }
    }
    assert_eq!(word("session", "workSessionId"), Some("Session"));
    assert_eq!(word("crates/monitor/src", "in crates/monitor/src/main.rs"), Some("crates/monitor/src"));
    assert_eq!(word("monitor/src", "crates\\monitor\\src"), Some("monitor\\src"));
    assert_eq!(word("std::vec", "use std::vec;"), Some("std::vec"));
    assert_eq!(word("HTTPServer", "http_server"), Some("http_server"));
    assert_eq!(word("deploy완료", "deploy 완료"), Some("deploy 완료"));
    assert_eq!(word("work_session", "work  session"), None, "one separator");
    assert_eq!(word("1.5", "15 kg"), None, "two numbers are not one");
    assert_eq!(word("1.5", "1.5 kg"), Some("1.5"));
    assert_eq!(word("c++", "cpp, c, C++"), Some("C++"));
    assert_eq!(word("#123", "123 #123"), Some("#123"));
    assert_eq!(word("aa_b", "aaa b"), Some("aa b"), "the first part overlaps itself");
}

#[test]
fn phrase_matches_ignoring_white_space() {
    assert_eq!(phrase("배포를 시작", "내일 배포를\n  시작합니다"), Some("배포를\n  시작"));
    assert_eq!(phrase("배포를", "배포 완료"), None, "nothing is passed over");
    assert_eq!(phrase("work_session", "workSession"), None);
    assert_eq!(phrase("ㅂㅍ", "배포"), None);
    assert_eq!(phrase("Rolling  Update", "a rolling update"), Some("rolling update"));
}

#[test]
fn emoji_and_symbols_are_found_as_themselves() {
    assert_eq!(word("🚀", "배포 🚀🚀"), Some("🚀"));
    assert_eq!(word("⚠", "주의 ⚠\u{fe0f}!"), Some("⚠\u{fe0f}"));
    assert_eq!(word("→", "이든→세움"), Some("→"));
    assert_eq!(word("->", "a->b"), Some("->"));
    assert_eq!(word("👨\u{200d}👩\u{200d}👧", "가족 👨\u{200d}👩\u{200d}👧"), Some("👨\u{200d}👩\u{200d}👧"));
}

/// What an index that knows only tokens would say; nothing where the term itself must look.
fn by_tokens(plan: &TermPlan, folded: &str) -> bool {
    match plan {
        TermPlan::Within(wanted, part) => {
            tokens(folded).any(|(_, class, token)| class == *wanted && token.contains(part))
        }
        TermPlan::Initials(letters) => tokens(folded).any(|(_, _, token)| has_initials(token, letters)),
        TermPlan::All(plans) => plans.iter().all(|plan| by_tokens(plan, folded)),
    }
}

const TEXT: &str = "([가-힣ㄱ-ㅎ]{1,4}|[a-cA-C]{1,3}|[0-3]{1,2}|배포를?|ㅂㅍ|workSession|[ _/.:-]|🚀|👨\u{200d}👩|会議|é|e\u{301}|\n){0,12}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn token_index_matches_term(text in TEXT, query in TEXT, from in 0_usize..20, length in 1_usize..6) {
        let cut: String = text.chars().skip(from).take(length).collect();
        let folded = fold(&text);
        for looked_for in [query, cut] {
            for term in [Term::word(&looked_for), Term::phrase(&looked_for)].into_iter().flatten() {
                let (plan, matches) = (term.plan(), term.matches(&folded.text).is_some());
                match plan {
                    TermPlan::All(_) => prop_assert!(!matches || by_tokens(&plan, &folded.text), "{looked_for:?}"),
                    _ => prop_assert_eq!(by_tokens(&plan, &folded.text), matches, "{:?}", looked_for),
                }
            }
        }
    }

    #[test]
    fn substring_is_found(text in TEXT, from in 0_usize..20, length in 1_usize..6) {
        let cut: String = text.chars().skip(from).take(length).collect();
        // A cut may leave a mark without its letter.
        prop_assume!(!cut.starts_with('\u{301}') && text.chars().nth(from + length) != Some('\u{301}'));
        for term in [Term::word(&cut), Term::phrase(&cut)].into_iter().flatten() {
            let folded = fold(&text);
            let places: Vec<_> = term.places(&folded.text).map(|place| folded.written(&place)).collect();
            prop_assert!(!places.is_empty(), "{cut:?}");
            prop_assert!(places.windows(2).all(|two| two[0].end <= two[1].start));
            prop_assert!(places.iter().all(|place| text.get(place.clone()).is_some()));
        }
    }
}
