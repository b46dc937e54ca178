//! Tests of the REST 1.x response formats, field by field and key by key (`contract/monitor-api.md` §4).
//!
//! Proves (api): Responses of REST 1.x have every key of the original 1.x API.

#![allow(clippy::needless_pass_by_value, reason = "a test fails loudly, and its helpers take literals")]

use std::collections::BTreeMap;

use coordination::api::ManualOverride;
use coordination::category::Category;
use coordination::classify::Classifier;
use coordination::compat::{
    ByteLimit, V1EventsQuery, V1SearchQuery, WorkSessionsQuery, enrich, events, search_events, search_work_sessions,
    work_session, work_sessions,
};
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::role::Role;
use coordination::roster::Roster;
use coordination::session::Status;
use serde_json::{Value, json};

/// `contract/events.md` §1.3 without the turn line.
const SAMPLE: &str = concat!(
    r#"{"type":"task.started","agentId":"eden","ts":1771294800000,"data":{"taskId":"task_7f3a91c02b4de8815a60","priority":"high","requiresApproval":false,"workSessionId":"ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10"}}"#,
    "\n",
    r#"{"type":"a2a.send","agentId":"eden","ts":1771294860000,"data":{"fromAgent":"eden","toAgent":"seum","targetSessionKey":"agent:seum:a2a:0b6c1d9e-6c55-4a3c-8f60-2f1f3c7d1a11","message":"[Goal] 결제 API 배포 파이프라인 점검\nstaging 서버에서 docker 이미지 태그가 안 맞아요. 확인 부탁해요.","runId":"5e0a6c4e-8c0c-4f0e-9d55-0d6e7b3a2f01","conversationId":"0b6c1d9e-6c55-4a3c-8f60-2f1f3c7d1a11","eventRole":"conversation.main","fromSessionType":"main","toSessionType":"unknown","taskId":"task_7f3a91c02b4de8815a60","workSessionId":"ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10"}}"#,
    "\n",
    r#"{"type":"a2a.response","agentId":"seum","ts":1771294921500,"data":{"fromAgent":"seum","toAgent":"eden","message":"태그가 `v1.4.2`로 고정돼 있었습니다. **수정 후 재배포** 완료했어요.","replyPreview":"태그가 `v1.4.2`로 고정돼 있었습니다. **수정 후 재배포** 완료했어요.","conversationId":"0b6c1d9e-6c55-4a3c-8f60-2f1f3c7d1a11","eventRole":"conversation.main","fromSessionType":"unknown","toSessionType":"main","taskId":"task_7f3a91c02b4de8815a60","workSessionId":"ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10"}}"#,
    "\n",
    r#"{"type":"a2a.complete","agentId":"eden","ts":1771294990250,"data":{"fromAgent":"eden","toAgent":"seum","announced":false,"conversationId":"0b6c1d9e-6c55-4a3c-8f60-2f1f3c7d1a11","eventRole":"conversation.main","fromSessionType":"main","toSessionType":"unknown","workSessionId":"ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10"}}"#,
    "\n",
);
const SESSION: &str = "ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10";
const NOW: i64 = 1_771_295_000_000;

fn log(text: &str) -> Vec<Event> {
    let (events, errors) = parse_lines(text.as_bytes(), "f", 0);
    assert!(errors.is_empty(), "{errors:?}");
    events
}

fn query() -> WorkSessionsQuery {
    WorkSessionsQuery { limit: 100, ..WorkSessionsQuery::default() }
}

fn roster() -> Roster {
    Roster::parse("{agents: {list: [{id: 'eden'}, {id: 'seum'}]}}", &mut |_| Err(String::new())).expect("good")
}

/// A hub of these events. Its `v1` answers are the subject of the tests.
fn hub(log: &[Event]) -> Hub {
    let mut hub = Hub::new();
    hub.set_roster(roster());
    hub.apply(log.to_vec());
    hub
}

fn sessions(log: &[Event], now: i64, query: &WorkSessionsQuery) -> Value {
    work_sessions(&hub(log), true, now, query).into_value()
}

fn session(hub: &Hub, id: &str, query: &WorkSessionsQuery) -> Option<Value> {
    let mut answer = work_session(hub, true, NOW, &id.into(), query)?.into_value();
    Some(answer["session"].take())
}

