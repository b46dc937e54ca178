//! Tests of the search for messages between agents in transcripts: all messages of two real homes
//! (`fixtures/transcripts`), and single cases such as repeated, unanswered and timed-out requests.
//!
//! Proves (transcripts): All messages of two real homes are found in their transcripts.

use crate::transcripts;

use coordination::api::{SessionsQuery, ThreadQuery};
use coordination::delivery::{DeliveryState, ReasonClass};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::transcript::exchanges::{
    ExchangeEvent, ExchangeEventKind, ExchangeParty, ExchangeScan, ScanSource, find,
};
use coordination::transcript::{TranscriptEntry, lines, rows};
use coordination::{merge, query};
use expect_test::expect;
use serde_json::{Value, json};
use transcripts::{HOMES, Transcript, transcripts};

fn empty(one: &Transcript) -> ExchangeScan {
    let source = ScanSource { agent: one.agent.clone(), key: one.key.clone(), session_id: one.session_id.clone() };
    ExchangeScan::new(source)
}

fn scan(one: &Transcript) -> ExchangeScan {
    let mut scan = empty(one);
    let read = if one.home == "2026.9" { rows(one.rows()) } else { lines(&one.bytes, 0) };
    read.entries.iter().for_each(|entry| scan.push(entry));
    scan
}

fn talk(home: &'static str) -> Vec<ExchangeEvent> {
    find(&transcripts(home).iter().map(scan).collect::<Vec<_>>())
}

/// An event as a reader would tell it.
fn summary(event: &ExchangeEvent) -> String {
    let side =
        |party: &ExchangeParty| party.key.as_deref().unwrap_or(&party.agent).trim_start_matches("agent:").to_owned();
    let child = |key: String| key.split(":subagent:").next().unwrap_or_default().to_owned();
    let text: String = event.text.as_deref().unwrap_or("-").chars().take(24).collect();
    let turn = event.turn.map_or(String::new(), |turn| format!(" turn {turn}"));
    let label = event.label.as_deref().map_or(String::new(), |label| format!(" <{label}>"));
    let status = event.status.as_deref().map_or(String::new(), |status| format!(" ({status})"));
    let outcome = event.outcome.map_or(String::new(), |outcome| format!(" {outcome:?}"));
    let routed = if event.routed { " routed" } else { "" };
    format!(
        "{:?} {} → {}{turn}{label}{status}{outcome}{routed}: {} [{}]",
        event.kind,
        child(side(&event.from)),
        child(side(&event.to)),
        text.replace('\n', " "),
        event.written.len()
    )
}

/// Talks in the order in which they began, each with all of its events.
fn golden(home: &'static str) -> String {
    let events = talk(home);
    let mut names: Vec<&str> = Vec::new();
    for event in &events {
        if !names.contains(&event.exchange.as_str()) {
            names.push(&event.exchange);
        }
    }
    let exchange_text =
        |name: &str| events.iter().filter(|event| event.exchange == name).map(summary).collect::<Vec<_>>().join("\n  ");
    names.into_iter().map(|name| format!("{}\n", exchange_text(name))).collect()
}

