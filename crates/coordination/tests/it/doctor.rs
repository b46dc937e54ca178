//! Tests of the event doctor: for each kind of finding a log line that triggers it, the exact findings in each fixture
//! log (story), equal findings for any chunk size, and bounded memory for many bad lines.
//!
//! Proves (log): Each finding of the event doctor has a line that triggers it. Every story has exactly its findings,
//! wherever its bytes are cut. 100,000 bad lines need bounded memory.

use std::collections::BTreeMap;
use std::path::Path;

use coordination::api::{CheckReport, FindingKind as Kind, FindingSample};
use coordination::doctor::{Doctor, Feed, RECENT_LINES};
use coordination::event::MAX_LINE_BYTES;

/// The fixtures' moment.
const NOW: i64 = 1_771_651_020_000;

/// What is found in one file, read in pieces of `piece` bytes.
fn in_pieces(bytes: &[u8], piece: usize) -> CheckReport {
    let mut doctor = Doctor::default();
    read_into(&mut doctor, "log", bytes, piece);
    doctor.report()
}

fn read_into(doctor: &mut Doctor, name: &str, bytes: &[u8], piece: usize) {
    let mut feed = Feed::new(doctor.file(name, name));
    for part in bytes.chunks(piece) {
        feed.push(doctor, part, NOW);
    }
    feed.finish(doctor);
}

fn counts(text: &str) -> Vec<(Kind, u64)> {
    let report = in_pieces(text.as_bytes(), 64 * 1024);
    report.all.findings.iter().map(|finding| (finding.kind, finding.count)).collect()
}

fn first(text: &str, kind: Kind) -> FindingSample {
    let report = in_pieces(text.as_bytes(), 64 * 1024);
    let finding = report.all.findings.into_iter().find(|finding| finding.kind == kind);
    finding.unwrap_or_else(|| panic!("{kind:?} in {text}")).samples.swap_remove(0)
}

/// A faultless message of today, said `after` milliseconds after the story began.
fn message_line(after: i64, message: &str) -> String {
    format!(
        r#"{{"type":"a2a.send","agentId":"eden","ts":{},"data":{{"fromAgent":"eden","toAgent":"seum","message":"{message}","eventRole":"conversation.main","fromSessionType":"main","toSessionType":"main","workSessionId":"ws_1"}}}}"#,
        1_771_640_000_000 + after
    ) + "\n"
}

#[test]
fn a_faultless_log_has_no_findings() {
    let report = in_pieces((message_line(0, "배포 확인") + &message_line(10, "확인했습니다")).as_bytes(), 7);
    assert_eq!((report.all.events, report.all.findings), (2, Vec::new()));
    assert_eq!(report.files[0].counts, BTreeMap::new());
}

#[test]
fn non_event_line_is_reported_with_position() {
    let text = message_line(0, "하나") + "노이즈\n[1]\n{\"type\":\" \"}\n" + &message_line(1, "둘");
    assert_eq!(counts(&text), [(Kind::Unparsable, 3)]);
    let place = first(&text, Kind::Unparsable);
    assert_eq!((place.offset, place.detail.as_str()), (message_line(0, "하나").len() as u64, "notJson"));
    assert_eq!(place.text, "노이즈");
}

#[test]
fn overlong_line_is_reported_once() {
    let text = message_line(0, "앞") + &"x".repeat(3 * MAX_LINE_BYTES) + "\n" + &message_line(1, "뒤");
    assert_eq!(counts(&text), [(Kind::Unparsable, 1)]);
    assert_eq!(first(&text, Kind::Unparsable).detail, "tooLong");
    assert_eq!(in_pieces(text.as_bytes(), 64 * 1024).all.events, 2);
}

#[test]
fn nul_bytes_are_a_problem_of_their_own() {
    let text = message_line(0, "앞") + "\0\0\0\0\n" + &message_line(1, "뒤");
    assert_eq!(counts(&text), [(Kind::Unparsable, 1), (Kind::Nul, 1)]);
    assert_eq!(first(&text, Kind::Unparsable).text, "\\u{0}\\u{0}\\u{0}\\u{0}");
}

#[test]
fn invalid_utf8_is_reported_and_line_read() {
    let mut bytes = message_line(0, "앞").into_bytes();
    let at = bytes.iter().position(|byte| *byte == 0xec).expect("a Hangul byte");
    bytes[at] = 0xff;
    let report = in_pieces(&bytes, 64 * 1024);
    assert_eq!(report.all.events, 1);
    assert_eq!(report.all.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [Kind::NotUtf8]);
}

