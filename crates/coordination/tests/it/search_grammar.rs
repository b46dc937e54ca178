//! Tests of the query language: every operator, every syntax error with its position. A query that is written and
//! parsed again is unchanged.
//!
//! Proves (search): Every operator, negation and fault of a query is parsed, each fault with its position. Random
//! queries are written and parsed back unchanged.
//! Long form: `make soak ARGS=fuzz`.

use coordination::api::{SearchFault, SearchKind};
use coordination::category::Category;
use coordination::query::QueryError;
use coordination::role::Role;
use coordination::search::{Clause, IsValue, Operator, Sense, When, parse, to_text, utf16};
use proptest::prelude::*;

fn clauses(text: &str) -> Vec<Clause> {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn one(text: &str) -> Clause {
    let mut all = clauses(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

fn fault(text: &str) -> (SearchFault, String, QueryError) {
    let error = parse(text).expect_err(text);
    let [from, to] = error.range.expect("a place");
    let units: Vec<u16> = text.encode_utf16().skip(from as usize).take((to - from) as usize).collect();
    (error.fault.expect("a fault"), String::from_utf16(&units).expect("on boundaries"), error)
}

#[test]
fn words_and_phrases_with_their_opposites() {
    let all = clauses("배포를 \"정확한 문구\" -롤백 -\"안 됨\" ->");
    let parsed: Vec<_> = all.iter().map(|clause| (clause.value.as_str(), clause.not, clause.operator())).collect();
    assert_eq!(
        parsed,
        [
            ("배포를", false, None),
            ("정확한 문구", false, None),
            ("롤백", true, None),
            ("안 됨", true, None),
            ("->", false, None),
        ]
    );
    assert!(matches!(all[0].sense, Sense::Word(_)) && matches!(all[3].sense, Sense::Phrase(_)));
    assert_eq!(utf16("배포를 \"정확한 문구\" -롤백", &all[2].range), [13, 16]);
}

#[test]
fn each_operator_in_both_languages() {
    let name = |operator, value: &str| Sense::Name(operator, value.to_owned());
    for (text, sense) in [
        ("from:Eden", name(Operator::From, "eden")),
        ("보낸이:이든", name(Operator::From, "이든")),
        ("to:\"세움 님\"", name(Operator::To, "세움 님")),
        ("받는이:세움", name(Operator::To, "세움")),
        ("에이전트:eden", name(Operator::Agent, "eden")),
        ("type:a2a.send", name(Operator::Type, "a2a.send")),
        ("tag:API", name(Operator::Tag, "api")),
        ("session:ws_Abc", name(Operator::Session, "ws_Abc")),
        ("task:T-12", name(Operator::Task, "T-12")),
        ("role:conversation.main", Sense::Role(Role::ConversationMain)),
        ("역할:위임", Sense::Role(Role::DelegationSubagent)),
        ("is:blocked", Sense::Is(IsValue::Blocked)),
        ("IS:Unanswered", Sense::Is(IsValue::Unanswered)),
        ("상태:진행중", Sense::Is(IsValue::Active)),
        ("is:\"진행 중\"", Sense::Is(IsValue::Active)),
        ("category:infra_ops", Sense::Category(Operator::Category, Category::InfraOps)),
        ("categories:infra_ops", Sense::Category(Operator::Categories, Category::InfraOps)),
        ("모든분류:인프라", Sense::Category(Operator::Categories, Category::InfraOps)),
        ("category:infra-ops", Sense::Category(Operator::Category, Category::InfraOps)),
        ("분류:인프라/운영", Sense::Category(Operator::Category, Category::InfraOps)),
        ("분류:인프라", Sense::Category(Operator::Category, Category::InfraOps)),
        ("before:2026-11-22", Sense::When(Operator::Before, When::Local(1_795_305_600_000))),
        ("이후:7d", Sense::When(Operator::After, When::Ago(604_800_000))),
        ("after:어제", Sense::When(Operator::After, When::DaysAgo(1))),
        ("in:messages", Sense::In(SearchKind::Messages)),
        ("범위:메시지", Sense::In(SearchKind::Messages)),
    ] {
        assert_eq!(one(text).sense, sense, "{text}");
        let not = one(&format!("-{text}"));
        assert!(not.not && not.sense == sense, "-{text}");
    }
}

#[test]
fn operator_lookalike_is_text() {
    for text in ["http://127.0.0.1:3847/hub", "12:30", "foo:bar", "std::vec", "task::new", "in://x", "a:", "메모:회의"]
    {
        assert!(matches!(one(text).sense, Sense::Word(_)), "{text}");
    }
}

#[test]
fn fault_has_position_and_expected_values() {
    for (text, kind, place) in [
        ("  ", SearchFault::Blank, "  "),
        ("배포 fron:eden", SearchFault::UnknownOperator, "fron:eden"),
        ("🚀 is:broken x", SearchFault::BadValue, "is:broken"),
        ("category:요리", SearchFault::BadValue, "category:요리"),
        ("after:내일", SearchFault::BadValue, "after:내일"),
        ("배포 from:", SearchFault::Empty, "from:"),
        ("from: 이든", SearchFault::Empty, "from:"),
        ("배포 \"열린 문구", SearchFault::OpenQuote, "\"열린 문구"),
        ("from:\"열린", SearchFault::OpenQuote, "\"열린"),
        ("배포 \"\" 끝", SearchFault::Empty, "\"\""),
        ("배포 - 롤백", SearchFault::LoneMinus, "-"),
    ] {
        let (found, at, error) = fault(text);
        assert_eq!((found, at.as_str(), error.field.as_str()), (kind, place, "q"), "{text}");
    }
    assert!(fault("is:broken").2.allowed.iter().any(|name| name == "blocked"));
    assert_eq!(fault("fron:eden").2.allowed.first().map(String::as_str), Some("from"));
    let many = vec!["가"; 33].join(" ");
    assert_eq!((fault(&many).0, fault(&many).1.as_str()), (SearchFault::TooMany, "가"));
    assert_eq!(fault(&"나".repeat(401)).1, "나");
}

const QUERY: &str = "(([a-zA-Z가-힣ㄱ-ㅎ0-9_.:/🚀é-]{1,5}|\"|\\\\|[-] |“x y”|\"배포를 시작\"|from:|보낸이:이든|is:blocked|category:인프라|before:2026-11|-|task:\"a \\\\\"b\"|in:tasks|after:7d)[ ]{0,2}){0,8}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn query_round_trips_or_fault_has_position(text in QUERY) {
        match parse(&text) {
            Ok(first) => {
                prop_assert!(first.iter().all(|clause| text.get(clause.range.clone()).is_some()));
                prop_assert!(first.windows(2).all(|two| two[0].range.end <= two[1].range.start));
                let written = to_text(&first);
                let reparsed = parse(&written);
                prop_assert!(reparsed.is_ok(), "{written}");
                let plain = |all: &[Clause]| all.iter().map(|it| (it.not, it.sense.clone(), it.value.clone())).collect::<Vec<_>>();
                prop_assert_eq!(plain(&first), plain(&reparsed.unwrap_or_default()), "{}", written);
            }
            Err(error) => {
                let [from, to] = error.range.unwrap_or([1, 0]);
                prop_assert!(from <= to && to as usize <= text.encode_utf16().count());
            }
        }
    }
}
