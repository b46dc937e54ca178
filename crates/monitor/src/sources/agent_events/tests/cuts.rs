//! Tests of a journal that a crash cut off at any byte. The monitor reads the complete lines, counts the incomplete one
//! as a bad line, and accepts new events.
//!
//! Proves (claude-code): A journal that a crash cut at any byte gives every line before the cut, counts the torn one,
//! and takes new events.

use super::*;

const SUMMARY: &str = "한글 요약 \"인용\"";

fn record_of(count: usize) -> Vec<u8> {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    for number in 0..count {
        process.take(vec![input(&event(&format!("e{number}"), SUMMARY))]).expect("taken");
    }
    fs::read(fixture.path(RECORD)).expect("record")
}

#[test]
fn truncated_journal_keeps_complete_and_later_lines() {
    let whole = record_of(3);
    let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=whole.len() {
        let fixture = AgentEventsFixture::new();
        fs::write(fixture.path(RECORD), &whole[..cut]).expect("cut");
        let mut process = fixture.start();
        let lines = ends.iter().filter(|end| **end <= cut).count();
        let known: Vec<String> = (0..lines).map(|number| format!("e{number}")).collect();
        assert_eq!(process.ids(), known, "cut at {cut}");
        // All three are sent again, and a new one; each is there once afterwards, and after a restart.
        let all: Vec<SubmittedItem> = (0..4).map(|number| input(&event(&format!("e{number}"), SUMMARY))).collect();
        let answers = process.take(all).expect("taken");
        let duplicates = answers.iter().filter(|state| **state == Duplicate).count();
        assert_eq!(duplicates, lines, "cut at {cut}: {answers:?}");
        assert_eq!(process.ids(), ["e0", "e1", "e2", "e3"], "cut at {cut}");
        let mut reloaded = fixture.start();
        assert_eq!(reloaded.ids(), ["e0", "e1", "e2", "e3"], "cut at {cut}, after a restart");
        let torn = cut > ends.get(lines.wrapping_sub(1)).copied().unwrap_or(0);
        // Whole but for its end, it counts.
        let only_its_end = ends.get(lines).is_some_and(|end| end - 1 == cut);
        assert_eq!(reloaded.info().bad_lines, u64::from(torn && !only_its_end), "cut at {cut}");
    }
}

#[test]
fn invalid_lines_are_counted_and_skipped() {
    let fixture = AgentEventsFixture::new();
    let whole = record_of(2);
    let mut bytes = b"nonsense\n{\"key\":1}\n{\"key\":\"k\",\"at\":1}\n{}\n\n\xff\xfe\n".to_vec();
    bytes.extend(&whole);
    bytes.extend(vec![b'x'; (4 << 20) + 10]);
    bytes.push(b'\n');
    bytes.extend(line(&json!({"key": "half"})).as_bytes());
    fs::write(fixture.path(RECORD), &bytes).expect("record");
    let mut process = fixture.start();
    assert_eq!(process.ids(), ["e0", "e1"]);
    assert_eq!(process.info().bad_lines, 7);
}
