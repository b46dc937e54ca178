//! Tests of read marks (`Marks`): unread counts, marks that never move back, undo of "mark all as read", storage, and
//! eviction of the oldest marks.
//!
//! Proves (reading): Read marks follow their rules.

use super::*;
use coordination::api::LastMessage;
use coordination::decode::decode;
use coordination::ids::AgentId;

const FLOOR: i64 = 1_000;

fn talk(thread: &str, count: u32, at: i64) -> Talk {
    Talk { thread_id: thread.into(), count, last: EventId::from(format!("f-{at}")), at }
}

fn card(session: &str, start: i64, message_count: u32, talks: Vec<Talk>) -> SessionCard {
    let last = talks.iter().map(|talk| talk.at).max().unwrap_or(start);
    let card = json!({
        "workSessionId": session, "synthetic": false, "title": "t", "titleSource": "label", "status": "ACTIVE",
        "ended": false, "category": { "key": "infra_ops", "source": "rule", "confidence": 1.0, "version": "v2" },
        "participants": [], "threadCount": 1, "messageCount": message_count, "delegationCount": 0, "taskCount": 0,
        "eventCount": message_count, "startTime": start, "lastTime": last + 500,
    });
    SessionCard { talks, last_message: Some(line(last)), ..decode(card).unwrap() }
}

fn line(at: i64) -> LastMessage {
    LastMessage { from: AgentId::from("eden"), text: String::new(), human: false, at }
}

fn thread(id: &str, start: i64, message_count: u32, newest: i64) -> ThreadSummary {
    let thread = json!({
        "threadId": id, "from": "eden", "to": "seum", "messageCount": message_count, "startTime": start,
        "lastTime": newest + 500, "answered": 0,
    });
    ThreadSummary { last_message: Some(line(newest)), ..decode(thread).unwrap() }
}

fn mark(count: u32, at: i64) -> ThreadMark {
    ThreadMark { count, last: EventId::from(format!("f-{at}")), at }
}

fn reader() -> Marks {
    Marks { floor: Some(FLOOR), ..Marks::default() }
}

#[test]
fn messages_before_first_visit_are_read() {
    let marks = reader();
    let session = SessionId::from("ws");
    assert_eq!(marks.of_thread(&session, &thread("t", 10, 3, FLOOR)), UnreadCount::None);
    assert_eq!(marks.of_thread(&session, &thread("t", FLOOR + 1, 3, FLOOR + 9)), UnreadCount::Some(3));
    assert_eq!(marks.of_thread(&session, &thread("t", 10, 3, FLOOR + 9)), UnreadCount::Unknown, "some of it is older");
    assert_eq!(Marks::default().of_thread(&session, &thread("t", 10, 3, 20)), UnreadCount::None, "no answer came yet");
}

#[test]
fn events_without_messages_are_not_unread() {
    let old = card("ws", 10, 3, vec![talk("t", 3, FLOOR)]);
    assert!(old.last_time > FLOOR, "an event came after the talk");
    assert_eq!(reader().of_card(&old), UnreadCount::None);
    let silent = SessionCard { message_count: 0, talks: Vec::new(), ..card("ws", FLOOR + 1, 0, Vec::new()) };
    assert_eq!(reader().of_card(&silent), UnreadCount::None);
}

#[test]
fn seen_messages_are_not_counted() {
    let mut marks = reader();
    let (session, id) = (SessionId::from("ws"), ThreadId::from("t"));
    assert!(marks.saw(&session, &id, mark(2, FLOOR + 2)));
    let longer = thread("t", 10, 5, FLOOR + 9);
    assert_eq!(marks.of_thread(&session, &longer), UnreadCount::Some(3));
    assert!(marks.saw(&session, &id, mark(5, FLOOR + 9)));
    assert_eq!(marks.of_thread(&session, &longer), UnreadCount::None);
    assert_eq!(
        marks.of_thread(&session, &thread("t", 10, 5, FLOOR + 12)),
        UnreadCount::Unknown,
        "another bubble is last"
    );
}

#[test]
fn read_mark_never_moves_back() {
    let mut marks = reader();
    let (session, id) = (SessionId::from("ws"), ThreadId::from("t"));
    marks.saw(&session, &id, mark(5, 50));
    assert!(!marks.saw(&session, &id, mark(3, 30)));
    assert_eq!(marks.mark_of(&session, &id), Some(&mark(5, 50)));
}

