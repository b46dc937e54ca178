//! Test of how many bytes the monitor reads in a home of many OpenClaw sessions with one very large transcript. The
//! operating system counts the bytes that the test's thread reads.
//!
//! Proves (transcripts): 5,000 sessions and a transcript of 500 MB are read within fixed limits of bytes.
//! Long form: `make soak ARGS=transcripts-large`.

use coordination::api::StoreQuery;
use coordination::store::list;
use coordination::transcript::{HEAD_BYTES, PREVIEW_READS, TAIL_BYTES};

use super::*;
use crate::sources::store::{TranscriptTexts, preview, recent, recent_before};
use crate::sources::transcript::{Briefs, HISTORY_READS};

/// The bytes that this thread read, where the system counts them.
fn counted<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let read = || -> Option<u64> {
        let io_text = fs::read_to_string("/proc/thread-self/io").ok()?;
        io_text.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
    };
    let before = read();
    let done = work();
    (done, read().zip(before).map(|(after, before)| after - before))
}

/// Sessions, and bytes of the large transcript.
fn size() -> (u64, u64) {
    if std::env::var_os("TASK_HUB_SOAK").is_some() { (5_000, 500 << 20) } else { (300, 24 << 20) }
}

/// The count is itself read, and so are names of folders.
const SLACK: u64 = 4 * 1024;

#[test]
fn large_home_reads_stay_within_limits() {
    let (sessions, large) = size();
    let mut fixture = TranscriptReaderFixture::new();
    let ids: Vec<(String, String)> =
        (0..sessions).map(|at| (format!("agent:ruda:explicit:{at}"), format!("s{at}"))).collect();
    let filler = "가나다라 ".repeat(150);
    for (at, (_, id)) in ids.iter().enumerate().skip(1) {
        // Larger than its two ends.
        let text: String = (0..16).map(|line| question_line(&format!("{at}-{line}"), &filler, NOW)).collect();
        fixture.append(&format!("agents/ruda/sessions/{id}.jsonl"), &text);
    }
    let block: String = (0..200).map(|at| says(&format!("b{at}"), &filler.repeat(4), NOW)).collect();
    let name = "agents/ruda/sessions/s0.jsonl";
    let (mut written, mut middle) = (0, 0);
    while written < large {
        fixture.append(name, &block);
        middle = if written <= large / 2 { written } else { middle };
        written += block.len() as u64;
    }
    let refs: Vec<(&str, &str)> = ids.iter().map(|(key, id)| (key.as_str(), id.as_str())).collect();
    fixture.sessions("ruda", &refs);
    let store = fs::metadata(fixture.path("agents/ruda/sessions/sessions.json")).expect("store").len();

    // The list with titles and last messages: two ends of each, once.
    let (home, roster) = (HomeDir::new(fixture.dir.path()), fixture.roster());
    let held = fixture.stores.look(&roster).expect("an update");
    assert_eq!(held.sessions.len() as u64, sessions);
    let query = StoreQuery { include_derived_titles: true, include_last_message: true, ..StoreQuery::default() };
    let mut briefs = Briefs::default();
    let mut of_list = || {
        counted(|| list(&held, &roster, &query, NOW, &mut TranscriptTexts::new(&home, &roster, &mut briefs)).count).1
    };
    let (first, second) = (of_list(), of_list());
    let ends = sessions * (HEAD_BYTES + TAIL_BYTES) as u64;
    assert!(first.is_none_or(|bytes| bytes <= ends + SLACK), "{first:?} of {ends}");
    assert!(second.is_none_or(|bytes| bytes <= SLACK), "{second:?}: nothing changed, nothing is read");

    // One session: previews and histories.
    let huge = held.sessions.iter().find(|session| session.entry.session_id() == Some("s0")).expect("there");
    let (preview_items, of_preview) = counted(|| preview(&home, &roster, huge, 12, 240).expect("a preview"));
    assert!((1..=12).contains(&preview_items.len()), "what 64 KiB of the end hold: {}", preview_items.len());
    assert!(of_preview.is_none_or(|bytes| bytes <= PREVIEW_READS[0] as u64 + SLACK), "{of_preview:?}");
    let (newest, of_newest) = counted(|| recent(&home, &roster, huge, 200).expect("a history"));
    assert!(newest.entries.len() >= 200 && !newest.complete);
    let two_reads = (HISTORY_READS[0] + HISTORY_READS[1]) as u64;
    assert!(of_newest.is_none_or(|bytes| bytes <= two_reads + SLACK), "{of_newest:?}");
    let (before, of_middle) = counted(|| recent_before(&home, &roster, huge, 200, Some(middle)).expect("a history"));
    assert!(before.entries.len() >= 200 && before.entries.iter().all(|entry| entry.place < middle));
    let with_its_line = two_reads + HISTORY_READS[0] as u64;
    assert!(of_middle.is_none_or(|bytes| bytes <= with_its_line + SLACK), "{of_middle:?}");

    // Exchanges: every byte once, then nothing, then the new bytes and those that recognise the file.
    let all: u64 = (0..sessions)
        .map(|at| fs::metadata(fixture.path(&format!("agents/ruda/sessions/s{at}.jsonl"))).expect("a file").len())
        .sum();
    assert_eq!(fixture.bytes(), all, "every byte once");
    let remembered = fixture.reader.reading.remembered;
    assert_eq!(fixture.bytes(), all, "and never again");
    let more = calls("more", "agent:eden:main", "하나만 더", NOW);
    fixture.append(name, &more);
    let (home, roster) = (HomeDir::new(fixture.dir.path()), fixture.roster());
    let held = fixture.stores.held().map(Arc::clone).expect("held");
    let (_, of_line) = counted(|| fixture.reader.look(&home, &roster, &held));
    assert_eq!(fixture.reader.reading.bytes, all + more.len() as u64);
    // The writer's window of a piece bounds the read of a grown file.
    assert!(of_line.is_none_or(|bytes| bytes <= more.len() as u64 + 512 + SLACK), "{of_line:?}");
    println!(
        "{sessions} sessions, {all} bytes of transcripts, {store} of the store, one transcript of {written}: \
         list {first:?} then {second:?}, preview {of_preview:?}, history {of_newest:?}, in the middle {of_middle:?}, \
         talk {all} once, one line more {of_line:?}; {remembered} lines remembered"
    );
}
