//! Stand-in for OpenClaw's gateway: a WebSocket server that holds one approval and resolves it as the real program does
//! (2026.9.6). It checks the signed challenge, and fails at a chosen step in a chosen way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::{SinkExt as _, StreamExt as _};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

/// A step of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApprovalStep {
    Challenge,
    Connect,
    Get,
    Resolve,
}

/// How it fails. At [`ApprovalStep::Resolve`] the decision is taken first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StandInFailure {
    /// Says nothing.
    Hang,
    /// Ends the connection.
    Cut,
    /// Sends what is no frame.
    Garbage,
    /// Sends bytes.
    Bytes,
    /// Sends a frame of 8 MiB.
    Huge,
    /// Sends events without end.
    Flood,
}

/// A running stand-in.
pub(crate) struct StandInGateway {
    pub(crate) port: u16,
    state: Arc<Mutex<StandInState>>,
}

#[derive(Default)]
struct StandInState {
    token: String,
    approval: Value,
    failure: Option<(ApprovalStep, StandInFailure)>,
    requests: Vec<Value>,
    connections: usize,
    /// Number of connections with an `Origin`.
    origins: usize,
}

impl StandInGateway {
    /// One that knows this token and this approval, as `approval.get` tells it.
    pub(crate) async fn start(token: &str, approval: Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
        let port = listener.local_addr().expect("address").port();
        let state = StandInState { token: token.to_owned(), approval, ..StandInState::default() };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                lock(&shared).connections += 1;
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { port, state }
    }

    pub(crate) fn fail(&self, step: ApprovalStep, failure: StandInFailure) {
        lock(&self.state).failure = Some((step, failure));
    }

    /// Changes the approval, as another surface would.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Value)) {
        change(&mut lock(&self.state).approval);
    }

    pub(crate) fn approval(&self) -> Value {
        lock(&self.state).approval.clone()
    }

    /// Methods of all requests so far.
    pub(crate) fn methods(&self) -> Vec<String> {
        let requests = lock(&self.state).requests.clone();
        requests.iter().map(|request| request["method"].as_str().expect("method").to_owned()).collect()
    }

    pub(crate) fn requests(&self) -> Vec<Value> {
        lock(&self.state).requests.clone()
    }

    /// Number of connections, and of those that named an origin.
    pub(crate) fn connections(&self) -> (usize, usize) {
        let state = lock(&self.state);
        (state.connections, state.origins)
    }
}

fn lock(state: &Mutex<StandInState>) -> MutexGuard<'_, StandInState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

type ClientSocket = WebSocketStream<TcpStream>;

async fn serve(stream: TcpStream, state: Arc<Mutex<StandInState>>) {
    let origins = Arc::clone(&state);
    #[expect(clippy::result_large_err, reason = "the shape that the library calls")]
    let look = move |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        lock(&origins).origins += usize::from(request.headers().contains_key("origin"));
        Ok(response)
    };
    let Ok(mut socket) = accept_hdr_async(stream, look).await else { return };
    let challenge = json!({"type": "event", "event": "connect.challenge", "payload": {"nonce": "n-1", "ts": 7}});
    if !step(&mut socket, &state, ApprovalStep::Challenge, &challenge).await {
        return;
    }
    while let Some(Ok(Message::Text(text))) = socket.next().await {
        let request: Value = serde_json::from_str(&text).expect("a request");
        lock(&state).requests.push(request.clone());
        let (at, answer) = match request["method"].as_str() {
            Some("connect") => (ApprovalStep::Connect, connect(&request["params"], &lock(&state).token)),
            Some("approval.get") => (ApprovalStep::Get, Ok(json!({"approval": lock(&state).approval}))),
            Some("approval.resolve") => {
                (ApprovalStep::Resolve, resolve(&request["params"], &mut lock(&state).approval))
            }
            method => panic!("{method:?}"),
        };
        let reply = match answer {
            Ok(payload) => json!({"type": "res", "id": request["id"], "ok": true, "payload": payload}),
            Err(error) => json!({"type": "res", "id": request["id"], "ok": false, "error": error}),
        };
        let tick = json!({"type": "event", "event": "tick", "payload": {}});
        if socket.send(Message::text(tick.to_string())).await.is_err() || !step(&mut socket, &state, at, &reply).await {
            return;
        }
    }
}

/// Sends a frame, or fails as it was set up. False: the connection is over.
async fn step(socket: &mut ClientSocket, state: &Mutex<StandInState>, at: ApprovalStep, frame: &Value) -> bool {
    let failure = lock(state).failure.filter(|(step, _)| *step == at).map(|(_, failure)| failure);
    let message = match failure {
        None => Message::text(frame.to_string()),
        Some(StandInFailure::Cut) => return false,
        Some(StandInFailure::Hang) => {
            tokio::time::sleep(Duration::from_secs(120)).await;
            return false;
        }
        Some(StandInFailure::Garbage) => Message::text("<html>"),
        Some(StandInFailure::Bytes) => Message::binary(vec![0_u8; 4]),
        Some(StandInFailure::Huge) => Message::text(format!("\"{}\"", "x".repeat(8 << 20))),
        Some(StandInFailure::Flood) => {
            let event = json!({"type": "event", "event": "tick"}).to_string();
            while socket.send(Message::text(event.clone())).await.is_ok() {}
            return false;
        }
    };
    socket.send(message).await.is_ok()
}

fn connect(params: &Value, token: &str) -> Result<Value, Value> {
    let refused = |message: &str| Err(json!({"code": "INVALID_REQUEST", "message": message}));
    if params["auth"]["token"] != token {
        return refused(&format!("unauthorized: gateway token mismatch ({})", params["auth"]["token"]));
    }
    let device = &params["device"];
    let bytes = |name: &str| URL_SAFE_NO_PAD.decode(device[name].as_str().unwrap_or_default()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let client = &params["client"];
    let signed = [
        "v3".to_owned(),
        text(&device["id"]),
        text(&client["id"]),
        text(&client["mode"]),
        text(&params["role"]),
        text(&params["scopes"][0]),
        device["signedAt"].to_string(),
        token.to_owned(),
        text(&device["nonce"]),
        text(&client["platform"]),
        String::new(),
    ];
    let key = UnparsedPublicKey::new(&ED25519, bytes("publicKey"));
    if key.verify(signed.join("|").as_bytes(), &bytes("signature")).is_err() {
        return refused("device signature invalid");
    }
    Ok(json!({"type": "hello-ok", "protocol": 4, "auth": {"role": "operator", "scopes": params["scopes"]}}))
}

/// The first answer wins; a later one gets the recorded decision.
fn resolve(params: &Value, approval: &mut Value) -> Result<Value, Value> {
    if approval["id"] != params["id"] {
        let details = json!({"reason": "APPROVAL_NOT_FOUND"});
        return Err(json!({"code": "INVALID_REQUEST", "message": "approval not found", "details": details}));
    }
    let applied = approval["status"] == "pending";
    if applied {
        approval["status"] = json!(if params["decision"] == "deny" { "denied" } else { "allowed" });
        approval["decision"] = params["decision"].clone();
    }
    Ok(json!({"applied": applied, "approval": approval}))
}
