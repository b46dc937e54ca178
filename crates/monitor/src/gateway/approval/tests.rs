//! Tests of the client that answers approvals, over a real socket, with a stand-in for the gateway that hangs, cuts the
//! connection or sends garbage at each step.
//!
//! Proves (gateway): An approval of OpenClaw is answered over one connection with one decision, only while the gateway holds
//! exactly what was shown. Wherever the connection breaks, nothing is sent again: before the decision nothing changed,
//! after it the outcome is unknown.

use coordination::api::{ApprovalKind, PermissionState, RequestedCall};
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::testing::gateway::{ApprovalStep, StandInFailure, StandInGateway};

const TOKEN: &str = "gw-canary-0123456789abcdef";

fn approval() -> Value {
    json!({"id": "a-1", "status": "pending", "createdAtMs": 1, "expiresAtMs": 900, "presentation": {
        "kind": "exec", "commandText": "rm -rf build", "warningText": null, "host": "gateway", "agentId": "eden",
        "allowedDecisions": ["allow-once", "allow-always", "deny"],
    }})
}

fn answer(allow: bool) -> ApprovalAnswer {
    let input = json!({"command": "rm -rf build", "host": "gateway"});
    let call = RequestedCall { tool: "exec".to_owned(), input, cwd: None };
    ApprovalAnswer { id: "a-1".to_owned(), kind: ApprovalKind::Exec, call, expires_at: 900, allow }
}

fn gateway(port: u16, token: &str) -> Gateway {
    let gateway = Gateway::new(&format!("http://localhost:{port}"), token).expect("gateway");
    gateway.with_margin(Duration::from_millis(1_500))
}

#[tokio::test]
async fn answer_is_one_decision_over_one_connection() {
    for (allow, status) in [(true, "allowed"), (false, "denied")] {
        let stand_in = StandInGateway::start(TOKEN, approval()).await;
        let outcome = answer_approval(&gateway(stand_in.port, TOKEN), &answer(allow)).await;
        assert_eq!((outcome, &stand_in.approval()["status"]), (ApprovalOutcome::Taken, &json!(status)));
        assert_eq!(stand_in.methods(), ["connect", "approval.get", "approval.resolve"]);
        assert_eq!(stand_in.connections(), (1, 0), "one connection, as of no page");
        let requests = stand_in.requests();
        assert_eq!(requests[0]["params"]["scopes"], json!(["operator.approvals"]), "no other right is asked for");
        let decision = if allow { "allow-once" } else { "deny" };
        assert_eq!(requests[2]["params"], json!({"id": "a-1", "kind": "exec", "decision": decision}));
    }
}

#[tokio::test]
async fn approval_that_differs_or_ended_is_not_resolved() {
    type Change = fn(&mut Value);
    let cases: [(Change, ApprovalOutcome); 7] = [
        (|it| it["presentation"]["commandText"] = json!("rm -rf /"), ApprovalOutcome::OtherCall),
        (|it| it["presentation"]["host"] = json!("node"), ApprovalOutcome::OtherCall),
        (|it| it["presentation"]["allowedDecisions"] = json!(["deny"]), ApprovalOutcome::OtherCall),
        (|it| it["expiresAtMs"] = json!(901), ApprovalOutcome::OtherCall),
        (|it| it["status"] = json!("denied"), ApprovalOutcome::Ended(PermissionState::Elsewhere)),
        (|it| it["status"] = json!("expired"), ApprovalOutcome::Ended(PermissionState::Expired)),
        (|it| it["status"] = json!("cancelled"), ApprovalOutcome::Ended(PermissionState::Withdrawn)),
    ];
    for (change, expected) in cases {
        let stand_in = StandInGateway::start(TOKEN, approval()).await;
        stand_in.change(change);
        let before = stand_in.approval();
        assert_eq!(answer_approval(&gateway(stand_in.port, TOKEN), &answer(true)).await, expected, "{before}");
        assert_eq!(
            (stand_in.approval(), stand_in.methods()),
            (before, vec!["connect".to_owned(), "approval.get".to_owned()])
        );
    }
}

#[tokio::test]
async fn broken_connection_is_reported_and_not_retried() {
    let failures = [
        StandInFailure::Hang,
        StandInFailure::Cut,
        StandInFailure::Garbage,
        StandInFailure::Bytes,
        StandInFailure::Huge,
        StandInFailure::Flood,
    ];
    for step in [ApprovalStep::Challenge, ApprovalStep::Connect, ApprovalStep::Get, ApprovalStep::Resolve] {
        for failure in failures {
            let stand_in = StandInGateway::start(TOKEN, approval()).await;
            stand_in.fail(step, failure);
            let begun = Instant::now();
            let outcome = answer_approval(&gateway(stand_in.port, TOKEN), &answer(true)).await;
            assert!(begun.elapsed() < Duration::from_secs(10), "{step:?} {failure:?}: {:?}", begun.elapsed());
            let is_right = match step {
                ApprovalStep::Resolve => matches!(outcome, ApprovalOutcome::Unknown(_)),
                _ => matches!(outcome, ApprovalOutcome::NotTaken(_)),
            };
            assert!(is_right, "{step:?} {failure:?}: {outcome:?}");
            let decisions = stand_in.methods().iter().filter(|method| *method == "approval.resolve").count();
            assert_eq!(
                (stand_in.connections().0, decisions),
                (1, usize::from(step == ApprovalStep::Resolve)),
                "{step:?} {failure:?}"
            );
        }
    }
}

#[tokio::test]
async fn refusal_of_the_gateway_is_reported_without_token() {
    let stand_in = StandInGateway::start("another-token-0123456789", approval()).await;
    let outcome = answer_approval(&gateway(stand_in.port, TOKEN), &answer(true)).await;
    let ApprovalOutcome::NotTaken(cause) = outcome else { panic!("{outcome:?}") };
    assert!(cause.contains("token mismatch") && !cause.contains(TOKEN), "{cause}");
    assert_eq!(stand_in.methods(), ["connect"]);
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bind").local_addr().expect("address").port();
    let outcome = answer_approval(&gateway(free, TOKEN), &answer(true)).await;
    assert!(matches!(outcome, ApprovalOutcome::NotTaken(_)), "{outcome:?}");
}

#[tokio::test]
async fn server_without_websocket_takes_nothing() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bind");
    let port = listener.local_addr().expect("address").port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("one connection");
        let read = stream.read(&mut [0; 4096]).await.expect("a request");
        let moved = "HTTP/1.1 307 Temporary Redirect\r\nlocation: ws://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        assert!(read > 0);
        stream.write_all(moved.as_bytes()).await.expect("an answer");
    });
    let outcome = answer_approval(&gateway(port, TOKEN), &answer(true)).await;
    assert!(matches!(outcome, ApprovalOutcome::NotTaken(_)), "a redirect is not followed: {outcome:?}");
}
