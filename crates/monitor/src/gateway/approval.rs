//! WebSocket client that gives one answer to an approval of OpenClaw's gateway: one short connection to this machine,
//! without redirects or retries. The time, the frames and their sizes are limited.
//!
//! `coordination::gateway_approval` writes the requests and interprets the replies. The key that the gateway asks a device
//! for is made for each connection and kept nowhere: the gateway's token is what it trusts.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coordination::digest::hex;
use coordination::gateway_approval::{
    ApprovalAnswer, ApprovalOutcome, CONNECT_ID, GET_ID, GatewayChallenge, GatewayFault, GatewayFrame, RESOLVE_ID,
};
use coordination::gateway_message::failure_line;
use futures::{SinkExt as _, StreamExt as _};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::client::{CONNECT_TIMEOUT, connect};
use crate::config::Gateway;

/// How long the requests of an answer may take together. A page waits longer.
const MAX_EXCHANGE: Duration = Duration::from_secs(10);
/// Largest frame that is read; the greeting of a gateway names all its methods.
const MAX_FRAME_BYTES: usize = 4 << 20;
/// Frames that are read while a reply is awaited; a busy gateway sends events between.
const MAX_FRAMES: usize = 500;
/// How long the closing of a connection is waited for. Nothing depends on it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

type GatewaySocket = WebSocketStream<TcpStream>;
type ApprovalCause = Box<dyn std::error::Error + Send + Sync>;

/// Gives an answer, once, and says what became of it. The gateway decides: its first answer wins.
pub(crate) async fn answer_approval(gateway: &Gateway, answer: &ApprovalAnswer) -> ApprovalOutcome {
    let words = |cause: &str| failure_line(&gateway.without_token(cause.to_owned())).unwrap_or_default();
    let mut socket = match timeout(CONNECT_TIMEOUT, open(gateway)).await {
        Ok(Ok(socket)) => socket,
        Ok(Err(cause)) => return ApprovalOutcome::NotTaken(words(&cause.to_string())),
        Err(_) => return ApprovalOutcome::NotTaken("no connection in time".to_owned()),
    };
    // From the first byte of the decision on, a break leaves open whether the gateway has it.
    let mut is_sent = false;
    let reply = timeout(gateway.margin().min(MAX_EXCHANGE), exchange(&mut socket, gateway, answer, &mut is_sent)).await;
    let broken = |cause: &str| match is_sent {
        true => ApprovalOutcome::Unknown(cause.to_owned()),
        false => ApprovalOutcome::NotTaken(cause.to_owned()),
    };
    let outcome = match reply {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(cause)) => broken(&cause.to_string()),
        Err(_) => broken("no answer in time"),
    };
    drop(timeout(CLOSE_TIMEOUT, socket.close(None)).await);
    match outcome {
        ApprovalOutcome::NotTaken(cause) => ApprovalOutcome::NotTaken(words(&cause)),
        ApprovalOutcome::Unknown(cause) => ApprovalOutcome::Unknown(words(&cause)),
        outcome => outcome,
    }
}

async fn open(gateway: &Gateway) -> Result<GatewaySocket, ApprovalCause> {
    let stream = connect(gateway).await?;
    let limits =
        WebSocketConfig::default().max_message_size(Some(MAX_FRAME_BYTES)).max_frame_size(Some(MAX_FRAME_BYTES));
    let (socket, _) = client_async_with_config(gateway.socket_url(), stream, Some(limits)).await?;
    Ok(socket)
}

async fn exchange(
    socket: &mut GatewaySocket,
    gateway: &Gateway,
    answer: &ApprovalAnswer,
    is_sent: &mut bool,
) -> Result<ApprovalOutcome, ApprovalCause> {
    let challenge = challenge(socket).await?;
    send(socket, &connect_request(gateway, &challenge)?).await?;
    if let Err(fault) = reply(socket, CONNECT_ID).await? {
        return Ok(ApprovalOutcome::NotTaken(fault.message));
    }
    send(socket, &answer.get()).await?;
    match reply(socket, GET_ID).await? {
        Err(fault) => return Ok(ApprovalOutcome::NotTaken(fault.message)),
        Ok(payload) => {
            if let Err(outcome) = answer.check(&payload) {
                return Ok(outcome);
            }
        }
    }
    *is_sent = true;
    send(socket, &answer.resolve()).await?;
    let reply = reply(socket, RESOLVE_ID).await?;
    Ok(answer.outcome(reply.as_ref()))
}

/// The first request, signed with a new key.
fn connect_request(gateway: &Gateway, challenge: &GatewayChallenge) -> Result<Value, ApprovalCause> {
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| "no key could be made")?;
    let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).map_err(|_| "no key could be made")?;
    let key = pair.public_key().as_ref();
    let device = hex(&Sha256::digest(key));
    let signature = pair.sign(challenge.text_to_sign(&device, gateway.token()).as_bytes());
    let (key, signature) = (URL_SAFE_NO_PAD.encode(key), URL_SAFE_NO_PAD.encode(signature));
    Ok(challenge.connect(gateway.token(), env!("CARGO_PKG_VERSION"), &device, &key, &signature))
}

async fn send(socket: &mut GatewaySocket, request: &Value) -> Result<(), ApprovalCause> {
    Ok(socket.send(Message::text(request.to_string())).await?)
}

async fn challenge(socket: &mut GatewaySocket) -> Result<GatewayChallenge, ApprovalCause> {
    for _ in 0..MAX_FRAMES {
        if let GatewayFrame::Challenge(challenge) = frame(socket).await? {
            return Ok(challenge);
        }
    }
    Err("too many frames before the challenge".into())
}

async fn reply(socket: &mut GatewaySocket, request: &str) -> Result<Result<Value, GatewayFault>, ApprovalCause> {
    for _ in 0..MAX_FRAMES {
        match frame(socket).await? {
            GatewayFrame::Reply { id, result } if id == request => return Ok(result),
            _ => {}
        }
    }
    Err("too many frames before the reply".into())
}

async fn frame(socket: &mut GatewaySocket) -> Result<GatewayFrame, ApprovalCause> {
    match socket.next().await.ok_or("the connection ended")?? {
        Message::Text(text) => GatewayFrame::read(&text).ok_or_else(|| "not a frame of a gateway".into()),
        Message::Close(Some(close)) => Err(format!("the gateway closed the connection: {}", close.reason).into()),
        Message::Close(None) => Err("the gateway closed the connection".into()),
        Message::Binary(_) => Err("not a frame of a gateway".into()),
        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(GatewayFrame::Other),
    }
}

#[cfg(test)]
mod tests;
