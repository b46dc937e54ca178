//! Tests of what the monitor of a machine does for its fleet: reads and answers of permission requests, without servers of NATS.
//!
//! Proves (fleet): A read of the fleet gets what the machine's own page gets, without the right to write and only where a mirror
//! has no answer. A permission request is answered over the fleet once, for exactly what was shown, only where reads and writes
//! are allowed, and the machine's record has the name of the person.

use super::permissions::{ask_and_wait, call, digest, record};
use super::*;
use crate::config::{FleetSettings, FleetText};
use crate::fleet::{CommandReply, FleetCommand, FleetRead, ReadReply};
use crate::web::{fleet_reads, forward};

/// A machine whose fleet may read, and may write or not.
pub(super) fn machine(writes: bool, reads: bool) -> impl FnOnce(&mut Settings) {
    move |settings| {
        settings.fleet = Some(FleetSettings {
            name: "studio".to_owned(),
            servers: vec!["nats://127.0.0.1:4222".to_owned()],
            creds_file: None,
            ca_file: None,
            machine: "seum-mac".to_owned(),
            text: FleetText::Full,
            ship: true,
            writes,
            reads,
            mirror: None,
        });
    }
}

pub(super) async fn read(fixture: &WebFixture, path: &str, may_answer: bool) -> ReadReply {
    let read =
        FleetRead { source: String::new(), path: path.to_owned(), if_none_match: None, may_answer, may_speak: true };
    fleet_reads::runner(fixture.app.clone(), fixture.state.settings())(read).await
}

pub(super) async fn answer(fixture: &WebFixture, id: &str, body: &Value) -> CommandReply {
    let command = FleetCommand {
        source: String::new(),
        method: "POST".to_owned(),
        path: format!("{PERMISSION_REQUESTS}/{id}/answer"),
        body: body.to_string(),
        by: Some("하늘".to_owned()),
        is_forwarded: true,
    };
    forward::runner(fixture.app.clone(), fixture.state.settings())(command).await
}

pub(super) fn json(reply: &ReadReply) -> Value {
    serde_json::from_slice(&reply.body).expect("JSON")
}

#[tokio::test]
async fn read_gets_answer_of_own_page() {
    let fixture = WebFixture::over_with("openclaw-2026.2/dot-openclaw", NOW, machine(true, true)).await;
    let own = fixture.get("/api/v2/sessions-store").await;
    assert!(own.json()["sessions"].as_array().is_some_and(|rows| !rows.is_empty()), "{}", own.text());
    let reply = read(&fixture, "/api/v2/sessions-store", true).await;
    assert_eq!((reply.head.status, reply.head.content_type.as_deref()), (200, Some("application/json")));
    assert_eq!(json(&reply), own.json());
    let wrong = read(&fixture, "/api/v2/sessions-store?limit=0x", true).await;
    assert_eq!((wrong.head.status, json(&wrong)["code"].as_str()), (400, Some("invalid_value")));
}

#[tokio::test]
async fn read_has_no_right_to_write() {
    let fixture = WebFixture::over_with("openclaw-2026.2/dot-openclaw", NOW, machine(true, true)).await;
    let routing = read(&fixture, "/api/v2/sessions-store?includeRouting=true", true).await;
    assert_eq!(routing.head.status, 401, "addresses of people take the right to write");
    for path in ["/api/v2/home", "/metrics", "/api/v2/permission-requests/p/answer", "/api/hooks/permission"] {
        let reply = read(&fixture, path, true).await;
        assert_eq!((reply.head.status, json(&reply)["code"].as_str()), (403, Some("forbidden")), "{path}");
    }
}

#[tokio::test]
async fn request_is_shown_and_answered_once() {
    let fixture = WebFixture::with(machine(true, true)).await;
    let (id, hook) = ask_and_wait(&fixture, "rm -rf build", &json!({})).await;
    let path = format!("{PERMISSION_REQUESTS}/{id}");
    let unseen = json(&read(&fixture, &path, false).await);
    assert!(unseen.get("call").is_none() && unseen.get("digest").is_none(), "without the right: {unseen}");
    let seen = json(&read(&fixture, &path, true).await);
    assert_eq!(seen["call"], call("rm -rf build"), "exactly what would run");

    let digest = digest(&fixture, &id).await;
    let allow = json!({"decision": "allow", "digest": digest, "confirmed": true});
    let other = json!({"decision": "allow", "digest": "0".repeat(64), "confirmed": true});
    assert_eq!(answer(&fixture, &id, &other).await.status, 409, "another call");
    let once = json!({"decision": "allow", "digest": digest});
    assert_eq!(answer(&fixture, &id, &once).await.status, 422, "it takes a second press");
    assert!(record(&fixture).is_empty());
    let given = answer(&fixture, &id, &allow).await;
    assert_eq!(given.status, 200, "{}", given.body);
    assert_eq!(hook.await.expect("answered").json()["decision"], "allow");
    assert_eq!(answer(&fixture, &id, &allow).await.status, 409, "it is answered");
    let lines = record(&fixture);
    assert_eq!((lines.len(), &lines[0]["by"], &lines[1]["state"]), (2, &json!("하늘"), &json!("answered")));
}

#[tokio::test]
async fn request_is_not_answered_without_reads_or_writes() {
    for (writes, reads) in [(true, false), (false, true)] {
        let fixture = WebFixture::with(machine(writes, reads)).await;
        let (id, hook) = ask_and_wait(&fixture, "touch one.txt", &json!({})).await;
        if writes {
            let body = json!({"decision": "allow", "digest": digest(&fixture, &id).await});
            let refused = answer(&fixture, &id, &body).await;
            assert!(refused.status == 403 && refused.body.contains("forbidden"), "{}", refused.body);
        } else {
            let detail = json(&read(&fixture, &format!("{PERMISSION_REQUESTS}/{id}"), true).await);
            assert!(detail.get("call").is_none(), "nobody of the fleet may answer it: {detail}");
        }
        assert!(record(&fixture).is_empty());
        hook.abort();
    }
}

#[tokio::test]
async fn open_requests_are_passed_on_as_they_change() {
    let fixture = WebFixture::new().await;
    let mut shown = fixture.state.permissions().shown().watch();
    let (id, hook) = ask_and_wait(&fixture, "touch one.txt", &json!({})).await;
    let named = shown.wait_for(|open| open.iter().any(|open| open.request.id == id)).await.expect("shown").clone();
    assert_eq!(named.len(), 1);
    // The hook has ended, so the request has.
    hook.abort();
    assert!(shown.wait_for(Vec::is_empty).await.expect("shown").is_empty());
}

/// No page is open here: the question of the terminal is given back after ten seconds, unless somebody looks at the request.
#[tokio::test]
async fn opened_request_waits_as_long_as_its_hook() {
    let fixture = WebFixture::with(machine(true, true)).await;
    let (opened, hook) = ask_and_wait(&fixture, "touch one.txt", &json!({"serial": true})).await;
    let (_, unseen_hook) = ask_and_wait(&fixture, "touch two.txt", &json!({"serial": true})).await;
    assert_eq!(read(&fixture, &format!("{PERMISSION_REQUESTS}/{opened}"), true).await.head.status, 200);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    assert!(unseen_hook.await.expect("let go").json().get("decision").is_none());
    let list = fixture.get(PERMISSION_REQUESTS).await.json();
    assert_eq!(
        (list["open"][0]["id"].as_str(), list["open"].as_array().map(Vec::len)),
        (Some(opened.as_str()), Some(1))
    );
    assert!(!hook.is_finished());
    hook.abort();
}
