//! Tests of the reader of transcript files on disk: how many bytes it reads, what it caches, and which files it
//! refuses, such as symbolic links.
//!
//! Proves (transcripts): A title, preview or history reads a limited number of bytes of a transcript. A link is
//! refused.

mod follow;

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use coordination::transcript::exchanges::{ExchangeEventKind, ExchangeScan, ScanSource, find};
use coordination::transcript::{HEAD_BYTES, HistoryOptions, MessageRole, Reason, TAIL_BYTES, history, lines};

use super::*;

fn message_line(role: &str, text: &str) -> String {
    format!("{{\"type\":\"message\",\"message\":{{\"role\":\"{role}\",\"content\":\"{text}\",\"timestamp\":1}}}}\n")
}

struct TranscriptFixture {
    dir: tempfile::TempDir,
    folder: Dir,
}

impl TranscriptFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        let folder = Dir::root(dir.path()).expect("root");
        Self { dir, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("write");
    }

    /// A file of half a gigabyte that holds a beginning, nothing, and an end.
    fn huge(&self, name: &str, head: &str, tail: &str) {
        const SIZE: u64 = 500 << 20;
        let mut file = File::create(self.path(name)).expect("create");
        file.write_all(head.as_bytes()).expect("head");
        file.set_len(SIZE).expect("sparse");
        file.seek(SeekFrom::Start(SIZE - tail.len() as u64)).expect("seek");
        file.write_all(tail.as_bytes()).expect("tail");
    }

    fn follow(&self, follow: &mut Follow, name: &str) -> (Vec<FollowLook>, Vec<u64>) {
        let (mut looks, mut places) = (Vec::new(), Vec::new());
        let looked =
            follow.look(&self.folder, name, u64::MAX, |look| looks.push(look), |entry| places.push(entry.place));
        assert!(looked.expect("look"), "all that is there was read");
        (looks, places)
    }
}

/// The bytes that this thread read, where the system counts them.
fn read_by_this_thread() -> Option<u64> {
    let io_text = fs::read_to_string("/proc/thread-self/io").ok()?;
    io_text.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}

/// Bytes that `work` read, by the system's count; that of reading the count is taken off.
fn counted<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let (first, before) = (read_by_this_thread(), read_by_this_thread());
    let done = work();
    let after = read_by_this_thread();
    let own = before.zip(first).map(|(before, first)| before - first);
    (done, after.zip(before).zip(own).map(|((after, before), own)| (after - before).saturating_sub(own)))
}

#[test]
fn a_huge_transcript_costs_its_ends_only() {
    let fixture = TranscriptFixture::new();
    let tail = format!("\n{}{}", message_line("user", "asked"), message_line("assistant", "answered"));
    fixture.huge("s.jsonl", &message_line("user", "first"), &tail);
    let mut briefs = Briefs::default();
    let (brief, system) = counted(|| briefs.brief_of(&fixture.folder, "s", "s.jsonl").expect("brief"));
    let last = Some((MessageRole::Assistant, "answered".to_owned()));
    assert_eq!(brief, TranscriptBrief { first_text: Some("first".to_owned()), last });
    assert_eq!(briefs.bytes_read(), (HEAD_BYTES + TAIL_BYTES) as u64);
    // Some bytes of slack: the count is a text of a length of its own.
    assert!(system.is_none_or(|bytes| bytes <= (HEAD_BYTES + TAIL_BYTES + 64) as u64), "{system:?}");

    let opened = OpenedTranscript::open(&fixture.folder, "s.jsonl").expect("open");
    let (items, system) = counted(|| opened.preview(12, 240).expect("preview"));
    assert_eq!(items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["asked", "answered"]);
    assert_eq!(opened.bytes_read(), PREVIEW_READS[0] as u64);
    assert!(system.is_none_or(|bytes| bytes <= (PREVIEW_READS[0] + 64) as u64), "{system:?}");
}