#[test]
fn sample_gives_contract_answer_and_category() {
    let mut answer = sessions(&log(SAMPLE), NOW, &query());
    for thread in answer["sessions"][0]["threads"].as_array_mut().expect("threads") {
        let count = thread["eventCount"].as_u64().expect("a count");
        assert_eq!(thread["events"].as_array().map(|events| events.len() as u64), Some(count));
        thread["events"] = json!([]);
    }
    let expected = concat!(
        r#"{"sessions":[{"id":"ws:ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10","workSessionId":"ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10","status":"QUIET","startTime":1771294800000,"lastTime":1771294990250,"durationMs":190250,"threadCount":2,"eventCount":4,"collabCategory":"infra_ops","collabSubTags":["docker","배포","서버"],"categorySource":"event","roleCounts":{"conversation.main":3,"delegation.subagent":0,"orchestration.task":1,"system.observability":0},"threads":["#,
        r#"{"id":"conv:0b6c1d9e-6c55-4a3c-8f60-2f1f3c7d1a11","conversationId":"0b6c1d9e-6c55-4a3c-8f60-2f1f3c7d1a11","fromAgent":"eden","toAgent":"seum","startTime":1771294860000,"lastTime":1771294990250,"eventCount":3,"collabCategory":"infra_ops","collabSubTags":["docker","배포","서버"],"events":[]},"#,
        r#"{"id":"pair:eden_unknown","fromAgent":"eden","toAgent":"unknown","startTime":1771294800000,"lastTime":1771294800000,"eventCount":1,"collabCategory":"planning_decision","collabSubTags":[],"events":[]}]}],"#,
        r#""count":1,"totalMatched":1,"totalSessions":1,"role":[],"type":[],"status":[],"viewCategory":null,"subTag":null,"categoryCounts":{"infra_ops":1}}"#,
    );
    assert_eq!(answer.to_string(), expected);
}

#[test]
fn enriched_event_preserves_keys_and_adds_derived() {
    let event = &log(
        r#"{"type":"a2a.send","agentId":"eden","ts":1,"extra":[1],"data":{"toAgent":"seum","message":"fix","fromSessionType":"x","collabIntent":5}}
"#,
    )[0];
    let expected = r#"{"type":"a2a.send","agentId":"eden","ts":1,"extra":[1],"data":{"toAgent":"seum","message":"fix","fromSessionType":"main","eventRole":"conversation.main","toSessionType":"main","collabCategory":"engineering_build","collabSubTags":["fix"],"categoryConfidence":0.63,"categorySource":"rule","categoryVersion":"v1"},"eventRole":"conversation.main","fromSessionType":"main","toSessionType":"main","collabCategory":"engineering_build","collabSubTags":["fix"],"categoryConfidence":0.63,"categorySource":"rule"}"#;
    assert_eq!(enrich(event, &roster(), Classifier::V1).to_string(), expected);
}

#[test]
fn status_follows_clock_and_newest_event_type() {
    let sample = log(SAMPLE);
    let status = |now| sessions(&sample, now, &query())["sessions"][0]["status"].clone();
    let last = 1_771_294_990_250;
    assert_eq!(status(last + 86_400_000), json!("QUIET"), "exactly a day is not archived");
    assert_eq!(status(last + 86_400_001), json!("ARCHIVED"));
    let done = r#"{"type":"task.started","agentId":"eden","ts":1,"data":{"workSessionId":"w"}}
{"type":"task.completed","agentId":"eden","ts":2,"data":{"workSessionId":"w"}}
"#;
    assert_eq!(sessions(&log(done), 3, &query())["sessions"][0]["status"], json!("QUIET"), "D4");
    let begun = done.lines().next().map(|line| format!("{line}\n")).expect("a line");
    assert_eq!(sessions(&log(&begun), 3, &query())["sessions"][0]["status"], json!("ACTIVE"));
}

