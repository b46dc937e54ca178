//! Tests of answers to OpenClaw's approvals over REST, over a home that the real program wrote and a stand-in for its
//! gateway.
//!
//! Proves (gateway): An approval of OpenClaw is answered from a page, by a person with the right `answer`, for exactly what was
//! shown, before its end and once; it is on the record before it is sent, with its outcome after. Without a configured
//! gateway nothing can be answered.

use super::*;
use crate::config::Gateway;
use crate::testing::gateway::{ApprovalStep, StandInFailure, StandInGateway};

pub(super) const EXEC: &str = "e42da536-bcf7-4fb7-ad24-dbe9d6d4b8cc";
/// Between the start and the end of both approvals of the home.
pub(super) const BEFORE_END: i64 = 1_795_874_970_000;
const GATEWAY_TOKEN: &str = "gw-canary-0123456789abcdef";

fn exec_approval() -> Value {
    json!({"id": EXEC, "status": "pending", "createdAtMs": 1_795_874_863_232_i64, "expiresAtMs": 1_795_875_463_232_i64,
        "presentation": {"kind": "exec", "commandText": "rm -rf build && ./deploy.sh --prod", "commandPreview": null,
            "warningText": null, "host": "gateway", "nodeId": null, "agentId": "eden",
            "allowedDecisions": ["allow-once", "allow-always", "deny"]}})
}

pub(super) struct ApprovalFixture {
    pub(super) web: WebFixture,
    pub(super) gateway: StandInGateway,
}

impl ApprovalFixture {
    async fn new() -> Self {
        Self::with(BEFORE_END, |_| {}).await
    }

    pub(super) async fn with(now: i64, change: impl FnOnce(&mut Settings)) -> Self {
        let gateway = StandInGateway::start(GATEWAY_TOKEN, exec_approval()).await;
        let port = gateway.port;
        let web = WebFixture::over_with("openclaw-approvals/dot-openclaw", now, |settings| {
            let own = Gateway::new(&format!("http://127.0.0.1:{port}"), GATEWAY_TOKEN).expect("gateway");
            settings.gateway = Some(own.with_margin(Duration::from_millis(1_500)));
            change(settings);
        })
        .await;
        Self { web, gateway }
    }

    /// The approval as a page gets it, once the stores are read.
    pub(super) async fn detail(&self) -> Value {
        let path = format!("{PERMISSION_REQUESTS}/{EXEC}");
        eventually(&self.web, &path, |detail| detail["request"]["id"] == EXEC).await
    }

    async fn answer(&self, body: &Value) -> TestResponse {
        self.web.call(answer_request(EXEC, body)).await
    }

    pub(super) fn record(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.web.path("logs/task-hub-answers.ndjson")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
    }

    async fn state(&self) -> Value {
        self.web.get(&format!("{PERMISSION_REQUESTS}/{EXEC}")).await.json()["request"]["state"].clone()
    }
}

#[tokio::test]
async fn approval_is_shown_allowed_once_and_recorded() {
    let fixture = ApprovalFixture::new().await;
    let detail = fixture.detail().await;
    let call = json!({"tool": "exec", "input": {"command": "rm -rf build && ./deploy.sh --prod", "host": "gateway"}});
    assert_eq!((&detail["call"], &detail["request"]["channel"]), (&call, &json!("openClaw")), "{detail}");
    assert_eq!((&detail["request"]["agent"], &detail["dangers"][0]["kind"]), (&json!("eden"), &json!("deletes")));
    assert!(detail["gatewayUrl"].as_str().is_some_and(|url| url.ends_with(&format!("/approve/{EXEC}"))), "{detail}");
    let home = fixture.web.get("/api/v2/home").await.json();
    let lines = home["attention"].as_array().expect("lines");
    let line = lines.iter().find(|line| line["approval"]["id"] == EXEC).expect("a line");
    assert_eq!(line["requests"][0]["id"], EXEC, "the line leads to the page");

    let allow = json!({"decision": "allow", "digest": detail["digest"], "confirmed": true, "updatedBy": "하늘"});
    let answered = fixture.answer(&allow).await;
    assert_eq!((answered.status.as_u16(), &answered.json()["state"]), (200, &json!("answered")), "{}", answered.text());
    assert_eq!(fixture.gateway.approval()["decision"], "allow-once");
    let [given, outcome] = &fixture.record()[..] else { panic!("{:?}", fixture.record()) };
    for line in [given, outcome] {
        let parts = ["channel", "id", "agent", "by", "digest", "decision"].map(|name| line[name].clone());
        let expected =
            [json!("openClaw"), json!(EXEC), json!("eden"), json!("하늘"), detail["digest"].clone(), json!("allow")];
        assert_eq!(parts, expected);
        assert!(!line.to_string().contains("deploy") && !line.to_string().contains(GATEWAY_TOKEN), "{line}");
    }
    assert_eq!((&outcome["what"], &outcome["state"]), (&json!("outcome"), &json!("answered")));
    let replayed = fixture.answer(&allow).await;
    assert_eq!((replayed.status.as_u16(), fixture.record().len(), fixture.gateway.connections().0), (409, 2, 1));
    let detail = fixture.web.get(&format!("{PERMISSION_REQUESTS}/{EXEC}")).await.json();
    assert_eq!((&detail["request"]["answer"]["by"], detail.get("call")), (&json!("하늘"), None), "{detail}");
}