#[test]
fn exchanges_of_2026_2_home_are_found() {
    expect![[r#"
        Send ruda:main → eden:main (ok): [Goal] 결제 API 배포 파이프라인 점 [3]
          Response eden:main → ruda:main: ## 점검 결과  1. **현재 태그** — [2]
          Response ruda:main → eden:main turn 1: [Question] 롤백 기준은 어떻게 잡을 [2]
          Response eden:main → ruda:main turn 2: [Answer] 실패율이 **0.8 %**를 [2]
          Announce eden:main → ruda:main: 📣 결제 API 배포 점검 완료: payme [2]
          Complete ruda:main → eden:main turn 2 (explicit_skip): - [1]
        Send eden:main → seum:main (timeout): [Request] staging 클러스터의  [3]
          Response seum:main → eden:main: staging 현황입니다.  | 서비스 |  [1]
        Spawn ruda:main → worker-quick <docs-fix> (accepted): [Goal] README 설치 절차 정리   [3]
          ChildResult worker-quick → ruda:main <docs-fix> Ok: 설치 절차를 `docs/install.md` [2]
        Spawn ruda:main → worker-quick <load-test> (accepted): [Goal] 결제 API 부하 테스트  Ru [3]
          ChildResult worker-quick → ruda:main <load-test> Timeout: - [2]
        Spawn ruda:main → worker-quick <schema-dump> (accepted): [Goal] 운영 DB 스키마 덤프  Dum [3]
          ChildResult worker-quick → ruda:main <schema-dump> Error: - [2]
        Send ruda:main → dajim:main (accepted): [Goal] 2월 베타 릴리스 노트 초안   [3]
          Response dajim:main → ruda:main: # 2월 베타 릴리스 노트 초안  ## 1. [2]
          Complete ruda:main → dajim:main (explicit_skip): - [3]
        Send ruda:main → seum:main (timeout): [Request] 어젯밤 DB 백업 상태를  [3]
          Response seum:main → ruda:main: 백업은 **03:10 KST**에 성공했습니 [1]
        Refused ruda:main → worker-quick:main (forbidden): [Request] 상태를 알려 주세요. [2]
        Refused ruda:main → eden <no-such-label> (error): [Request] 확인 부탁 [2]
        Send ruda:main → seum:main routed: [Human Intervention] sta [1]
          Response seum:main → ruda:main: 확인했습니다. staging 클러스터를 먼저 [2]
          Complete ruda:main → seum:main (explicit_skip): - [3]
        Send ruda:main → eden:main routed: [Human Intervention] 회의록 [1]
          Response eden:main → ruda:main: 알겠습니다. staging을 먼저 확인하고  [2]
          Complete ruda:main → eden:main (explicit_skip): - [3]
        Send ruda:task-hub → seum:main routed: [Human Intervention] 이 메 [1]
          Response seum:main → ruda:task-hub: 확인했습니다. staging 클러스터를 먼저 [2]
          Complete ruda:task-hub → seum:main (explicit_skip): - [3]
        Send ruda:main → eden:main routed: [Human Intervention] 호출자 [1]
          Response eden:main → ruda:main: 알겠습니다. staging을 먼저 확인하고  [2]
          Complete ruda:main → eden:main (explicit_skip): - [3]
        Send ruda:main → seum:main routed: [Request] 오늘 새벽 DB 백업 상태 [1]
          Response seum:main → ruda:main: 백업은 **03:10 KST**에 성공했습니 [1]
        Send ruda:main → eden:main routed: 오류 시험: 이 요청은 실패해야 합니다. [1]
          NoReply eden:main → ruda:main (error): - [1]
        Send ruda:main → dajim:main routed: 공유만 합니다. 답장은 필요 없습니다. FY [1]
          NoReply dajim:main → ruda:main (no_reply): - [2]
          Complete ruda:main → dajim:main (explicit_skip): - [3]
        Send ruda:main → eden:discord:channel:42 routed: x [1]
          Response eden:discord:channel:42 → ruda:main: 네, 확인했습니다. (자동 응답) [2]
          Complete ruda:main → eden:discord:channel:42 (explicit_skip): - [3]
        Send ruda:main → eden:main routed: [Human Intervention] 옛 인 [1]
          NoReply eden:main → ruda:main (error): - [1]
        Spawn dajim:main → dajim <research-a> (accepted): [Goal] 하위 조사 A: 시장 자료를 모 [3]
          ChildResult dajim → dajim:main <research-a> Ok: 조사 A의 개요를 정리했습니다. 세부 표는  [2]
        Spawn dajim → worker-quick <research-a1> (accepted): [Goal] 하위 조사 A-1: 표를 CSV [3]
          ChildResult worker-quick → dajim <research-a1> Ok: 표를 정리했습니다.  ```csv plan, [2]
        Spawn ruda:main → ruda <a11y-plan> (accepted): [Goal] 접근성 점검 계획  키보드 동선 [3]
          ChildResult ruda → ruda:main <a11y-plan> Ok: 접근성 점검 계획입니다.  1. 키보드 동선 [2]
        Send ruda:main → eden:main routed: [Human Intervention] 라벨로 [1]
          Response eden:main → ruda:main: 알겠습니다. staging을 먼저 확인하고  [2]
          Complete ruda:main → eden:main (explicit_skip): - [3]
    "#]]
    .assert_eq(&golden("2026.2"));
}

#[test]
fn exchanges_of_2026_9_home_are_found() {
    expect![[r#"
        Send ruda:main → eden:main (ok): [Goal] 결제 API 배포 파이프라인 점 [4]
          Response eden:main → ruda:main: ## 점검 결과  1. **현재 태그** — [2]
          Response ruda:main → eden:main turn 1: [Question] 롤백 기준은 어떻게 잡을 [2]
          Response eden:main → ruda:main turn 2: [Answer] 실패율이 **0.8 %**를 [2]
          Announce eden:main → ruda:main: 📣 결제 API 배포 점검 완료: payme [1]
          Complete ruda:main → eden:main turn 2 (explicit_skip): - [1]
        Send eden:main → seum:main (ok): [Request] staging 클러스터의  [4]
          Response seum:main → eden:main: staging 현황입니다.  | 서비스 |  [2]
          Response eden:main → seum:main turn 1: 세움의 답을 점검 결과에 반영했습니다. [1]
        Spawn ruda:main → worker-quick <docs-fix> (accepted): [Goal] README 설치 절차 정리   [4]
          ChildResult worker-quick → ruda:main <docs-fix> Ok: 설치 절차를 `docs/install.md` [2]
        Spawn ruda:main → worker-quick <load-test> (accepted): [Goal] 결제 API 부하 테스트  Ru [4]
          ChildResult worker-quick → ruda:main <load-test> Timeout: - [3]
        Spawn ruda:main → worker-quick <schema-dump> (accepted): [Goal] 운영 DB 스키마 덤프  Dum [3]
          ChildResult worker-quick → ruda:main <schema-dump> Error: - [2]
        Send ruda:main → dajim:main (accepted): [Goal] 2월 베타 릴리스 노트 초안   [3]
          Response dajim:main → ruda:main: # 2월 베타 릴리스 노트 초안  ## 1. [2]
          Complete ruda:main → dajim:main (explicit_skip): - [2]
        Send ruda:main → seum:main (accepted): [Request] 어젯밤 DB 백업 상태를  [3]
          Response seum:main → ruda:main: 백업은 **03:10 KST**에 성공했습니 [2]
          Complete ruda:main → seum:main (explicit_skip): - [2]
        Refused ruda:main → worker-quick:main (forbidden): [Request] 상태를 알려 주세요. [2]
        Refused ruda:main → eden <no-such-label> (error): [Request] 확인 부탁 [2]
        Send ruda:main → seum:main routed: [Human Intervention] sta [1]
          Response seum:main → ruda:main: 확인했습니다. staging 클러스터를 먼저 [2]
          Complete ruda:main → seum:main (explicit_skip): - [2]
        Send ruda:main → eden:main routed: [Human Intervention] 회의록 [1]
          Response eden:main → ruda:main: 알겠습니다. staging을 먼저 확인하고  [2]
          Complete ruda:main → eden:main (explicit_skip): - [2]
        Send ruda:task-hub → seum:main routed: [Human Intervention] 이 메 [1]
          Response seum:main → ruda:task-hub: 확인했습니다. staging 클러스터를 먼저 [2]
          Complete ruda:task-hub → seum:main (explicit_skip): - [2]
        Send ruda:main → eden:main routed: [Human Intervention] 호출자 [1]
          Response eden:main → ruda:main: 알겠습니다. staging을 먼저 확인하고  [2]
          Complete ruda:main → eden:main (explicit_skip): - [2]
        Send ruda:main → seum:main routed: [Request] 오늘 새벽 DB 백업 상태 [1]
          Response seum:main → ruda:main: 백업은 **03:10 KST**에 성공했습니 [2]
          Complete ruda:main → seum:main (explicit_skip): - [2]
        Send ruda:main → eden:main routed: 오류 시험: 이 요청은 실패해야 합니다. [1]
          NoReply eden:main → ruda:main (error): - [1]
        Send ruda:main → dajim:main routed: 공유만 합니다. 답장은 필요 없습니다. FY [1]
          NoReply dajim:main → ruda:main (no_reply): - [1]
        Send ruda:main → eden:main routed: x [1]
          NoReply eden:main → ruda:main (error): - [2]
        Send ruda:main → eden:main routed: [Human Intervention] 옛 인 [1]
          NoReply eden:main → ruda:main (error): - [2]
        Spawn dajim:main → dajim <research-a> (accepted): [Goal] 하위 조사 A: 시장 자료를 모 [3]
          ChildResult dajim → dajim:main <research-a> Ok: 하위 조사 A-1의 표까지 받았습니다. 조사 [2]
        Spawn dajim → worker-quick <research-a1> (accepted): [Goal] 하위 조사 A-1: 표를 CSV [3]
          ChildResult worker-quick → dajim <research-a1> Ok: 표를 정리했습니다.  ```csv plan, [3]
        Spawn ruda:main → ruda:dashboard:14262b4a-d3d9-49c9-8f54-128e433deb56 <a11y-plan> (accepted): [Goal] 접근성 점검 계획  키보드 동선 [3]
          ChildResult ruda:dashboard:14262b4a-d3d9-49c9-8f54-128e433deb56 → ruda:main <a11y-plan> Ok: 접근성 점검 계획입니다.  1. 키보드 동선 [2]
        Send ruda:main → eden:main routed: [Human Intervention] 라벨로 [1]
          NoReply eden:main → ruda:main (error): - [1]
        Send ruda:main → dajim:main routed: [Request] 릴리스 노트 상세본을 보내 [1]
          Response dajim:main → ruda:main: # 2월 베타 릴리스 노트 상세본  ## 1 [2]
          Complete ruda:main → dajim:main (explicit_skip): - [2]
    "#]].assert_eq(&golden("2026.9"));
}

/// All strings in a value.
fn strings(value: Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.into_iter().flat_map(strings).collect(),
        Value::Object(all) => all.into_iter().flat_map(|(_, value)| strings(value)).collect(),
        _ => Vec::new(),
    }
}

/// The tool behind a block of a message, as one would look it up by hand.
fn called(block: &Value) -> Option<&str> {
    let name = (block["type"] == "toolCall").then(|| block["name"].as_str()).flatten()?;
    Some(if name == "tool_call" { block["arguments"]["id"].as_str()? } else { name })
}

#[test]
fn every_exchange_line_belongs_to_one_event() {
    for home in HOMES {
        let events = talk(home);
        let count_of = |kinds: &[ExchangeEventKind]| events.iter().filter(|event| kinds.contains(&event.kind)).count();
        let holding = |one: &Transcript, place: u64| {
            let here = |event: &&ExchangeEvent| {
                event.written.iter().any(|line| *line.session_id == *one.session_id && line.place == place)
            };
            events.iter().filter(here).count()
        };
        let (mut sends, mut spawns, mut lines, mut settled) = (0, 0, 0, 0);
        for one in transcripts(home) {
            let mut offset = 0;
            let text = std::str::from_utf8(&one.bytes).unwrap();
            for (number, (line, value)) in text.split_inclusive('\n').zip(one.values()).enumerate() {
                let place = if home == "2026.9" { number as u64 } else { offset };
                offset += line.len() as u64;
                let message = &value["message"];
                let blocks = message["content"].as_array().cloned().unwrap_or_default();
                let names: Vec<&str> = blocks.iter().filter_map(called).collect();
                let (sent, spawned) = (
                    names.iter().filter(|name| **name == "sessions_send").count(),
                    names.iter().filter(|name| **name == "sessions_spawn").count(),
                );
                (sends, spawns) = (sends + sent, spawns + spawned);
                let named = |tool: &Value| tool == "sessions_send" || tool == "sessions_spawn";
                let answers = named(&message["toolName"])
                    || named(&message["details"]["toolName"])
                    || named(&message["details"]["tool"]["name"]);
                let from = &message["provenance"];
                let inter = from["kind"] == "inter_session";
                let settle = inter && from["sourceTool"] != "sessions_send";
                if sent + spawned > 0 || answers || (inter && !settle) {
                    assert_eq!(holding(&one, place), 1, "{home} {} {place}: {message}", one.session_id);
                    lines += 1;
                } else if settle {
                    assert!(holding(&one, place) >= 1, "{home} {} {place}", one.session_id);
                    settled += 1;
                }
            }
        }
        let called = events.iter().filter(|event| event.kind == ExchangeEventKind::Send && !event.routed).count();
        assert_eq!(
            called + count_of(&[ExchangeEventKind::Refused]),
            sends,
            "{home}: each call once, its wrapper not again"
        );
        assert_eq!(count_of(&[ExchangeEventKind::Spawn, ExchangeEventKind::SpawnFailed]), spawns, "{home}");
        assert_eq!(count_of(&[ExchangeEventKind::ChildResult]), spawns, "{home}: all of them ended");
        let counted = if home == "2026.2" { (6, 6, 58, 0) } else { (6, 6, 58, 3) };
        assert_eq!((sends, spawns, lines, settled), counted, "{home}: what the test itself counted");
    }
}

#[test]
fn missing_or_reordered_transcripts_invent_nothing() {
    for home in HOMES {
        let all = transcripts(home);
        let whole = talk(home);
        let scans: Vec<ExchangeScan> = all.iter().rev().map(scan).collect();
        assert_eq!(find(&scans), whole, "{home}: whichever is read first");
        let texts: Vec<String> = all.iter().flat_map(Transcript::values).flat_map(strings).collect();
        for left_out in 0..all.len() {
            let some: Vec<ExchangeScan> =
                all.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, one)| scan(one)).collect();
            for event in find(&some) {
                let known = event.text.as_deref().is_none_or(|text| texts.iter().any(|one| one.contains(text)));
                assert!(known, "{home} without {}: {event:?}", all[left_out].session_id);
                assert!(!event.written.is_empty() || event.kind == ExchangeEventKind::Complete, "{event:?}");
            }
        }
        assert!(find(&[]).is_empty());
    }
}

