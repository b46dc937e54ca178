//! Tests of the item list of a message thread (`flow.rs`): sides and grouping of message bubbles, marks, day
//! separators, idle gaps, the unread separator, and the keys by which items are redrawn.

use std::sync::Arc;

use coordination::api::{Exchange, Mark, MarkKind, Message, MessageKind, Origin};
use coordination::delivery::{Delivery, DeliveryState, ReasonClass};

use super::{LoadedThread, SpeakerSide, StreamItem, thread_items};

const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;
/// Some midnight.
const T0: i64 = 1_771_545_600_000;

fn message(id: &str, from: &str, at: i64) -> Arc<Message> {
    Arc::new(Message {
        id: id.into(),
        at,
        from: from.into(),
        to: "seum".into(),
        kind: MessageKind::Send,
        turn: None,
        max_turns: None,
        text: format!("text of {id}"),
        truncated: false,
        human: false,
        system: false,
        team: None,
        intent: None,
        payload: None,
        outcome: None,
        task_id: None,
        origin: Origin::Log,
        filled: false,
        transcript: None,
    })
}

fn mark(id: &str, at: i64, exchange: &str, kind: MarkKind) -> Arc<Mark> {
    Arc::new(Mark {
        id: id.into(),
        at,
        kind,
        exchange_id: Some(exchange.into()),
        from: "eden".into(),
        to: "seum".into(),
    })
}

fn no_reply() -> MarkKind {
    MarkKind::NoReply { reason: ReasonClass::Timeout, detail: None, waited_secs: Some(300) }
}

fn complete(turns: u32) -> MarkKind {
    MarkKind::Complete {
        reason: None,
        turns: Some(turns),
        max_turns: Some(3),
        early: false,
        announced: true,
        failed: false,
        detail: None,
    }
}

fn shape(loaded: &LoadedThread) -> Vec<String> {
    thread_items(loaded, &"eden".into(), None, |at| at.div_euclid(DAY))
        .iter()
        .map(|item| match item {
            StreamItem::Day { .. } => "day".to_owned(),
            StreamItem::Unread { .. } => "unread".to_owned(),
            StreamItem::Gap { ms, .. } => format!("gap {}", ms / MINUTE),
            StreamItem::Bubble(b) => format!(
                "{}{}{}",
                b.message.id,
                if b.side == SpeakerSide::Right { " right" } else { "" },
                if b.joined { " joined" } else { "" }
            ),
            StreamItem::Mark(m) => format!("mark {}", m.mark.id),
            StreamItem::Run(run) => format!("run {}", run.id),
        })
        .collect()
}

#[test]
fn opening_agent_is_left_and_days_separate() {
    let loaded = LoadedThread {
        messages: vec![message("a", "eden", T0), message("b", "seum", T0 + MINUTE), message("c", "eden", T0 + DAY)],
        ..LoadedThread::default()
    };
    assert_eq!(shape(&loaded), ["day", "a", "b right", "gap 1439", "day", "c"]);
}

#[test]
fn gap_line_starts_at_five_minutes() {
    let loaded = LoadedThread {
        messages: vec![
            message("a", "eden", T0),
            message("b", "seum", T0 + 5 * MINUTE - 1),
            message("c", "eden", T0 + 10 * MINUTE - 1),
        ],
        ..LoadedThread::default()
    };
    assert_eq!(shape(&loaded), ["day", "a", "b right", "gap 5", "c"]);
}

/// A mark or a message of a person between two bubbles separates them.
#[test]
fn same_speaker_bubbles_join_unless_interrupted() {
    let mut person = message("d", "eden", T0 + 40_000);
    Arc::make_mut(&mut person).human = true;
    let loaded = LoadedThread {
        messages: vec![
            message("a", "eden", T0),
            message("b", "eden", T0 + 10_000),
            message("c", "eden", T0 + 30_000),
            person,
        ],
        marks: vec![mark("m", T0 + 20_000, "b", no_reply())],
        ..LoadedThread::default()
    };
    assert_eq!(shape(&loaded), ["day", "a", "b joined", "mark m", "c", "d"]);
}

/// After an answer such a `complete` stays a mark of its own.
#[test]
fn complete_without_turns_folds_into_notice() {
    let loaded = LoadedThread {
        messages: vec![message("a", "eden", T0), message("b", "eden", T0 + MINUTE)],
        marks: vec![
            mark("lost", T0 + 10, "a", no_reply()),
            mark("end-a", T0 + 20, "a", complete(0)),
            mark("end-b", T0 + 2 * MINUTE, "b", complete(2)),
        ],
        ..LoadedThread::default()
    };
    assert_eq!(shape(&loaded), ["day", "a", "mark lost", "b", "mark end-b"]);
}

#[test]
fn undated_line_adds_no_day_or_gap() {
    let loaded =
        LoadedThread { messages: vec![message("a", "eden", T0), message("b", "seum", 0)], ..LoadedThread::default() };
    assert_eq!(shape(&loaded), ["day", "a", "b right"]);
}

#[test]
fn delivery_change_changes_bubble_key() {
    let exchange = |state, settled| Exchange {
        id: "a".into(),
        sent_at: T0,
        state,
        delivery: Delivery { settled, ..Delivery::default() },
    };
    let mut loaded = LoadedThread {
        messages: vec![message("a", "eden", T0)],
        exchanges: vec![exchange(DeliveryState::Waiting, None)],
        ..LoadedThread::default()
    };
    let key = |loaded: &LoadedThread| thread_items(loaded, &"eden".into(), None, |_| 0).last().map(StreamItem::key);
    let before = key(&loaded);
    loaded.exchanges = vec![exchange(DeliveryState::Answered, Some(DeliveryState::Answered))];
    assert_ne!(before, key(&loaded));
}

#[test]
fn unread_line_precedes_unread_and_splits_speaker() {
    let loaded = LoadedThread {
        messages: vec![message("a", "eden", T0), message("b", "eden", T0 + 1_000)],
        ..LoadedThread::default()
    };
    let items = thread_items(&loaded, &"eden".into(), Some(&"b".into()), |_| 0);
    assert!(matches!(&items[2], StreamItem::Unread { first } if first.as_str() == "b"), "{items:?}");
    assert!(matches!(&items[3], StreamItem::Bubble(bubble) if !bubble.joined), "{items:?}");
}
