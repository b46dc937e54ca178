//! Rules of what is held of a whole session.

use coordination::api::{Mark, MarkKind, Timeline};
use coordination::delivery::ReasonClass;
use serde_json::{Value, json};

use super::*;
use crate::components::thread::window::HELD;

fn said(n: usize, from: &str, to: &str) -> Value {
    json!({"message": {"thread": format!("conv:{to}"), "message": {"id": format!("f-{n}"), "at": 1_000_000 + n * 1_000,
        "from": from, "to": to, "kind": "send", "text": "안녕"}}})
}

fn run(n: usize, step: &str) -> Value {
    json!({"run": {"id": format!("f-{n}"), "at": 1_000_000 + n * 1_000, "step": step, "run": "f-1", "from": "eden",
        "to": "explorer", "state": "running", "startTime": 1_001_000}})
}

fn page(items: &[Value], older: bool, newer: bool) -> Timeline {
    serde_json::from_value(json!({
        "sessionId": "ws_1", "items": items, "previousPage": older.then_some("o"), "nextPage": newer.then_some("n"),
        "cursor": {"epoch": "e", "seq": 1}, "now": 0
    }))
    .unwrap()
}

/// All speakers are on one side; bubbles join only while sender and recipient stay the same.
#[test]
fn every_speaker_stands_on_one_side_and_joins_only_when_it_goes_on_to_the_same_one() {
    let items = [
        said(1, "eden", "seum"),
        said(2, "eden", "seum"),
        said(3, "eden", "dajim"),
        run(4, "started"),
        said(5, "eden", "dajim"),
    ];
    let shape: Vec<_> = Strip::from_page(&page(&items, false, false))
        .items(|_| 0)
        .iter()
        .map(|item| match item {
            Item::Bubble(bubble) => {
                assert_eq!(bubble.side, Side::Left);
                assert_eq!(
                    bubble.thread.as_ref().map(ToString::to_string),
                    Some(format!("conv:{}", bubble.message.to))
                );
                if bubble.joined { "joined" } else { "bubble" }
            }
            Item::Run(_) => "run",
            _ => "other",
        })
        .collect();
    assert_eq!(shape, ["other", "bubble", "joined", "bubble", "run", "bubble"]);
}

#[test]
fn an_ending_that_only_repeats_the_notice_before_it_is_folded_here_too() {
    let mark = |n: usize, kind: MarkKind| {
        let mark = Mark {
            id: format!("f-{n}").into(),
            at: 1_000_000 + n as i64 * 1_000,
            kind,
            exchange_id: Some("f-1".into()),
            from: "eden".into(),
            to: "seum".into(),
        };
        json!({"mark": {"thread": "conv:seum", "mark": mark}})
    };
    let lost = MarkKind::NoReply { reason: ReasonClass::Timeout, detail: None, waited_secs: Some(300) };
    let ended = MarkKind::Complete {
        reason: None,
        turns: Some(0),
        max_turns: Some(3),
        early: false,
        announced: true,
        failed: false,
        detail: None,
    };
    let items = [said(1, "eden", "seum"), mark(2, lost), mark(3, ended)];
    let strip = Strip::from_page(&page(&items, false, false));
    let marks = strip.items(|_| 0).iter().filter(|item| matches!(item, Item::Mark(_))).count();
    assert_eq!((strip.items.len(), marks), (3, 1));
}

/// Pages that hold only marks join like others, and the held part stays within the drawing limit.
#[test]
fn pages_of_marks_alone_join_like_others_and_no_more_is_held_than_can_be_drawn() {
    let items = |range: std::ops::Range<usize>| range.map(|n| run(n, "started")).collect::<Vec<_>>();
    let mut strip = Strip::from_page(&page(&items(200..280), true, false));
    strip.take(&page(&items(160..200), true, true), End::Older);
    assert_eq!(strip.items.len(), 120);
    strip.take(&page(&items(120..161), true, true), End::Older);
    assert_eq!(strip.items.len(), HELD);
    assert_eq!(strip.place(&"f-120".into()), Some(0));
    assert_eq!(strip.mark(End::Newer), Some(&page_mark(1_239_000, &"f-239".into())));
    strip.refresh(&page(&items(500..580), true, false), End::Older);
    assert_eq!(strip.items.len(), 80, "a page that does not adjoin replaces the held items");
}
