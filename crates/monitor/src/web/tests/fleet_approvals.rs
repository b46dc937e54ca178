//! Tests of approvals of OpenClaw in a fleet: a machine publishes what waits in its stores, and a monitor over its mirror shows it.
//!
//! Proves (fleet): An approval that waits in OpenClaw on a machine is a line of its mirror, leads to a page only where the machine
//! takes answers from its fleet, is answered there with the digest of what was shown, and ends with the machine's own line.

use std::path::Path;

use super::approvals::{ApprovalFixture, BEFORE_END, EXEC};
use super::fleet_requests::{answer, json, machine, read};
use super::*;
use crate::sources::transcripts::TranscriptFeed;

/// The published files as the mirror has them.
fn mirror_files(feed: &TranscriptFeed, home: &Path) {
    for (path, file) in feed.files().published() {
        let target = home.join(&path);
        fs::create_dir_all(target.parent().expect("a folder")).expect("folder");
        let staged = target.with_extension("staged");
        fs::write(&staged, file.bytes().expect("bytes")).expect("written");
        fs::rename(staged, target).expect("renamed");
    }
}

fn line_of(home: &Value) -> Option<Value> {
    home["attention"].as_array()?.iter().find(|line| line["approval"]["id"] == EXEC).cloned()
}

/// A machine whose approvals are read, its feed, and the monitor over its mirror.
async fn mirrored(writes: bool) -> (ApprovalFixture, TranscriptFeed, WebFixture) {
    let fixture = ApprovalFixture::with(BEFORE_END, machine(writes, true)).await;
    eventually(&fixture.web, "/api/v2/home", |home| line_of(home).is_some()).await;
    let feed = fixture.web.state.transcript_feed().expect("a monitor that publishes has a feed");
    let mirror = WebFixture::with(|settings| {
        settings.clock = ServerClock::fixed(BEFORE_END);
        mirror_files(&feed, settings.home.root());
        settings.home = HomeDir::mirror(settings.home.root().to_path_buf());
    })
    .await;
    (fixture, feed, mirror)
}

#[tokio::test]
async fn mirror_shows_approval_and_machine_answers_it_once() {
    let (fixture, feed, mirror) = mirrored(true).await;
    let home = eventually(&mirror, "/api/v2/home", |home| line_of(home).is_some()).await;
    let own = line_of(&fixture.web.get("/api/v2/home").await.json()).expect("a line");
    let shown = line_of(&home).expect("a line");
    assert_eq!(shown["requests"], own["requests"], "it leads to the page");
    assert_eq!(shown["approval"]["text"], own["approval"]["text"], "every character");
    assert!(shown["approval"].get("url").is_none(), "an address of the machine: {shown}");

    let path = format!("{PERMISSION_REQUESTS}/{EXEC}");
    let detail = json(&read(&fixture.web, &path, true).await);
    assert_eq!(detail["call"]["input"]["command"], "rm -rf build && ./deploy.sh --prod");
    assert!(detail.get("gatewayUrl").is_none_or(Value::is_null), "an address of the machine: {detail}");
    let allow = |digest: &Value| json!({"decision": "allow", "digest": digest, "confirmed": true});
    assert_eq!(answer(&fixture.web, EXEC, &allow(&json!("0".repeat(64)))).await.status, 409, "another call");
    assert!(fixture.record().is_empty());
    let given = answer(&fixture.web, EXEC, &allow(&detail["digest"])).await;
    assert_eq!(
        (given.status, fixture.gateway.approval()["decision"].as_str()),
        (200, Some("allow-once")),
        "{}",
        given.body
    );
    assert_eq!(fixture.record()[0]["by"], "하늘");
    assert_eq!(answer(&fixture.web, EXEC, &allow(&detail["digest"])).await.status, 409, "it is answered");

    // OpenClaw writes that it is decided.
    let resolved =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/openclaw-approvals/resolved/openclaw.sqlite");
    fs::copy(resolved, fixture.web.path("state/openclaw.sqlite")).expect("copied");
    eventually(&fixture.web, "/api/v2/home", |home| line_of(home).is_none()).await;
    mirror_files(&feed, mirror.state.settings().home.root());
    eventually(&mirror, "/api/v2/home", |home| line_of(home).is_none()).await;
}

#[tokio::test]
async fn line_leads_nowhere_where_machine_takes_no_answer() {
    let (_fixture, _feed, mirror) = mirrored(false).await;
    let home = eventually(&mirror, "/api/v2/home", |home| line_of(home).is_some()).await;
    let line = line_of(&home).expect("a line");
    assert!(line.get("requests").is_none_or(|requests| requests == &json!([])), "{line}");
}
