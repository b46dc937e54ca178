//! Tests of the drop file `logs/hook-events.ndjson`, where hooks write events that they cannot post. Each line is
//! ingested once, even if the file is half-written, emptied, renamed, replaced or read a second time.
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
        let fixture = AgentEventsFixture::new();
        fixture.append(DROP, &whole.as_bytes()[..cut]);
        let mut process = fixture.start();
        let there = whole.as_bytes()[..cut].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(process.ids().len(), there, "cut at {cut}");
        // In every second round the rest comes without a look in between.
        if cut % 2 == 0 {
            drop(process);
            fixture.append(DROP, &whole.as_bytes()[cut..]);
            process = fixture.start();
        } else {
            fixture.append(DROP, &whole.as_bytes()[cut..]);
        }
        let info = process.info();
        assert_eq!(process.ids(), ["e0", "e1", "e2"], "cut at {cut}");
        assert_eq!((info.bad_dropped_lines, info.rejected, info.duplicates), (0, 0, 0), "cut at {cut}");
        assert_eq!((info.dropped_to, info.dropped_bytes), (whole.len() as u64, Some(whole.len() as u64)));
        assert_eq!(fs::read_to_string(fixture.path(DROP)).expect("drop file"), whole, "it is never written");
    }
}

#[test]
fn restart_ingests_no_drop_line_twice() {
    let fixture = AgentEventsFixture::new();
    let mut taken = 0;
    for round in 0..4 {
        let mut process = fixture.start_at(NOW + round * 3_600_000);
        assert_eq!(process.info().inputs, taken, "round {round}: nothing came");
        let number = usize::try_from(round).expect("small");
        fixture.append(DROP, line(&bare(number)).as_bytes());
        fixture.append(DROP, format!("{}nonsense {round}\n", line(&bare(number))).as_bytes());
        let info = process.info();
        // The hook and the error; the same hook again at once is a duplicate.
        taken += 2;
        assert_eq!((info.inputs, info.accepted, info.duplicates, info.rejected), (taken, 1, 1, 1), "round {round}");
    }
    // The last lines left nothing but their place.
    let mut process = fixture.start_at(NOW + 10 * 3_600_000);
    fixture.append(DROP, format!("{}\n{}", "x".repeat((1 << 20) + 1), line(&bare(9)).repeat(2)).as_bytes());
    taken += 1;
    let info = process.info();
    assert_eq!((info.inputs, info.duplicates, info.bad_dropped_lines), (taken, 1, 1));
    let info = fixture.start_at(NOW + 20 * 3_600_000).info();
    assert_eq!((info.inputs, info.dropped_to), (taken, size(&fixture.path(DROP))));
}

#[test]
fn drop_file_delay_is_not_clock_skew() {
    let fixture = AgentEventsFixture::new();
    let wrapped = json!({"received_at": "2026-02-20T05:16:00.000Z", "payload": {
        "session_id": "s", "cwd": "/repo", "hook_event_name": "SessionStart", "source": "startup",
    }});
    fixture.append(DROP, line(&wrapped).as_bytes());
    let process = fixture.start();
    let page = process.shared.board.read().expect("board").since(None, &EventFilter::default(), 10);
    let text = format!("{page:?}");
    assert!(text.contains("agent_started") && !text.contains("clock_skew"), "{text}");
}

#[test]
fn bad_drop_line_is_reported_and_skipped() {
    let fixture = AgentEventsFixture::new();
    let mut bytes = line(&event("a", "1")).into_bytes();
    bytes.extend(b"\n  \n\xff\xfe\n[1]\n{\"version\":\"2.0\",\"type\":\"x\"}\n");
    bytes.extend(line(&event("b", "2")).as_bytes());
    fixture.append(DROP, &bytes);
    let mut process = fixture.start();
    let info = process.info();
    assert_eq!((info.accepted, info.rejected, info.bad_dropped_lines), (2, 3, 1));
    let page = process.shared.board.read().expect("board").since(None, &EventFilter::default(), 10);
    let text = format!("{page:?}");
    assert!(text.contains("schema_error") && !text.contains("\\u{fffd}"), "{text}");
}

#[test]
fn replaced_drop_file_is_read_to_end() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    fixture.append(DROP, lines(2).as_bytes());
    process.writer.settle();
    fs::write(fixture.path(DROP), "").expect("emptied");
    process.writer.settle();
    fixture.append(DROP, line(&event("after", "1")).as_bytes());
    process.writer.settle();
    assert_eq!(process.ids(), ["after", "e0", "e1"]);
    // Truncated and filled beyond the read position, between two looks.
    fs::write(fixture.path(DROP), (0..9).map(|n| line(&event(&format!("f{n}"), "2"))).collect::<String>())
        .expect("file");
    process.writer.settle();
    assert_eq!(process.ids().len(), 12);
    // Moved away with an unread line, while its writer still has it open.
    fixture.append(DROP, line(&event("late-1", "3")).as_bytes());
    fs::rename(fixture.path(DROP), fixture.path("logs/old")).expect("moved");
    fixture.append("logs/old", line(&event("late-2", "3")).as_bytes());
    fixture.append(DROP, line(&event("new", "4")).as_bytes());
    process.writer.settle();
    assert_eq!(process.ids().len(), 15);
    let info = process.info();
    assert_eq!((info.duplicates, info.rejected), (0, 0));
    // Read again from its beginning: everything is known.
    fs::copy(fixture.path("logs/old"), fixture.path("logs/copy")).expect("copy");
    fs::rename(fixture.path("logs/copy"), fixture.path(DROP)).expect("replaced");
    assert_eq!(process.info().duplicates, 11);
    assert_eq!(fixture.start().ids(), process.ids());
}

#[test]
fn unstorable_lines_stay_in_drop_file() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    fs::create_dir(fixture.path(RECORD)).expect("a folder in the record's place");
    fixture.append(DROP, lines(2).as_bytes());
    let info = process.info();
    assert_eq!((info.accepted, info.dropped_to), (0, 0));
    assert!(info.last_error.is_some());
    fs::remove_dir(fixture.path(RECORD)).expect("good again");
    assert_eq!(process.info().accepted, 2);
}
