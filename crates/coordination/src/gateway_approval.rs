//! Frames of OpenClaw's WebSocket by which an approval is answered, and what the gateway's replies mean
//! (`contract/sessions.md` §2.3). Protocol 4 of version 2026.9.6 is understood. The monitor sends the frames: it reads the
//! approval, compares it with what was shown, and only then resolves it.

use serde_json::{Value, json};

use crate::api::{ApprovalKind, PermissionState, RequestedCall};
use crate::gateway_message::failure_line;
use crate::store::approval_call;

/// The only version of the protocol that is spoken.
const PROTOCOL: u32 = 4;
/// A client of this name and mode on the gateway's machine needs no pairing where it has the gateway's token.
const CLIENT_ID: &str = "gateway-client";
const CLIENT_MODE: &str = "backend";
/// The right to answer approvals, and no other.
const SCOPE: &str = "operator.approvals";
const PLATFORM: &str = "server";

/// Id of the request that opens the connection.
pub const CONNECT_ID: &str = "connect";
/// Id of the request that reads the approval.
pub const GET_ID: &str = "get";
/// Id of the request that resolves it.
pub const RESOLVE_ID: &str = "resolve";

/// A frame of the gateway.
#[derive(Debug, Clone, PartialEq)]
pub enum GatewayFrame {
    /// It asks for the proof of the device's key.
    Challenge(GatewayChallenge),
    /// Reply to a request.
    Reply {
        /// Id of the request.
        id: String,
        /// What it answered.
        result: Result<Value, GatewayFault>,
    },
    /// An event, or a frame of a kind that is not known.
    Other,
}

/// What a proof has to sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayChallenge {
    nonce: String,
    /// Time by the gateway's clock, epoch milliseconds.
    ts: u64,
}

/// Error of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayFault {
    /// Its code.
    pub code: String,
    /// Its words, on one line.
    pub message: String,
}

impl GatewayFrame {
    /// Reads a frame. None when it is not one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let frame: Value = serde_json::from_str(text).ok()?;
        let word = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        match word(&frame, "type")?.as_str() {
            "event" if word(&frame, "event")? == "connect.challenge" => {
                let payload = frame.get("payload")?;
                let ts = payload.get("ts").and_then(Value::as_u64)?;
                Some(Self::Challenge(GatewayChallenge { nonce: word(payload, "nonce")?, ts }))
            }
            "res" => {
                let is_ok = frame.get("ok").and_then(Value::as_bool)?;
                let result = if is_ok {
                    Ok(frame.get("payload").cloned().unwrap_or_default())
                } else {
                    let error = frame.get("error")?;
                    let message = failure_line(&word(error, "message").unwrap_or_default()).unwrap_or_default();
                    Err(GatewayFault { code: word(error, "code").unwrap_or_default(), message })
                };
                Some(Self::Reply { id: word(&frame, "id")?, result })
            }
            _ => Some(Self::Other),
        }
    }
}

impl GatewayChallenge {
    /// The text that the key of a device signs: the gateway binds key, scope, token and nonce together.
    #[must_use]
    pub fn text_to_sign(&self, device: &str, token: &str) -> String {
        let ts = self.ts.to_string();
        ["v3", device, CLIENT_ID, CLIENT_MODE, "operator", SCOPE, &ts, token, &self.nonce, PLATFORM, ""].join("|")
    }

    /// The first request. `device` is the SHA-256 of the key in hexadecimal digits; key and signature are in base64 for
    /// addresses.
    #[must_use]
    pub fn connect(&self, token: &str, version: &str, device: &str, key: &str, signature: &str) -> Value {
        request(
            CONNECT_ID,
            "connect",
            &json!({
                "minProtocol": PROTOCOL,
                "maxProtocol": PROTOCOL,
                "client": {
                    "id": CLIENT_ID,
                    "displayName": "Task-Hub",
                    "version": version,
                    "platform": PLATFORM,
                    "mode": CLIENT_MODE,
                },
                "role": "operator",
                "scopes": [SCOPE],
                "caps": [],
                // A gateway looks at the one of its own mode.
                "auth": {"token": token, "password": token},
                "device": {
                    "id": device,
                    "publicKey": key,
                    "signature": signature,
                    "signedAt": self.ts,
                    "nonce": self.nonce,
                },
            }),
        )
    }
}