#[test]
fn incremental_lines_equal_full_scan() {
    let all = transcripts("2026.9");
    let mut last = 0;
    for cut in [0, 3, 10, 20, 40, 200] {
        let scans: Vec<ExchangeScan> = all
            .iter()
            .map(|one| {
                let mut scan = empty(one);
                rows(one.rows().into_iter().take(cut)).entries.iter().for_each(|entry| scan.push(entry));
                scan
            })
            .collect();
        let found = find(&scans).len();
        assert!(found >= last, "{cut}: what was found stays");
        last = found;
    }
    assert_eq!(last, talk("2026.9").len());
}

fn entries(values: &[Value]) -> Vec<TranscriptEntry> {
    let text: Vec<String> = values.iter().map(Value::to_string).collect();
    rows((0..).zip(text.iter().map(String::as_str))).entries
}

fn session(agent: &str, key: &str, values: &[Value]) -> ExchangeScan {
    let mut scan = ExchangeScan::new(ScanSource { agent: agent.into(), key: Some(key.into()), session_id: key.into() });
    entries(values).iter().for_each(|entry| scan.push(entry));
    scan
}

fn from(key: &str, text: &str, at: i64) -> Value {
    json!({ "message": { "role": "user", "content": text, "timestamp": at,
        "provenance": { "kind": "inter_session", "sourceSessionKey": key, "sourceTool": "sessions_send" } } })
}

