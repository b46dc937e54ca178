//! Tests of files that are damaged, packed or of another kind. That a whole home is answered as by a server is tested in
//! `task-monitor` (`web/tests/local.rs`).
//!
//! Proves (local): Half a file, a broken archive, UTF-16, another program's lines, a database and a forged evidence file
//! are each named with a cause. What can be read of them is shown, and of a forged evidence file nothing is. The evidence
//! page of any session shows it as the log does: session, threads, flow, timeline and events. Any session of an opened log is
//! saved as an evidence file that fits it; of a file that was changed since, none is made.

mod archives;
mod saved_evidence;
mod transcripts;

use std::io::Write as _;

use coordination::api::{EventsPage, Home, SessionsPage, SharedList, SourceState};
use coordination::evidence::{
    self, EvidenceAgent, EvidenceFile, EvidenceHeader, EvidenceScope, FORMAT, LogBytes, PageParts, VERSION,
};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use serde_json::Value;

use super::*;
use archives::tar;

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

/// The evidence file of a session of a log.
fn exported(log: &str, session: &SessionId) -> EvidenceFile {
    let mut hub = Hub::new();
    hub.load(coordination::event::parse_lines(log.as_bytes(), "log.ndjson", 0).0);
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
        agents: Vec::new(),
        notes: Vec::new(),
    };
    let logs = [LogBytes { token: "log.ndjson", name: "log.ndjson", bytes: log.as_bytes() }];
    let events = evidence::events(&hub, &header.scope).expect("a session");
    EvidenceFile::collect(&events, &logs, header, None).expect("all lines")
}

fn sessions(monitor: &mut LocalMonitor) -> Vec<SessionId> {
    let page: SessionsPage = get(monitor, "sessions?limit=200");
    page.sessions.into_iter().map(|card| card.work_session_id).collect()
}

/// Without the process and other sessions, and event ids without the name of the file: the offset alone.
fn comparable(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            ["cursor", "now", "neighbours", "chain"].iter().for_each(|field| drop(fields.remove(*field)));
            fields.values_mut().for_each(|field| *field = comparable(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = comparable(item.take())),
        Value::String(text) => {
            let is_token = |token: &str| token.len() == 10 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
            if let Some((token, offset)) = text.split_once('-')
                && is_token(token)
                && offset.bytes().all(|byte| byte.is_ascii_digit())
            {
                *text = offset.to_owned();
            }
        }
        _ => {}
    }
    value
}

