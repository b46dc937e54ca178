//! Tests of a hub that reads transcripts and no log. From two real OpenClaw homes (state folders) it builds sessions,
//! threads and delegations. The work sessions that contain messages of an OpenClaw session are found by its key.
//! `merge_law.rs` tests transcripts together with a log.
//!
//! Proves (transcripts): Without a log, messages of transcripts become sessions, threads and delegations.

use crate::transcripts;

use std::collections::{BTreeMap, BTreeSet};

use coordination::api::{DelegationsQuery, EventsQuery, SessionsQuery, ThreadQuery};
use coordination::hub::Hub;
use coordination::merge::TranscriptExchanges;
use coordination::query;
use coordination::transcript::exchanges::{ExchangeEvent, ExchangeScan, ScanSource, find};
use coordination::transcript::{lines, rows};
use expect_test::expect;
use transcripts::{Transcript, transcripts};

const NOW: i64 = 1_795_240_000_000;

fn scan(one: &Transcript) -> ExchangeScan {
    let source = ScanSource { agent: one.agent.clone(), key: one.key.clone(), session_id: one.session_id.clone() };
    let mut scan = ExchangeScan::new(source);
    let read = if one.home == "2026.9" { rows(one.rows()) } else { lines(&one.bytes, 0) };
    read.entries.iter().for_each(|entry| scan.push(entry));
    scan
}

fn talk(home: &'static str) -> Vec<ExchangeEvent> {
    find(&transcripts(home).iter().map(scan).collect::<Vec<_>>())
}

/// Sessions in order of their beginnings, each with its threads and delegations.
fn shown(hub: &Hub) -> String {
    let page = query::sessions(hub, NOW, &SessionsQuery { limit: Some(200), ..SessionsQuery::default() }).unwrap();
    let mut cards = page.sessions;
    cards.sort_by_key(|card| (card.start_time, card.work_session_id.clone()));
    let mut out = String::new();
    for card in cards {
        out.push_str(&format!("{} ({:?})\n", card.title, card.status));
        let detail = query::session(hub, NOW, &card.work_session_id).unwrap();
        for thread in detail.threads {
            let query = ThreadQuery { limit: Some(500), ..ThreadQuery::default() };
            let page = query::thread_page(hub, NOW, &card.work_session_id, &thread.thread_id, &query).unwrap().unwrap();
            let states: Vec<String> = page.exchanges.iter().map(|it| format!("{:?}", it.state)).collect();
            let (message_count, marks) = (page.messages.len(), page.marks.len());
            assert!(page.messages.iter().all(|message| message.transcript.is_some() || !message.origin.is_log()));
            out.push_str(&format!(
                "  {} ↔ {}: {message_count} said, {marks} marks {states:?}\n",
                thread.from, thread.to
            ));
        }
        let runs = query::delegations(hub, NOW, &card.work_session_id, &DelegationsQuery::default()).unwrap().unwrap();
        for row in runs.rows {
            let from = row.from.map_or_else(|| "?".to_owned(), |from| from.to_string());
            let label = row.label.unwrap_or_default();
            let indent = "  ".repeat(row.depth as usize);
            out.push_str(&format!("  {indent}{from} → {} <{label}> {:?}\n", row.to, row.state));
        }
    }
    out
}

fn home_hub(home: &'static str) -> Hub {
    let mut hub = Hub::new();
    hub.sync_transcripts(TranscriptExchanges::new(talk(home)));
    hub
}

