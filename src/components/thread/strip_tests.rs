//! Tests of the loaded part of a session's timeline (`strip.rs`): which message bubbles are joined, which marks are
//! shown as one, and how further pages are merged into it.

use coordination::api::{Mark, MarkKind, Timeline};
use coordination::delivery::ReasonClass;
use serde_json::{Value, json};

use super::*;
use coordination::view::MAX_LOADED;

fn message_item(n: usize, from: &str, to: &str) -> Value {
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
fn speakers_share_side_and_join_per_recipient() {
    let items = [
        message_item(1, "eden", "seum"),
        message_item(2, "eden", "seum"),
        message_item(3, "eden", "dajim"),
        run(4, "started"),
        message_item(5, "eden", "dajim"),
    ];
    let shape: Vec<_> = Strip::from_page(&page(&items, false, false))
        .items(|_| 0)
        .iter()
        .map(|item| match item {
            StreamItem::Bubble(bubble) => {
                assert_eq!(bubble.side, SpeakerSide::Left);
                assert_eq!(
                    bubble.thread.as_ref().map(ToString::to_string),
                    Some(format!("conv:{}", bubble.message.to))
                );
                if bubble.joined { "joined" } else { "bubble" }
            }
            StreamItem::Run(_) => "run",
            _ => "other",
        })
        .collect();
    assert_eq!(shape, ["other", "bubble", "joined", "bubble", "run", "bubble"]);
}

#[test]
fn repeated_ending_folds_into_notice() {
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
    let items = [message_item(1, "eden", "seum"), mark(2, lost), mark(3, ended)];
    let strip = Strip::from_page(&page(&items, false, false));
    let marks = strip.items(|_| 0).iter().filter(|item| matches!(item, StreamItem::Mark(_))).count();
    assert_eq!((strip.items.len(), marks), (3, 1));
}

/// Pages that hold only marks join like others, and the held part stays within the drawing limit.
#[test]
fn mark_only_pages_join_within_held_limit() {
    let items = |range: std::ops::Range<usize>| range.map(|n| run(n, "started")).collect::<Vec<_>>();
    let mut strip = Strip::from_page(&page(&items(200..280), true, false));
    strip.take(&page(&items(160..200), true, true), StreamEnd::Older);
    assert_eq!(strip.items.len(), 120);
    strip.take(&page(&items(120..161), true, true), StreamEnd::Older);
    assert_eq!(strip.items.len(), MAX_LOADED);
    assert_eq!(strip.place(&"f-120".into()), Some(0));
    assert_eq!(strip.mark(StreamEnd::Newer), Some(&page_mark(1_239_000, &"f-239".into())));
    strip.refresh(&page(&items(500..580), true, false), StreamEnd::Older);
    assert_eq!(strip.items.len(), 80, "a page that does not adjoin replaces the held items");
}