/// The page that a person is handed says what the dashboard said.
#[test]
fn evidence_shows_each_session_as_the_log_does() {
    let mut compared = 0;
    let stories = ["everything", "trouble", "fan-out", "ping-pong", "blocked-task", "text-zoo", "spawn", "deadlock"];
    for story in stories.into_iter().chain(["a2a-keys", "legacy-eras", "no-work-session", "resumed-session"]) {
        let path = format!("{}/../../fixtures/{story}/logs/coordination-events.ndjson", env!("CARGO_MANIFEST_DIR"));
        let log = std::fs::read_to_string(&path).expect("a log");
        let mut whole = opened(&[("log.ndjson", log.as_bytes())]);
        for session in sessions(&mut whole) {
            let html = exported(&log, &session).to_html(&PageParts { before: String::new(), after: String::new() });
            let mut alone = opened(&[("evidence.html", html.as_bytes())]);
            let id = coordination::url_encode::url_encode(session.as_str());
            let mut urls = vec![
                format!("sessions/{id}"),
                format!("sessions/{id}/timeline?limit=500"),
                format!("sessions/{id}/flow"),
                format!("sessions/{id}/find?q=%EC%9D%B4"),
                format!("events?session={id}&limit=500"),
            ];
            let detail: Value = get(&mut whole, &urls[0]);
            let threads = detail["threads"].as_array().expect("threads").iter();
            urls.extend(threads.map(|thread| {
                let thread = coordination::url_encode::url_encode(thread["threadId"].as_str().expect("an id"));
                format!("sessions/{id}/threads/{thread}?limit=500")
            }));
            for url in urls {
                let (of_log, of_evidence): (Value, Value) = (get(&mut whole, &url), get(&mut alone, &url));
                assert_eq!(comparable(of_evidence), comparable(of_log), "{story} {url}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared} answers");
}

#[test]
fn masked_lines_of_evidence_are_named_with_their_places() {
    let session = sessions(&mut opened(&[("log.ndjson", LOG.as_bytes())]))[0].clone();
    let mut file = exported(LOG, &session);
    file.lines[1].masked = true;
    let monitor = opened(&[("evidence.ndjson", file.to_text().as_bytes())]);
    let place = format!("log.ndjson, byte {}", file.lines[1].offset);
    assert_eq!(monitor.reports()[0].masked, [(place, file.lines[1].text.clone())]);
}

#[test]
fn opened_log_is_saved_as_evidence() {
    let name = "coordination-events.ndjson";
    let mut hub = Hub::new();
    hub.load(coordination::event::parse_lines(LOG.as_bytes(), name, 0).0);
    let logs = [LogBytes { token: name, name, bytes: LOG.as_bytes() }];
    let packed = gzip(LOG.as_bytes());
    for (path, bytes) in
        [("logs/coordination-events.ndjson", LOG.as_bytes()), ("coordination-events.ndjson.gz", &packed)]
    {
        let mut monitor = opened(&[(path, bytes)]);
        let inputs = || vec![Input::of_bytes(path, bytes.to_vec()), Input::of_bytes("notes.txt", b"{}".to_vec())];
        for session in sessions(&mut monitor) {
            let url = format!("session={}&by=me", coordination::url_encode::url_encode(session.as_str()));
            let answer = monitor.evidence(&url, inputs(), NOW);
            assert_eq!(answer.status, 200, "{path} {session}: {}", answer.body);
            let file = EvidenceFile::read(answer.body.as_bytes()).expect("an evidence file");
            assert_eq!(file.compare(&hub, &logs, coordination::transcript::mask), [], "{path} {session}");
            assert_eq!(file.header.made_by.as_deref(), Some("me"));
        }
        for (query, status) in [("", 400), ("session=nobody", 404), ("since=0&format=html", 400), ("since=0", 200)] {
            assert_eq!(monitor.evidence(query, inputs(), NOW).status, status, "{path} {query}");
        }
        let changed = LOG.replace("\"ts\":17716", "\"ts\":17715").into_bytes();
        let answer = monitor.evidence("since=0", vec![Input::of_bytes(path.trim_end_matches(".gz"), changed)], NOW);
        assert_eq!(answer.status, 503, "a file that was changed since: {}", answer.body);
    }
}

#[test]
fn evidence_names_its_agents() {
    let session = sessions(&mut opened(&[("log.ndjson", LOG.as_bytes())]))[0].clone();
    let mut file = exported(LOG, &session);
    let agent = |id: &str, name: &str, emoji: &str| EvidenceAgent {
        id: id.into(),
        name: Some(name.to_owned()),
        emoji: Some(emoji.to_owned()),
    };
    file.header.agents = vec![agent("seum", "세움", "🔧"), agent("dajim", "<b>다짐\u{202e}", "관리자")];
    let mut monitor = opened(&[("evidence.ndjson", file.to_text().as_bytes())]);
    let home: Home = get(&mut monitor, "home");
    let shown = |id: &str| home.agents.iter().find(|agent| agent.id.as_str() == id).expect("an agent of the lines");
    assert_eq!((shown("seum").name.as_str(), shown("seum").emoji.as_deref()), ("세움", Some("🔧")));
    // The page marks hidden characters of a name, and shows an emoji as it is.
    assert_eq!((shown("dajim").name.as_str(), shown("dajim").emoji.as_deref()), ("<b>다짐\u{202e}", None));
    let mut plain = opened(&[("evidence.ndjson", exported(LOG, &session).to_text().as_bytes())]);
    let of = |monitor: &mut LocalMonitor| -> Value { get(monitor, &format!("events?session={session}&limit=500")) };
    let roles = |page: Value| {
        page["events"].as_array().expect("events").iter().map(|event| event["role"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(roles(of(&mut monitor)), roles(of(&mut plain)), "a name makes nobody a main agent");
    // The settings of a home come first.
    let config = br#"{"agents":{"list":[{"id":"seum","identity":{"name":"other"}}]}}"#;
    let mut both = opened(&[("home/openclaw.json", config), ("evidence.ndjson", file.to_text().as_bytes())]);
    let home: Home = get(&mut both, "home");
    assert!(home.agents.iter().any(|agent| agent.id.as_str() == "seum" && agent.name == "other"));
}

#[test]
fn evidence_file_shows_its_session_and_a_forged_one_nothing() {
    let session = sessions(&mut opened(&[("log.ndjson", LOG.as_bytes())]))[0].clone();
    let text = exported(LOG, &session).to_text();
    let mut monitor = opened(&[("evidence.ndjson", text.as_bytes())]);
    assert_eq!(monitor.made_at(), Some(NOW), "it is shown as of then");
    assert_eq!(opened(&[("evidence.ndjson", text.as_bytes()), ("log.ndjson", LOG.as_bytes())]).made_at(), None);
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

#[test]
fn zstd_frames_one_after_the_other_are_one_log() {
    let (first, second) = LOG.split_at(LOG[..LOG.len() / 2].rfind('\n').expect("a line") + 1);
    let frames = [zstd_frame(first.as_bytes()), zstd_frame(second.as_bytes())].concat();
    assert_eq!(events(&[("log.ndjson.zst", &frames)]), events(&[("log.ndjson", LOG.as_bytes())]));
}

/// A frame of raw blocks, which any encoder may write.
fn zstd_frame(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend_from_slice(&u32::try_from(bytes.len()).expect("a size").to_le_bytes());
    let mut blocks = bytes.chunks(100_000).peekable();
    while let Some(block) = blocks.next() {
        let header = (block.len() << 3) | usize::from(blocks.peek().is_none());
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

#[test]
fn home_is_the_highest_folder_with_a_log() {
    let files: [(&str, &[u8]); 4] = [
        ("h/backup/openclaw.json", b"{ agents: { list: [{ id: 'old' }] } }"),
        ("h/openclaw.json", b"{ agents: { list: [{ id: 'eden', identity: { name: 'Eden' } }] } }"),
        ("h/logs/coordination-events.ndjson", LOG.as_bytes()),
        ("h/agents/eden/sessions/s.jsonl", b"{\"type\":\"message\"}\n"),
    ];
    let mut monitor = opened(&files);
    let home: Home = get(&mut monitor, "home");
    assert!(home.agents.iter().any(|agent| agent.name == "Eden"), "{:?}", home.agents);
    let transcript = monitor.reports().iter().find(|report| report.path.ends_with("s.jsonl")).expect("a report");
    assert_eq!(transcript.kind, FileContentKind::Transcript);
}

#[test]
fn only_plain_logs_that_were_read_whole_are_read_on() {
    let units: Vec<u8> = LOG.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf_16 = [b"\xff\xfe".as_slice(), &units].concat();
    for (path, bytes) in [("log.ndjson", utf_16), ("log.ndjson.gz", gzip(LOG.as_bytes()))] {
        let mut monitor = opened(&[(path, &bytes)]);
        assert!(!monitor.append("log.ndjson", b"{}\n", NOW), "{path}");
    }
}

#[test]
fn many_categories_are_changed_at_once_and_outlive_a_new_reading() {
    let mut monitor = opened(&[("log.ndjson", LOG.as_bytes())]);
    let page: SessionsPage = get(&mut monitor, "sessions?limit=2");
    let id = &page.sessions[0].work_session_id;
    let body = format!(
        r#"{{"items":[{{"workSessionId":"{id}","collabCategory":"qa_validation"}},{{"workSessionId":"nobody","collabCategory":"qa_validation"}}]}}"#
    );
    let request = LocalRequest { method: Method::Patch, url: "categories".to_owned(), body };
    let answer = monitor.answer(&request, NOW);
    assert_eq!((answer.status, answer.body.matches("not_found").count()), (200, 1), "{}", answer.body);
    let mut again = LocalMonitor::new("again".to_owned());
    again.keep_categories(monitor.hub().overrides().clone());
    again.open(vec![Input::of_bytes("log.ndjson", LOG.as_bytes().to_vec())]);
    while !again.step(NOW).done {}
    assert_eq!(again.hub().overrides(), monitor.hub().overrides());
}
