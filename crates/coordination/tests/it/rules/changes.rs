//! Tests of the list of category changes over all sessions: filters, pages, session titles and names of people.
//!
//! Proves (categories): Each filter narrows the list of category changes, and its pages join to the whole list.

use coordination::api::{CategoryChange, ChangesPage, ChangesQuery, ExpectedOverride};
use coordination::category::Category;
use coordination::query::{self, ChangeRecord};
use proptest::prelude::*;

use super::log::{START_MS, hub, send};

fn change(number: usize, session: &str, from: Option<&str>, to: Option<&str>, by: Option<&str>) -> CategoryChange {
    CategoryChange {
        at: coordination::time::to_iso(START_MS + number as i64 * 1_000),
        work_session_id: session.into(),
        from: from.map(str::to_owned),
        to: to.map(str::to_owned),
        by: by.map(str::to_owned),
        reason: None,
        request_id: format!("r{number}"),
        undo_of: None,
        found: false,
    }
}

/// Five changes; the log holds one of the three sessions.
fn record() -> ChangeRecord {
    let changes = vec![
        change(0, "conv:c", None, Some("infra_ops"), Some("온새")),
        change(1, "ws_gone", None, Some("qa_validation"), Some("Ops")),
        change(2, "conv:c", Some("infra_ops"), Some("docs_knowledge"), Some("ops")),
        change(3, "ws_gone", Some("qa_validation"), None, None),
        change(4, "ws_odd", None, Some("galactic"), Some("온새")),
    ];
    ChangeRecord { changes, bad_lines: 2 }
}

fn changes_page(query: &ChangesQuery) -> ChangesPage {
    let hub = hub(&[send(0, r#""message":"[Goal] 결제 점검""#)]);
    query::changes(&hub, START_MS + 9_000, &record(), query).unwrap()
}

fn numbers(query: &ChangesQuery) -> Vec<u32> {
    changes_page(query).changes.iter().map(|row| row.number).collect()
}

#[test]
fn newest_change_first_including_unknown_sessions() {
    let page = changes_page(&ChangesQuery::default());
    assert_eq!(page.changes.iter().map(|row| row.number).collect::<Vec<_>>(), [4, 3, 2, 1, 0]);
    assert_eq!((page.total, page.bad_lines, page.next), (5, 2, None));
    let known: Vec<bool> = page.changes.iter().map(|row| row.session.known).collect();
    assert_eq!(known, [false, false, true, false, true]);
    assert_eq!(page.changes[2].session.title, "결제 점검");
    assert_eq!(page.people, [("온새".to_owned(), 2), ("Ops".to_owned(), 1), ("ops".to_owned(), 1)]);
}

#[test]
fn each_filter_narrows_facets_ignore_own_filter() {
    let found = |query: ChangesQuery| numbers(&query);
    let any = ChangesQuery::default;
    assert_eq!(found(ChangesQuery { who: Some("OPS".to_owned()), ..any() }), [2, 1], "whatever the case");
    assert_eq!(found(ChangesQuery { session: Some("결제".to_owned()), ..any() }), [2, 0], "by title");
    assert_eq!(found(ChangesQuery { session: Some("GONE".to_owned()), ..any() }), [3, 1], "by id");
    assert_eq!(found(ChangesQuery { from: Some(ExpectedOverride(None)), ..any() }), [4, 1, 0], "what was automatic");
    assert_eq!(found(ChangesQuery { to: Some(ExpectedOverride(None)), ..any() }), [3], "what became so");
    assert_eq!(found(ChangesQuery { from: Some(ExpectedOverride(Some(Category::InfraOps))), ..any() }), [2]);
    assert_eq!(
        found(ChangesQuery { since: Some(START_MS + 2_000), until: Some(START_MS + 3_000), ..any() }),
        [3, 2],
        "both ends count"
    );
    let page = changes_page(&ChangesQuery {
        who: Some("온새".to_owned()),
        to: Some(ExpectedOverride(Some(Category::InfraOps))),
        ..any()
    });
    assert_eq!(page.total, 1);
    assert_eq!(page.people, [("온새".to_owned(), 1)], "the other filters count, the name does not");
}

#[test]
fn invalid_cursor_or_limit_is_refused() {
    let hub = hub(&[]);
    for query in [
        ChangesQuery { cursor: Some("x".to_owned()), ..ChangesQuery::default() },
        ChangesQuery { limit: Some(0), ..ChangesQuery::default() },
        ChangesQuery { limit: Some(501), ..ChangesQuery::default() },
    ] {
        assert!(query::changes(&hub, START_MS, &record(), &query).is_err(), "{query:?}");
    }
}

fn sides() -> impl Strategy<Value = Option<ExpectedOverride>> {
    prop::option::of(prop::sample::select(vec![
        ExpectedOverride(None),
        ExpectedOverride(Some(Category::InfraOps)),
        ExpectedOverride(Some(Category::DocsKnowledge)),
    ]))
}

proptest! {
    #[test]
    fn joined_pages_equal_the_list(limit in 1_u32..4, from in sides(), to in sides()) {
        let query = ChangesQuery { from, to, ..ChangesQuery::default() };
        let whole = numbers(&query);
        let (mut cursor, mut got) = (None, Vec::new());
        loop {
            let page = changes_page(&ChangesQuery { limit: Some(limit), cursor, ..query.clone() });
            prop_assert_eq!(page.total as usize, whole.len());
            prop_assert!(page.changes.len() <= limit as usize);
            got.extend(page.changes.iter().map(|row| row.number));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        prop_assert_eq!(got, whole);
    }

    #[test]
    fn page_query_round_trips_through_parser(from in sides(), to in sides(), who in "[가-힣a-z ]{0,6}", since in prop::option::of(0_i64..9_000_000)) {
        use coordination::query::params::{FromPairs as _, ToPairs};
        let who = Some(who.trim().to_owned()).filter(|name| !name.is_empty());
        let query = ChangesQuery { who, from, to, since, until: since, limit: Some(7), cursor: Some("12".to_owned()), session: None };
        prop_assert_eq!(ChangesQuery::from_pairs(&query.to_pairs()).unwrap(), query);
    }
}
