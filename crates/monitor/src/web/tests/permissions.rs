//! Tests of permission requests over REST: a hook asks and waits, a person answers on a page, and the hook gets that answer
//! or none.
//!
//! Proves (claude-code): An answer reaches the one hook that it names, once, and only if it repeats the digest of what was
//! shown, comes from a page, and is recorded on the disk first. A request that ended at the terminal, by its time limit or
//! with its hook takes no answer.

use tokio::task::JoinHandle;

use super::*;

const ASK: &str = "/api/hooks/permission";
const CODE: &str = "8c35adc1-0000-4000-8000-000000000001";

fn payload(event: &str, more: &Value) -> Value {
    let mut payload = json!({
        "session_id": CODE, "cwd": "/repo", "hook_event_name": event, "tool_name": "Bash",
        "tool_input": {"description": "결과 파일 만들기"},
    });
    for (name, value) in more.as_object().expect("an object") {
        payload[name] = value.clone();
    }
    payload
}

/// Posts a hook; its key.
async fn hook(fixture: &WebFixture, at: &str, payload: &Value) -> String {
    let body = json!({"received_at": at, "payload": payload});
    let request = write("POST", "/api/hooks/claude-code").body(Body::from(body.to_string())).expect("request");
    let answer = fixture.call(request).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["items"][0]["key"].as_str().expect("key").to_owned()
}

pub(super) fn call(command: &str) -> Value {
    json!({"tool": "Bash", "input": {"command": command, "description": "결과 파일 만들기"}, "cwd": "/repo"})
}

/// Lets a hook ask, and waits until its request is open. The id of the request, and the hook's answer.
pub(super) async fn ask_and_wait(
    fixture: &WebFixture,
    command: &str,
    more: &Value,
) -> (String, JoinHandle<TestResponse>) {
    let key = hook(fixture, "2026-02-21T05:16:00.000Z", &payload("PermissionRequest", &json!({}))).await;
    let mut body = json!({"key": key, "session": CODE, "call": call(command), "waitSeconds": 60});
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let request = write("POST", ASK).body(Body::from(body.to_string())).expect("request");
    let app = fixture.app.clone();
    let before = fixture.get(PERMISSION_REQUESTS).await.json()["open"].as_array().map_or(0, Vec::len);
    let answer = tokio::spawn(async move {
        let mut request = request;
        let here: SocketAddr = "127.0.0.1:50000".parse().expect("address");
        request.extensions_mut().insert(ConnectInfo(here));
        let response = app.oneshot(request).await.expect("infallible");
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.expect("body").to_vec();
        TestResponse { status: parts.status, headers: parts.headers, body }
    });
    let list =
        eventually(fixture, PERMISSION_REQUESTS, |list| list["open"].as_array().map_or(0, Vec::len) > before).await;
    (list["open"][before]["id"].as_str().expect("id").to_owned(), answer)
}

pub(super) async fn digest(fixture: &WebFixture, id: &str) -> String {
    let detail = fixture.get(&format!("{PERMISSION_REQUESTS}/{id}")).await.json();
    detail["digest"].as_str().expect("digest").to_owned()
}

async fn state(fixture: &WebFixture, id: &str) -> String {
    fixture.get(&format!("{PERMISSION_REQUESTS}/{id}")).await.json()["request"]["state"]
        .as_str()
        .expect("state")
        .to_owned()
}

