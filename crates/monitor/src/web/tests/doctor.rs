//! Tests of the event doctor (checks for damage in the log) in a running monitor: findings need no second read of the
//! log.
//!
//! Proves (log): A running monitor reports the findings of the event doctor without reading the log twice.

use std::fs;

use serde_json::{Value, json};

use super::{NOW, WebFixture, eventually, send};

fn kinds(check: &Value) -> Vec<(&str, u64)> {
    let findings = check["findings"].as_array().expect("findings").iter();
    findings.map(|one| (one["kind"].as_str().expect("a kind"), one["count"].as_u64().expect("a count"))).collect()
}

#[tokio::test]
async fn line_finding_is_reported_when_read() {
    let fixture = WebFixture::new().await;
    let before = fixture.get("/api/v2/health").await.json();
    assert_eq!(kinds(&before["check"]), [("missingSessionTypes", 1)]);
    fixture.append(&("no\0nsense\n".to_owned() + &send(NOW - 200_000, "시각이 뒤로 갔어요").replace('\n', "\r\n")));
    // The doctor counts with the lines, the source with the look that read them.
    let is_counted = |health: &Value| health["check"]["events"] == 2 && health["source"]["badLines"] == 1;
    let health = eventually(&fixture, "/api/v2/health", is_counted).await;
    assert_eq!(
        kinds(&health["check"]),
        [("unparsable", 1), ("nul", 1), ("crlf", 1), ("clockJump", 1), ("missingSessionTypes", 2)]
    );
    assert_eq!(health["badLines"], 1);
    assert_eq!(health["badLineSamples"][0]["sample"], "no\\u{0}nsense");
    let report = fixture.get("/api/v2/doctor").await.json();
    assert_eq!(report["files"].as_array().map(Vec::len), Some(1));
    assert_eq!((&report["files"][0]["problems"], &report["files"][0]["warnings"]), (&json!(2), &json!(2)));
    assert_eq!(report["findings"], health["check"]["findings"]);
}

#[tokio::test]
async fn rotated_finding_uses_the_archive_name() {
    let fixture = WebFixture::new().await;
    fixture.append("nonsense\n");
    eventually(&fixture, "/api/v2/health", |health| health["badLines"] == 1).await;
    let live = fixture.path("logs/coordination-events.ndjson");
    fs::rename(&live, fixture.path("logs/coordination-events-2026-02.ndjson")).expect("rotate");
    fs::write(&live, send(NOW - 1000, "새 파일의 첫 줄")).expect("log");
    let report = eventually(&fixture, "/api/v2/doctor", |report| report["events"] == 2).await;
    let unparsable = &report["findings"][0];
    assert_eq!(unparsable["samples"][0]["file"], "coordination-events-2026-02.ndjson");
    let names: Vec<&Value> = report["files"].as_array().expect("files").iter().map(|file| &file["name"]).collect();
    assert_eq!(names, ["coordination-events-2026-02.ndjson", "coordination-events.ndjson"]);
}
