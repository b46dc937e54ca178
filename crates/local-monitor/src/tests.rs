//! Tests of files that are damaged, packed or of another kind. That a whole home is answered as by a server is tested in
//! `task-monitor` (`web/tests/local.rs`).
//!
//! Proves (local): Half a file, a broken archive, UTF-16, another program's lines, a database and a forged evidence file
//! are each named with a cause. What can be read of them is shown, and of a forged evidence file nothing is.

use std::io::Write as _;

use coordination::api::{Home, SessionsPage, SourceState};
use coordination::evidence::{self, EvidenceFile, EvidenceHeader, EvidenceScope, FORMAT, LogBytes, VERSION};
use coordination::hub::Hub;
use coordination::ids::SessionId;

use super::*;

const NOW: i64 = 1_771_651_020_000;
const LOG: &str = include_str!("../../../fixtures/trouble/logs/coordination-events.ndjson");

fn opened(files: &[(&str, &[u8])]) -> LocalMonitor {
    let mut monitor = LocalMonitor::new("test".to_owned());
    monitor.open(files.iter().map(|(path, bytes)| Input::of_bytes(*path, bytes.to_vec())).collect());
    while !monitor.step(NOW).done {}
    monitor
}

fn get<T: serde::de::DeserializeOwned>(monitor: &mut LocalMonitor, url: &str) -> T {
    let answer = monitor.answer(&LocalRequest::get(url), NOW);
    assert_eq!(answer.status, 200, "{url}: {}", answer.body);
    serde_json::from_str(&answer.body).expect("an answer")
}

fn events(files: &[(&str, &[u8])]) -> u64 {
    opened(files).hub().event_count() as u64
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(bytes).expect("gzip");
    gzip.finish().expect("gzip")
}

#[test]
fn half_a_log_shows_its_whole_lines() {
    let cut = LOG.len() / 2;
    let monitor = opened(&[("half.ndjson", &LOG.as_bytes()[..cut])]);
    let whole_lines = LOG[..cut].matches('\n').count() as u64;
    let report = &monitor.reports()[0];
    assert_eq!((report.kind, report.events), (FileContentKind::Log, whole_lines));
    assert!(report.torn_bytes > 0 && report.error.is_none());
    let rest = &LOG.as_bytes()[cut..];
    let monitor = opened(&[("second half.ndjson", rest)]);
    assert_eq!(monitor.reports()[0].events + 1 + whole_lines, LOG.lines().count() as u64, "its first line is a part");
}

#[test]
fn broken_archives_show_what_can_be_unpacked() {
    let whole = gzip(LOG.as_bytes());
    let monitor = opened(&[("log.ndjson.gz", &whole[..whole.len() / 2])]);
    let report = &monitor.reports()[0];
    assert!(report.error.is_some() && report.events > 0, "{report:?}");
    for broken in [b"PK\x03\x04 and no archive".as_slice(), b"\x28\xb5\x2f\xfd".as_slice(), b"\x1f\x8b".as_slice()] {
        let monitor = opened(&[("broken", broken)]);
        assert!(monitor.reports()[0].error.is_some(), "{broken:?}: {:?}", monitor.reports());
    }
}

#[test]
fn utf_16_reads_like_utf_8() {
    let whole = events(&[("log.ndjson", LOG.as_bytes())]);
    let units = || std::iter::once(0xfeff).chain(LOG.encode_utf16());
    let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    assert_eq!(events(&[("log.ndjson", &little)]), whole);
    assert_eq!(events(&[("log.ndjson", &big)]), whole);
    let torn = &little[..little.len() - 1];
    assert_eq!(opened(&[("log.ndjson", torn)]).reports()[0].events, whole - 1, "the last line has no end");
}

#[test]
fn other_files_are_named_and_not_read() {
    let foreign = b"{\"level\":\"info\",\"msg\":\"ready\"}\n{\"level\":\"warn\",\"msg\":\"slow\"}\n";
    let transcript = b"{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n{\"type\":\"message\"}\n";
    let files: [(&str, &[u8]); 5] = [
        ("server.ndjson", foreign),
        ("s.jsonl", transcript),
        ("state.db", b"SQLite format 3\0"),
        ("picture.png", b"\x89PNG\r\n\x1a\n"),
        ("empty.txt", b""),
    ];
    let mut monitor = opened(&files);
    let kinds: Vec<_> = monitor.reports().iter().map(|report| (report.path.as_str(), report.kind)).collect();
    let kind = |path: &str| kinds.iter().find(|(other, _)| *other == path).map(|(_, kind)| *kind);
    assert_eq!(kind("s.jsonl"), Some(FileContentKind::Transcript));
    assert_eq!(kind("state.db"), Some(FileContentKind::Database));
    for path in ["server.ndjson", "picture.png", "empty.txt"] {
        assert_eq!(kind(path), Some(FileContentKind::Unknown), "{path}");
    }
    let home: Home = get(&mut monitor, "home");
    assert_eq!(home.source.state, SourceState::LogMissing, "nothing read is not nothing there");
}

#[test]
fn lines_of_another_program_between_events_are_counted() {
    let mixed = LOG.replacen('\n', "\nnot json\n{\"level\":\"info\"}\n", 1);
    let mut monitor = opened(&[("log.ndjson", mixed.as_bytes())]);
    assert_eq!(monitor.reports()[0].bad_lines, 2);
    let home: Home = get(&mut monitor, "home");
    assert_eq!(home.source.bad_lines, 2);
}