#[tokio::test]
async fn answer_that_does_not_fit_reaches_no_gateway() {
    let fixture = ApprovalFixture::new().await;
    let digest = fixture.detail().await["digest"].clone();
    let allow = json!({"decision": "allow", "digest": digest, "confirmed": true});
    let path = format!("{PERMISSION_REQUESTS}/{EXEC}/answer");
    let post = |headers: &[(&'static str, String)]| {
        let mut request = ask("POST", &path).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        request.body(Body::from(allow.to_string())).expect("request")
    };
    let (token, own) = (("x-task-monitor-token", TOKEN.to_owned()), ("origin", format!("http://{HOST}")));
    let foreign = ("origin", "http://evil.example".to_owned());
    let body = |more: Value| {
        let mut body = allow.clone();
        for (name, value) in more.as_object().expect("an object") {
            body[name] = value.clone();
        }
        answer_request(EXEC, &body)
    };
    for (what, request, status, code) in [
        ("another call", body(json!({"digest": "0".repeat(64)})), 409, "conflict"),
        ("one press", body(json!({"confirmed": false})), 422, "invalid_value"),
        ("the terminal", body(json!({"decision": "terminal"})), 422, "invalid_value"),
        ("allow for ever", body(json!({"decision": "allow-always"})), 422, "invalid_value"),
        ("a reason", body(json!({"decision": "deny", "reason": "나중에"})), 422, "invalid_value"),
        ("another approval", answer_request("nothing", &allow), 404, "not_found"),
        ("a program", post(std::slice::from_ref(&token)), 403, "forbidden_origin"),
        ("a foreign page", post(&[token, foreign]), 403, "forbidden_origin"),
        ("a page without the right to write", post(&[own]), 401, "unauthorized"),
    ] {
        let answer = fixture.web.call(request).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (status, Some(code)), "{what}");
        assert_eq!(fixture.state().await, "open", "{what}");
    }
    assert_eq!((fixture.record().len(), fixture.gateway.connections().0), (0, 0));
}

#[tokio::test]
async fn of_many_answers_one_is_sent() {
    let fixture = ApprovalFixture::new().await;
    let deny = json!({"decision": "deny", "digest": fixture.detail().await["digest"]});
    let answers = futures::future::join_all((0..8).map(|_| fixture.answer(&deny))).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    let given = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!((given, statuses.len() - given), (1, statuses.iter().filter(|it| **it == 409).count()), "{statuses:?}");
    assert_eq!((fixture.record().len(), fixture.gateway.connections().0), (2, 1));
    assert_eq!(fixture.gateway.approval()["decision"], "deny", "a refusal takes one press");
}

#[tokio::test]
async fn approval_that_ended_says_how() {
    let fixture = ApprovalFixture::new().await;
    let digest = fixture.detail().await["digest"].clone();
    fixture.gateway.change(|approval| {
        approval["status"] = json!("denied");
        approval["decision"] = json!("deny");
    });
    let allow = json!({"decision": "allow", "digest": digest, "confirmed": true});
    let answered = fixture.answer(&allow).await;
    assert_eq!(
        (answered.status.as_u16(), &answered.json()["state"]),
        (200, &json!("elsewhere")),
        "{}",
        answered.text()
    );
    assert_eq!((fixture.gateway.methods().len(), &fixture.record()[1]["state"]), (2, &json!("elsewhere")));
    assert_eq!(fixture.answer(&allow).await.status, 409);

    let decided =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/openclaw-approvals/resolved/openclaw.sqlite");
    let fixture = ApprovalFixture::new().await;
    fixture.detail().await;
    fs::copy(&decided, fixture.web.path("state/openclaw.sqlite")).expect("decided");
    let path = format!("{PERMISSION_REQUESTS}/{EXEC}");
    eventually(&fixture.web, &path, |detail| detail["request"]["state"] == "elsewhere").await;
    assert_eq!((fixture.answer(&allow).await.status.as_u16(), fixture.gateway.connections().0), (409, 0));
}