#[test]
fn file_home_without_log_shows_activity() {
    expect![[r#"
        결제 API 배포 파이프라인 점검 (Quiet)
          ruda ↔ eden: 12 said, 6 marks ["Answered", "Answered", "Answered", "NoReply", "NoReply", "Answered"]
          eden ↔ seum: 2 said, 0 marks ["Answered"]
        docs-fix (Quiet)
          ruda → worker-quick <docs-fix> Succeeded
        load-test (Quiet)
          ruda → worker-quick <load-test> TimedOut
        schema-dump (Quiet)
          ruda → worker-quick <schema-dump> Failed
        2월 베타 릴리스 노트 초안 (Quiet)
          ruda ↔ dajim: 3 said, 3 marks ["Answered", "NoReply"]
        [Request] 어젯밤 DB 백업 상태를 확인해 주세요. 급합니다. (Active)
          ruda ↔ seum: 6 said, 1 marks ["Answered", "Answered", "Answered"]
        [Request] 상태를 알려 주세요. (Active)
          ruda ↔ worker-quick: 1 said, 1 marks ["Blocked"]
        [Request] 확인 부탁 (Active)
          ruda ↔ eden: 1 said, 1 marks ["Blocked"]
        이 메시지는 별도 호출자 세션으로 보냅니다. (Quiet)
          ruda ↔ seum: 2 said, 1 marks ["Answered"]
        x (Quiet)
          ruda ↔ eden: 2 said, 1 marks ["Answered"]
        research-a (Quiet)
          dajim → dajim <research-a> Succeeded
            dajim → worker-quick <research-a1> Succeeded
        a11y-plan (Quiet)
          ruda → ruda <a11y-plan> Succeeded
    "#]]
    .assert_eq(&shown(&home_hub("2026.2")));
}

#[test]
fn database_home_without_log_shows_activity() {
    expect![[r#"
        결제 API 배포 파이프라인 점검 (Active)
          ruda ↔ eden: 12 said, 7 marks ["Answered", "Answered", "Answered", "NoReply", "NoReply", "NoReply", "NoReply"]
          eden ↔ seum: 3 said, 0 marks ["Answered"]
        docs-fix (Quiet)
          ruda → worker-quick <docs-fix> Succeeded
        load-test (Quiet)
          ruda → worker-quick <load-test> TimedOut
        schema-dump (Quiet)
          ruda → worker-quick <schema-dump> Failed
        2월 베타 릴리스 노트 초안 (Quiet)
          ruda ↔ dajim: 5 said, 3 marks ["Answered", "NoReply", "Answered"]
        [Request] 어젯밤 DB 백업 상태를 확인해 주세요. 급합니다. (Quiet)
          ruda ↔ seum: 6 said, 3 marks ["Answered", "Answered", "Answered"]
        [Request] 상태를 알려 주세요. (Active)
          ruda ↔ worker-quick: 1 said, 1 marks ["Blocked"]
        [Request] 확인 부탁 (Active)
          ruda ↔ eden: 1 said, 1 marks ["Blocked"]
        이 메시지는 별도 호출자 세션으로 보냅니다. (Quiet)
          ruda ↔ seum: 2 said, 1 marks ["Answered"]
        research-a (Quiet)
          dajim → dajim <research-a> Succeeded
            dajim → worker-quick <research-a1> Succeeded
        a11y-plan (Quiet)
          ruda → ruda <a11y-plan> Succeeded
    "#]]
    .assert_eq(&shown(&home_hub("2026.9")));
}

#[test]
fn stored_session_belongs_only_to_containing_work_sessions() {
    for home in ["2026.2", "2026.9"] {
        let hub = home_hub(home);
        let all = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
        let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for card in query::sessions(&hub, NOW, &all).unwrap().sessions {
            let events_query =
                EventsQuery { session: Some(card.work_session_id.clone()), limit: Some(500), ..EventsQuery::default() };
            for row in query::events(&hub, NOW, &events_query).unwrap().events {
                let raw = query::event(&hub, &row.id, |_| None).unwrap().raw;
                for side in ["sourceSessionKey", "targetSessionKey"] {
                    if let Some(key) = raw["data"][side].as_str() {
                        expected.entry(key.to_owned()).or_default().insert(card.work_session_id.to_string());
                    }
                }
            }
        }
        let found = |key: &str| -> BTreeSet<String> {
            let sessions_query = SessionsQuery { session_key: Some(key.to_owned()), ..all.clone() };
            let page = query::sessions(&hub, NOW, &sessions_query).unwrap();
            page.sessions.into_iter().map(|card| card.work_session_id.to_string()).collect()
        };
        for (key, sessions) in &expected {
            assert_eq!(found(key), *sessions, "{home} {key}");
            assert_eq!(found(&key.to_uppercase()), *sessions, "{home}: keys are read in any case");
        }
        assert_eq!(found("agent:ruda:nothing"), BTreeSet::new());
        // Two sessions of one agent, each with its own.
        let agent = |key: &str| key.split(':').nth(1).map(str::to_owned);
        let apart = expected.iter().any(|(one, of_one)| {
            expected.iter().any(|(other, of_other)| agent(one) == agent(other) && of_one.is_disjoint(of_other))
        });
        assert!(apart, "{home}: {expected:?}");
    }
}
