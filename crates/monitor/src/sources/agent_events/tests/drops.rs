//! Tests of the drop file: each line is read once, however the file is cut, moved, emptied or read again.
//!
//! Proves (claude-code): Each line of the drop file is read once, however the file is cut, moved or emptied.

use super::*;

/// Hooks without a wrapper: only the time of arrival distinguishes equal hooks.
fn bare(number: usize) -> Value {
    json!({
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "cwd": "/repo", "hook_event_name": "Notification",
        "notification_type": "permission_prompt", "message": format!("{number}"),
    })
}

fn lines(count: usize) -> String {
    (0..count).map(|number| line(&event(&format!("e{number}"), "하나"))).collect()
}

#[test]
fn truncated_drop_file_is_completed_later() {
    let whole = lines(3);
    for cut in 0..=whole.len() {
        let bench = AgentEventsFixture::new();
        bench.append(DROP, &whole.as_bytes()[..cut]);
        let mut desk = bench.desk();
        let there = whole.as_bytes()[..cut].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(desk.ids().len(), there, "cut at {cut}");
        // In every second round the rest comes without a look in between.
        if cut % 2 == 0 {
            drop(desk);
            bench.append(DROP, &whole.as_bytes()[cut..]);
            desk = bench.desk();
        } else {
            bench.append(DROP, &whole.as_bytes()[cut..]);
        }
        let info = desk.info();
        assert_eq!(desk.ids(), ["e0", "e1", "e2"], "cut at {cut}");
        assert_eq!((info.bad_dropped_lines, info.rejected, info.duplicates), (0, 0, 0), "cut at {cut}");
        assert_eq!((info.dropped_to, info.dropped_bytes), (whole.len() as u64, Some(whole.len() as u64)));
        assert_eq!(fs::read_to_string(bench.path(DROP)).expect("drop file"), whole, "it is never written");
    }
}

#[test]
fn restart_ingests_no_drop_line_twice() {
    let bench = AgentEventsFixture::new();
    let mut taken = 0;
    for round in 0..4 {
        let mut desk = bench.desk_at(NOW + round * 3_600_000);
        assert_eq!(desk.info().inputs, taken, "round {round}: nothing came");
        let number = usize::try_from(round).expect("small");
        bench.append(DROP, line(&bare(number)).as_bytes());
        bench.append(DROP, format!("{}nonsense {round}\n", line(&bare(number))).as_bytes());
        let info = desk.info();
        // The hook and the error; the same hook again at once is a duplicate.
        taken += 2;
        assert_eq!((info.inputs, info.accepted, info.duplicates, info.rejected), (taken, 1, 1, 1), "round {round}");
    }
    // The last lines left nothing but their place.
    let mut desk = bench.desk_at(NOW + 10 * 3_600_000);
    bench.append(DROP, format!("{}\n{}", "x".repeat((1 << 20) + 1), line(&bare(9)).repeat(2)).as_bytes());
    taken += 1;
    let info = desk.info();
    assert_eq!((info.inputs, info.duplicates, info.bad_dropped_lines), (taken, 1, 1));
    let info = bench.desk_at(NOW + 20 * 3_600_000).info();
    assert_eq!((info.inputs, info.dropped_to), (taken, size(&bench.path(DROP))));
}

#[test]
fn drop_file_delay_is_not_clock_skew() {
    let bench = AgentEventsFixture::new();
    let wrapped = json!({"received_at": "2026-02-20T05:16:00.000Z", "payload": {
        "session_id": "s", "cwd": "/repo", "hook_event_name": "SessionStart", "source": "startup",
    }});
    bench.append(DROP, line(&wrapped).as_bytes());
    let desk = bench.desk();
    let page = desk.shared.board.read().expect("board").since(None, &EventFilter::default(), 10);
    let text = format!("{page:?}");
    assert!(text.contains("agent_started") && !text.contains("clock_skew"), "{text}");
}

#[test]
fn bad_drop_line_is_reported_and_skipped() {
    let bench = AgentEventsFixture::new();
    let mut bytes = line(&event("a", "1")).into_bytes();
    bytes.extend(b"\n  \n\xff\xfe\n[1]\n{\"version\":\"2.0\",\"type\":\"x\"}\n");
    bytes.extend(line(&event("b", "2")).as_bytes());
    bench.append(DROP, &bytes);
    let mut desk = bench.desk();
    let info = desk.info();
    assert_eq!((info.accepted, info.rejected, info.bad_dropped_lines), (2, 3, 1));
    let page = desk.shared.board.read().expect("board").since(None, &EventFilter::default(), 10);
    let text = format!("{page:?}");
    assert!(text.contains("schema_error") && !text.contains("\\u{fffd}"), "{text}");
}

#[test]
fn replaced_drop_file_is_read_to_end() {
    let bench = AgentEventsFixture::new();
    let mut desk = bench.desk();
    bench.append(DROP, lines(2).as_bytes());
    desk.writer.settle();
    fs::write(bench.path(DROP), "").expect("emptied");
    desk.writer.settle();
    bench.append(DROP, line(&event("after", "1")).as_bytes());
    desk.writer.settle();
    assert_eq!(desk.ids(), ["after", "e0", "e1"]);
    // Truncated and filled beyond the read position, between two looks.
    fs::write(bench.path(DROP), (0..9).map(|n| line(&event(&format!("f{n}"), "2"))).collect::<String>()).expect("file");
    desk.writer.settle();
    assert_eq!(desk.ids().len(), 12);
    // Moved away with an unread line, while its writer still has it open.
    bench.append(DROP, line(&event("late-1", "3")).as_bytes());
    fs::rename(bench.path(DROP), bench.path("logs/old")).expect("moved");
    bench.append("logs/old", line(&event("late-2", "3")).as_bytes());
    bench.append(DROP, line(&event("new", "4")).as_bytes());
    desk.writer.settle();
    assert_eq!(desk.ids().len(), 15);
    let info = desk.info();
    assert_eq!((info.duplicates, info.rejected), (0, 0));
    // Read again from its beginning: everything is known.
    fs::copy(bench.path("logs/old"), bench.path("logs/copy")).expect("copy");
    fs::rename(bench.path("logs/copy"), bench.path(DROP)).expect("replaced");
    assert_eq!(desk.info().duplicates, 11);
    assert_eq!(bench.desk().ids(), desk.ids());
}

#[test]
fn unstorable_lines_stay_in_drop_file() {
    let bench = AgentEventsFixture::new();
    let mut desk = bench.desk();
    fs::create_dir(bench.path(RECORD)).expect("a folder in the record's place");
    bench.append(DROP, lines(2).as_bytes());
    let info = desk.info();
    assert_eq!((info.accepted, info.dropped_to), (0, 0));
    assert!(info.last_error.is_some());
    fs::remove_dir(bench.path(RECORD)).expect("good again");
    assert_eq!(desk.info().accepted, 2);
}
