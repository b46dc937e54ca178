//! Tests of evidence files of several and of large logs.
//!
//! Proves (local): Of opened logs with one name and one first line, each gives its own lines to an evidence file. Logs that
//! are too large for one are refused with the limit. Notes in a file are shown at the messages of the file; a home beside it
//! that has a newer state of a note keeps that.

use super::*;

const NAME: &str = "coordination-events.ndjson";

/// A log that begins as [`LOG`] does and ends with a line of its own.
fn variant(session: &str) -> String {
    let first = LOG.lines().next().expect("a line");
    let own = format!(
        r#"{{"type":"a2a.send","agentId":"eden","ts":1771567800000,"data":{{"fromAgent":"eden","toAgent":"seum","message":"only in {session}","eventRole":"conversation.main","workSessionId":"{session}"}}}}"#
    );
    format!("{first}\n{own}\n")
}

#[test]
fn logs_with_one_name_and_first_line_keep_their_lines() {
    let (one, other) = (variant("ws_one"), variant("ws_other"));
    for paths in [[NAME, NAME], ["b/coordination-events.ndjson", "a/coordination-events.ndjson"]] {
        let files = [(paths[0], one.as_bytes()), (paths[1], other.as_bytes())];
        let mut monitor = opened(&files);
        let inputs = || files.iter().map(|(path, bytes)| Input::of_bytes(*path, bytes.to_vec())).collect();
        assert!(sessions(&mut monitor).len() >= 2);
        for session in ["ws_other", "ws_one"] {
            let answer = monitor.evidence(&format!("session={session}"), inputs(), NOW);
            assert_eq!(answer.status, 200, "{paths:?} {session}: {}", answer.body);
            let file = EvidenceFile::read(answer.body.as_bytes()).expect("an evidence file");
            assert!(file.lines.iter().all(|line| line.text.contains(session)), "{session}: {:?}", file.lines);
        }
        let all = monitor.evidence("since=0", inputs(), NOW);
        let file = EvidenceFile::read(all.body.as_bytes()).expect("an evidence file");
        assert_eq!((file.header.files.len(), file.lines.len()), (2, 4), "each line of each log");
    }
}

#[test]
fn evidence_of_larger_logs_is_refused_with_the_limit() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(format!("home/logs/{NAME}"), zip::write::SimpleFileOptions::default()).expect("zip");
    zip.write_all(LOG.as_bytes()).expect("zip");
    let zip = zip.finish().expect("zip").into_inner();
    let tar = tar(&[(&format!("home/logs/{NAME}"), LOG.as_bytes())]);
    let files = [
        (NAME, LOG.as_bytes().to_vec()),
        ("log.ndjson.gz", gzip(LOG.as_bytes())),
        ("home.zip", zip),
        ("home.tar", tar),
    ];
    for (path, bytes) in files {
        let monitor = opened(&[(path, &bytes)]);
        let made = |max_bytes: u64| {
            // A large file of another kind is not read at all.
            let other = Input::of_bytes("notes.txt", vec![b'x'; 2 * LOG.len()]);
            monitor.evidence_within("since=0", vec![other, Input::of_bytes(path, bytes.clone())], NOW, max_bytes)
        };
        assert_eq!(made(LOG.len() as u64).status, 200, "{path}");
        let refused = made(LOG.len() as u64 - 1);
        assert_eq!(refused.status, 413, "{path}: {}", refused.body);
        assert!(refused.body.contains("at most") && refused.body.contains("too_large"), "{}", refused.body);
    }
}

#[test]
fn notes_of_a_file_are_at_its_messages() {
    let log = ("home/logs/coordination-events.ndjson", LOG.as_bytes());
    let rows = get::<EventsPage>(&mut opened(&[log]), "events?limit=50").events;
    let row = rows.iter().find(|row| row.session_id.is_some()).expect("an event of a session");
    let (event, session) = (&row.id, row.session_id.as_ref().expect("its session"));
    let line = |revision: u32, text: &str| {
        let place = serde_json::json!({"workSessionId": session, "eventId": event});
        let content = serde_json::json!({"kind": "note", "place": place, "text": text});
        let line = serde_json::json!({"at": NOW - 5, "id": "a", "revision": revision, "content": content});
        format!("{line}\n")
    };
    let (older, newer) = (line(1, "메모의 첫 상태"), line(2, "메모의 나중 상태"));
    let shared = |text: &str| ("home/task-hub-shared.ndjson", text.as_bytes().to_vec());
    let (path, bytes) = shared(&older);
    let files = [log, (path, &bytes[..])];
    let inputs = || files.iter().map(|(path, bytes)| Input::of_bytes(*path, bytes.to_vec())).collect();
    let saved = opened(&files).evidence(&format!("session={session}&notes=true"), inputs(), NOW);
    let without = opened(&files).evidence(&format!("session={session}"), inputs(), NOW);
    assert_eq!((saved.status, without.status), (200, 200), "{}", saved.body);
    assert!(!without.body.contains("메모의 첫 상태"), "only on request");

    let evidence = ("evidence.ndjson", saved.body.as_bytes());
    let notes = |monitor: &mut LocalMonitor| get::<SharedList>(monitor, &format!("shared?session={session}"));
    let mut read = opened(&[evidence]);
    let records = notes(&mut read).records;
    assert_eq!(records.len(), 1);
    let place = records[0].content.place().expect("a place");
    assert!(coordination::query::has_place(read.hub(), place), "{place:?}");
    let (path, bytes) = shared(&newer);
    for files in [[log, (path, &bytes[..]), evidence], [evidence, log, (path, &bytes[..])]] {
        let records = notes(&mut opened(&files)).records;
        assert_eq!(records.iter().map(|record| record.content.text()).collect::<Vec<_>>(), ["메모의 나중 상태"]);
    }
}
