//! Tests of dropped transcripts: alone, damaged, packed, twice, and of other programs. That a home with transcripts is
//! answered as by a server is tested in `task-monitor` (`web/tests/local/transcripts.rs`).
//!
//! Proves (local): A part of a transcript shows its whole lines, and a packed one what a plain one shows. Of several files of
//! a session one is read, and the others name it. A transcript without messages between agents, one of Claude Code or Codex,
//! and one that has no entry are each named as what they are. Lines that are added to a transcript appear.

use std::path::Path;

use coordination::api::EventsPage;

use super::*;

const AFTERWARDS: i64 = 1_795_240_000_000;
/// The agent's own words are in it, and messages of ruda.
const EDEN: &str = "agents/eden/sessions/70e14d35-13d4-4028-8a08-4708e7f7c260.jsonl";
const EDEN_NAME: &str = "70e14d35-13d4-4028-8a08-4708e7f7c260.jsonl";

fn fixture(path: &str) -> Vec<u8> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/openclaw-2026.2/dot-openclaw");
    std::fs::read(home.join(path)).expect("a transcript")
}

fn report<'a>(monitor: &'a LocalMonitor, path: &str) -> &'a FileReport {
    monitor.reports().iter().find(|report| report.path == path).expect("a report")
}

/// Texts of all events.
fn texts(monitor: &mut LocalMonitor) -> Vec<String> {
    let answer = monitor.answer(&LocalRequest::get("events?limit=500"), AFTERWARDS);
    let page: EventsPage = serde_json::from_str(&answer.body).expect("events");
    page.events.into_iter().map(|event| format!("{event:?}")).collect()
}

fn read_as(agent: &str, is_assumed: bool) -> Option<TranscriptUse> {
    Some(TranscriptUse::Read { agent: agent.into(), is_assumed })
}

#[test]
fn transcript_alone_shows_what_its_agent_exchanged() {
    let mut monitor = opened(&[(EDEN_NAME, &fixture(EDEN))]);
    let seen = report(&monitor, EDEN_NAME);
    assert_eq!((seen.kind, seen.error.as_deref()), (FileContentKind::Transcript, None));
    assert_eq!(seen.transcript, read_as("eden", true), "by its workspace");
    assert!(seen.events > 0 && seen.torn_bytes == 0 && seen.bad_lines == 0, "{seen:?}");
    let home: Home = get(&mut monitor, "home");
    assert_eq!(home.source.state, SourceState::Ok);
    assert!(home.source.newest_event.is_some(), "the page can look at the last event");
    assert!(home.agents.iter().any(|agent| agent.id.as_str() == "eden"));
    assert!(!sessions(&mut monitor).is_empty());
    // The same under a name that is no session's, and from a folder of sessions.
    for (path, expected) in [("eden's talk.txt", "eden"), ("seum/sessions/x.jsonl", "eden")] {
        let monitor = opened(&[(path, &fixture(EDEN))]);
        assert_eq!(report(&monitor, path).transcript, read_as(expected, true), "{path}");
        assert!(report(&monitor, path).events > 0, "{path}");
    }
}

#[test]
fn part_of_a_transcript_shows_its_whole_lines() {
    let whole = fixture(EDEN);
    let cut = whole.len() * 2 / 3;
    let all = texts(&mut opened(&[(EDEN_NAME, &whole)]));
    let mut front = opened(&[(EDEN_NAME, &whole[..cut])]);
    let seen = report(&front, EDEN_NAME);
    assert!(seen.torn_bytes > 0 && seen.error.is_none() && seen.bad_lines == 0, "{seen:?}");
    assert!((1..=all.len()).contains(&texts(&mut front).len()));
    // Without its beginning it has no header and no workspace.
    let name = "rest.jsonl";
    let back = opened(&[(name, &whole[400..])]);
    let seen = report(&back, name);
    assert_eq!((seen.kind, seen.transcript.clone()), (FileContentKind::Transcript, read_as("main", true)));
    assert!(seen.bad_lines == 1 && seen.events > 0, "the first line is a part: {seen:?}");
}

#[test]
fn packed_transcripts_read_like_plain_ones() {
    let whole = fixture(EDEN);
    let expected = texts(&mut opened(&[(EDEN_NAME, &whole)]));
    let (gzip, zstd) = (gzip(&whole), zstd_frame(&whole));
    for (ending, bytes) in [(".gz", &gzip), (".zst", &zstd)] {
        let alone = format!("{EDEN_NAME}{ending}");
        assert_eq!(texts(&mut opened(&[(&alone, bytes)])), expected, "{alone}");
        let in_home = format!("home/{EDEN}{ending}");
        assert_eq!(texts(&mut opened(&[(&in_home, bytes)])), expected, "{in_home}");
    }
    let broken = opened(&[(&format!("home/{EDEN}.gz"), &gzip[..gzip.len() / 2])]);
    let seen = report(&broken, &format!("home/{EDEN}"));
    assert!(seen.error.is_some() && seen.kind == FileContentKind::Transcript, "{seen:?}");
}

