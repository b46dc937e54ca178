//! Tests of a partial log, cut at every byte: the monitor reads the first part, then the rest. Nothing is lost, nothing
//! is read twice, and no character breaks. The log has 200 events with Korean, emoji, escapes and a line of 20 KB.
//!
//! Proves (log): A log that was cut at any byte is read completely once the rest of it is written.
//! Long form: `make soak ARGS=cuts`.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use coordination::event::Event;
use task_monitor::home::HomeDir;
use task_monitor::sources::tail::Follower;

/// Cuts between two restarts, and between two cuts that are tried with a reader of their own.
const EACH: usize = 50;

fn log() -> Vec<u8> {
    let texts = ["결제 API 배포", "윤슬 ✨ 🚀 👩‍💻 🇰🇷", "a\\n\\\"b\\\" \\ud83d\\ude80", "끝난 말 \\ud83d", ""];
    let mut log = String::new();
    for number in 1..=200 {
        let text = texts[number % texts.len()];
        let padding = if number == 77 { "가나다 🚀 ".repeat(1200) } else { String::new() };
        log.push_str(&format!(
            "{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{number},\"data\":{{\"message\":\"{text} {padding}\"}}}}\n"
        ));
    }
    log.into_bytes()
}

struct CutReader {
    follower: Follower,
    events: Vec<Event>,
}

impl CutReader {
    fn new(home: &Path) -> Self {
        Self { follower: Follower::new(HomeDir::new(home)), events: Vec::new() }
    }

    fn look(&mut self) {
        let events = &mut self.events;
        self.follower.look(1, &mut |block| {
            let chunk = block.parse();
            assert!(chunk.bad.is_empty(), "a torn line is not a bad line: {:?}", chunk.bad);
            events.extend(chunk.events);
        });
    }
}

fn live(home: &Path) -> File {
    fs::create_dir_all(home.join("logs")).expect("a folder");
    let path = home.join("logs/coordination-events.ndjson");
    File::options().create(true).append(true).open(path).expect("a log")
}

fn whole(log: &[u8]) -> Vec<Event> {
    let folder = tempfile::tempdir().expect("a folder");
    live(folder.path()).write_all(log).expect("a write");
    let mut reader = CutReader::new(folder.path());
    reader.look();
    reader.events
}

#[test]
fn log_growing_by_bytes_yields_lines() {
    let log = log();
    let whole = whole(&log);
    assert_eq!(whole.len(), 200);
    assert!(whole.iter().filter(|event| event.raw.contains('\u{fffd}') || event.raw.contains("\\ufffd")).count() <= 40);
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = live(folder.path());
    let mut reader = CutReader::new(folder.path());
    let mut complete = 0;
    for (at, byte) in log.iter().enumerate() {
        file.write_all(&[*byte]).expect("a write");
        complete += usize::from(*byte == b'\n');
        if at % EACH == 0 {
            reader = CutReader::new(folder.path());
        }
        reader.look();
        assert_eq!(reader.events.len(), complete, "after byte {at}");
    }
    assert_eq!(reader.events, whole);
    println!("{} cuts, one a byte", log.len());
}

#[test]
fn truncated_log_is_complete_after_the_rest() {
    let log = log();
    let whole = whole(&log);
    let folder = tempfile::tempdir().expect("a folder");
    let step = if std::env::var_os("TASK_HUB_SOAK").is_some() { 1 } else { 331 };
    let mut tried = 0;
    for cut in (0..=log.len()).step_by(step) {
        let home = folder.path().join("home");
        let mut file = live(&home);
        let mut reader = CutReader::new(&home);
        file.write_all(&log[..cut]).expect("a write");
        reader.look();
        if cut % EACH == 0 {
            reader = CutReader::new(&home);
        }
        file.write_all(&log[cut..]).expect("a write");
        reader.look();
        assert!(reader.events == whole, "cut at {cut}");
        fs::remove_dir_all(&home).expect("it goes");
        tried += 1;
    }
    println!("{tried} cuts, the rest in one block");
}