#[test]
fn preview_stops_after_three_reads() {
    let fixture = TranscriptFixture::new();
    let noise = |bytes: usize| format!("\n{{\"type\":\"custom\",\"data\":\"{}\"}}\n", "x".repeat(bytes));
    let message = format!("\n{}", message_line("user", "hi"));
    let sums: Vec<u64> = (1..=3).map(|steps| PREVIEW_READS[..steps].iter().sum::<usize>() as u64).collect();
    for (after, found, read) in [
        (10, 1, sums[0]),
        (PREVIEW_READS[0], 1, sums[1]),
        (PREVIEW_READS[1], 1, sums[2]),
        (PREVIEW_READS[2], 0, sums[2]),
    ] {
        fixture.huge("s.jsonl", "", &format!("{message}{}", noise(after)));
        let opened = OpenedTranscript::open(&fixture.folder, "s.jsonl").expect("open");
        assert_eq!(opened.preview(12, 240).expect("preview").len(), found, "{after}");
        assert_eq!(opened.bytes_read(), read, "{after}");
    }
    fixture.write("small.jsonl", &message_line("custom", ""));
    let opened = OpenedTranscript::open(&fixture.folder, "small.jsonl").expect("open");
    assert!(opened.preview(12, 240).expect("preview").is_empty());
    assert_eq!(opened.bytes_read(), opened.size(), "a small file is read once");
}

#[test]
fn history_before_a_line_stops_at_it() {
    let fixture = TranscriptFixture::new();
    let all: Vec<String> = (0..40).map(|at| message_line("user", &format!("{at} {}", "x".repeat(20_000)))).collect();
    fixture.write("s.jsonl", &all.concat());
    let opened = OpenedTranscript::open(&fixture.folder, "s.jsonl").expect("open");
    let offset = |line: usize| all[..line].iter().map(|text| text.len() as u64).sum::<u64>();
    let found = opened.recent_until(5, Some(offset(30))).expect("recent");
    let last = found.entries.last().expect("an entry");
    assert_eq!(last.place, offset(30), "the line itself tells what it follows");
    assert!(found.entries.len() > 5 && !found.complete && found.bad == 0);
    assert!(opened.bytes_read() <= 2 * HISTORY_READS[0] as u64, "{}", opened.bytes_read());
    let first = opened.recent_until(1_000, Some(offset(3))).expect("recent");
    assert_eq!((first.entries.len(), first.complete), (4, true));
    // The last line, one behind the end, and one in the middle of a line.
    assert_eq!(opened.recent_until(1_000, Some(offset(39))).expect("recent").entries.len(), 40);
    assert_eq!(opened.recent_until(1_000, Some(u64::MAX)).expect("recent").entries.len(), 40);
    assert_eq!(opened.recent_until(1_000, Some(0)).expect("recent").entries.len(), 1);
    assert_eq!(opened.recent_until(1_000, Some(offset(3) + 5)).expect("recent").entries.len(), 4);
}

#[test]
fn history_reads_backwards_and_reports_completeness() {
    let fixture = TranscriptFixture::new();
    let many: String = (0..300).map(|at| message_line("user", &format!("{at} {}", "x".repeat(2_000)))).collect();
    fixture.huge("s.jsonl", &message_line("user", "first"), &format!("\n{many}"));
    let opened = OpenedTranscript::open(&fixture.folder, "s.jsonl").expect("open");
    let found = opened.recent(100).expect("recent");
    assert!(!found.complete && found.bad == 0);
    assert_eq!(opened.bytes_read(), HISTORY_READS[0] as u64);
    assert!(found.entries.len() >= 100);
    let found = opened.recent(200).expect("recent");
    assert_eq!(opened.bytes_read(), (2 * HISTORY_READS[0] + HISTORY_READS[1]) as u64);
    assert_eq!(found.entries.len(), 300, "the hole is no line");
    let last = found.entries.last().expect("last");
    let bytes = opened.piece(last.place, 100).expect("piece");
    assert!(bytes.starts_with(b"{\"type\":\"message\""), "a place is an offset in the file");
    fixture.write("small.jsonl", &format!("{}broken\n{}", message_line("user", "a"), message_line("user", "b")));
    let found = recent(&fixture.folder, "small.jsonl", 200).expect("recent");
    assert_eq!((found.entries.len(), found.complete, found.bad), (2, true, 1));
    // Nothing from before a reset is shown, so nothing is looked for.
    let reset = "{\"type\":\"reset\",\"id\":\"r\"}\n";
    fixture.huge("reset.jsonl", "", &format!("\n{reset}{}", message_line("user", "a")));
    let opened = OpenedTranscript::open(&fixture.folder, "reset.jsonl").expect("open");
    let messages = history(&opened.recent(200).expect("recent").entries, &HistoryOptions::default()).messages;
    assert_eq!(messages.len(), 2);
    assert_eq!(opened.bytes_read(), HISTORY_READS[0] as u64);
}

