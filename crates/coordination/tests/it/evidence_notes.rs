//! Tests of notes in evidence files.
//!
//! Proves (evidence): On request a file has the notes and resolved marks about its session, its thread and the messages
//! among its lines, and no others. A note on a message names the message of the reader's log. Texts and authors are masked
//! with the lines. Views and rules of a forged file are not taken for notes.

use coordination::api::{Note, NotePlace, ResolvedMark, SharedContent, SharedRecord, TeamView};
use coordination::event::first_line_hash;
use coordination::evidence::{EvidenceFile, EvidenceNote, EvidenceScope, LogBytes};
use coordination::ids::{EventId, SessionId, ThreadId};
use coordination::shared_records::SharedRecords;
use coordination::transcript::mask;

use crate::evidence::{bytes, collect, hub, logs_of, of_session};

const STORY: &str = "ping-pong";

/// A log as a monitor names it in ids of events, by the hash of its first line.
fn hashed(logs: &[(String, Vec<u8>)]) -> Vec<(String, &str, &[u8])> {
    logs.iter().map(|(name, bytes)| (first_line_hash(bytes), name.as_str(), bytes.as_slice())).collect()
}

/// A session of the story, one of its threads, and a message of each of two threads.
struct NoteTargets {
    session: SessionId,
    threads: [ThreadId; 2],
    messages: [EventId; 2],
}

fn places(logs: &[(String, Vec<u8>)]) -> NoteTargets {
    let hub = hub(logs);
    let all = coordination::api::SessionsQuery { limit: Some(200), ..Default::default() };
    let page = coordination::query::sessions(&hub, i64::MAX / 2, &all).unwrap();
    let scope = |session: &SessionId, thread: &ThreadId| EvidenceScope {
        session: Some(session.clone()),
        thread: Some(thread.clone()),
        ..EvidenceScope::default()
    };
    for card in &page.sessions {
        let session = &card.work_session_id;
        let threads = coordination::query::session(&hub, i64::MAX / 2, session).unwrap().threads;
        let held = threads.iter().filter_map(|thread| {
            let file = collect(&hub, logs, scope(session, &thread.thread_id), None)?;
            let line = file.lines.last()?.clone();
            let token = first_line_hash(&logs[line.file as usize].1);
            Some((thread.thread_id.clone(), EventId::from(format!("{token}-{}", line.offset))))
        });
        let held: Vec<_> = held.take(2).collect();
        if let [(one, first), (two, second)] = &held[..] {
            return NoteTargets {
                session: session.clone(),
                threads: [one.clone(), two.clone()],
                messages: [first.clone(), second.clone()],
            };
        }
    }
    panic!("no session of {STORY} has two threads");
}

fn record(id: &str, content: SharedContent) -> SharedRecord {
    SharedRecord {
        id: id.to_owned(),
        revision: 2,
        content,
        created_at: 1_771_000_000_000,
        created_by: Some("온새".to_owned()),
        updated_at: 1_771_000_100_000,
        updated_by: Some("ops@example.com".to_owned()),
    }
}

/// A note or mark of each kind of place, a note on another session, and a view.
fn records(places: &NoteTargets) -> Vec<SharedRecord> {
    let place = |thread: Option<usize>, message: Option<usize>| NotePlace {
        work_session_id: places.session.clone(),
        thread_id: thread.map(|number| places.threads[number].clone()),
        event_id: message.map(|number| places.messages[number].clone()),
    };
    let note = |place: NotePlace| SharedContent::Note(Note { place, text: "call +82 10 1234 5678".to_owned() });
    let elsewhere = NotePlace { work_session_id: SessionId::from("elsewhere"), ..place(None, None) };
    let gone = NotePlace { event_id: Some(EventId::from("0000000000-7")), ..place(None, None) };
    vec![
        record("session", note(place(None, None))),
        record("resolved", SharedContent::Resolved(ResolvedMark { place: place(Some(0), None), reason: None })),
        record("thread-1", note(place(Some(1), None))),
        record("message-0", note(place(Some(0), Some(0)))),
        record("message-1", note(place(Some(1), Some(1)))),
        record("elsewhere", note(elsewhere)),
        record("gone", note(gone)),
        record("view", SharedContent::View(TeamView { name: "a".to_owned(), path: "/all".to_owned(), home: false })),
    ]
}