/// An answer to an approval, with what the person saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalAnswer {
    /// Id of the approval.
    pub id: String,
    /// Its kind; the gateway refuses the approval for good when it differs.
    pub kind: ApprovalKind,
    /// What was shown.
    pub call: RequestedCall,
    /// When the gateway refuses it by itself, epoch milliseconds.
    pub expires_at: i64,
    /// Allow once, or deny.
    pub allow: bool,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// The gateway took it.
    Taken,
    /// The approval had ended: answered elsewhere, expired or cancelled.
    Ended(PermissionState),
    /// The gateway holds something else than what was shown; nothing was sent.
    OtherCall,
    /// The gateway did not take it, so nothing changed; why.
    NotTaken(String),
    /// It was sent, and nothing usable came back; why.
    Unknown(String),
}

impl ApprovalAnswer {
    /// The request that reads the approval.
    #[must_use]
    pub fn get(&self) -> Value {
        request(GET_ID, "approval.get", &json!({"id": self.id}))
    }

    /// The request that resolves it.
    #[must_use]
    pub fn resolve(&self) -> Value {
        let kind = match self.kind {
            ApprovalKind::Exec => "exec",
            ApprovalKind::Plugin => "plugin",
            ApprovalKind::SystemAgent | ApprovalKind::Unknown => "unknown",
        };
        request(RESOLVE_ID, "approval.resolve", &json!({"id": self.id, "kind": kind, "decision": self.decision()}))
    }

    fn decision(&self) -> &'static str {
        if self.allow { "allow-once" } else { "deny" }
    }

    /// Compares what the gateway holds with what was shown.
    ///
    /// # Errors
    /// The outcome, when it may not be resolved.
    pub fn check(&self, payload: &Value) -> Result<(), ApprovalOutcome> {
        let approval = payload.get("approval").unwrap_or(&Value::Null);
        if let Some(ended) = ended(approval) {
            return Err(ApprovalOutcome::Ended(ended));
        }
        let shown = approval.get("presentation").unwrap_or(&Value::Null);
        let kind = match shown.get("kind").and_then(Value::as_str) {
            Some("exec") => ApprovalKind::Exec,
            Some("plugin") => ApprovalKind::Plugin,
            _ => ApprovalKind::Unknown,
        };
        let is_same = approval.get("id").and_then(Value::as_str) == Some(&self.id)
            && approval.get("status").and_then(Value::as_str) == Some("pending")
            && approval.get("expiresAtMs").and_then(Value::as_i64) == Some(self.expires_at)
            && kind == self.kind
            && approval_call(kind, Some(&self.call.tool), shown).is_some_and(|call| call == self.call);
        if is_same { Ok(()) } else { Err(ApprovalOutcome::OtherCall) }
    }

    /// What the reply to [`Self::resolve`] means.
    #[must_use]
    pub fn outcome(&self, reply: Result<&Value, &GatewayFault>) -> ApprovalOutcome {
        let payload = match reply {
            Ok(payload) => payload,
            // Codes of requests that are refused before anything is decided.
            Err(fault) if matches!(fault.code.as_str(), "INVALID_REQUEST" | "FORBIDDEN") => {
                return ApprovalOutcome::NotTaken(fault.message.clone());
            }
            Err(fault) => return ApprovalOutcome::Unknown(format!("{}: {}", fault.code, fault.message)),
        };
        let approval = payload.get("approval").unwrap_or(&Value::Null);
        match (payload.get("applied").and_then(Value::as_bool), ended(approval)) {
            (Some(true), Some(PermissionState::Elsewhere))
                if approval.get("decision").and_then(Value::as_str) == Some(self.decision()) =>
            {
                ApprovalOutcome::Taken
            }
            (Some(false), Some(ended)) => ApprovalOutcome::Ended(ended),
            _ => ApprovalOutcome::Unknown("the gateway's reply does not say what was decided".to_owned()),
        }
    }
}

/// How an approval ended, if it has.
fn ended(approval: &Value) -> Option<PermissionState> {
    match approval.get("status").and_then(Value::as_str)? {
        "allowed" | "denied" => Some(PermissionState::Elsewhere),
        "expired" => Some(PermissionState::Expired),
        "cancelled" => Some(PermissionState::Withdrawn),
        _ => None,
    }
}

