//! Tests of delegated runs. Log events of a run are never messages (`contract/events.md` §5.2, §8).
//!
//! Proves (work): Delegated runs follow the contract and are never messages.

use coordination::api::{AgentPair, DelegationState, DelegationsQuery, STALE_AFTER_MS};
use coordination::query;

use super::log::{START_MS, hub, line, runs, talk};

const KEY: &str = r#""targetSessionKey":"agent:helper:subagent:8d1f""#;

fn spawn(after: i64, more: &str) -> String {
    talk("a2a.spawn", "eden", "helper", after, &format!(r#"{KEY},"message":"README 고쳐줘"{more}"#))
}

fn accepted(after: i64) -> String {
    talk("a2a.spawn_result", "eden", "helper", after, &format!(r#"{KEY},"runId":"r","status":"accepted""#))
}

fn result(after: i64, text: &str) -> String {
    let data = format!(r#""runId":"r","turn":1,"maxTurns":1,"replyPreview":"{text}""#);
    talk("a2a.response", "helper", "eden", after, &data)
}

#[test]
fn result_text_has_state_and_no_bubble() {
    for (text, state) in [
        ("고쳤습니다", DelegationState::Succeeded),
        ("[completed successfully]", DelegationState::Succeeded),
        ("[timed out]", DelegationState::TimedOut),
        ("[failed: no space left]", DelegationState::Failed),
        ("[finished with unknown status]", DelegationState::Finished),
    ] {
        let lines = [spawn(0, ""), accepted(9), result(20, text)];
        let tree = runs(&lines);
        assert_eq!(tree.rows.len(), 1, "{text}");
        assert_eq!(tree.rows[0].state, state, "{text}");
        let result_text = tree.rows[0].result.as_deref();
        assert_eq!(result_text, (!text.starts_with('[')).then_some(text), "only the child's own words are a result");
        let error = (state == DelegationState::Failed).then_some("no space left");
        assert_eq!(tree.rows[0].error.as_deref(), error, "{text}");
        let detail = query::session(&hub(&lines), START_MS, &"conv:c".into()).unwrap();
        assert!(detail.threads.is_empty(), "{text}");
        assert_eq!(detail.session.message_count, 0, "{text}");
    }
}

#[test]
fn send_next_to_spawn_belongs_to_run() {
    let forth = r#""fromAgent":"eden","toAgent":"seum","conversationId":"c""#;
    let spawn = |more: &str| line("a2a.spawn", "eden", START_MS, &format!(r#"{forth},"message":"해줘"{more}"#));
    let twin =
        |after, more: &str| line("a2a.send", "eden", START_MS + after, &format!(r#"{forth},"message":"해줘"{more}"#));
    let key = r#","targetSessionKey":"agent:seum:subagent:8d1f""#;
    // E4 says depth and key; E3 only the key, or nothing but the moment.
    for (what, lines) in [
        ("E4", [spawn(&format!(r#"{key},"depth":0,"hop":0"#)), twin(40, &format!(r#"{key},"depth":0,"hop":0"#))]),
        ("E3 with key", [spawn(key), twin(40, key)]),
        ("E3 bare", [spawn(""), twin(5, "")]),
    ] {
        let tree = runs(&lines);
        assert_eq!((tree.rows.len(), tree.rows[0].events), (1, 2), "{what}");
        assert!(query::session(&hub(&lines), START_MS, &"conv:c".into()).unwrap().threads.is_empty(), "{what}");
    }
    let lines = [spawn(""), twin(6, "")];
    assert_eq!(query::session(&hub(&lines), START_MS, &"conv:c".into()).unwrap().threads.len(), 1, "later it is talk");
}

#[test]
fn failed_spawn_has_reason_and_ends_session() {
    let error = r#""status":"error","error":"unknown agent","replyPreview":"spawn failed: unknown agent""#;
    let lines = [spawn(0, ""), talk("a2a.spawn_result", "eden", "helper", 9, &format!("{KEY},{error}"))];
    let node = &runs(&lines).rows[0];
    assert_eq!((node.state, node.error.as_deref()), (DelegationState::Failed, Some("unknown agent")));
    assert_eq!(node.end_time, Some(START_MS + 9));
    assert!(query::session(&hub(&lines), START_MS, &"conv:c".into()).unwrap().session.ended);
}

#[test]
fn result_without_spawn_is_orphan() {
    let tree = runs(&[result(0, "다 했어요")]);
    assert_eq!(tree.rows.len(), 1);
    let node = &tree.rows[0];
    assert!(node.orphan);
    assert_eq!((node.from.as_ref().map(|id| id.as_str()), node.to.as_str()), (Some("eden"), "helper"));
    assert_eq!((node.text.as_str(), node.result.as_deref()), ("", Some("다 했어요")));
}

#[test]
fn accepted_run_is_running_spawn_is_requested() {
    assert_eq!(runs(&[spawn(0, "")]).rows[0].state, DelegationState::Requested);
    let node = &runs(&[spawn(0, ""), accepted(9)]).rows[0];
    assert_eq!((node.state, node.accepted_at, node.end_time), (DelegationState::Running, Some(START_MS + 9), None));
}

#[test]
fn parallel_runs_get_their_own_results() {
    let part = |key: &str| format!(r#""targetSessionKey":"agent:helper:subagent:{key}""#);
    let spawn =
        |after, key: &str| talk("a2a.spawn", "eden", "helper", after, &format!(r#"{},"message":"{key}""#, part(key)));
    let started = |after, key: &str| {
        let data = format!(r#"{},"runId":"run-{key}","status":"accepted""#, part(key));
        talk("a2a.spawn_result", "eden", "helper", after, &data)
    };
    let done = |after, key: &str| {
        let data = format!(r#""runId":"run-{key}","turn":1,"maxTurns":1,"replyPreview":"끝 {key}""#);
        talk("a2a.response", "helper", "eden", after, &data)
    };
    let tree = runs(&[spawn(0, "a"), started(9, "a"), spawn(20, "b"), started(29, "b"), done(40, "b"), done(50, "a")]);
    let results: Vec<_> = tree.rows.iter().map(|node| node.result.as_deref()).collect();
    assert_eq!(results, [Some("끝 a"), Some("끝 b")]);
}

#[test]
fn tree_rows_are_whole_branches_with_remainder() {
    let child = |after: i64, from: &str, to: &str, key: &str, depth: u32| {
        let data = format!(r#""targetSessionKey":"agent:{to}:subagent:{key}","message":"{key}","depth":{depth}"#);
        talk("a2a.spawn", from, to, after, &data)
    };
    let lines =
        [child(0, "eden", "helper", "a", 0), child(5, "helper", "digger", "a1", 1), child(9, "eden", "other", "b", 0)];
    let hub = hub(&lines);
    let limited = |limit| DelegationsQuery { limit, ..DelegationsQuery::default() };
    let all = query::all_delegations(&hub, START_MS + 60, &limited(None)).unwrap();
    let shape: Vec<_> = all.rows.iter().map(|row| (row.text.as_str(), row.depth, row.children)).collect();
    assert_eq!(shape, [("a", 0, 1), ("a1", 1, 0), ("b", 0, 0)]);
    assert_eq!((all.total, all.sessions.len()), (3, 1));
    let two = query::all_delegations(&hub, START_MS + 60, &limited(Some(2))).unwrap();
    assert_eq!((two.rows.len(), two.total), (2, 3), "what is left off is counted");
    let of_other = DelegationsQuery { agents: vec!["other".into()], ..DelegationsQuery::default() };
    assert_eq!(query::all_delegations(&hub, START_MS + 60, &of_other).unwrap().rows.len(), 1);
    let late = DelegationsQuery { since: Some(START_MS + 6), ..DelegationsQuery::default() };
    assert_eq!(query::all_delegations(&hub, START_MS + 60, &late).unwrap().total, 1);
    // A branch is there as a whole once any run of it fits.
    let total = |query: DelegationsQuery| query::all_delegations(&hub, START_MS + 60, &query).unwrap().total;
    let early = DelegationsQuery { until: Some(START_MS + 4), ..DelegationsQuery::default() };
    assert_eq!(total(early.clone()), 2);
    assert_eq!(total(DelegationsQuery { since: Some(START_MS + 9), ..early }), 0);
    let pair = |one: &str, other: &str| AgentPair::new(one.into(), other.into());
    let between = |pairs| DelegationsQuery { pairs, ..DelegationsQuery::default() };
    assert_eq!(total(between(vec![pair("digger", "helper")])), 2);
    assert_eq!(total(between(vec![pair("digger", "eden")])), 0, "never one with the other");
    assert_eq!(total(between(vec![pair("digger", "helper"), pair("eden", "other")])), 3);
    let both = DelegationsQuery { agents: vec!["digger".into(), "other".into()], ..DelegationsQuery::default() };
    assert_eq!(total(both), 3);
    let by = |from: Option<&str>, to: Option<&str>| {
        total(DelegationsQuery { from: from.map(Into::into), to: to.map(Into::into), ..DelegationsQuery::default() })
    };
    assert_eq!((by(Some("helper"), None), by(None, Some("other")), by(Some("helper"), Some("other"))), (2, 1, 0));
    assert!(query::all_delegations(&hub, START_MS, &limited(Some(10_001))).is_err());
}

#[test]
fn slowest_branch_follows_latest_end() {
    let spawn = |after: i64, from: &str, to: &str, depth: u32| {
        let data =
            format!(r#""targetSessionKey":"agent:{to}:subagent:k","runId":"{to}","message":"{to}","depth":{depth}"#);
        talk("a2a.spawn", from, to, after, &data)
    };
    let end = |after: i64, from: &str, to: &str| {
        talk("a2a.response", from, to, after, &format!(r#""runId":"{from}","turn":1,"maxTurns":1,"replyPreview":"끝""#))
    };
    let lines = [
        spawn(0, "eden", "quick", 0),
        spawn(1, "eden", "slow", 0),
        spawn(2, "slow", "early", 1),
        spawn(3, "slow", "late", 1),
        end(10, "quick", "eden"),
        end(20, "early", "slow"),
        end(30, "late", "slow"),
        end(40, "slow", "eden"),
    ];
    let tree = runs(&lines);
    let named = |id: &coordination::ids::EventId| {
        tree.rows.iter().find(|row| row.id == *id).map(|row| row.to.as_str()).unwrap()
    };
    assert_eq!(tree.slowest.iter().map(named).collect::<Vec<_>>(), ["slow", "late"]);
    assert!(runs(&lines[..1]).slowest.is_empty(), "one run is not slower than anything");
}

#[test]
fn unknown_type_is_shown_and_takes_no_result() {
    let strange = talk("a2a.teleport", "eden", "helper", 0, &format!(r#"{KEY},"depth":0"#));
    let tree = runs(&[strange, result(20, "다 했어요")]);
    assert_eq!(tree.rows.len(), 2);
    assert_eq!(tree.rows[0].unknown_type.as_deref(), Some("a2a.teleport"));
    assert_eq!((tree.rows[1].orphan, tree.rows[1].result.as_deref()), (true, Some("다 했어요")));
}

#[test]
fn run_without_events_for_hour_is_silent() {
    let row = &runs(&[spawn(0, ""), accepted(9)]).rows[0];
    assert!(!row.is_silent(START_MS + 9 + STALE_AFTER_MS) && row.is_silent(START_MS + 10 + STALE_AFTER_MS));
    let ended = &runs(&[spawn(0, ""), accepted(9), result(20, "끝")]).rows[0];
    assert!(!ended.is_silent(i64::MAX));
}