#[test]
fn glued_records_are_reported_and_counted() {
    let text = message_line(0, "하나").trim_end().to_owned() + &message_line(1, "둘");
    assert_eq!(counts(&text), [(Kind::Glued, 1)]);
    assert_eq!(in_pieces(text.as_bytes(), 64 * 1024).all.events, 2);
    let torn_before = r#"{"type":"a2a.send","da"#.to_owned() + &message_line(0, "하나");
    assert_eq!(counts(&torn_before), [(Kind::Unparsable, 1), (Kind::Glued, 1)]);
}

#[test]
fn unterminated_last_line_is_torn_blank_is_not() {
    let text = message_line(0, "앞") + r#"{"type":"a2a.se"#;
    assert_eq!(counts(&text), [(Kind::Torn, 1)]);
    let place = first(&text, Kind::Torn);
    assert_eq!((place.offset, place.detail.as_str()), (message_line(0, "앞").len() as u64, "15 B"));
    assert_eq!(place.text, r#"{"type":"a2a.se"#);
    assert_eq!(counts(&(message_line(0, "앞") + " \r")), []);
}

#[test]
fn bom_and_crlf_are_reported() {
    assert_eq!(counts(&("\u{feff}".to_owned() + &message_line(0, "앞"))), [(Kind::Bom, 1)]);
    let windows = (message_line(0, "앞") + &message_line(1, "뒤")).replace('\n', "\r\n");
    assert_eq!(counts(&windows), [(Kind::Crlf, 2)]);
}

#[test]
fn time_jump_needs_more_than_writer_disorder() {
    assert_eq!(counts(&(message_line(60_000, "앞") + &message_line(0, "뒤"))), []);
    let text = message_line(60_001, "앞") + &message_line(0, "뒤") + &message_line(90_000, "다음");
    assert_eq!(counts(&text), [(Kind::ClockJump, 1)]);
    let place = first(&text, Kind::ClockJump);
    assert_eq!(place.detail, "2026-02-21T02:14:20.001Z → 2026-02-21T02:13:20.000Z (-60 s)");
    assert_eq!(place.offset, message_line(60_001, "앞").len() as u64);
}

#[test]
fn implausible_time_is_suspicious_not_jump() {
    let at = |time: &str| {
        let line = |ts: &str| message_line(0, "앞").replace(r#""ts":1771640000000"#, ts);
        first(&(message_line(0, "앞 줄") + &line(time) + &message_line(5, "뒤")), Kind::SuspiciousTime).detail
    };
    assert_eq!(at(r#""ts":1771640000"#), "seconds: 1771640000");
    assert_eq!(at(r#""ts":-5"#), "negative: -5");
    assert_eq!(at(r#""ts":"1771640000000""#), r#"unusable: "1771640000000""#);
    assert_eq!(at(r#""was":1"#), "missing");
    assert_eq!(at(r#""ts":1871640000000"#), "farFuture: 1871640000000");
    assert_eq!(at(r#""ts":951782400000"#), "farPast: 951782400000");
    let text = message_line(0, "앞") + &message_line(1, "뒤").replace("1771640000001", "1771640000");
    assert_eq!(counts(&text), [(Kind::SuspiciousTime, 1)], "a time in seconds is not also a clock that went back");
}

#[test]
fn overlong_id_is_reported_shortened() {
    let long = "b".repeat(560_000);
    let text = message_line(0, "앞").replace(r#""agentId":"eden""#, &format!(r#""agentId":"{long}""#));
    assert!(text.contains(&long));
    assert_eq!(counts(&text), [(Kind::LongId, 1)]);
    let (events, _) = coordination::event::parse_lines(text.as_bytes(), "f", 0);
    assert!(events[0].agent().len() < 100 && events[0].agent().starts_with("bbbb"));
}

#[test]
fn text_at_writer_limit_is_truncated() {
    assert_eq!(counts(&message_line(0, &"가".repeat(4000))), [(Kind::Truncated, 1)]);
    assert_eq!(counts(&message_line(0, &"가".repeat(3999))), []);
    assert_eq!(counts(&message_line(0, &"가".repeat(200))), [], "only writers before E4 cut a send at 200");
    let preview = |text: &str, message: &str| {
        let line = r#"{"type":"a2a.response","agentId":"seum","ts":1771640000000,"data":{"replyPreview":"TEXT",MESSAGE"eventRole":"conversation.main","fromSessionType":"main","toSessionType":"main","workSessionId":"w"}}"#;
        counts(&(line.replace("TEXT", text).replace("MESSAGE", message) + "\n"))
    };
    assert_eq!(preview(&"😀".repeat(100), ""), [(Kind::Truncated, 1)], "a cut counts UTF-16 units");
    assert_eq!(preview(&"가".repeat(200), r#""message":"전부","#), [], "the event also contains the whole message");
    let spawn = format!(
        r#"{{"type":"a2a.spawn","ts":1771640000000,"data":{{"message":"{}","workSessionId":"w"}}}}"#,
        "나".repeat(200)
    );
    assert_eq!(counts(&(spawn + "\n")), [(Kind::Truncated, 1)]);
}

#[test]
fn equal_lines_are_duplicates_across_files() {
    let text = message_line(0, "같음") + &message_line(1, "다름") + &message_line(0, "같음");
    assert_eq!(counts(&text), [(Kind::Duplicate, 1)]);
    assert_eq!(first(&text, Kind::Duplicate).detail, "log:0");
    let mut doctor = Doctor::default();
    read_into(&mut doctor, "archive", message_line(0, "같음").as_bytes(), 64);
    read_into(&mut doctor, "live", message_line(0, "같음").as_bytes(), 64);
    let report = doctor.report();
    let place = &report.all.findings[0].samples[0];
    assert_eq!((place.file.as_str(), place.detail.as_str()), ("live", "archive:0"));
    assert_eq!((report.files[0].notes, report.files[1].notes), (0, 1));
}

#[test]
fn each_unknown_type_is_named_once() {
    let line = |kind: &str, at: i64| format!("{{\"type\":\"{kind}\",\"ts\":{}}}\n", 1_771_640_000_000 + at);
    let text = line("custom.thing", 0) + &line("custom.thing", 1) + &line("a2a.other", 2) + &line("task.started", 3);
    assert_eq!(counts(&text), [(Kind::UnknownType, 3)]);
    let report = in_pieces(text.as_bytes(), 64);
    let types: Vec<&str> = report.all.findings[0].samples.iter().map(|sample| sample.detail.as_str()).collect();
    assert_eq!(types, ["custom.thing", "a2a.other"]);
}

/// Lines of an archive may be read after those of the live log, as a mirror of the log receives them.
#[test]
fn samples_and_files_are_in_reading_order() {
    let line = |kind: &str, at: i64| format!("{{\"type\":\"{kind}\",\"ts\":{}}}\n", 1_771_640_000_000 + at);
    let archives = [
        ("coordination-events-2026-01.ndjson", line("a.one", 0) + &line("a.two", 1) + &line("a.one", 2)),
        ("coordination-events-2026-02.ndjson", (3..9).map(|at| line(&format!("b.{at}"), at)).collect()),
    ];
    let live = ("coordination-events.ndjson", line("a.one", -9));
    let files = [&archives[0], &archives[1], &live];
    let read = |order: [usize; 3]| {
        let mut doctor = Doctor::default();
        for (name, text) in order.map(|at| files[at]) {
            read_into(&mut doctor, name, text.as_bytes(), 64);
        }
        doctor.report()
    };
    let report = read([0, 1, 2]);
    let types: Vec<&str> = report.all.findings[0].samples.iter().map(|sample| sample.detail.as_str()).collect();
    assert_eq!((types, report.all.findings[0].count), (vec!["a.one", "a.two", "b.3", "b.4", "b.5"], 10));
    assert_eq!(report.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), files.map(|(name, _)| *name));
    for order in [[2, 1, 0], [1, 2, 0], [1, 0, 2]] {
        assert_eq!(read(order), report, "{order:?}");
    }
}

#[test]
fn missing_fields_are_reported_for_current_writers_only() {
    let without = |key: &str| {
        let mut value: serde_json::Value = serde_json::from_str(&message_line(0, "앞")).expect("json");
        value["data"].as_object_mut().expect("an object").shift_remove(key);
        counts(&format!("{value}\n"))
    };
    assert_eq!(without("eventRole"), [(Kind::MissingRole, 1)]);
    assert_eq!(without("toSessionType"), [(Kind::MissingSessionTypes, 1)]);
    assert_eq!(without("workSessionId"), [(Kind::MissingWorkSession, 1)]);
    let line = |kind: &str, data: &str| {
        format!("{{\"type\":\"{kind}\",\"agentId\":\"seum\",\"ts\":1771640000000,\"data\":{data}}}\n")
    };
    let results = [
        ("task.started", "{}"),
        ("a2a.send", r#"{"workSessionId":"w","depth":0,"hop":0}"#),
        ("a2a.send", r#"{"workSessionId":"w","targetSessionKey":"agent:x:subagent:1"}"#),
        ("a2a.response", r#"{"workSessionId":"w","runId":"r","turn":1,"maxTurns":1}"#),
        ("a2a.response", r#"{"workSessionId":"w","fromAgent":"eden","toAgent":"seum","outcome":"blocked"}"#),
        ("a2a.complete", r#"{"workSessionId":"w","concurrencyBlocked":true}"#),
        ("a2a.complete", r#"{"workSessionId":"w","outcome":"failed"}"#),
    ];
    for (kind, data) in results {
        assert_eq!(counts(&line(kind, data)), [], "{kind} {data}");
    }
    assert_eq!(counts(&line("a2a.spawn", "{}")), [(Kind::MissingWorkSession, 1)]);
    let invalid = message_line(0, "앞").replace("conversation.main", "conversation.side");
    assert_eq!(counts(&invalid), [(Kind::MissingRole, 1)]);
}

#[test]
fn findings_are_independent_of_chunking() {
    let text = "\u{feff}".to_owned()
        + &message_line(70_000, "앞")
        + "노이즈\n"
        + &message_line(0, "뒤").replace('\n', "\r\n")
        + message_line(1, "하나").trim_end()
        + &message_line(1, "하나")
        + "{\"type\"";
    let whole = in_pieces(text.as_bytes(), usize::MAX);
    assert!(whole.all.findings.len() >= 6, "{whole:?}");
    for piece in 1..60 {
        assert_eq!(in_pieces(text.as_bytes(), piece), whole, "pieces of {piece}");
    }
}

#[test]
fn renamed_file_retains_findings() {
    let mut doctor = Doctor::default();
    let file = doctor.file("token", "live");
    let mut feed = Feed::new(file);
    feed.push(&mut doctor, "노이즈\n".as_bytes(), NOW);
    doctor.rename("token", "archive");
    doctor.rename("unheard of", "live");
    assert_eq!(doctor.file("token", "archive"), file);
    assert_eq!(doctor.report().files.len(), 1);
    assert_eq!(doctor.summary().findings[0].samples[0].file, "archive");
}

#[test]
fn memory_is_independent_of_bad_line_count() {
    let mut doctor = Doctor::default();
    let file = doctor.file("log", "log");
    let mut feed = Feed::new(file);
    let bad = "{\"type\":\u{0}\n".repeat(1000);
    for _ in 0..100 {
        feed.push(&mut doctor, bad.as_bytes(), NOW);
    }
    let report = doctor.report();
    assert_eq!(report.files[0].counts[&Kind::Unparsable], 100_000);
    assert!(report.all.findings.iter().all(|finding| finding.samples.len() <= 5), "{report:?}");
    for at in 0..2 * RECENT_LINES as i64 {
        feed.push(&mut doctor, message_line(at, "다른 줄").as_bytes(), NOW);
    }
    feed.push(&mut doctor, message_line(2 * RECENT_LINES as i64 - 1, "다른 줄").as_bytes(), NOW);
    feed.push(&mut doctor, message_line(0, "다른 줄").as_bytes(), NOW);
    assert_eq!(
        doctor.report().files[0].counts.get(&Kind::Duplicate),
        Some(&1),
        "fingerprints are forgotten, oldest first"
    );
}

/// Findings of one fixture's logs, archives first.
fn story(name: &str) -> CheckReport {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name).join("logs");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("logs").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut doctor = Doctor::default();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        read_into(&mut doctor, &name, &std::fs::read(&path).expect("a log"), 1 << 16);
    }
    doctor.report()
}

#[test]
fn stories_have_expected_findings() {
    let stories = [
        "a2a-keys",
        "blocked-task",
        "everything",
        "fan-out",
        "legacy-eras",
        "no-work-session",
        "ping-pong",
        "resumed-session",
        "spawn",
        "text-zoo",
        "trouble",
    ];
    let findings = stories.map(|name| {
        let found = story(name).all.findings;
        let found: Vec<String> = found.iter().map(|finding| format!("{} {:?}", finding.count, finding.kind)).collect();
        format!("{name}: {}\n", if found.is_empty() { "clean".to_owned() } else { found.join(", ") })
    });
    expect_test::expect![[r#"
        a2a-keys: 3 MissingRole, 3 MissingSessionTypes
        blocked-task: clean
        everything: 2 Unparsable, 1 Truncated, 2 UnknownType, 20 MissingRole, 20 MissingSessionTypes, 129 MissingWorkSession
        fan-out: clean
        legacy-eras: 1 Truncated, 17 MissingRole, 17 MissingSessionTypes, 22 MissingWorkSession
        no-work-session: 9 MissingWorkSession
        ping-pong: clean
        resumed-session: clean
        spawn: clean
        text-zoo: 2 Unparsable, 2 UnknownType
        trouble: clean
    "#]].assert_eq(&findings.concat());
}

#[test]
fn the_report_has_one_shape() {
    let text = message_line(70_000, "앞") + "노이즈\n" + &message_line(0, "뒤");
    let report = in_pieces(text.as_bytes(), 64);
    expect_test::expect![[r#"
        {
          "files": [
            {
              "name": "log",
              "events": 2,
              "problems": 1,
              "warnings": 1,
              "notes": 0,
              "counts": {
                "unparsable": 1,
                "clockJump": 1
              }
            }
          ],
          "events": 2,
          "findings": [
            {
              "kind": "unparsable",
              "level": "problem",
              "count": 1,
              "samples": [
                {
                  "file": "log",
                  "offset": 220,
                  "detail": "notJson",
                  "text": "노이즈"
                }
              ]
            },
            {
              "kind": "clockJump",
              "level": "warning",
              "count": 1,
              "samples": [
                {
                  "file": "log",
                  "offset": 230,
                  "detail": "2026-02-21T02:14:30.000Z → 2026-02-21T02:13:20.000Z (-70 s)",
                  "text": "{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":1771640000000,\"data\":{\"fromAgent\":\"eden\",\"toAgent\":\"seum\",\"message\":\"뒤\",\"eventRole\":\"conversation.main\",\"fromSessionType\":\"main\",\"toSessionType\":\"main\",\"workSe"
                }
              ]
            }
          ]
        }"#]].assert_eq(&serde_json::to_string_pretty(&report).expect("json"));
    let back: CheckReport = serde_json::from_str(&serde_json::to_string(&report).expect("json")).expect("a report");
    assert_eq!(back, report);
}

/// `contract/events.md` §3: what a conversation causes belongs to its work session, one level deeper at most.
#[test]
fn d12_work_session_and_depth_are_inherited() {
    let spawn = |id: &str, parent: &str, session: &str, depth: u32, more: &str| {
        format!(
            r#"{{"type":"a2a.spawn","agentId":"eden","ts":1771640000000,"data":{{"fromAgent":"eden","toAgent":"w","conversationId":"{id}","parentConversationId":"{parent}","workSessionId":"{session}","depth":{depth}{more}}}}}"#
        ) + "\n"
    };
    let root = spawn("a", "a", "ws_1", 0, "");
    let link_findings = |line: &str| {
        let all = counts(&format!("{root}{line}"));
        all.into_iter()
            .filter(|(kind, _)| matches!(kind, Kind::WorkSessionChanged | Kind::DepthSkipped))
            .collect::<Vec<_>>()
    };
    assert_eq!(link_findings(&spawn("b", "a", "ws_1", 1, "")), []);
    assert_eq!(link_findings(&spawn("b", "a", "ws_1", 0, "")), []);
    assert_eq!(link_findings(&spawn("b", "a", "ws_1", 3, "")), [(Kind::DepthSkipped, 1)]);
    assert_eq!(link_findings(&spawn("b", "a", "ws_2", 1, "")), [(Kind::WorkSessionChanged, 1)]);
    assert_eq!(link_findings(&spawn("a", "a", "ws_2", 0, "")), [(Kind::WorkSessionChanged, 1)]);
    assert_eq!(
        link_findings(&spawn("b", "a", "ws_2", 1, r#","previousWorkSessionId":"ws_1""#)),
        [],
        "it was archived, and resumed"
    );
    assert_eq!(link_findings(&spawn("b", "never seen", "ws_2", 7, "")), []);
}