#[test]
fn hooks_of_coding_agents_show_their_team() {
    let hooks = include_bytes!("../../../fixtures/claude-code/team.ndjson");
    let mut monitor = opened(&[("team.ndjson", hooks)]);
    let report = &monitor.reports()[0];
    assert_eq!((report.kind, report.bad_lines), (FileContentKind::AgentEvents, 0));
    let home: Home = get(&mut monitor, "home");
    assert!(!home.agents.is_empty() && home.source.state == SourceState::Ok);
}

/// An evidence file of the first session of the log, and the session.
fn exported() -> (SessionId, String) {
    let mut monitor = opened(&[("log.ndjson", LOG.as_bytes())]);
    let page: SessionsPage = get(&mut monitor, "sessions?limit=1");
    let session = page.sessions[0].work_session_id.clone();
    let mut hub = Hub::new();
    hub.load(coordination::event::parse_lines(LOG.as_bytes(), "log.ndjson", 0).0);
    let header = EvidenceHeader {
        format: FORMAT.to_owned(),
        version: VERSION,
        scope: EvidenceScope { session: Some(session.clone()), ..EvidenceScope::default() },
        files: Vec::new(),
        lines: 0,
        masked: 0,
        made_at: NOW,
        made_by: None,
        program: "test".to_owned(),
        note: None,
    };
    let logs = [LogBytes { token: "log.ndjson", name: "log.ndjson", bytes: LOG.as_bytes() }];
    let events = evidence::events(&hub, &header.scope).expect("a session");
    let file = EvidenceFile::collect(&events, &logs, header, None).expect("all lines");
    (session, file.to_text())
}

#[test]
fn evidence_file_shows_its_session_and_a_forged_one_nothing() {
    let (session, text) = exported();
    let mut monitor = opened(&[("evidence.ndjson", text.as_bytes())]);
    let report = &monitor.reports()[0];
    assert_eq!((report.kind, report.error.as_deref()), (FileContentKind::Evidence, None));
    assert_eq!(report.evidence.as_ref().map(|header| u64::from(header.lines)), Some(report.events));
    let mut whole = opened(&[("log.ndjson", LOG.as_bytes())]);
    let url = format!("sessions/{session}/timeline");
    let (of_evidence, of_log): (serde_json::Value, serde_json::Value) =
        (get(&mut monitor, &url), get(&mut whole, &url));
    let items = |page: &serde_json::Value| page["items"].as_array().map(Vec::len);
    assert_eq!(items(&of_evidence), items(&of_log), "{of_evidence}");

    let forged = text.replacen("\"text\":\"", "\"text\":\" ", 1);
    let monitor = opened(&[("evidence.ndjson", forged.as_bytes())]);
    let report = &monitor.reports()[0];
    assert!(report.error.is_some() && report.events == 0 && monitor.hub().event_count() == 0, "{report:?}");
    assert_eq!(monitor.hub().source().state, SourceState::Unreadable);
}

#[test]
fn appended_lines_change_what_they_touch() {
    let (head, tail) = LOG.split_at(LOG.len() / 3);
    let mut monitor = opened(&[("log.ndjson", head.as_bytes())]);
    assert!(monitor.take_delta(NOW).is_some_and(|delta| delta.everything), "all was read");
    assert!(monitor.take_delta(NOW).is_none(), "nothing has changed since");
    for piece in tail.as_bytes().chunks(700) {
        assert!(monitor.append("log.ndjson", piece, NOW));
    }
    let delta = monitor.take_delta(NOW).expect("a delta");
    assert!(delta.events_total > 0 && delta.home.is_some());
    assert_eq!(monitor.hub().event_count() as u64, events(&[("log.ndjson", LOG.as_bytes())]));
    assert!(!monitor.append("other.ndjson", b"{}\n", NOW), "a log that is not open");
}

#[test]
fn category_is_changed_for_as_long_as_the_files_are_open() {
    let mut monitor = opened(&[("log.ndjson", LOG.as_bytes())]);
    let page: SessionsPage = get(&mut monitor, "sessions?limit=1");
    let url = format!("sessions/{}/category", page.sessions[0].work_session_id);
    let request = |method, body: &str| LocalRequest { method, url: url.clone(), body: body.to_owned() };
    let set = monitor.answer(&request(Method::Patch, r#"{"collabCategory":"qa_validation"}"#), NOW);
    assert_eq!(set.status, 200, "{}", set.body);
    assert!(set.body.contains("manual_override"), "{}", set.body);
    let cleared = monitor.answer(&request(Method::Delete, ""), NOW);
    assert!(cleared.status == 200 && !cleared.body.contains("manual_override"), "{}", cleared.body);
    for (body, status) in [("{", 400), (r#"{"collabCategory":"nonsense"}"#, 400)] {
        assert_eq!(monitor.answer(&request(Method::Patch, body), NOW).status, status, "{body}");
    }
    let speak = LocalRequest { method: Method::Post, url: "speak".to_owned(), body: "{}".to_owned() };
    assert_eq!(monitor.answer(&speak, NOW).status, 404, "no agent can be reached");
}
