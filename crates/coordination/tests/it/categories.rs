//! Tests of categories: the filter by secondary category, the sub-tags of the demo home (fixture `everything`), and the
//! classification of sessions that consist of tasks alone.
//!
//! Proves (categories): Secondary categories filter sessions, and sessions of tasks alone are classified.

use std::collections::BTreeSet;

use coordination::api::{SearchQuery, SessionCard, SessionsQuery};
use coordination::category::{Category, CategorySource};
use coordination::classify::Classifier;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::ids::AgentId;
use coordination::query;
use coordination::search::index::NoIndex;
use coordination::workspace::{AgentWorkspace, Task, Workspace};

use crate::search_oracle::story;

const START_MS: i64 = 1_771_500_000_000;
const NOW: i64 = 1_771_651_020_000;

/// The texts of the demo home (`task-monitor rehearse --demo`).
fn demo() -> Hub {
    story("everything")
}

fn cards(hub: &Hub, query: &SessionsQuery) -> Vec<SessionCard> {
    let mut page_query = SessionsQuery { limit: Some(200), ..query.clone() };
    let mut all = Vec::new();
    loop {
        let page = query::sessions(hub, NOW, &page_query).unwrap();
        all.extend(page.sessions);
        match page.next {
            Some(next) => page_query.after = Some(next),
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
    let missing: Vec<_> = judged.difference(&found).collect();
    assert!(new.is_empty() && missing.is_empty(), "to be judged: {new:?}\nno tag any more: {missing:?}");
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
        let listed = |include_secondary| {
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
        assert_eq!(listed(false), expected(false));
        assert_eq!(listed(true), expected(true));
        added += listed(true).len() - listed(false).len();
        // The search operator means the same.
        let found = |operator: &str| {
            let q = format!("in:sessions {operator}:{}", category.as_str());
            query::search(&hub, &NoIndex, NOW, &SearchQuery { q, ..SearchQuery::default() }).unwrap().total as usize
        };
        assert_eq!((found("category"), found("categories")), (listed(false).len(), listed(true).len()), "{category:?}");
    }
    assert!(added > 0, "the demo home has sessions with secondary categories");
}

/// A backlog entry, and the task whose file names it.
fn of_tasks(titles: &[&str], first_workspace: bool) -> Hub {
    let lines: String = (0..titles.len())
        .map(|n| {
            format!(
                "{{\"type\":\"task.backlog_added\",\"agentId\":\"ruda\",\"ts\":{},\"data\":{{\"taskId\":\"task_{n}\",\"assignee\":\"nuri\",\"isCrossAgent\":true,\"workSessionId\":\"ws_{n}\"}}}}\n",
                START_MS + n as i64
            )
        })
        .collect();
    let task = |(n, title): (usize, &&str)| Task {
        id: format!("task_{n}").as_str().into(),
        description: (*title).to_owned(),
        ..Task::default()
    };
    let tasks = titles.iter().enumerate().map(task).collect();
    let folder = AgentWorkspace { agent_id: AgentId::from("nuri"), tasks, ..AgentWorkspace::default() };
    let mut hub = Hub::new();
    let workspace = Workspace { agents: vec![folder] };
    if first_workspace {
        hub.set_workspace(workspace.clone());
    }
    hub.apply(parse_lines(lines.as_bytes(), "f", 0).0);
    if !first_workspace {
        hub.set_workspace(workspace);
    }
    hub
}

/// As in the demo home.
const TITLES: [&str; 5] = [
    "이용약관 7조·12조 문안 교체",
    "일본어 환불 매크로 감수 받기",
    "초성 검색 재색인 스크립트 운영 반영",
    "상품 목록 빈 화면 삽화 3종",
    "베트남어 도움말 검수",
];

#[test]
fn sessions_of_tasks_alone_follow_task_titles() {
    for first_workspace in [true, false] {
        let mut hub = of_tasks(&TITLES, first_workspace);
        for (n, title) in TITLES.iter().enumerate() {
            let card = query::session_card(&hub, NOW, &format!("ws_{n}").as_str().into()).unwrap();
            let source_and_key = (card.category.source, card.category.key);
            assert_eq!(source_and_key.0, CategorySource::Rule, "{title}: {source_and_key:?}");
            let listed = cards(&hub, &SessionsQuery { category: Some(source_and_key.1), ..SessionsQuery::default() });
            assert!(listed.iter().any(|other| other.work_session_id == card.work_session_id), "lists agree");
        }
        let legal = query::session_card(&hub, NOW, &"ws_0".into()).unwrap();
        assert_eq!(legal.category.key, Category::LegalCompliance);
        let script = query::session_card(&hub, NOW, &"ws_2".into()).unwrap();
        assert_eq!(script.category.key, Category::EngineeringBuild);
        assert_eq!(legal.sub_tags.first().map(String::as_str), Some("이용약관"));
        // A message decides, whatever the task is called.
        let says = r#"{"type":"a2a.send","agentId":"eden","ts":1771500009000,"data":{"fromAgent":"eden","toAgent":"seum","workSessionId":"ws_0","conversationId":"c","message":"쿠버네티스 파드 재시작하고 롤백해 주세요"}}"#;
        hub.apply(parse_lines(format!("{says}\n").as_bytes(), "g", 0).0);
        let with_message = query::session_card(&hub, NOW, &"ws_0".into()).unwrap();
        assert_eq!(with_message.category.key, Category::InfraOps);
        // Without their tasks nothing is known of the others.
        hub.set_workspace(Workspace::default());
        let without_task = query::session_card(&hub, NOW, &"ws_1".into()).unwrap();
        assert_eq!(
            (without_task.category.source, without_task.category.key),
            (CategorySource::Fallback, Category::PlanningDecision)
        );
    }
}

/// `v1` is the original 1.x monitor's: it reads events and nothing else.
#[test]
fn v1_ignores_task_titles() {
    let mut hub = of_tasks(&TITLES, true);
    hub.set_classifier(Classifier::V1);
    for n in 0..TITLES.len() {
        let card = query::session_card(&hub, NOW, &format!("ws_{n}").as_str().into()).unwrap();
        assert_eq!((card.category.source, card.category.key), (CategorySource::Fallback, Category::PlanningDecision));
    }
}
