//! Secondary categories as a filter, and sub-tags of the demo home.

use std::collections::BTreeSet;
use std::path::Path;

use coordination::api::{SearchQuery, SessionCard, SessionsQuery};
use coordination::category::Category;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use coordination::search::index::NoIndex;

const NOW: i64 = 1_771_651_020_000;

/// The texts of the demo home (`task-monitor rehearse --demo`).
fn demo() -> Hub {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/everything");
    let mut hub = Hub::new();
    let config = std::fs::read_to_string(home.join("openclaw.json")).expect("a configuration");
    hub.set_roster(Roster::parse(&config, &mut |_| Err(String::new())).unwrap_or_default());
    let mut files: Vec<_> = std::fs::read_dir(home.join("logs")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for (number, file) in files.iter().enumerate() {
        hub.apply(parse_lines(&std::fs::read(file).unwrap(), &format!("f{number}"), 0).0);
    }
    hub
}

fn cards(hub: &Hub, query: &SessionsQuery) -> Vec<SessionCard> {
    let mut asked = SessionsQuery { limit: Some(200), ..query.clone() };
    let mut all = Vec::new();
    loop {
        let page = query::sessions(hub, NOW, &asked).unwrap();
        all.extend(page.sessions);
        match page.next {
            Some(next) => asked.after = Some(next),
            None => return all,
        }
    }
}

/// Every sub-tag of the demo home, as a person read and judged them. A new one is to be judged before it comes in here.
#[test]
fn demo_tags_are_the_judged_ones() {
    let judged: BTreeSet<&str> = include_str!("demo_tags.txt").split_whitespace().collect();
    let cards = cards(&demo(), &SessionsQuery::default());
    let found: BTreeSet<&str> = cards.iter().flat_map(|card| &card.sub_tags).map(String::as_str).collect();
    let new: Vec<_> = found.difference(&judged).collect();
    let gone: Vec<_> = judged.difference(&found).collect();
    assert!(new.is_empty() && gone.is_empty(), "to be judged: {new:?}\nno tag any more: {gone:?}");
    for noise in
        ["thanked", "weeks", "wrote", "else", "both", "really", "time", "시로", "때문인", "나눠", "골라야", "tuesday"]
    {
        assert!(!found.contains(noise), "{noise}");
    }
    let tagged = cards.iter().filter(|card| !card.sub_tags.is_empty()).count();
    assert!(tagged * 100 >= cards.len() * 75, "{tagged} of {} sessions have a sub-tag", cards.len());
}

#[test]
fn secondary_filter_adds_sessions_and_counts() {
    let hub = demo();
    let all = cards(&hub, &SessionsQuery::default());
    let mut added = 0;
    for category in Category::ALL {
        let of = |include_secondary| {
            let query = SessionsQuery { category: Some(category), include_secondary, ..SessionsQuery::default() };
            let ids: BTreeSet<String> =
                cards(&hub, &query).into_iter().map(|card| card.work_session_id.to_string()).collect();
            let counts = query::sessions(&hub, NOW, &query).unwrap().category_counts;
            let count = counts.into_iter().find(|(key, _)| *key == category).unwrap().1;
            assert_eq!(count as usize, ids.len(), "{category:?}: what is counted is what is listed");
            ids
        };
        let expected = |secondary: bool| {
            let fits = |card: &&SessionCard| {
                card.category.key == category || (secondary && card.category.secondary.contains(&category))
            };
            all.iter().filter(fits).map(|card| card.work_session_id.to_string()).collect::<BTreeSet<_>>()
        };
        assert_eq!(of(false), expected(false));
        assert_eq!(of(true), expected(true));
        added += of(true).len() - of(false).len();
        // The search operator means the same.
        let found = |operator: &str| {
            let q = format!("in:sessions {operator}:{}", category.as_str());
            query::search(&hub, &NoIndex, NOW, &SearchQuery { q, ..SearchQuery::default() }).unwrap().total as usize
        };
        assert_eq!((found("category"), found("categories")), (of(false).len(), of(true).len()), "{category:?}");
    }
    assert!(added > 0, "the demo home has sessions with secondary categories");
}
