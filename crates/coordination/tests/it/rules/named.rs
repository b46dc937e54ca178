//! Tests of the display names of agents in coding teams (`contract/event-schema-v1_1.md` §C.3, §D.1). Their ids in
//! the hub contain only ASCII characters; display names keep the characters that people chose.
//!
//! Proves (claude-code): Agents of coding teams are shown by the names that people gave them.

use coordination::api::{AgentsQuery, SearchKind, SearchQuery, SessionsQuery};
use coordination::category::CategorySource;
use coordination::hub::Hub;
use coordination::query;
use coordination::search::index::NoIndex;
use coordination::title::TitleSource;
use serde_json::json;

use super::log::START_MS;
use super::teams::team;

/// A leader in the folder `도서관` gives work to `검토자`, who begins.
fn hub() -> Hub {
    let call = json!({"description": "책 목록 검토", "prompt": "검토해 주세요", "subagent_type": "reviewer", "name": "검토자"});
    let child = "a1b2c3d4e5f6";
    let hooks = vec![
        (0, json!({"hook_event_name": "SessionStart", "source": "startup"})),
        (10, json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": call, "tool_use_id": "t1"})),
        (20, json!({"hook_event_name": "SubagentStart", "agent_id": child, "agent_type": "reviewer"})),
        (
            30,
            json!({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "a.md"},
            "tool_use_id": "t2", "agent_id": child, "agent_type": "reviewer"}),
        ),
        (
            40,
            json!({"hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_input": call, "tool_use_id": "t1",
            "tool_response": {"agentId": child}}),
        ),
    ];
    team("도서관", hooks)
}

#[test]
fn d1_display_keeps_the_original() {
    let hub = hub();
    let page = query::agents(&hub, START_MS + 100, &AgentsQuery::default());
    let names: Vec<_> = page.agents.iter().map(|card| card.agent.name.as_str()).collect();
    assert_eq!(names, ["도서관/검토자", "도서관/leader"]);
    assert!(page.agents.iter().all(|card| card.agent.id.as_str().is_ascii()), "ids are Latin: {:?}", page.agents);
}

#[test]
fn session_without_task_has_project_title() {
    let lone = team("도서관", vec![(0, json!({"hook_event_name": "SessionStart", "source": "startup"}))]);
    let card = query::sessions(&lone, START_MS + 100, &SessionsQuery::default()).unwrap().sessions.remove(0);
    assert_eq!((card.title.as_str(), card.title_source), ("도서관", TitleSource::Default));
}

#[test]
fn shown_names_are_searchable() {
    let hub = hub();
    let found = |q: &str| {
        query::search(&hub, &NoIndex, START_MS + 100, &SearchQuery { q: q.to_owned(), ..SearchQuery::default() })
            .unwrap()
    };
    for q in ["검토자", "ㄱㅌㅈ", "도서관 검토자"] {
        let page = found(q);
        let agents: Vec<_> = page.hits.iter().filter(|hit| hit.kind == SearchKind::Agents).collect();
        let title = agents.first().and_then(|hit| hit.title.as_ref()).map(|title| title.text.as_str());
        assert_eq!((agents.len(), title), (1, Some("도서관/검토자")), "{q}");
    }
    let by = |q: &str| found(q).hits.iter().filter(|hit| hit.kind == SearchKind::Events).count();
    assert!(by("from:검토자") > 0 && by("from:도서관/검토자") == by("from:검토자"));
    assert_eq!(by("from:작성자"), 0);
    let sessions = |q: &str| {
        let query = SessionsQuery { q: Some(q.to_owned()), ..SessionsQuery::default() };
        query::sessions(&hub, START_MS + 100, &query).unwrap().sessions.len()
    };
    assert_eq!((sessions("검토자"), sessions("작성자")), (1, 0));
}

#[test]
fn d2_category_comes_from_rules() {
    let category = |title: &str| {
        let created = json!({"hook_event_name": "TaskCreated", "task_id": "1", "task_subject": title});
        let lone = team("repo", vec![(0, json!({"hook_event_name": "SessionStart"})), (10, created)]);
        let card = query::sessions(&lone, START_MS + 100, &SessionsQuery::default()).unwrap().sessions.remove(0);
        (card.category.key, card.category.source)
    };
    let (docs, infra) = (category("README 문서와 API 가이드 정리"), category("nginx 서버 배포와 모니터링 알림 점검"));
    assert_eq!((docs.1, infra.1), (CategorySource::Rule, CategorySource::Rule));
    assert_ne!(docs.0, infra.0, "by what is said");
}

#[test]
fn a_tool_that_is_found_is_named() {
    let call = json!({"command": "cargo test"});
    let used = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "b1",
        "tool_input": call, "tool_response": {"stdout": "ok"}});
    let hub = team("도서관", vec![(0, json!({"hook_event_name": "SessionStart", "source": "startup"})), (10, used)]);
    let query = SearchQuery { q: "type:tool.succeeded".to_owned(), ..SearchQuery::default() };
    let page = query::search(&hub, &NoIndex, START_MS + 100, &query).unwrap();
    assert_eq!(page.hits.iter().map(|hit| hit.tool.as_deref()).collect::<Vec<_>>(), [Some("Bash")]);
}