pub(super) fn record(fixture: &WebFixture) -> Vec<Value> {
    let text = fs::read_to_string(fixture.path("logs/task-hub-answers.ndjson")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

fn permission_line(home: &Value) -> Option<&Value> {
    home["attention"].as_array()?.iter().find(|line| line["kind"] == "permission")
}

#[tokio::test]
async fn allowed_request_is_shown_answered_and_recorded() {
    let fixture = WebFixture::new().await;
    let said = json!({"firstWords": "쿠폰을 고쳐 주세요.", "lastWords": "쿠폰을 고쳐 주세요."});
    let (id, hook) = ask_and_wait(&fixture, "touch one.txt", &said).await;
    let shows = |home: &Value| permission_line(home).is_some_and(|line| line["requests"][0]["id"] == *id);
    let home = eventually(&fixture, "/api/v2/home", shows).await;
    let line = permission_line(&home).expect("a line");
    let detail = fixture.get(&format!("{PERMISSION_REQUESTS}/{id}")).await.json();
    assert_eq!(detail["call"], call("touch one.txt"), "exactly what would run");
    assert_eq!((&detail["request"]["agent"], &detail["request"]["sessionId"]), (&line["agent"], &line["sessionId"]));
    assert_eq!(detail["story"]["firstWords"], "쿠폰을 고쳐 주세요.");
    assert!(detail["story"].get("lastWords").is_none() && detail.get("dangers").is_none(), "{detail}");

    let digest = digest(&fixture, &id).await;
    let answer = json!({"decision": "allow", "digest": digest, "updatedBy": "하늘", "reason": "dropped"});
    let answered = fixture.call(answer_request(&id, &answer)).await;
    assert_eq!((answered.status.as_u16(), &answered.json()["state"]), (200, &json!("answered")), "{}", answered.text());
    let verdict = hook.await.expect("answered");
    assert_eq!((verdict.status.as_u16(), verdict.json()), (200, json!({"decision": "allow", "digest": digest})));
    let lines = record(&fixture);
    let parts = |line: &Value| ["what", "id", "decision", "by", "digest"].map(|name| line[name].clone());
    assert_eq!(parts(&lines[0]), [json!("answer"), json!(id), json!("allow"), json!("하늘"), json!(digest)]);
    assert_eq!((lines.len(), &lines[1]["what"], &lines[1]["state"]), (2, &json!("outcome"), &json!("answered")));
    assert!(!lines[0].to_string().contains("touch"), "the command itself is not stored");
    let gone = |home: &Value| permission_line(home).is_none_or(|line| line.get("requests").is_none());
    eventually(&fixture, "/api/v2/home", gone).await;
    let detail = fixture.get(&format!("{PERMISSION_REQUESTS}/{id}")).await.json();
    assert_eq!((&detail["request"]["answer"]["by"], detail.get("call")), (&json!("하늘"), None), "{detail}");
}

#[tokio::test]
async fn denial_takes_its_reason_to_the_hook() {
    let fixture = WebFixture::new().await;
    let (id, hook) = ask_and_wait(&fixture, "rm -rf build", &json!({})).await;
    let detail = fixture.get(&format!("{PERMISSION_REQUESTS}/{id}")).await.json();
    assert_eq!(detail["dangers"], json!([{"kind": "deletes", "words": "rm -rf build"}]));
    let answer = json!({"decision": "deny", "digest": detail["digest"], "reason": " 나중에\u{7} 지워요 "});
    assert_eq!(fixture.call(answer_request(&id, &answer)).await.status, 200, "a refusal needs no second press");
    let verdict = hook.await.expect("answered").json();
    assert_eq!((&verdict["decision"], &verdict["reason"]), (&json!("deny"), &json!("나중에  지워요")));
}

#[tokio::test]
async fn answer_that_does_not_fit_changes_nothing() {
    let fixture = WebFixture::new().await;
    let (id, hook) = ask_and_wait(&fixture, "rm -rf build", &json!({})).await;
    let digest = digest(&fixture, &id).await;
    let allow = |digest: &str| json!({"decision": "allow", "digest": digest});
    let path = format!("{PERMISSION_REQUESTS}/{id}/answer");
    let post = |headers: &[(&'static str, String)], body: &Value| {
        let mut request = ask("POST", &path).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        request.body(Body::from(body.to_string())).expect("request")
    };
    let (token, own) = (("x-task-monitor-token", TOKEN.to_owned()), ("origin", format!("http://{HOST}")));
    let foreign = ("origin", "http://evil.example".to_owned());
    for (what, request, status, code) in [
        ("another call", answer_request(&id, &allow(&"0".repeat(64))), 409, "conflict"),
        ("one press", answer_request(&id, &allow(&digest)), 422, "invalid_value"),
        ("no digest", answer_request(&id, &json!({"decision": "allow"})), 422, "invalid_value"),
        ("no decision", answer_request(&id, &json!({"decision": "maybe", "digest": digest})), 422, "invalid_value"),
        ("another request", answer_request("nothing", &allow(&digest)), 404, "not_found"),
        ("a program", post(std::slice::from_ref(&token), &allow(&digest)), 403, "forbidden_origin"),
        ("a foreign page", post(&[token.clone(), foreign], &allow(&digest)), 403, "forbidden_origin"),
        ("a page without the right to write", post(&[own], &allow(&digest)), 401, "unauthorized"),
    ] {
        let answer = fixture.call(request).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (status, Some(code)), "{what}");
        assert_eq!(state(&fixture, &id).await, "open", "{what}");
    }
    assert!(record(&fixture).is_empty());
    let confirmed = json!({"decision": "allow", "digest": digest, "confirmed": true});
    assert_eq!(fixture.call(answer_request(&id, &confirmed)).await.status, 200);
    let replayed = fixture.call(answer_request(&id, &confirmed)).await;
    assert_eq!((replayed.status.as_u16(), replayed.json()["code"].as_str()), (409, Some("conflict")));
    assert_eq!(hook.await.expect("answered").json()["decision"], "allow");
    assert_eq!(record(&fixture).len(), 2, "the second one left no trace");
}

#[tokio::test]
async fn hook_that_ended_takes_no_answer() {
    let fixture = WebFixture::new().await;
    let (id, hook) = ask_and_wait(&fixture, "touch one.txt", &json!({})).await;
    let digest = digest(&fixture, &id).await;
    hook.abort();
    eventually(&fixture, PERMISSION_REQUESTS, |list| list["open"] == json!([])).await;
    assert_eq!(state(&fixture, &id).await, "withdrawn");
    let late = fixture.call(answer_request(&id, &json!({"decision": "allow", "digest": digest}))).await;
    assert_eq!(late.status, 409);
    assert!(record(&fixture).is_empty());
}

#[tokio::test]
async fn time_limit_leaves_it_to_the_terminal() {
    let fixture = WebFixture::new().await;
    let (id, hook) = ask_and_wait(&fixture, "touch one.txt", &json!({"waitSeconds": 1})).await;
    assert_eq!(hook.await.expect("answered").json(), json!({}));
    assert_eq!(state(&fixture, &id).await, "expired");
}

#[tokio::test]
async fn call_that_ended_was_answered_at_the_terminal() {
    let fixture = WebFixture::new().await;
    let (id, waiting) = ask_and_wait(&fixture, "touch one.txt", &json!({})).await;
    let other = json!({"tool_use_id": "toolu_1", "tool_input": {"description": "다른 일"}});
    hook(&fixture, "2026-02-21T05:17:10.000Z", &payload("PostToolUse", &other)).await;
    let another_tool = json!({"tool_use_id": "toolu_2", "tool_name": "Read"});
    hook(&fixture, "2026-02-21T05:17:11.000Z", &payload("PostToolUse", &another_tool)).await;
    assert_eq!(state(&fixture, &id).await, "open", "calls beside it end without it");
    hook(&fixture, "2026-02-21T05:17:12.000Z", &payload("PostToolUse", &json!({"tool_use_id": "toolu_3"}))).await;
    assert_eq!(waiting.await.expect("answered").json(), json!({}));
    assert_eq!(state(&fixture, &id).await, "terminal");
}

#[tokio::test]
async fn allowed_call_ends_without_ending_the_next_request() {
    let fixture = WebFixture::new().await;
    let (first, first_hook) = ask_and_wait(&fixture, "touch one.txt", &json!({})).await;
    let (second, second_hook) = ask_and_wait(&fixture, "touch two.txt", &json!({})).await;
    let home = eventually(&fixture, "/api/v2/home", |home| {
        permission_line(home).is_some_and(|line| line["requests"].as_array().map_or(0, Vec::len) == 2)
    })
    .await;
    assert_eq!(permission_line(&home).expect("a line")["requests"][1]["id"], json!(second));
    let allow = json!({"decision": "allow", "digest": digest(&fixture, &first).await});
    assert_eq!(fixture.call(answer_request(&first, &allow)).await.status, 200);
    assert_eq!(first_hook.await.expect("answered").json()["decision"], "allow");
    hook(&fixture, "2026-02-21T05:17:12.000Z", &payload("PostToolUse", &json!({"tool_use_id": "toolu_1"}))).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(state(&fixture, &second).await, "open");
    second_hook.abort();
}

#[tokio::test]
async fn answer_that_cannot_be_recorded_is_not_given() {
    let fixture = WebFixture::new().await;
    let (id, hook) = ask_and_wait(&fixture, "touch one.txt", &json!({})).await;
    fs::create_dir(fixture.path("logs/task-hub-answers.ndjson")).expect("a folder in its place");
    let answer = json!({"decision": "allow", "digest": digest(&fixture, &id).await});
    let refused = fixture.call(answer_request(&id, &answer)).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].as_str()), (503, Some("not_committed")));
    assert_eq!(state(&fixture, &id).await, "open", "it can be tried again");
    fs::remove_dir(fixture.path("logs/task-hub-answers.ndjson")).expect("removed");
    assert_eq!(fixture.call(answer_request(&id, &answer)).await.status, 200);
    assert_eq!(hook.await.expect("answered").json()["decision"], "allow");
}

