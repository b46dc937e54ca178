//! Test of events that arrive late in a long session: after a clock was set back, from an archive that was found later,
//! in reverse order, and scattered. The answers must equal those of events that arrive in order.
//!
//! Proves (log): Events that arrive late, in any of four orders, give the answers of events that arrive in order.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "tests")]

use coordination::api::{Taught, TaughtWord, ThreadQuery};
use coordination::category::Category;
use coordination::classify::Classifier;
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::query;

const NOW: i64 = 1_772_000_000_000;

/// A word that one early line holds.
fn apply_rules(hub: &mut Hub) {
    let word = TaughtWord { word: "정산표".to_owned(), category: Category::LegalCompliance, weight: 3.0 };
    let taught = coordination::classify::v2::checked_rules(Taught { words: vec![word], agents: Vec::new() }).unwrap();
    let teaching = hub.evaluate_rules(taught);
    hub.apply_rules(teaching);
}

/// A session with a long history whose late events come as they do when a clock is set back, when an archive turns up,
/// and all over the place.
#[test]
fn late_events_leave_final_state_unchanged() {
    const LINES: i64 = 1_500;
    const TAUGHT_LINE: i64 = 40;
    let line = |number: i64| {
        let (kind, more) = match number % 7 {
            0 => ("a2a.spawn", format!(r#","targetSessionKey":"agent:seum:subagent:{number}","runId":"run_{number}""#)),
            1 | 4 => ("a2a.response", r#","replyPreview":"확인했습니다""#.to_owned()),
            2 => ("task.updated", r#","taskId":"task_1","status":"in_progress""#.to_owned()),
            _ => ("a2a.send", String::new()),
        };
        let message = ["배포 상태를 확인해 주세요", "계약서 법무 검토", "데이터 지표 분석"][number as usize % 3];
        let message = if number == TAUGHT_LINE { "정산표 정산표를 봐 주세요" } else { message };
        let (from, to) = if number % 2 == 0 { ("eden", "seum") } else { ("seum", "eden") };
        format!(
            r#"{{"type":"{kind}","agentId":"{from}","ts":{},"data":{{"fromAgent":"{from}","toAgent":"{to}","conversationId":"c{}","message":"{message} {number}","workSessionId":"ws_1"{more}}}}}"#,
            NOW - (LINES - number) * 20_000,
            number % 5,
        )
    };
    // Each event keeps its place in its file whatever the order in which it comes.
    let events: Vec<Event> = (0..LINES)
        .flat_map(|number| parse_lines(format!("{}\n", line(number)).as_bytes(), "f", number as u64 * 1_000).0)
        .collect();
    assert_eq!(events.len() as i64, LINES);
    let picked = |numbers: &mut dyn Iterator<Item = usize>| numbers.map(|at| events[at].clone()).collect::<Vec<_>>();
    let last = LINES as usize;
    let set_back: Vec<usize> = (0..900).chain(1_200..last).chain(900..1_200).collect();
    let archive: Vec<usize> = (300..last).chain(0..300).collect();
    let all_over: Vec<usize> = (0..last).filter(|at| at % 11 != 3).chain((0..last).filter(|at| at % 11 == 3)).collect();
    let backwards: Vec<usize> = (0..1_000).chain((1_000..last).rev()).collect();
    let mut sorted = Hub::new();
    sorted.apply(events.clone());
    apply_rules(&mut sorted);
    for (name, arrival) in
        [("set back", set_back), ("archive", archive), ("all over", all_over), ("backwards", backwards)]
    {
        let mut hub = Hub::new();
        for (number, batch) in arrival.chunks(37).enumerate() {
            hub.apply(picked(&mut batch.iter().copied()));
            // Late events have come by now; whatever is cached of the session must follow the new decisions.
            if number == 34 {
                hub.set_classifier(Classifier::V1);
                hub.set_classifier(Classifier::V2);
            }
            if number == 38 {
                apply_rules(&mut hub);
            }
        }
        let id = SessionId::from("ws_1");
        assert_eq!(query::snapshot(&hub, NOW), query::snapshot(&sorted, NOW), "{name}");
        assert_eq!(query::session(&hub, NOW, &id), query::session(&sorted, NOW, &id), "{name}");
        assert_eq!(query::flow(&hub, NOW, &id), query::flow(&sorted, NOW, &id), "{name}");
        for summary in query::session(&sorted, NOW, &id).unwrap().threads {
            let page = |hub: &Hub| {
                let thread_query = ThreadQuery { limit: Some(500), ..ThreadQuery::default() };
                query::thread_page(hub, NOW, &id, &summary.thread_id, &thread_query).unwrap()
            };
            assert_eq!(page(&hub), page(&sorted), "{name}");
        }
    }
}
