//! Tests of work sessions: synthetic ones (for messages without a session id), status, chains of resumed sessions,
//! titles, source of the category, and pages, filters and counts of the session list.
//!
//! Proves (work): Synthetic sessions, status, resumed chains, titles and category sources follow the contract.

use std::collections::BTreeMap;

use coordination::api::{ManualOverride, SessionCard, SessionsQuery, SessionsSort};
use coordination::category::{Category, CategorySource};
use coordination::hub::Hub;
use coordination::query;
use coordination::session::{ARCHIVE_AFTER_MS, Status};
use coordination::title::TitleSource;

use super::log::{START_MS, hub, line, send, talk};

fn card(hub: &Hub, id: &str, now: i64) -> SessionCard {
    query::session(hub, now, &id.into()).unwrap().session
}

#[test]
fn thread_of_control_tokens_is_not_counted() {
    let response = |conversation: &str, text: &str| {
        let data = format!(
            r#""fromAgent":"seum","toAgent":"eden","workSessionId":"ws","conversationId":"{conversation}","message":"{text}""#
        );
        line("a2a.response", "seum", START_MS, &data)
    };
    let hub = hub(&[response("c", "네, 보냈습니다"), response("d", "ANNOUNCE_SKIP")]);
    let detail = query::session(&hub, START_MS, &"ws".into()).unwrap();
    assert_eq!(detail.session.thread_count, 1);
    assert_eq!(detail.threads.len(), 1);
}