#[test]
fn one_of_several_files_of_a_session_is_read() {
    let whole = fixture(EDEN);
    let half = &whole[..whole.len() / 2];
    let expected = texts(&mut opened(&[(EDEN_NAME, &whole)]));
    let superseded = |by: &str| Some(TranscriptUse::Superseded { by: by.to_owned() });
    // Without a home: the larger one.
    let (one, other) = (format!("a/{EDEN_NAME}"), format!("b/{EDEN_NAME}"));
    let mut monitor = opened(&[(&one, half), (&other, &whole)]);
    assert_eq!(report(&monitor, &one).transcript, superseded(&other));
    assert_eq!(report(&monitor, &other).transcript, read_as("eden", true));
    assert_eq!(texts(&mut monitor), expected);
    // In a home: the one in use before an archive, and no backup.
    let home = format!("home/{EDEN}");
    let archive = format!("{home}.reset.2026-11-21T02-47-21.910Z");
    let backup = format!("{home}.bak.2026-11-21T02-47-21.910Z");
    let lost = format!("home/backup/{EDEN_NAME}");
    let mut monitor = opened(&[(&archive, &whole), (&backup, &whole), (&home, half), (&lost, &whole)]);
    assert_eq!(report(&monitor, &archive).transcript, superseded(&home));
    assert_eq!(report(&monitor, &backup).transcript, Some(TranscriptUse::Copy));
    assert_eq!(report(&monitor, &lost).transcript, Some(TranscriptUse::Copy));
    assert_eq!(report(&monitor, &home).transcript, read_as("eden", false));
    assert!(monitor.reports().iter().all(|report| report.error.is_none()));
    assert_eq!(texts(&mut monitor), texts(&mut opened(&[(&home, half)])));
}

#[test]
fn other_transcripts_are_named_as_what_they_are() {
    let claude = br#"{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/work","sessionId":"8c35adc1","version":"2.1.0","type":"user","message":{"role":"user","content":"hello"},"uuid":"1f0e","timestamp":"2026-02-20T03:00:00.000Z"}
"#;
    let codex =
        br#"{"timestamp":"2026-02-20T03:00:00.000Z","type":"session_meta","payload":{"id":"0199","cwd":"/work"}}
"#;
    for bytes in [claude.as_slice(), codex] {
        let monitor = opened(&[("session.jsonl", bytes)]);
        let seen = report(&monitor, "session.jsonl");
        assert_eq!((seen.kind, seen.bad_lines), (FileContentKind::CodingAgentTranscript, 0), "{seen:?}");
    }
    // A session in which a person talks with an agent has nothing between agents.
    let person = br#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-17T02:19:00.000Z","cwd":"/home/x/.openclaw/workspace-eden"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-17T02:20:00.000Z","message":{"role":"user","content":"hello","timestamp":1771294800000}}
"#;
    let mut monitor = opened(&[("s1.jsonl", person)]);
    let seen = report(&monitor, "s1.jsonl");
    assert_eq!((seen.events, seen.transcript.clone()), (0, read_as("eden", true)));
    let home: Home = get(&mut monitor, "home");
    assert_eq!(home.source.state, SourceState::LogMissing);
    let foreign = opened(&[("home/agents/eden/sessions/s2.jsonl", b"no JSON\nat all\n")]);
    let seen = &foreign.reports()[0];
    assert_eq!((seen.error.as_deref(), seen.bad_lines), (Some("no entry of a transcript"), 2));
    assert_eq!(foreign.hub().source().unreadable.len(), 1, "and it is not nothing");
}

#[test]
fn unreadable_list_of_sessions_is_named() {
    let whole = fixture(EDEN);
    let (transcript, store) = (format!("home/{EDEN}"), "home/agents/eden/sessions/sessions.json");
    for (bytes, is_fine) in [(fixture("agents/eden/sessions/sessions.json"), true), (b"{ half".to_vec(), false)] {
        let monitor = opened(&[(&transcript, &whole), (store, &bytes)]);
        let seen = report(&monitor, store);
        assert_eq!((seen.kind, seen.error.is_none()), (FileContentKind::Sessions, is_fine), "{seen:?}");
        assert!(report(&monitor, &transcript).events > 0, "what is known by the transcript alone is shown");
    }
}

#[test]
fn lines_added_to_a_transcript_appear() {
    let whole = fixture(EDEN);
    let cut = whole.iter().position(|byte| *byte == b'\n').expect("a header") + 1;
    let path = format!("home/{EDEN}");
    let mut monitor = opened(&[(&path, &whole[..cut])]);
    assert_eq!(monitor.hub().event_count(), 0);
    drop(monitor.take_delta(AFTERWARDS));
    for piece in whole[cut..].chunks(5_000) {
        assert!(monitor.append(&path, piece, AFTERWARDS));
    }
    assert!(monitor.take_delta(AFTERWARDS).is_some_and(|delta| delta.home.is_some()));
    let mut at_once = opened(&[(&path, &whole)]);
    assert_eq!(texts(&mut monitor), texts(&mut at_once));
    assert_eq!(report(&monitor, &path).events, report(&at_once, &path).events);
    assert_eq!(report(&monitor, &path).bytes, whole.len() as u64);
    let mut packed = opened(&[(&format!("{path}.gz"), &gzip(&whole))]);
    assert!(!packed.append(&path, b"{}\n", AFTERWARDS), "a packed one is read again");
}