#[test]
fn filters_select_events_not_status_or_time() {
    let log = log(SAMPLE);
    let only = WorkSessionsQuery { types: vec!["a2a.response".to_owned()], ..query() };
    let session = &sessions(&log, NOW, &only)["sessions"][0];
    assert_eq!((&session["status"], &session["lastTime"]), (&json!("QUIET"), &json!(1_771_294_990_250_i64)), "D7");
    assert_eq!((&session["eventCount"], &session["totalEventCount"]), (&json!(1), &json!(4)));
    assert_eq!(session["threads"].as_array().map(Vec::len), Some(1));
    let none = WorkSessionsQuery { role: vec![Role::SystemObservability], ..query() };
    assert_eq!(sessions(&log, NOW, &none)["totalSessions"], json!(0));
    let archived = WorkSessionsQuery { status: vec![Status::Archived], ..query() };
    let answer = sessions(&log, NOW, &archived);
    assert_eq!(
        (&answer["totalMatched"], &answer["totalSessions"], &answer["status"]),
        (&json!(0), &json!(1), &json!(["ARCHIVED"]))
    );
    let tagged = WorkSessionsQuery {
        sub_tag: Some("DOCKER".to_owned()),
        view_category: Some("infra_ops".to_owned()),
        ..query()
    };
    assert_eq!(sessions(&log, NOW, &tagged)["count"], json!(1));
}

#[test]
fn override_by_bare_id_changes_one_session() {
    let log = log(SAMPLE);
    let manual =
        ManualOverride { collab_category: Category::QaValidation, updated_at: String::new(), updated_by: None };
    let mut hub = hub(&log);
    hub.set_overrides(BTreeMap::from([(SESSION.into(), manual)]));
    let found = session(&hub, SESSION, &query()).expect("known");
    assert_eq!(
        (&found["collabCategory"], &found["categorySource"]),
        (&json!("qa_validation"), &json!("manual_override"))
    );
    assert_eq!(found["threads"][0]["collabCategory"], json!("infra_ops"));
    assert_eq!(session(&hub, "ws_none", &query()), None);
    let nothing = WorkSessionsQuery { types: vec!["x".to_owned()], ..query() };
    assert_eq!(session(&hub, SESSION, &nothing), None);
}

#[test]
fn conversation_without_session_is_its_own_session() {
    let log = log(
        r#"{"type":"a2a.send","agentId":"eden","ts":5,"data":{"toAgent":"seum","conversationId":"c1","message":"x"}}
{"type":"task.started","agentId":"eden","ts":6,"data":{}}
"#,
    );
    let answer = sessions(&log, 10, &query());
    assert_eq!(answer["totalSessions"], json!(1));
    let session = &answer["sessions"][0];
    assert_eq!(
        (&session["id"], &session["workSessionId"], &session["synthetic"]),
        (&json!("conv:c1"), &json!("conv:c1"), &json!(true))
    );
}

#[test]
fn pairs_ignore_case_and_split_after_30_minutes() {
    let line = |from: &str, to: &str, ts: i64| {
        format!(
            "{{\"type\":\"a2a.send\",\"agentId\":\"{from}\",\"ts\":{ts},\"data\":{{\"fromAgent\":\"{from}\",\"toAgent\":\"{to}\",\"workSessionId\":\"w\"}}}}\n"
        )
    };
    let text = line("eden", "seum", 1000) + &line("Seum", "eden", 2000) + &line("eden", "seum", 2000 + 30 * 60_000 + 1);
    let threads: Vec<Value> =
        sessions(&log(&text), 3000, &query())["sessions"][0]["threads"].as_array().expect("threads").clone();
    let ids: Vec<&str> = threads.iter().filter_map(|thread| thread["id"].as_str()).collect();
    assert_eq!(ids, ["pair:eden_seum:1802001", "pair:eden_seum"]);
}

#[test]
fn newest_events_ascending_with_total_counts() {
    let log = log(SAMPLE);
    let query = V1EventsQuery {
        limit: 1,
        types: vec!["a2a.send".to_owned(), "a2a.response".to_owned()],
        ..V1EventsQuery::default()
    };
    let hub = hub(&log);
    let answer = events(&hub, true, &query).into_value();
    assert_eq!(answer["events"][0]["type"], json!("a2a.response"));
    let rest: Vec<&String> = answer.as_object().expect("an object").keys().collect();
    assert_eq!(rest, ["events", "count", "total", "totalMatched", "role", "type", "viewCategory", "categoryCounts"]);
    assert_eq!((&answer["count"], &answer["total"], &answer["totalMatched"]), (&json!(1), &json!(4), &json!(2)));
    assert_eq!(answer["categoryCounts"], json!({"infra_ops": 2}));
    let since = V1EventsQuery { limit: 9, since: Some(1_771_294_921_500), ..V1EventsQuery::default() };
    assert_eq!(events(&hub, true, &since).into_value()["count"], json!(2), "inclusive");
    let unknown = V1EventsQuery { limit: 9, role: Some("x".to_owned()), ..V1EventsQuery::default() };
    assert_eq!(events(&hub, true, &unknown).into_value()["count"], json!(0));
}

