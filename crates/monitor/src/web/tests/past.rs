//! Tests of answers about a past moment (`?at=`): they equal those of a monitor that has read no more than what was
//! known then. Moments that cannot be answered are refused.
//!
//! Proves (past): Every question asked with `?at=` is answered like by a monitor that reads a log cut off at that moment.

use std::fs;

use axum::body::Body;
use serde_json::{Value, json};

use super::{NOW, SESSION, WebFixture, eventually, send, write};
use crate::clock::ServerClock;
use crate::config::Settings;
use crate::home::HomeDir;

/// Without what names the process and its files.
fn comparable(mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        for field in ["cursor", "source"] {
            fields.remove(field);
        }
    }
    answer
}

/// The lines of a story that hold a time up to a moment.
fn cut(log: &str, until: i64) -> String {
    let is_known = |line: &&str| {
        let line: Value = serde_json::from_str(line).expect("a line");
        line["ts"].as_i64().expect("a time") <= until
    };
    log.lines().filter(is_known).flat_map(|line| [line, "\n"]).collect()
}

#[tokio::test]
async fn past_answers_equal_those_of_a_log_cut_off() {
    let log = "logs/coordination-events.ndjson";
    let story =
        fs::read_to_string(format!("{}/../../fixtures/trouble/{log}", env!("CARGO_MANIFEST_DIR"))).expect("log");
    let times: Vec<i64> = story
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line")["ts"].as_i64().expect("a time"))
        .collect();
    let whole = WebFixture::over("trouble", NOW).await;
    let cards = whole.get("/api/v2/sessions?limit=200").await.json();
    let session = cards["sessions"][0]["workSessionId"].as_str().expect("a session").to_owned();
    let detail = whole.get(&format!("/api/v2/sessions/{session}")).await.json();
    let thread = detail["threads"][0]["threadId"].as_str().expect("a thread").to_owned();
    let mut paths = [
        "home",
        "sessions",
        "agents",
        "agents/seum",
        "agents/seum/activity",
        "waits",
        "quality",
        "drift",
        "events",
        "tasks",
        "delegations",
    ]
    .map(|path| format!("/api/v2/{path}"))
    .to_vec();
    for path in ["", "/timeline", "/flow", "/delegations", "/find?q=a"] {
        paths.push(format!("/api/v2/sessions/{session}{path}"));
    }
    paths.push(format!("/api/v2/sessions/{session}/threads/{thread}?limit=5"));
    paths.push("/api/v2/search?q=is%3Ablocked".to_owned());
    for at in [times[0] - 1, times[0], times[3], times[9] + 1, times[20], times[times.len() - 1] + 60_000] {
        let part = tempfile::tempdir().expect("dir");
        let root = part.path().join(".openclaw");
        crate::testing::copy_all(&whole.path(""), &root);
        fs::write(root.join(log), cut(&story, at)).expect("log");
        // No earlier versions of task files exist.
        fs::remove_dir_all(root.join("workspace-seum/tasks")).expect("tasks");
        let settings = |settings: &mut Settings| {
            settings.home = HomeDir::new(&root);
            settings.clock = ServerClock::fixed(at);
        };
        let fresh = WebFixture::with(settings).await;
        for path in &paths {
            let mark = if path.contains('?') { '&' } else { '?' };
            let (then, now) = (whole.get(&format!("{path}{mark}at={at}")).await, fresh.get(path).await);
            assert_eq!(then.status, now.status, "{path} at {at}: {}", then.text());
            if now.status == 200 {
                assert_eq!(comparable(then.json()), comparable(now.json()), "{path} at {at}");
            }
        }
    }
    let iso = whole.get("/api/v2/home?at=2026-02-21T04:05:00Z").await.json();
    assert_eq!(iso["now"], 1_771_646_700_000_i64, "an ISO time is read too");
}

#[tokio::test]
async fn moment_that_cannot_be_answered_is_refused() {
    let fixture = WebFixture::new().await;
    for (path, field) in [
        (format!("/api/v2/home?at={}", NOW + 1), "at"),
        ("/api/v2/home?at=yesterday".to_owned(), "at"),
        ("/api/v2/home?at=1&at=2".to_owned(), "at"),
        ("/api/v2/home?at=1&knownBy=hearsay".to_owned(), "knownBy"),
        ("/api/v2/sessions?at=1&colour=red".to_owned(), "colour"),
        ("/api/v2/category-changes?at=1".to_owned(), "at"),
    ] {
        let answer = fixture.get(&path).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["field"]), (400, &json!(field)), "{path}");
    }
    let empty = fixture.get("/api/v2/home?at=1").await.json();
    assert_eq!((&empty["all"]["total"], &empty["now"]), (&json!(0), &json!(1)), "before the first event");
    let unread = WebFixture::start(|_| {});
    let answer = unread.get("/api/v2/home?at=1").await;
    assert!([200, 503].contains(&answer.status.as_u16()), "{}", answer.text());
}

/// A past answer follows late lines, and keeps to the category that was in force.
#[tokio::test]
async fn past_follows_late_lines_and_past_categories() {
    let fixture = WebFixture::new().await;
    let path = format!("/api/v2/sessions/{SESSION}?at={NOW}");
    let count = |detail: &Value| detail["threads"][0]["messageCount"].as_u64();
    let before = fixture.get(&path).await.json();
    assert_eq!(count(&before), Some(1), "{before}");
    fixture.append(&send(NOW - 50_000, "늦게 온 줄"));
    eventually(&fixture, &path, |detail| count(detail) == Some(2)).await;
    let early = fixture.get(&format!("/api/v2/sessions/{SESSION}?at={}", NOW - 55_000)).await.json();
    assert_eq!(count(&early), Some(1));
    let category = |detail: &Value| detail["session"]["category"]["source"].as_str().map(str::to_owned);
    let set = json!({"collabCategory": "qa_validation"}).to_string();
    let request =
        write("PATCH", &format!("/api/v2/sessions/{SESSION}/category")).body(Body::from(set)).expect("request");
    assert_eq!(fixture.call(request).await.status, 200);
    let (now, then) = (
        fixture.get(&path).await.json(),
        fixture.get(&format!("/api/v2/sessions/{SESSION}?at={}", NOW - 1)).await.json(),
    );
    assert_eq!(category(&now).as_deref(), Some("manual_override"));
    assert_ne!(category(&then).as_deref(), Some("manual_override"), "it was set a moment later");
}