fn ids(file: &EvidenceFile) -> Vec<&str> {
    file.header.notes.iter().map(|note| note.record.id.as_str()).collect()
}

#[test]
fn a_file_has_the_notes_about_what_it_holds() {
    let logs = logs_of(STORY);
    let (places, hub, hashed) = (places(&logs), hub(&logs), hashed(&logs));
    let by_hash: Vec<_> = hashed.iter().map(|(token, name, bytes)| LogBytes { token, name, bytes }).collect();
    let with_notes = |thread: Option<&ThreadId>, logs_named: &[LogBytes<'_>]| {
        let scope = EvidenceScope {
            session: Some(places.session.clone()),
            thread: thread.cloned(),
            ..EvidenceScope::default()
        };
        let mut file = collect(&hub, &logs, scope, None).unwrap();
        file.add_notes(records(&places), logs_named, None);
        assert_eq!(EvidenceFile::read(file.to_text().as_bytes()).as_ref(), Ok(&file));
        assert_eq!(file.compare(&hub, &bytes(&logs), mask), [], "notes are no lines");
        file
    };
    let whole = with_notes(None, &by_hash);
    assert_eq!(ids(&whole), ["session", "resolved", "thread-1", "message-0", "message-1"]);
    assert_eq!(with_notes(None, &bytes(&logs)).header.notes, whole.header.notes, "by another name of the log");
    assert_eq!(ids(&with_notes(Some(&places.threads[0]), &by_hash)), ["resolved", "message-0"]);
    // A period holds messages only.
    let mut period = collect(&hub, &logs, EvidenceScope { since: Some(0), ..EvidenceScope::default() }, None).unwrap();
    period.add_notes(records(&places), &by_hash, None);
    assert_eq!(ids(&period), ["message-0", "message-1"]);
}

#[test]
fn the_reader_has_the_notes_at_its_own_messages() {
    let logs = logs_of(STORY);
    let places = places(&logs);
    let mut file = of_session(&logs, places.session.as_str(), false);
    let hashed = hashed(&logs);
    let by_hash: Vec<_> = hashed.iter().map(|(token, name, bytes)| LogBytes { token, name, bytes }).collect();
    file.add_notes(records(&places), &by_hash, None);
    let mut read = SharedRecords::default();
    for line in file.header.notes.iter().flat_map(|note| note.to_lines(|_| Some("mine"))) {
        read.apply(line);
    }
    let renamed = |record: &SharedRecord| {
        let mut record = record.clone();
        if let SharedContent::Note(note) = &mut record.content {
            let offset = note.place.event_id.as_ref().and_then(|id| id.parts().1);
            note.place.event_id = offset.map(|offset| EventId::from(format!("mine-{offset}")));
        }
        record
    };
    let mut expected: Vec<_> = file.header.notes.iter().map(|note| renamed(&note.record)).collect();
    expected.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(read.all(), expected, "with who wrote and who changed them");
    let view = record("view", SharedContent::View(TeamView { name: "a".into(), path: "/all".into(), home: true }));
    assert_eq!(EvidenceNote { record: view, message: None }.to_lines(|_| Some("mine")), []);
}

#[test]
fn notes_are_masked_with_the_lines() {
    let logs = logs_of(STORY);
    let places = places(&logs);
    let mut file = of_session(&logs, places.session.as_str(), true);
    file.add_notes(records(&places), &bytes(&logs), Some(mask));
    let text = serde_json::to_string(&file.header.notes).unwrap();
    assert_eq!(file.header.notes.len(), 5);
    assert!(!text.contains("1234 5678") && !text.contains("ops@example.com"), "{text}");
    assert!(text.contains("온새"), "{text}");
}