fn says(text: &str, at: i64) -> Value {
    json!({ "message": { "role": "assistant", "content": [{ "type": "text", "text": text }], "stopReason": "stop",
        "timestamp": at } })
}

fn send(id: &str, message: &str, at: i64) -> Value {
    json!({ "message": { "role": "assistant", "stopReason": "toolUse", "timestamp": at, "content": [{ "type": "toolCall",
        "id": id, "name": "sessions_send", "arguments": { "sessionKey": "agent:seum:main", "message": message } }] } })
}

#[test]
fn repeated_message_makes_two_exchanges() {
    let ruda = session("ruda", "agent:ruda:main", &[send("1", "확인", 100), send("2", "확인", 200)]);
    let seum = session(
        "seum",
        "agent:seum:main",
        &[
            from("agent:ruda:main", "확인", 110),
            says("하나", 120),
            from("agent:ruda:main", "확인", 210),
            says("둘", 220),
        ],
    );
    let found = find(&[seum, ruda]);
    let texts: Vec<_> =
        found.iter().map(|event| (event.kind, event.text.as_deref().unwrap(), event.written.len())).collect();
    use ExchangeEventKind::{Response, Send};
    assert_eq!(texts, [(Send, "확인", 2), (Response, "하나", 1), (Send, "확인", 2), (Response, "둘", 1)]);
    assert_eq!(found[0].exchange, found[1].exchange);
    assert_ne!(found[0].exchange, found[2].exchange);
}