#[test]
fn brief_cache_evicts_the_oldest_session() {
    let fixture = TranscriptFixture::new();
    let names: Vec<String> = (0..=MAX_BRIEFS).map(|at| format!("s{at}.jsonl")).collect();
    names.iter().for_each(|name| fixture.write(name, &message_line("user", name)));
    let mut briefs = Briefs::default();
    let mut read_brief = |name: &String| {
        let before = briefs.bytes_read();
        let brief = briefs.brief_of(&fixture.folder, name, name).expect("brief");
        assert_eq!(brief.first_text.as_ref(), Some(name));
        (briefs.bytes_read() - before, briefs.len())
    };
    for name in &names[..MAX_BRIEFS] {
        assert!(read_brief(name).0 > 0, "{name}");
    }
    for name in &names[..MAX_BRIEFS] {
        assert_eq!(read_brief(name), (0, MAX_BRIEFS), "{name}: not read again");
    }
    assert_eq!(read_brief(&names[0]).0, 0, "asked for last");
    assert!(read_brief(&names[MAX_BRIEFS]).0 > 0);
    assert_eq!(read_brief(&names[0]), (0, MAX_BRIEFS), "still kept");
    let (read, cached_count) = read_brief(&names[1]);
    assert!(read > 0 && cached_count == MAX_BRIEFS, "the one that was not asked for longest went");
}

#[test]
fn brief_follows_file_changes() {
    let fixture = TranscriptFixture::new();
    fixture.write("s.jsonl", &message_line("user", "one"));
    let mut briefs = Briefs::default();
    let last = |briefs: &mut Briefs| {
        briefs.brief_of(&fixture.folder, "a/s", "s.jsonl").map(|it| it.last.map(|(_, text)| text))
    };
    assert_eq!(last(&mut briefs).expect("brief").as_deref(), Some("one"));
    let mut file = File::options().append(true).open(fixture.path("s.jsonl")).expect("open");
    file.write_all(message_line("assistant", "two").as_bytes()).expect("append");
    assert_eq!(last(&mut briefs).expect("brief").as_deref(), Some("two"));
    // Another file of the same size in its place.
    fixture.write("other", &format!("{}{}", message_line("user", "one"), message_line("assistant", "six")));
    fs::rename(fixture.path("other"), fixture.path("s.jsonl")).expect("rename");
    assert_eq!(last(&mut briefs).expect("brief").as_deref(), Some("six"));
    fs::remove_file(fixture.path("s.jsonl")).expect("remove");
    assert_eq!(last(&mut briefs).expect_err("gone").kind(), io::ErrorKind::NotFound);
    assert!(briefs.is_empty(), "what is gone is forgotten");
    fixture.write("secret", &message_line("user", "secret"));
    symlink("secret", fixture.path("s.jsonl")).expect("link");
    assert_eq!(last(&mut briefs).expect_err("link").to_string(), "a link");
    assert!(OpenedTranscript::open(&fixture.folder, "../s.jsonl").is_err());
}

fn fixtures(home: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts").join(home)
}

#[test]
fn transcripts_and_archives_are_recognised_by_name() {
    let fixture = TranscriptFixture::new();
    for name in
        ["b.jsonl", "a.jsonl.lock", "sessions.json", "a.checkpoint.1.jsonl", "a.jsonl.reset.2026-02-17T12-34-56.789Z"]
    {
        fixture.write(name, "");
    }
    let found = transcripts(&fixture.folder).expect("names");
    let names: Vec<_> = found.iter().map(|one| (one.session_id.as_str(), one.reason, one.packed)).collect();
    assert_eq!(names, [("a", Some(Reason::Reset), false), ("b", None, false)]);
    let seum = Dir::root(&fixtures("2026.2/seum")).expect("fixture");
    let found = transcripts(&seum).expect("names");
    let reasons: Vec<_> = found.iter().map(|one| (one.reason, one.at_ms)).collect();
    assert_eq!(reasons, [(Some(Reason::Reset), Some(1_795_229_241_910)), (None, None)]);
    let archived = recent(&seum, &found[0].name, 1_000).expect("recent");
    let whole = fs::read(fixtures("2026.2/seum").join(&found[0].name)).expect("read");
    assert_eq!(archived.entries, lines(&whole, 0).entries);
}

