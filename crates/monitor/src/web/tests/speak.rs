//! Tests of messages to agents over REST. Sending is off unless a gateway is configured, and a refusal has the right
//! status, code and field. The gateway's token appears in no answer, and not in the file that records sent messages.
//!
//! Proves (gateway): Sending is off until a gateway is configured. Each refusal over REST has the right status, code
//! and field.

use axum::body::Body;
use axum::http::Request;
use coordination::api::{SpeakAnswer, SpeakInfo, SpeakState};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{TestResponse, WebFixture, write};
use crate::config::Gateway;

const TOKEN: &str = "gw-canary-fedcba9876543210";

fn post(body: &Value) -> Request<Body> {
    write("POST", "/api/v2/speak").body(Body::from(body.to_string())).expect("request")
}

fn good() -> Value {
    json!({"to": "seum", "text": "먼저 확인해 주세요", "requestId": "name-0001", "timeoutSeconds": 0})
}

fn outcome(answer: &TestResponse) -> (u16, String, String) {
    let body = answer.json();
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    (answer.status.as_u16(), text("code"), text("field"))
}

/// A monitor with a gateway that answers every request with this.
async fn with_gateway(status: &'static str, answer: Value) -> WebFixture {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
    let url = format!("http://{}", listener.local_addr().expect("address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut piece = [0; 64 * 1024];
            // A message of a test comes in one piece on this machine.
            let read = stream.read(&mut piece).await.unwrap_or_default();
            assert!(read > 0);
            let body = answer.to_string();
            let text = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            stream.write_all(text.as_bytes()).await.unwrap_or_default();
        }
    });
    let gateway = Gateway::new(&url, TOKEN).expect("gateway");
    WebFixture::with(move |settings| settings.gateway = Some(gateway)).await
}

#[tokio::test]
async fn speak_without_gateway_is_off() {
    let fixture = WebFixture::new().await;
    let info: SpeakInfo = serde_json::from_value(fixture.get("/api/v2/speak").await.json()).expect("info");
    assert_eq!(info, SpeakInfo::default());
    let answer = fixture.call(post(&good())).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"state": "off", "delivered": "no"})));
    assert!(!fixture.path("logs/task-hub-speak.ndjson").exists());
}

#[tokio::test]
async fn invalid_message_is_refused_with_its_field() {
    let fixture = with_gateway("500 No", Value::Null).await;
    let with = |field: &str, value: Value| {
        let mut body = good();
        body[field] = value;
        body
    };
    let long = "가".repeat(10_001);
    for (body, field) in [
        (with("to", json!("Seum Main")), "to"),
        (with("to", json!("agent:../x:main")), "to"),
        (with("to", json!(["seum"])), "to"),
        (with("text", json!("  \n ")), "text"),
        (with("text", json!(long)), "text"),
        (with("text", Value::Null), "text"),
        (with("requestId", json!("short")), "requestId"),
        (with("requestId", json!("name 0001")), "requestId"),
        (with("timeoutSeconds", json!(61)), "timeoutSeconds"),
        (with("timeoutSeconds", json!(-1)), "timeoutSeconds"),
        (with("timeoutSeconds", json!(1.5)), "timeoutSeconds"),
        (with("conversation", json!("x".repeat(201))), "conversation"),
        (with("workSession", json!(7)), "workSession"),
        (with("updatedBy", json!({})), "updatedBy"),
        (json!({}), "to"),
    ] {
        let answer = fixture.call(post(&body)).await;
        let expected = (422, "invalid_value".to_owned(), field.to_owned());
        assert_eq!(outcome(&answer), expected, "{body:.80}: {}", answer.text());
    }
    let large = with("text", json!("x".repeat(70_000)));
    assert_eq!(fixture.call(post(&large)).await.status, 413);
    assert!(!fixture.path("logs/task-hub-speak.ndjson").exists(), "nothing was tried");
    let mut whole = with("timeoutSeconds", json!(16.0));
    whole["requestId"] = json!("name-0002");
    assert_eq!(fixture.call(post(&whole)).await.status, 200, "a whole number, however it is written");
    let most = with("text", json!("\u{1}".repeat(5_000) + &"가".repeat(5_000)));
    assert_eq!(fixture.call(post(&most)).await.status, 200, "the longest message fits, escaped or not");
}

#[tokio::test]
async fn message_is_recorded_once_without_token() {
    let answer = json!({"ok": true, "result": {"details": {
        "status": "ok", "reply": format!("네, {TOKEN}"), "sessionKey": "agent:seum:main",
    }}});
    let fixture = with_gateway("200 OK", answer).await;
    let info = fixture.get("/api/v2/speak").await;
    // The home of the fixture names no default agent but its first.
    assert_eq!(info.json(), json!({"on": true, "caller": "agent:eden:task-hub"}));
    let first = fixture.call(post(&good())).await;
    let first_answer: SpeakAnswer = serde_json::from_value(first.json()).expect("answer");
    assert_eq!(
        (first_answer.state, first_answer.repeated, first_answer.reply.as_deref()),
        (SpeakState::Answered, false, Some("네, …"))
    );
    let second = fixture.call(post(&good())).await;
    assert_eq!(second.json()["repeated"], true);
    let mut other = good();
    other["text"] = json!("다른 말");
    let taken = fixture.call(post(&other)).await;
    assert_eq!(outcome(&taken), (409, "conflict".to_owned(), String::new()));
    let health = fixture.get("/api/v2/health").await;
    let record = std::fs::read_to_string(fixture.path("logs/task-hub-speak.ndjson")).expect("record");
    assert_eq!(record.lines().count(), 2, "{record}");
    for part in [&info, &first, &second, &taken, &health] {
        assert!(!part.text().contains(TOKEN) && !format!("{:?}", part.headers).contains(TOKEN), "{}", part.text());
    }
    assert!(!record.contains(TOKEN) && !format!("{:?}", fixture.state.settings()).contains(TOKEN));
}

#[tokio::test]
async fn gateway_denial_differs_from_wrong_token() {
    for (status, body, state) in [
        (
            "404 Not Found",
            json!({"ok": false, "error": {"type": "not_found", "message": "Tool not available"}}),
            "notAllowed",
        ),
        ("401 Unauthorized", json!({"error": {"message": "Unauthorized", "type": "unauthorized"}}), "unauthorized"),
        ("503 Service Unavailable", json!({"error": {"message": "later", "type": "service_unavailable"}}), "draining"),
    ] {
        let answer = with_gateway(status, body).await.call(post(&good())).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["state"]), (200, &json!(state)), "{}", answer.text());
        assert_eq!(answer.json()["delivered"], "no");
    }
}
