//! Tests of evidence files that the monitor makes: each fits the log that the monitor reads, also after a rotation.
//!
//! Proves (evidence): The evidence file of every session that `GET evidence` gives holds exactly its lines, fits the
//! log files, and keeps to them when the log is rotated.

use coordination::evidence::{EvidenceFile, LogBytes};
use coordination::hub::Hub;
use coordination::transcript::mask;

use super::WebFixture;

const FIXTURE_NOW: i64 = 1_771_651_020_000;

/// The logs of a home with their names, and the state that follows from them.
fn logs(fixture: &WebFixture) -> (Vec<(String, Vec<u8>)>, Hub) {
    let mut logs = Vec::new();
    let mut hub = Hub::new();
    for entry in std::fs::read_dir(fixture.path("logs")).expect("logs") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if coordination::event::is_log_name(&name) {
            let bytes = std::fs::read(&path).expect("a log");
            hub.load(coordination::event::parse_lines(&bytes, &name, 0).0);
            logs.push((name, bytes));
        }
    }
    (logs, hub)
}

#[tokio::test]
async fn evidence_of_every_session_fits_the_log() {
    let mut named = 0;
    for home in ["trouble", "everything", "legacy-eras"] {
        let fixture = WebFixture::over(home, FIXTURE_NOW).await;
        let (logs, hub) = logs(&fixture);
        let bytes: Vec<_> = logs.iter().map(|(name, bytes)| LogBytes { token: name, name, bytes }).collect();
        let page = fixture.get("/api/v2/sessions?limit=200").await.json();
        for card in page["sessions"].as_array().expect("cards").iter().take(30) {
            let id = card["workSessionId"].as_str().expect("an id");
            let encoded = coordination::url_encode::url_encode(id);
            for masked in ["", "&mask=true"] {
                let answer = fixture.get(&format!("/api/v2/evidence?session={encoded}{masked}")).await;
                assert_eq!(answer.status, 200, "{home} {id}: {}", answer.text());
                assert_eq!(answer.header("content-type"), "application/x-ndjson");
                assert!(answer.header("content-disposition").starts_with("attachment; filename=\"evidence-"));
                let file = EvidenceFile::read(&answer.body).expect("an evidence file");
                assert_eq!(file.compare(&hub, &bytes, mask), [], "{home} {id}");
                named += file.header.agents.iter().filter(|agent| agent.name.is_some()).count();
            }
        }
    }
    assert!(named > 20, "{named} names of agents");
}

#[tokio::test]
async fn evidence_names_its_maker_and_survives_rotation() {
    let fixture = WebFixture::over("trouble", FIXTURE_NOW).await;
    let page = fixture.get("/api/v2/sessions?limit=1").await.json();
    let id = page["sessions"][0]["workSessionId"].as_str().expect("an id").to_owned();
    let path = format!("/api/v2/evidence?session={id}&by=%EC%98%A8%EC%83%88&note=%EA%B7%BC%EA%B1%B0");
    let before = EvidenceFile::read(&fixture.get(&path).await.body).expect("an evidence file");
    assert_eq!((before.header.made_by.as_deref(), before.header.note.as_deref()), (Some("온새"), Some("근거")));
    std::fs::rename(
        fixture.path("logs/coordination-events.ndjson"),
        fixture.path("logs/coordination-events-2026-02-22T00-00-00-000Z.ndjson"),
    )
    .expect("a rotation");
    super::eventually(&fixture, "/api/v2/health", |health| health["source"]["state"] == "logMissing").await;
    let after = EvidenceFile::read(&fixture.get(&path).await.body).expect("an evidence file");
    assert_eq!(after.lines.len(), before.lines.len());
    assert_eq!(after.header.files, ["coordination-events-2026-02-22T00-00-00-000Z.ndjson"]);
}

#[tokio::test]
async fn evidence_without_a_scope_is_refused() {
    let fixture = WebFixture::new().await;
    for (query, status) in [
        ("", 400),
        ("?session=nobody", 404),
        ("?since=yesterday", 400),
        ("?session=x&mask=perhaps", 400),
        ("?session=x&at=1", 400),
        (&format!("?session=x&by={}", "a".repeat(201)), 400),
        ("?since=0", 200),
        ("?q=%EB%B0%B0%ED%8F%AC", 200),
        ("?q=nothing%20holds%20this", 404),
        ("?q=%20", 400),
        ("?thread=conv:c1", 400),
        ("?session=x&thread=conv:c1", 404),
        ("?since=0&format=pdf", 400),
        // This monitor has no dashboard.
        ("?since=0&format=html", 503),
    ] {
        assert_eq!(fixture.get(&format!("/api/v2/evidence{query}")).await.status.as_u16(), status, "{query}");
    }
}

/// A file that is not whole would look whole.
#[tokio::test]
async fn evidence_of_a_replaced_log_is_refused() {
    let fixture = WebFixture::over("trouble", FIXTURE_NOW).await;
    let page = fixture.get("/api/v2/sessions?limit=1").await.json();
    let id = page["sessions"][0]["workSessionId"].as_str().expect("an id").to_owned();
    let log = fixture.path("logs/coordination-events.ndjson");
    let text = std::fs::read_to_string(&log).expect("the log");
    // In place, and of the same length, so that the follower cannot have noticed yet.
    std::fs::write(&log, text.replace("\"ts\":17716", "\"ts\":17715")).expect("a change");
    let answer = fixture.get(&format!("/api/v2/evidence?session={id}")).await;
    assert_eq!(answer.status.as_u16(), 503, "{}", answer.text());
}