#[test]
fn packed_archive_of_deleted_session_is_read() {
    let folder = Dir::root(&fixtures("2026.9/worker-quick")).expect("fixture");
    let found = transcripts(&folder).expect("names");
    let archive = found.iter().find(|one| one.packed).expect("the archive");
    assert_eq!((archive.reason, archive.at_ms), (Some(Reason::Deleted), Some(1_795_229_616_562)));
    let read = recent(&folder, &archive.name, 1_000).expect("recent");
    assert!(read.complete && read.bad == 0);
    assert_eq!(read.entries[0].header().expect("header").id.as_deref(), Some(archive.session_id.as_str()));
    let mut scan = ExchangeScan::new(ScanSource {
        agent: "worker-quick".into(),
        key: None,
        session_id: archive.session_id.clone(),
    });
    read.entries.iter().for_each(|entry| scan.push(entry));
    let kinds: Vec<_> = find(std::slice::from_ref(&scan)).iter().map(|event| event.kind).collect();
    assert_eq!(
        kinds,
        [ExchangeEventKind::Spawn, ExchangeEventKind::ChildResult],
        "a child whose parent is not at hand"
    );
    // With its parent it is the child that was set to work there.
    let main = "3c9a7697-63fb-4f04-8af1-133f6baecc0c";
    let key = Some("agent:ruda:main".to_owned());
    let mut parent = ExchangeScan::new(ScanSource { agent: "ruda".into(), key, session_id: main.into() });
    let ruda = Dir::root(&fixtures("2026.9/ruda")).expect("fixture");
    let read = recent(&ruda, &format!("{main}.jsonl"), 1_000).expect("recent");
    read.entries.iter().for_each(|entry| parent.push(entry));
    let events = find(&[parent, scan]);
    let of_archive: Vec<_> = events
        .iter()
        .filter(|event| event.written.iter().any(|line| *line.session_id == *archive.session_id))
        .map(|event| (event.kind, event.label.as_deref(), event.from.agent.as_str(), event.to.agent.as_str()))
        .collect();
    let label = Some("schema-dump");
    assert_eq!(
        of_archive,
        [
            (ExchangeEventKind::Spawn, label, "ruda", "worker-quick"),
            (ExchangeEventKind::ChildResult, label, "worker-quick", "ruda")
        ]
    );
    let brief = OpenedTranscript::open(&folder, &archive.name).and_then(|opened| opened.brief()).expect("brief");
    assert!(brief.first_text.is_some_and(|text| text.starts_with("[Subagent Context]")));

    let fixture = TranscriptFixture::new();
    let name = "s.jsonl.deleted.2026-11-21T02-53-36.562Z.638d9fb813ea420383ce5228bb5ede79.zst";
    let whole = fs::read(fixtures("2026.9/worker-quick").join(&archive.name)).expect("read");
    for broken in [&whole[..whole.len() / 2], b"no frame at all", b""] {
        fs::write(fixture.path(name), broken).expect("write");
        assert!(
            OpenedTranscript::open(&fixture.folder, name).is_err(),
            "a broken archive is an error, not an empty one"
        );
    }
}

#[test]
fn archive_size_limit_is_inclusive() {
    for (length, fits) in [(99, true), (100, true), (101, false)] {
        let packed = zstd::bulk::compress(&vec![0; length], 1).expect("pack");
        let read = packed::within(packed.as_slice(), 100);
        assert_eq!(read.is_ok(), fits, "{length}");
        if let Err(error) = read {
            assert_eq!(error.to_string(), "too large");
        }
    }
}