#[test]
fn unanswered_requests_are_only_sends() {
    let ruda = session("ruda", "agent:ruda:main", &[send("1", "확인", 100)]);
    let found = find(std::slice::from_ref(&ruda));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].status.as_deref()), (ExchangeEventKind::Send, None));
    let seum = session("seum", "agent:seum:main", &[from("agent:ruda:main", "확인", 110)]);
    let found = find(&[ruda, seum]);
    assert_eq!((found.len(), found[0].written.len(), found[0].routed), (1, 2, false));
}

/// What the tool said of a call.
fn result(id: &str, details: &Value, at: i64) -> Value {
    json!({ "message": { "role": "toolResult", "toolCallId": id, "toolName": "sessions_send", "timestamp": at,
        "content": [{ "type": "text", "text": details.to_string() }], "details": details } })
}

#[test]
fn timed_out_send_appears_once_with_reason() {
    const AT: i64 = 1_795_000_000_000;
    let timeout = json!({ "runId": "r1", "status": "timeout", "sessionKey": "agent:seum:main" });
    let call = [send("1", "배포 상태를 알려 주세요", AT), result("1", &timeout, AT + 30_000)];
    let ruda = session("ruda", "agent:ruda:main", &call);
    let deliveries = |scans: &[ExchangeScan], log: &str| {
        let mut hub = Hub::new();
        hub.apply(parse_lines(log.as_bytes(), "f0", 0).0);
        hub.sync_transcripts(merge::TranscriptExchanges::new(find(scans)));
        let mut found = Vec::new();
        for card in query::sessions(&hub, AT + 90_000, &SessionsQuery::default()).unwrap().sessions {
            for thread in query::session(&hub, AT + 90_000, &card.work_session_id).unwrap().threads {
                let thread_query = ThreadQuery::default();
                let page =
                    query::thread_page(&hub, AT + 90_000, &card.work_session_id, &thread.thread_id, &thread_query);
                found.extend(page.unwrap().unwrap().exchanges);
            }
        }
        found
            .into_iter()
            .map(|it| (it.delivery.state_at(it.sent_at, AT + 90_000), it.delivery.reason))
            .collect::<Vec<_>>()
    };
    let of_others = json!({ "type": "task.started", "agentId": "eden", "ts": AT, "data": { "taskId": "task_1" } });
    let timed_out = (DeliveryState::NoReply, Some(ReasonClass::Timeout));
    assert_eq!(deliveries(std::slice::from_ref(&ruda), &format!("{of_others}\n")), [timed_out]);

    // The listener's transcript has the request, and no answer either.
    let listener = session("seum", "agent:seum:main", &[from("agent:ruda:main", "배포 상태를 알려 주세요", AT + 10)]);
    assert_eq!(deliveries(&[ruda.clone(), listener], ""), [timed_out]);
    // An answer that came after the wait is an answer.
    let late = [from("agent:ruda:main", "배포 상태를 알려 주세요", AT + 10), says("끝났습니다", AT + 60_000)];
    let late = session("seum", "agent:seum:main", &late);
    assert_eq!(deliveries(&[ruda.clone(), late], "").first().map(|it| it.0), Some(DeliveryState::Answered));
    // What the log has of it is not reported again.
    let line = |kind: &str, from: &str, to: &str, after: i64, more: Value| {
        let mut data = json!({ "fromAgent": from, "toAgent": to, "conversationId": "c", "runId": "r1",
            "eventRole": "conversation.main" });
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "type": kind, "agentId": from, "ts": AT + after, "data": data }).to_string()
    };
    let logged = [
        line("a2a.send", "ruda", "seum", 5, json!({ "message": "배포 상태를 알려 주세요" })),
        line("a2a.response", "seum", "ruda", 30_005, json!({ "outcome": "no_reply", "waitStatus": "timeout" })),
    ];
    assert_eq!(deliveries(&[ruda], &(logged.join("\n") + "\n")), [timed_out]);

    // OpenClaw 2026.9 answers `accepted` to a wait that ran out, as it does to a message that waits for nothing.
    let accepted = json!({ "runId": "r1", "status": "accepted", "sessionKey": "agent:seum:main" });
    for (seconds, after, expected) in [
        (json!(5), 5_000, timed_out),
        (Value::Null, 30_000, timed_out),
        (json!(5), 4_999, (DeliveryState::Waiting, None)),
        (json!(0), 600_000, (DeliveryState::Waiting, None)),
    ] {
        let mut call = send("1", "배포 상태를 알려 주세요", AT);
        call["message"]["content"][0]["arguments"]["timeoutSeconds"] = seconds.clone();
        let ruda = session("ruda", "agent:ruda:main", &[call, result("1", &accepted, AT + after)]);
        assert_eq!(deliveries(&[ruda], ""), [expected], "{seconds} s, answered after {after} ms");
    }
}

