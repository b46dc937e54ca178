//! Tests of the loaded part of a message thread: merged pages, size limit, late messages.

use crate::api::{ThreadPage, page_mark};
use serde_json::json;

use super::*;
use crate::view::MAX_LOADED;

/// Messages `from..to` of a thread of `all`, as the monitor gives them: one a second, every tenth with a notice.
fn page(from: usize, to: usize, all: usize) -> ThreadPage {
    let (to, from) = (to.min(all), from.min(all));
    let at = |n: usize| 1_000_000 + n as i64 * 1_000;
    let id = |n: usize| format!("f-{}", n * 100);
    let messages: Vec<_> = (from..to)
        .map(|n| json!({"id": id(n), "at": at(n), "from": "eden", "to": "seum", "kind": "send", "text": "안녕"}))
        .collect();
    let marks: Vec<_> = (from..to)
        .filter(|n| n % 10 == 0)
        .map(|n| {
            json!({"id": format!("f-{}", n * 100 + 1), "at": at(n) + 1, "kind": "noReply", "reason": "timeout",
                "exchangeId": id(n), "from": "eden", "to": "seum"})
        })
        .collect();
    let exchanges: Vec<_> = (from..to).map(|n| json!({"id": id(n), "sentAt": at(n), "state": "waiting"})).collect();
    let place = |n: usize| page_mark(at(n), &id(n).as_str().into());
    let mut page = json!({
        "sessionId": "ws_1",
        "thread": {"threadId": "conv:1", "from": "eden", "to": "seum", "messageCount": all, "startTime": 0,
            "lastTime": 0, "answered": 0},
        "messages": messages, "marks": marks, "exchanges": exchanges, "offset": from,
        "cursor": {"epoch": "e", "seq": 1}, "now": 0
    });
    if from > 0 {
        page["previousPage"] = json!(place(from));
    }
    if to < all {
        page["nextPage"] = json!(place(to - 1));
    }
    serde_json::from_value(page).unwrap()
}

/// What is held, without how it came to be.
fn held(from: usize, to: usize, all: usize) -> LoadedThread {
    LoadedThread::from_page(&page(from, to, all))
}

#[test]
fn older_page_is_prepended_without_duplicates() {
    let mut loaded = held(40, 80, 80);
    loaded.take(&page(10, 45, 80), StreamEnd::Older);
    assert_eq!(loaded, held(10, 80, 80));
}

/// However far the user pages, the loaded part is bounded and its marks lead back to the newest page.
#[test]
fn loaded_part_is_bounded_and_can_return() {
    let all = 1_000;
    let mut loaded = held(all - 80, all, all);
    for step in 1..20 {
        let before = all - 80 - (step - 1) * 40;
        loaded.take(&page(before - 40, before, all), StreamEnd::Older);
        assert!(loaded.messages.len() <= MAX_LOADED);
        assert_eq!(loaded, held(before - 40, (before - 40 + MAX_LOADED).min(all), all), "step {step}");
    }
    while let Some(mark) = loaded.newer.clone() {
        let to = loaded.offset + loaded.messages.len();
        assert_eq!(page(0, to, all).next_page, Some(mark), "the next page follows directly");
        loaded.take(&page(to, to + 40, all), StreamEnd::Newer);
    }
    assert_eq!(loaded, held(all - MAX_LOADED, all, all));
}

#[test]
fn newest_page_adds_and_updates_messages() {
    let mut loaded = held(0, 30, 30);
    let mut newest = page(10, 33, 33);
    newest.exchanges[0] = serde_json::from_value(json!({"id": "f-1000", "sentAt": 0, "state": "answered"})).unwrap();
    loaded.refresh(&newest, StreamEnd::Newer);
    assert_eq!(loaded.messages.len(), 33);
    assert_eq!(loaded.exchanges.len(), 33);
    assert!(loaded.exchanges.contains(&newest.exchanges[0]));
    assert_eq!((loaded.older, loaded.newer), (None, None));
}

#[test]
fn new_message_does_not_evict_older_part() {
    let all = 200;
    let mut loaded = held(all - MAX_LOADED, all, all);
    loaded.refresh(&page(all - 70, all + 10, all + 10), StreamEnd::Older);
    assert_eq!(loaded, held(all - MAX_LOADED, all, all + 10), "the new ones wait beyond the newer end");
    let mut at_tail = held(all - MAX_LOADED, all, all);
    at_tail.refresh(&page(all - 70, all + 10, all + 10), StreamEnd::Newer);
    assert_eq!(at_tail, held(all + 10 - MAX_LOADED, all + 10, all + 10));
}

#[test]
fn disjoint_newest_page_replaces_loaded_messages() {
    let mut loaded = held(0, 30, 30);
    loaded.refresh(&page(420, 500, 500), StreamEnd::Older);
    assert_eq!(loaded, held(420, 500, 500));
}

#[test]
fn late_messages_are_merged_in_place() {
    let mut loaded = held(100, 200, 1_000);
    let mut now = page(90, 210, 1_000);
    let mut late = now.messages[50].clone();
    late.id = "f-13999".into();
    now.messages.insert(50, late);
    loaded.renew(&now);
    assert_eq!(loaded.messages.len(), 101);
    assert_eq!(loaded.offset, 100);
    let before = loaded.clone();
    loaded.renew(&page(500, 600, 1_000));
    assert_eq!(loaded, before, "a page of another part says nothing");
}

#[test]
fn patches_are_for_answers_of_their_own_process_run() {
    let at = |epoch: &str, seq| Cursor { epoch: epoch.to_owned(), seq, inputs: None };
    let patch = || {
        let summary = serde_json::to_value(page(0, 1, 1).thread).expect("JSON");
        serde_json::from_value::<ThreadPatch>(json!({"sessionId": "ws_1", "thread": summary})).expect("a patch")
    };
    let mut patches = RecentPatches::default();
    assert_eq!(patches.after(&at("a", 5)).map(Iterator::count), Some(0));
    patches.push(&at("a", 6), patch());
    patches.push(&at("a", 7), patch());
    assert_eq!(patches.after(&at("a", 6)).map(Iterator::count), Some(1));
    // The stream has not moved there yet: the answer stays as it is, and asking again would bring the same.
    assert_eq!(patches.after(&at("b", 1)).map(Iterator::count), Some(0));
    patches.push(&at("b", 2), patch());
    assert_eq!(patches.after(&at("b", 1)).map(Iterator::count), Some(1), "those of the other run are gone");
    for seq in 3..=RecentPatches::MAX as u64 + 3 {
        patches.push(&at("b", seq), patch());
    }
    assert!(patches.after(&at("b", 1)).is_none(), "some are no longer kept");
}