#[test]
fn reading_one_thread_keeps_other_marks() {
    let mut marks = reader();
    let both = card("ws", FLOOR + 1, 5, vec![talk("b", 3, FLOOR + 9), talk("a", 2, FLOOR + 5)]);
    assert_eq!(marks.of_card(&both), UnreadCount::Some(5));
    marks.saw(&both.work_session_id, &"b".into(), mark(3, FLOOR + 9));
    assert_eq!(marks.of_card(&both), UnreadCount::Some(2), "a is older than b, and still unread");
    marks.saw(&SessionId::from("ws2"), &"a".into(), mark(2, FLOOR + 5));
    assert_eq!(marks.of_card(&both), UnreadCount::Some(2), "that was another session's");
}

/// A card lists only some threads; the number of the others is unknown where messages precede the first visit.
#[test]
fn threads_missing_from_card_are_counted() {
    let mut marks = reader();
    let many = card("ws", FLOOR + 1, 7, vec![talk("b", 3, FLOOR + 9)]);
    assert_eq!(marks.of_card(&many), UnreadCount::Some(7));
    marks.saw(&many.work_session_id, &"left-out".into(), mark(4, FLOOR + 3));
    assert_eq!(marks.of_card(&many), UnreadCount::Some(3));
    let long = card("ws2", 10, 7, vec![talk("b", 3, FLOOR + 9)]);
    marks.saw(&long.work_session_id, &"b".into(), mark(3, FLOOR + 9));
    assert_eq!(marks.of_card(&long), UnreadCount::Unknown, "four bubbles are from before or after the first visit");
    let old = card("ws3", 10, 7, vec![talk("b", 3, FLOOR)]);
    assert_eq!(marks.of_card(&old), UnreadCount::None);
}

/// Undo restores the marks from before, except for what was read in between.
#[test]
fn undo_mark_all_read_keeps_later_marks() {
    let mut marks = reader();
    let seen = card("ws", FLOOR + 1, 5, vec![talk("b", 3, FLOOR + 9), talk("a", 2, FLOOR + 5)]);
    let other = card("ws2", FLOOR + 1, 1, vec![talk("c", 1, FLOOR + 7)]);
    let before = marks.clone();
    marks.read_all(FLOOR + 20, &[seen.clone(), other.clone()]);
    let after = marks.clone();
    assert_eq!(marks.of_card(&seen), UnreadCount::None);
    let grown = card("ws", FLOOR + 1, 6, vec![talk("b", 4, FLOOR + 30), talk("a", 2, FLOOR + 5)]);
    assert_eq!(marks.of_card(&grown), UnreadCount::Some(1), "later messages are counted");
    marks.saw(&grown.work_session_id, &"b".into(), mark(4, FLOOR + 30));
    marks.back_to(before, &after);
    assert_eq!(marks.of_card(&grown), UnreadCount::Some(2), "b was read for itself, a only with all");
    assert_eq!(marks.of_card(&other), UnreadCount::Some(1));
}

#[test]
fn stored_marks_round_trip_and_skip_damage() {
    let mut marks = reader();
    marks.saw(&"ws".into(), &"conv:1".into(), mark(3, 70));
    assert_eq!(Marks::from_text(&marks.to_text()), Some(marks));
    assert_eq!(Marks::from_text("{"), None);
    assert_eq!(Marks::from_text(r#"{"v":2,"floor":5}"#), None);
    let damaged = r#"{"v":1,"floor":1000,"threads":[["ws"],["ws","t",-1,"x",5],["ws","t",1,"x",5]]}"#;
    assert_eq!(Marks::from_text(damaged).unwrap().mark_of(&"ws".into(), &"t".into()), Some(&mark_of("x")));
}

fn mark_of(last: &str) -> ThreadMark {
    ThreadMark { count: 1, last: last.into(), at: 5 }
}

/// The oldest marks are evicted and the floor rises to them.
#[test]
fn evicted_marks_count_as_read() {
    let mut marks = reader();
    for number in 0..=MAX_THREAD_MARKS {
        let at = FLOOR + 10 + i64::try_from(number).unwrap();
        marks.saw(&"ws".into(), &ThreadId::from(format!("t{number}")), mark(1, at));
    }
    assert_eq!(marks.threads.len(), MAX_THREAD_MARKS);
    assert_eq!(marks.of_thread(&"ws".into(), &thread("t0", FLOOR + 1, 1, FLOOR + 10)), UnreadCount::None);
    assert_eq!(marks.of_thread(&"ws".into(), &thread("t1", FLOOR + 1, 2, FLOOR + 90)), UnreadCount::Some(1));
}
