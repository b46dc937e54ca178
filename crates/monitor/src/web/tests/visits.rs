//! Tests of `POST /api/v2/me/visit`: last visits of people whom a trusted proxy names.
//!
//! Proves (past): A person's last visit is returned to that person alone, whatever the request says, also without a right to
//! write. Of a client without a name nothing is recorded. An aggregator records visits of its own readers for each machine.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use coordination::api::{FleetSource, FleetSourceState};
use serde_json::{Value, json};

use super::{NOW, WebFixture, as_user, ask, only_eden_answers};
use crate::clock::ServerClock;
use crate::config::{Members, Settings};
use crate::fleet::Fleet;

const VISIT: &str = "/api/v2/me/visit";
const HOUR: i64 = 3_600_000;

fn visit_at(path: &str) -> Request<Body> {
    ask("POST", path).body(Body::empty()).expect("request")
}

/// The answer to a visit of this person.
async fn visit_of(fixture: &WebFixture, user: &str) -> Value {
    let answer = fixture.call(as_user(user, visit_at(VISIT))).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn is_stored(fixture: &WebFixture) -> bool {
    fixture.path("task-hub-visits.json").exists()
}

#[tokio::test]
async fn each_person_gets_their_own_last_visit() {
    let (clock, set) = ServerClock::settable(NOW);
    let fixture = WebFixture::with(|settings| {
        only_eden_answers(settings);
        settings.clock = clock;
    })
    .await;
    let near =
        |answer: &Value, at: i64| answer["lastVisit"].as_i64().is_some_and(|last| (0..HOUR / 2).contains(&(last - at)));
    assert_eq!(visit_of(&fixture, "eden").await, json!({"recorded": true}));
    set.fetch_add(HOUR, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(visit_of(&fixture, "seum").await, json!({"recorded": true}), "another person");
    let again = visit_of(&fixture, "eden").await;
    assert!(near(&again, NOW) && again["recorded"] == true, "{again}");
    set.fetch_add(HOUR, std::sync::atomic::Ordering::SeqCst);
    assert!(near(&visit_of(&fixture, "eden").await, NOW + HOUR));
    assert!(near(&visit_of(&fixture, "seum").await, NOW + HOUR));
}

#[tokio::test]
async fn request_names_no_other_person() {
    let fixture = WebFixture::with(only_eden_answers).await;
    visit_of(&fixture, "eden").await;
    // Neither body nor query is read.
    let body = json!({"user": "eden", "lastVisit": 1}).to_string();
    let claims = ask("POST", &format!("{VISIT}?user=eden")).header("content-type", "application/json");
    let answer = fixture.call(as_user("seum", claims.body(Body::from(body)).expect("request"))).await;
    assert_eq!(answer.json(), json!({"recorded": true}));
    // A header that comes twice names nobody.
    let twice = ask("POST", VISIT).header("x-forwarded-user", "eden").body(Body::empty()).expect("request");
    let mut twice = as_user("seum", twice);
    twice.headers_mut().append("x-forwarded-user", "eden".parse().expect("value"));
    assert_eq!(fixture.call(twice).await.json(), json!({"recorded": false}));
    assert_eq!(visit_of(&fixture, "eden").await, json!({"lastVisit": NOW, "recorded": true}));
    let file = std::fs::read(fixture.path("task-hub-visits.json")).expect("a file");
    let file: Value = serde_json::from_slice(&file).expect("JSON");
    assert_eq!(file, json!({"lastVisits": {"eden": NOW, "seum": NOW}}));
    assert_eq!(
        fixture.call(as_user("seum", ask("GET", VISIT).body(Body::empty()).expect("request"))).await.status,
        405
    );
}

#[tokio::test]
async fn client_without_a_name_is_not_recorded() {
    let fixture = WebFixture::with(only_eden_answers).await;
    let claimed = |peer: &str| {
        let mut request = visit_at(VISIT);
        request.headers_mut().insert("x-forwarded-user", "eden".parse().expect("value"));
        request.extensions_mut().insert(ConnectInfo(peer.parse::<SocketAddr>().expect("peer")));
        request
    };
    // A stranger, a program on this machine, and the proxy itself without a name.
    for request in [claimed("10.0.0.9:1"), claimed("127.0.0.1:1"), visit_at(VISIT), as_user(" ", visit_at(VISIT))] {
        assert_eq!(fixture.call(request).await.json(), json!({"recorded": false}));
    }
    assert!(!is_stored(&fixture));
}

#[tokio::test]
async fn visit_needs_no_right_to_write() {
    let nobody = || Members::Listed(Vec::new());
    let read_only: [fn(&mut Settings); 2] = [
        |_| {},
        |settings| {
            settings.write_token = None;
            settings.is_read_only = true;
        },
    ];
    for change in read_only {
        let fixture = WebFixture::with(|settings| {
            only_eden_answers(settings);
            let identity = settings.identity.as_mut().expect("an identity");
            (identity.categorize, identity.speak) = (nobody(), nobody());
            change(settings);
        })
        .await;
        assert_eq!(visit_of(&fixture, "seum").await, json!({"recorded": true}));
        assert!(is_stored(&fixture));
    }
}

#[tokio::test]
async fn person_who_may_not_view_is_refused() {
    let fixture = WebFixture::with(|settings| {
        only_eden_answers(settings);
        settings.identity.as_mut().expect("an identity").view = Members::Listed(vec!["eden".to_owned()]);
    })
    .await;
    assert_eq!(fixture.call(as_user("seum", visit_at(VISIT))).await.status, 403);
    assert!(!is_stored(&fixture));
}

#[tokio::test]
async fn page_of_another_origin_records_no_visit() {
    let fixture = WebFixture::with(only_eden_answers).await;
    let foreign = ask("POST", VISIT).header("origin", "https://evil.example").body(Body::empty()).expect("request");
    assert_eq!(fixture.call(as_user("eden", foreign)).await.status, 403);
    assert!(!is_stored(&fixture));
}

#[tokio::test]
async fn unwritable_home_is_said_and_refuses_nothing() {
    let fixture = WebFixture::with(only_eden_answers).await;
    // No process reads a folder as a file, not even root.
    std::fs::create_dir(fixture.path("task-hub-visits.json")).expect("folder");
    assert_eq!(visit_of(&fixture, "eden").await, json!({"recorded": false}));
    assert_eq!(fixture.get("/api/v2/home").await.status, 200);
}

#[tokio::test]
async fn aggregator_records_visits_of_its_readers() {
    let machine = WebFixture::with(|settings| {
        only_eden_answers(settings);
        "/@alpha/".clone_into(&mut settings.base_path);
    })
    .await;
    let mut aggregator = WebFixture::with(only_eden_answers).await;
    let folder = tempfile::tempdir().expect("folder");
    let source = FleetSource {
        id: format!("{:032x}", 1),
        name: "alpha".to_owned(),
        state: FleetSourceState::Live,
        ..FleetSource::default()
    };
    let fleet = Fleet::of_monitors(folder.path(), vec![(source, machine.state.clone())]);
    aggregator.app = crate::web::router_with(&aggregator.state, fleet);
    let visit = |user: &str| aggregator.call(as_user(user, visit_at("/@alpha/api/v2/me/visit")));
    assert_eq!(visit("eden").await.json(), json!({"recorded": true}));
    assert_eq!(visit("eden").await.json(), json!({"lastVisit": NOW, "recorded": true}));
    assert_eq!(visit("seum").await.json(), json!({"recorded": true}));
    // In the mirror; pages of the aggregator itself are another dashboard.
    assert!(is_stored(&machine) && !is_stored(&aggregator));
    assert_eq!(visit_of(&aggregator, "eden").await, json!({"recorded": true}));
}