#[test]
fn search_matches_plain_text_newest_first() {
    let log = log(SAMPLE);
    let search = |q: &str| V1SearchQuery { q: q.to_owned(), limit: 50, ..V1SearchQuery::default() };
    let hub = hub(&log);
    let answer = search_events(&hub, true, &search("SEUM")).into_value();
    assert_eq!((&answer["total"], &answer["events"][0]["type"]), (&json!(3), &json!("a2a.complete")));
    assert_eq!(search_events(&hub, true, &search(".*")).into_value()["total"], json!(0), "no pattern");
    let found = search_work_sessions(&hub, true, NOW, "재배포", ByteLimit::default()).into_value();
    assert_eq!((&found["count"], &found["query"]), (&json!(1), &json!("재배포")));
}

/// The live feed names the same category as the list, by the classifier in force.
#[test]
fn c10_hub_enriches_event_like_list() {
    for classifier in [Classifier::V1, Classifier::V2] {
        let mut hub = Hub::new();
        hub.set_roster(roster());
        hub.set_classifier(classifier);
        hub.apply(log(SAMPLE));
        let all = V1EventsQuery { limit: 100, ..V1EventsQuery::default() };
        let listed = events(&hub, false, &all).into_value();
        for (event, written) in log(SAMPLE).iter().zip(listed["events"].as_array().expect("events")) {
            assert_eq!(hub.enrich(event).to_string(), written.to_string(), "{classifier:?}");
        }
    }
}

#[test]
fn answers_hold_newest_events_within_limit() {
    let one = |session: &str, ts: i64| {
        let padding = "x".repeat(900);
        format!(
            "{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{ts},\"data\":{{\"fromAgent\":\"eden\",\"toAgent\":\"seum\",\
             \"message\":\"m{padding}\",\"conversationId\":\"c\",\"workSessionId\":\"{session}\"}}}}\n"
        )
    };
    let text: String = (1..=4).map(|ts| one("old", ts)).chain((5..=8).map(|ts| one("new", ts))).collect();
    let (log, line) = (log(&text), one("new", 5).len() - 1);
    let times = |events: &Value| -> Vec<i64> {
        events.as_array().expect("events").iter().filter_map(|event| event["ts"].as_i64()).collect()
    };
    let bound = ByteLimit(5 * line + 10);
    let answer = sessions(&log, NOW, &WorkSessionsQuery { bound, ..query() });
    assert_eq!((&answer["count"], &answer["totalMatched"]), (&json!(2), &json!(2)));
    let shown = |place: usize| times(&answer["sessions"][place]["threads"][0]["events"]);
    assert_eq!((shown(0), shown(1)), (vec![5, 6, 7, 8], vec![4]));
    assert_eq!(answer["sessions"][1]["totalEventCount"], 4);
    let answer = sessions(&log, NOW, &WorkSessionsQuery { bound: ByteLimit(3 * line), ..query() });
    assert_eq!((&answer["count"], &answer["totalMatched"]), (&json!(1), &json!(2)), "{answer}");
    let query = WorkSessionsQuery { bound: ByteLimit(3 * line), ..query() };
    let hub = hub(&log);
    let found = session(&hub, "new", &query).expect("found");
    assert_eq!(times(&found["threads"][0]["events"]), [6, 7, 8]);
    let found = search_work_sessions(&hub, true, NOW, "m", ByteLimit(line)).into_value();
    assert_eq!((&found["count"], times(&found["sessions"][0]["threads"][0]["events"])), (&json!(1), vec![8]));
    let newest = events(&hub, true, &V1EventsQuery { limit: 6, bound, ..V1EventsQuery::default() }).into_value();
    assert_eq!((times(&newest["events"]), &newest["totalMatched"]), (vec![4, 5, 6, 7, 8], &json!(8)));
    let query = V1SearchQuery { q: "m".to_owned(), limit: 50, bound, ..V1SearchQuery::default() };
    assert_eq!(times(&search_events(&hub, true, &query).into_value()["events"]), [8, 7, 6, 5, 4]);
}