#[test]
fn exactly_a_day_is_not_yet_archived() {
    let open = hub(&[send(0, r#""message":"가""#)]);
    let ended = hub(&[send(0, r#""message":"가""#), talk("a2a.complete", "eden", "seum", 0, "")]);
    for (after, going, over) in [
        (0, Status::Active, Status::Quiet),
        (ARCHIVE_AFTER_MS, Status::Active, Status::Quiet),
        (ARCHIVE_AFTER_MS + 1, Status::Archived, Status::Archived),
    ] {
        assert_eq!(card(&open, "conv:c", START_MS + after).status, going, "{after}");
        assert_eq!(card(&ended, "conv:c", START_MS + after).status, over, "{after}");
        assert_eq!(card(&open, "conv:c", START_MS).status_at(START_MS + after), going, "the tab's own clock agrees");
    }
}

#[test]
fn listed_work_makes_no_session_active() {
    let at = |kind: &str, after, task: &str| {
        line(
            kind,
            "eden",
            START_MS + after,
            &format!(r#""taskId":"{task}","workSessionId":"ws_1","title":"환불 감수""#),
        )
    };
    let status = |lines: &[String]| card(&hub(lines), "ws_1", START_MS + 9).status;
    let listed = at("task.backlog_added", 0, "task_a");
    assert_eq!(status(std::slice::from_ref(&listed)), Status::Quiet);
    assert_eq!(status(&[listed.clone(), at("task.backlog_added", 1, "task_b")]), Status::Quiet);
    let begun = [listed.clone(), at("task.started", 1, "task_a")];
    assert_eq!(status(&begun), Status::Active);
    assert_eq!(status(&[&begun[..], &[at("task.backlog_added", 2, "task_b")]].concat()), Status::Active);
    let done = [&begun[..], &[at("task.completed", 2, "task_a")]].concat();
    assert_eq!(status(&done), Status::Quiet);
    assert_eq!(status(&[&done[..], &[at("task.backlog_added", 3, "task_b")]].concat()), Status::Quiet);
}

#[test]
fn messages_without_session_get_synthetic_session() {
    let named = talk("a2a.response", "seum", "eden", 10, r#""message":"나","workSessionId":"ws-1""#);
    let mut hub = hub(&[send(0, r#""message":"가""#)]);
    assert!(card(&hub, "conv:c", START_MS).synthetic);
    let (events, _) = coordination::event::parse_lines(format!("{named}\n").as_bytes(), "g", 0);
    hub.apply(events);
    assert!(query::session(&hub, START_MS, &"conv:c".into()).is_none(), "its events belong to the work session now");
    let card = card(&hub, "ws-1", START_MS);
    assert_eq!((card.synthetic, card.message_count), (false, 2));
}

#[test]
fn pair_without_ids_continues_within_30_minutes() {
    let gap = 1_800_000;
    let pair =
        |after| line("a2a.send", "eden", START_MS + after, r#""fromAgent":"Eden","toAgent":"seum","message":"가""#);
    let ids = |lines: &[String]| -> Vec<String> {
        let page = query::sessions(&hub(lines), START_MS, &coordination::api::SessionsQuery::default()).unwrap();
        page.sessions.into_iter().map(|card| card.work_session_id.into()).collect()
    };
    assert_eq!(ids(&[pair(0), pair(gap)]), [format!("thread:pair:eden_seum:{START_MS}")]);
    let cut = [format!("thread:pair:eden_seum:{}", START_MS + gap + 1), format!("thread:pair:eden_seum:{START_MS}")];
    assert_eq!(ids(&[pair(0), pair(gap + 1)]), cut);
}

#[test]
fn resumed_and_previous_sessions_link_each_other() {
    let old = line(
        "a2a.send",
        "eden",
        START_MS,
        r#""fromAgent":"eden","toAgent":"seum","workSessionId":"ws-1","message":"처음""#,
    );
    let new = line(
        "a2a.send",
        "eden",
        START_MS + 9,
        r#""fromAgent":"eden","toAgent":"seum","workSessionId":"ws-2","previousWorkSessionId":"ws-1","message":"다시""#,
    );
    let only = hub(std::slice::from_ref(&new));
    let chain = query::session(&only, START_MS, &"ws-2".into()).unwrap().chain;
    assert!(!chain.previous.unwrap().known, "named, never seen");
    let both = hub(&[old, new]);
    let previous = query::session(&both, START_MS, &"ws-2".into()).unwrap().chain.previous.unwrap();
    assert_eq!((previous.work_session_id.as_str(), previous.title.as_str(), previous.known), ("ws-1", "처음", true));
    let next = query::session(&both, START_MS, &"ws-1".into()).unwrap().chain.next;
    assert_eq!(next.iter().map(|link| link.work_session_id.as_str()).collect::<Vec<_>>(), ["ws-2"]);
}

#[test]
fn run_label_never_titles_session_with_messages() {
    let spawn = talk("a2a.spawn", "eden", "helper", 0, r#""message":"파일 정리","label":"docs-fix""#);
    assert_eq!(
        card(&hub(std::slice::from_ref(&spawn)), "conv:c", START_MS).title,
        "docs-fix",
        "nothing better is known"
    );
    for (message, title, source) in [
        (r"[Goal] 배포 점검\n자세히", "배포 점검", TitleSource::Goal),
        ("로그 봐줘", "로그 봐줘", TitleSource::Message),
    ] {
        let card = card(&hub(&[spawn.clone(), send(9, &format!(r#""message":"{message}""#))]), "conv:c", START_MS);
        assert_eq!((card.title.as_str(), card.title_source), (title, source));
    }
}

fn decided(lines: &[String]) -> (Category, CategorySource) {
    let category = card(&hub(lines), "conv:c", START_MS).category;
    (category.key, category.source)
}

#[test]
fn strongest_vote_decides_category() {
    let talked = send(0, r#""message":"법무 계약 검토, 개인정보 compliance""#);
    let build = r#""message":"코드 구현 버그 수정 리팩터링 코드 구현 API 개발""#;
    let delegated = talk("a2a.spawn", "eden", "helper", 5, build);
    let dull = send(0, r#""message":"음""#);
    let stated = send(9, r#""message":"음","collabCategory":"biz_strategy""#);
    assert_eq!(decided(std::slice::from_ref(&dull)).1, CategorySource::Fallback);
    let (by_work, source) = decided(&[dull, delegated.clone()]);
    assert_eq!((by_work, source), (Category::EngineeringBuild, CategorySource::Rule), "rule of other events");
    let by_talk = decided(&[talked.clone(), delegated.clone(), delegated.clone()]);
    assert_eq!(by_talk, (Category::LegalCompliance, CategorySource::Rule), "talk outweighs delegated work");
    let lines = [talked, delegated, stated];
    assert_eq!(decided(&lines), (Category::BizStrategy, CategorySource::Manual));

    let mut hub = hub(&lines);
    let manual =
        ManualOverride { collab_category: Category::QaValidation, updated_at: String::new(), updated_by: None };
    let changes = hub.set_overrides(BTreeMap::from([("conv:c".into(), manual.clone())]));
    let delta = query::delta(&hub, START_MS, &changes);
    let changed: Vec<&str> = delta.sessions.iter().map(|card| card.work_session_id.as_str()).collect();
    assert_eq!((changed, delta.everything), (vec!["conv:c"], false), "an override touches its session only");
    let detail = query::session(&hub, START_MS, &"conv:c".into()).unwrap();
    assert_eq!(detail.session.category.key, Category::QaValidation);
    assert_eq!(detail.session.category.source, CategorySource::ManualOverride);
    assert_eq!(detail.evidence.automatic, Some(Category::BizStrategy), "what it would be without");
    let counted = |hub: &Hub, key: Category| {
        query::home(hub, START_MS).categories.into_iter().find(|badge| badge.key == key).unwrap().totals.total
    };
    assert_eq!((counted(&hub, Category::QaValidation), counted(&hub, Category::BizStrategy)), (1, 0));
    hub.set_overrides(BTreeMap::new());
    assert_eq!(card(&hub, "conv:c", START_MS).category.key, Category::BizStrategy, "taken back");
    let unknown = hub.set_overrides(BTreeMap::from([("ws_unknown".into(), manual)]));
    assert!(query::delta(&hub, START_MS, &unknown).everything, "the log does not hold this session");
    hub.set_overrides(BTreeMap::new());
    assert!(hub.set_overrides(BTreeMap::new()).is_empty());
}

#[test]
fn card_shows_newest_message_per_thread() {
    let in_session = r#""message":"나","workSessionId":"ws-1","conversationId""#;
    let thread = |name: &str, after| talk("a2a.send", "eden", "seum", after, &format!(r#"{in_session}:"{name}""#));
    let mere = line("task.updated", "eden", START_MS + 90, r#""taskId":"task_1","workSessionId":"ws-1""#);
    let card = card(&hub(&[thread("a", 0), thread("b", 5), thread("a", 9), mere]), "ws-1", START_MS);
    let talks: Vec<_> =
        card.talks.iter().map(|talk| (talk.thread_id.as_str(), talk.count, talk.at - START_MS)).collect();
    assert_eq!(talks, [("conv:a", 2, 9), ("conv:b", 1, 5)]);
    assert_eq!((card.last_time - START_MS, card.last_message.map(|last| last.at - START_MS)), (90, Some(9)));
}

#[test]
fn cursors_page_each_id_once() {
    // The longest that is not shortened, in letters of three bytes.
    let long = "가".repeat(84);
    let ids: Vec<String> = ["~a", "~", "b", "c.d.e"]
        .into_iter()
        .map(str::to_owned)
        .chain((0..9).map(|number| format!("{long}{number}")))
        .collect();
    let lines: Vec<_> = ids.iter().map(|id| send(0, &format!(r#""message":"가","workSessionId":"{id}""#))).collect();
    let hub = hub(&lines);
    for sort in [SessionsSort::Latest, SessionsSort::Category] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page_query = SessionsQuery { limit: Some(1), sort, after, ..SessionsQuery::default() };
            let page = query::sessions(&hub, START_MS, &page_query).expect("a mark of an earlier answer");
            seen.extend(page.sessions.iter().map(|card| card.work_session_id.as_str().to_owned()));
            let Some(next) = page.next else { break };
            assert!(next.len() <= 200, "{next}");
            after = Some(next);
        }
        seen.sort_unstable();
        let mut all = ids.clone();
        all.sort_unstable();
        assert_eq!(seen, all);
    }
}

/// Every way to narrow a list counts what a look at each card counts.
#[test]
fn sessions_filter_by_people_delivery_and_start() {
    use coordination::api::{DeliveryFilter, EventsQuery};
    let message_line = |kind: &str, from: &str, to: &str, after: i64, ws: &str| {
        talk(kind, from, to, after, &format!(r#""message":"가","workSessionId":"{ws}","conversationId":"{ws}""#))
    };
    let hub = hub(&[
        message_line("a2a.send", "eden", "seum", 0, "ws-1"),
        message_line("a2a.response", "seum", "eden", 10, "ws-1"),
        message_line("a2a.send", "eden", "miri", 20, "ws-1"),
        message_line("a2a.send", "eden", "seum", 5_000, "ws-2"),
        message_line("a2a.send", "miri", "seum", 9_000, "ws-3"),
    ]);
    let ids = |query: SessionsQuery, now: i64| {
        let page = query::sessions(&hub, now, &query).unwrap();
        assert_eq!(page.total as usize, page.sessions.len());
        let mut ids: Vec<String> = page.sessions.into_iter().map(|card| card.work_session_id.into()).collect();
        ids.sort();
        ids
    };
    let with = |agent: &str, with: &[&str]| SessionsQuery {
        agent: Some(agent.into()),
        with: with.iter().map(|id| (*id).into()).collect(),
        ..SessionsQuery::default()
    };
    assert_eq!(ids(with("eden", &["seum"]), START_MS), ["ws-1", "ws-2"]);
    assert_eq!(ids(with("eden", &["seum", "miri"]), START_MS), ["ws-1"]);
    assert!(ids(with("eden", &["nobody"]), START_MS).is_empty());
    let until = |until: i64| SessionsQuery { until: Some(until), ..SessionsQuery::default() };
    assert_eq!(ids(until(START_MS + 5_000), START_MS), ["ws-1", "ws-2"], "what began then, or before");
    assert_eq!(ids(SessionsQuery { since: Some(START_MS + 1_000), ..until(START_MS + 5_000) }, START_MS), ["ws-2"]);
    for now in [START_MS + 10_000, START_MS + 3 * ARCHIVE_AFTER_MS] {
        for filter in DeliveryFilter::ALL {
            let all = query::sessions(&hub, now, &SessionsQuery::default()).unwrap().sessions;
            let fits = |card: &SessionCard| card.attention.as_ref().is_some_and(|trouble| filter.is_in(trouble));
            let mut cards: Vec<String> = all.into_iter().filter(fits).map(|card| card.work_session_id.into()).collect();
            cards.sort();
            assert_eq!(
                ids(SessionsQuery { delivery: vec![filter], ..SessionsQuery::default() }, now),
                cards,
                "{filter:?}"
            );
        }
    }
    let waiting = SessionsQuery { delivery: vec![DeliveryFilter::Waiting], ..SessionsQuery::default() };
    assert!(!ids(waiting, START_MS + 10_000).is_empty());
    let pair = |from: Option<&str>, to: Option<&str>| {
        let query = EventsQuery { from: from.map(Into::into), to: to.map(Into::into), ..EventsQuery::default() };
        query::events(&hub, START_MS, &query).unwrap().total
    };
    assert_eq!((pair(Some("eden"), Some("seum")), pair(Some("eden"), None), pair(None, Some("seum"))), (2, 3, 3));
}

#[test]
fn badges_count_active_sessions() {
    let say = |number: i64| send(number, &format!(r#""message":"가","workSessionId":"ws_{number}""#));
    let ended = talk("a2a.complete", "eden", "seum", 9, r#""workSessionId":"ws_0""#);
    let hub = hub(&[say(0), say(1), say(2), ended]);
    let home = query::home(&hub, START_MS + 60_000);
    let active: u32 = home.categories.iter().map(|badge| badge.totals.active).sum();
    assert_eq!((active, home.all.active, home.status_counts.active, home.all.total), (2, 2, 2, 3));
}