#[tokio::test]
async fn viewer_without_the_right_sees_no_command_and_answers_nothing() {
    let fixture = WebFixture::with(only_eden_answers).await;
    let (id, hook) = ask_and_wait(&fixture, "touch one.txt", &json!({"firstWords": "쿠폰을 고쳐 주세요."})).await;
    let get = || ask("GET", &format!("{PERMISSION_REQUESTS}/{id}")).body(Body::empty()).expect("request");
    let detail = fixture.call(as_user("seum", get())).await.json();
    assert_eq!((&detail["request"]["state"], detail.get("call")), (&json!("open"), None), "{detail}");
    assert!(!detail.to_string().contains("쿠폰") && detail.get("digest").is_none(), "{detail}");
    let digest = fixture.call(as_user("eden", get())).await.json()["digest"].clone();
    let allow = || answer_request(&id, &json!({"decision": "allow", "digest": digest, "updatedBy": "somebody"}));
    let refused = fixture.call(as_user("seum", allow())).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].as_str()), (403, Some("forbidden")));
    let answered = fixture.call(as_user("eden", allow())).await;
    assert_eq!(answered.json()["answer"]["by"], "eden", "the proxy names the person: {}", answered.text());
    assert_eq!(hook.await.expect("answered").json()["decision"], "allow");
}

#[tokio::test]
async fn ask_that_is_no_ask_is_refused_with_its_field() {
    let fixture = WebFixture::new().await;
    let good = json!({"key": "evt_1", "session": CODE, "call": call("ls"), "waitSeconds": 1});
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    for (body, field) in [
        (with("waitSeconds", json!(0)), "waitSeconds"),
        (with("waitSeconds", json!(601)), "waitSeconds"),
        (with("waitSeconds", json!("30")), "waitSeconds"),
        (with("call", json!(["Bash"])), "call"),
        (with("call", json!({"tool": " ", "input": {}})), "call.tool"),
        (with("key", json!("")), "key"),
        (with("session", json!(7)), "session"),
        (with("firstWords", json!("가".repeat(4_001))), "firstWords"),
    ] {
        let request = write("POST", ASK).body(Body::from(body.to_string())).expect("request");
        let answer = fixture.call(request).await;
        assert_eq!((answer.status.as_u16(), answer.json()["field"].as_str()), (422, Some(field)), "{body}");
    }
    let unauthorized = ask("POST", ASK).header("content-type", "application/json");
    let unauthorized = unauthorized.body(Body::from(good.to_string())).expect("request");
    assert_eq!(fixture.call(unauthorized).await.status, 401);
}