#[tokio::test]
async fn expired_approval_takes_no_answer() {
    let fixture = ApprovalFixture::with(1_795_875_463_232, |_| {}).await;
    let detail = fixture.detail().await;
    assert_eq!((&detail["request"]["state"], detail.get("digest")), (&json!("expired"), None), "{detail}");
    let open = ApprovalFixture::new().await;
    let allow = json!({"decision": "allow", "digest": open.detail().await["digest"], "confirmed": true});
    assert_eq!((fixture.answer(&allow).await.status.as_u16(), fixture.gateway.connections().0), (409, 0));
}

#[tokio::test]
async fn broken_connection_after_the_decision_is_unknown_and_not_repeated() {
    let fixture = ApprovalFixture::new().await;
    let allow = json!({"decision": "allow", "digest": fixture.detail().await["digest"], "confirmed": true});
    fixture.gateway.fail(ApprovalStep::Get, StandInFailure::Cut);
    let refused = fixture.answer(&allow).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].as_str()), (503, Some("source_unavailable")));
    assert_eq!(
        (fixture.state().await, &fixture.record()[1]["state"]),
        (json!("open"), &json!("open")),
        "a person may try again"
    );
    fixture.gateway.fail(ApprovalStep::Resolve, StandInFailure::Cut);
    let answered = fixture.answer(&allow).await;
    assert_eq!(
        (answered.status.as_u16(), &answered.json()["state"]),
        (200, &json!("uncertain")),
        "{}",
        answered.text()
    );
    assert_eq!(fixture.record()[3]["state"], "uncertain");
    assert_eq!((fixture.answer(&allow).await.status.as_u16(), fixture.gateway.connections().0), (409, 2));
}

#[tokio::test]
async fn answer_that_cannot_be_recorded_is_not_sent() {
    let fixture = ApprovalFixture::new().await;
    let deny = json!({"decision": "deny", "digest": fixture.detail().await["digest"]});
    fs::create_dir_all(fixture.web.path("logs/task-hub-answers.ndjson")).expect("a folder in its place");
    let refused = fixture.answer(&deny).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].as_str()), (503, Some("not_committed")));
    assert_eq!((fixture.state().await, fixture.gateway.connections().0), (json!("open"), 0));
    fs::remove_dir(fixture.web.path("logs/task-hub-answers.ndjson")).expect("removed");
    assert_eq!(fixture.answer(&deny).await.status, 200);
}

#[tokio::test]
async fn viewer_without_the_right_sees_and_answers_nothing() {
    let fixture = ApprovalFixture::with(BEFORE_END, only_eden_answers).await;
    fixture.detail().await;
    let get = || ask("GET", &format!("{PERMISSION_REQUESTS}/{EXEC}")).body(Body::empty()).expect("request");
    let detail = fixture.web.call(as_user("seum", get())).await.json();
    assert!(detail.get("call").is_none() && detail.get("digest").is_none(), "{detail}");
    let digest = fixture.web.call(as_user("eden", get())).await.json()["digest"].clone();
    let deny = || answer_request(EXEC, &json!({"decision": "deny", "digest": digest, "updatedBy": "somebody"}));
    let refused = fixture.web.call(as_user("seum", deny())).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].as_str()), (403, Some("forbidden")));
    assert_eq!(fixture.gateway.connections().0, 0);
    let answered = fixture.web.call(as_user("eden", deny())).await;
    assert_eq!(answered.json()["answer"]["by"], "eden", "the proxy names the person: {}", answered.text());
}

#[tokio::test]
async fn without_a_gateway_the_approval_is_only_a_line() {
    let fixture = WebFixture::over("openclaw-approvals/dot-openclaw", BEFORE_END).await;
    let is_shown = |home: &Value| {
        home["attention"].as_array().is_some_and(|lines| lines.iter().any(|line| line["approval"]["id"] == EXEC))
    };
    let home = eventually(&fixture, "/api/v2/home", is_shown).await;
    assert!(!home["attention"].to_string().contains("\"requests\":[{"), "{home}");
    let deny = json!({"decision": "deny", "digest": "0".repeat(64)});
    assert_eq!(fixture.get(&format!("{PERMISSION_REQUESTS}/{EXEC}")).await.status, 404);
    assert_eq!(fixture.call(answer_request(EXEC, &deny)).await.status, 404);
}