fn request(id: &str, method: &str, params: &Value) -> Value {
    json!({"type": "req", "id": id, "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of the real gateway (2026.9.6).
    const CAPTURE: &str = include_str!("../../../fixtures/openclaw-2026.9/captures/ws-approvals.json");

    fn frame(name: &str) -> GatewayFrame {
        let capture: Value = serde_json::from_str(CAPTURE).expect("capture");
        GatewayFrame::read(&capture[name].to_string()).expect(name)
    }

    fn reply(name: &str) -> Result<Value, GatewayFault> {
        let GatewayFrame::Reply { result, .. } = frame(name) else { panic!("{name} is a reply") };
        result
    }

    /// What was shown of the approval of a captured reply.
    fn answer_to(name: &str, allow: bool) -> ApprovalAnswer {
        let approval = reply(name).expect(name)["approval"].clone();
        let call = approval_call(ApprovalKind::Exec, None, &approval["presentation"]).expect("a call");
        let id = approval["id"].as_str().expect("id").to_owned();
        let expires_at = approval["expiresAtMs"].as_i64().expect("end");
        ApprovalAnswer { id, kind: ApprovalKind::Exec, call, expires_at, allow }
    }

    #[test]
    fn pending_approval_is_compared_with_what_was_shown() {
        let pending = reply("getPending").expect("pending");
        let answer = answer_to("getPending", true);
        assert_eq!(answer.check(&pending), Ok(()));
        let mut command = answer.clone();
        command.call.input["command"] = json!("rm -rf build && ./deploy.sh ");
        let later = ApprovalAnswer { expires_at: answer.expires_at + 1, ..answer.clone() };
        let kind = ApprovalAnswer { kind: ApprovalKind::Plugin, ..answer.clone() };
        let id = ApprovalAnswer { id: "another".to_owned(), ..answer.clone() };
        for other in [command, later, kind, id] {
            assert_eq!(other.check(&pending), Err(ApprovalOutcome::OtherCall), "{other:?}");
        }
        for bad in [Value::Null, json!([]), json!({"approval": 7}), json!({"approval": {"status": "pending"}})] {
            assert_eq!(answer.check(&bad), Err(ApprovalOutcome::OtherCall), "{bad}");
        }
        for (name, state) in [("expired", PermissionState::Expired), ("elsewhere", PermissionState::Elsewhere)] {
            let payload = reply(name).expect(name);
            assert_eq!(answer_to(name, true).check(&payload), Err(ApprovalOutcome::Ended(state)), "{name}");
        }
    }

    #[test]
    fn captured_replies_say_what_became_of_an_answer() {
        let outcome = |name: &str, allow: bool| {
            let reply = reply(name);
            answer_to("getPending", allow).outcome(reply.as_ref())
        };
        assert_eq!(outcome("allowed", true), ApprovalOutcome::Taken);
        assert_eq!(outcome("denied", false), ApprovalOutcome::Taken);
        assert_eq!(outcome("sameAgain", true), ApprovalOutcome::Ended(PermissionState::Elsewhere), "answered before");
        assert_eq!(outcome("elsewhere", true), ApprovalOutcome::Ended(PermissionState::Elsewhere));
        assert_eq!(outcome("expired", true), ApprovalOutcome::Ended(PermissionState::Expired));
        assert_eq!(outcome("unknownId", true), ApprovalOutcome::NotTaken("approval not found".to_owned()));
        let unknown = |outcome: &ApprovalOutcome| matches!(outcome, ApprovalOutcome::Unknown(_));
        assert!(unknown(&outcome("malformed", true)), "another decision than was sent");
        let fault = GatewayFault { code: "UNAVAILABLE".to_owned(), message: "storage".to_owned() };
        let answer = answer_to("getPending", true);
        assert!(unknown(&answer.outcome(Err(&fault))), "the store may have been written");
        for bad in [Value::Null, json!({"applied": true}), json!({"applied": true, "approval": {"status": "pending"}})]
        {
            assert!(unknown(&answer.outcome(Ok(&bad))), "{bad}");
        }
    }

    #[test]
    fn frames_that_are_none_are_refused() {
        for bad in ["", "{", "[]", "7", r#"{"type":"res","id":"get"}"#, r#"{"type":"res","ok":true}"#] {
            assert_eq!(GatewayFrame::read(bad), None, "{bad}");
        }
        let challenge =
            |ts: &str| format!(r#"{{"type":"event","event":"connect.challenge","payload":{{"nonce":"n","ts":{ts}}}}}"#);
        assert_eq!(GatewayFrame::read(&challenge("-1")), None);
        let Some(GatewayFrame::Challenge(challenge)) = GatewayFrame::read(&challenge("7")) else {
            panic!("a challenge")
        };
        let signed = "v3|d|gateway-client|backend|operator|operator.approvals|7|t|n|server|";
        assert_eq!(challenge.text_to_sign("d", "t"), signed);
        assert_eq!(GatewayFrame::read(r#"{"type":"event","event":"tick"}"#), Some(GatewayFrame::Other));
        let GatewayFrame::Reply { result: Err(fault), .. } = frame("badToken") else { panic!("refused") };
        assert_eq!(fault.code, "INVALID_REQUEST");
        assert!(fault.message.contains("token mismatch"), "{fault:?}");
    }
}