#[test]
fn only_text_cut_by_log_is_filled() {
    let whole = "가".repeat(5_000);
    let seum = session("seum", "agent:seum:main", &[from("agent:ruda:main", &whole, 1)]);
    let event = find(&[seum]).remove(0);
    let cut = |count: usize| "가".repeat(count);
    assert_eq!(event.fills(&cut(4_000), 4_000), Some(whole.as_str()));
    assert_eq!(event.fills(&format!("{}\u{fffd}", cut(3_999)), 4_000), Some(whole.as_str()), "a torn pair at the end");
    assert_eq!(event.fills(&cut(3_999), 4_000), None, "that one was not cut");
    assert_eq!(event.fills(&format!("나{}", cut(3_999)), 4_000), None);
    assert_eq!(event.fills(&cut(200), 200), Some(whole.as_str()));
}

#[test]
fn unrelated_lines_make_no_exchange() {
    let odd = [
        json!({ "message": { "role": "toolResult", "toolName": "sessions_send", "toolCallId": "", "content": [] } }),
        json!({ "message": { "role": "toolResult", "toolName": "tool_call", "content": "{", "details": { "tool": 1 } } }),
        json!({ "message": { "role": "custom", "customType": "openclaw.nested-tool.v1", "details": { "toolName": 7 } } }),
        json!({ "message": { "role": "user", "content": "[System Message] A subagent task \"x" } }),
        json!({ "message": { "role": "user", "content": "[Inter-session message] sourceSession=" } }),
        json!({ "message": { "role": "user", "provenance": { "kind": "inter_session", "sourceTool": "subagent_settle" },
            "content": "1. Child task (\n<prompt-data>\nx\nstatus: ok" } }),
        json!({ "message": { "role": "assistant", "content": [{ "type": "toolCall", "name": "tool_call", "arguments": {} }] } }),
        json!({ "message": { "role": "user", "provenance": { "kind": "internal_system", "sourceTool": "cron" }, "content": "x" } }),
    ];
    let kinds: Vec<_> = find(&[session("a", "agent:a:main", &odd)]).iter().map(|event| event.kind).collect();
    // A result without its call, and a note of another session without its name: somebody sent something.
    assert_eq!(kinds, [ExchangeEventKind::Send, ExchangeEventKind::Send]);
}
