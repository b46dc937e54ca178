//! Forwarded reads of a fleet: a `GET` whose answer only the machine has goes to the monitor there, and its answer comes back
//! packed. Nothing is stored on the way. A read changes no file, so it needs no number and may be repeated. One of a permission
//! request says that somebody looks at it, as on the machine's own page.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_nats::client::Request;
use async_nats::connection::State;
use async_nats::{Client, HeaderMap, Message, RequestErrorKind};
use coordination::api::{ErrorBody, ErrorCode};
use serde::{Deserialize, Serialize};

use super::batch::{packed, unpacked};

/// Header of a message that asks for a read.
pub(super) const READ: &str = "Th-Read";
/// Header of an answer: its [`ReplyHead`].
const REPLY: &str = "Th-Reply";
/// An answer is waited for so long. A page gives up after five seconds: it is to learn before that which machine is silent.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(4);
/// The same of a machine that said nothing lately.
pub(super) const SILENT_TIMEOUT: Duration = Duration::from_secs(2);
/// Largest answer, unpacked.
pub(crate) const MAX_ANSWER_BYTES: usize = 16 << 20;
/// Room for the headers of an answer.
const MAX_HEAD_BYTES: usize = 4096;
/// HTTP status of an answer that no message of the servers holds.
const TOO_LARGE_STATUS: u16 = 413;

/// A `GET` of REST v2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FleetRead {
    /// Id of the source that it is for.
    pub(crate) source: String,
    /// Path with its query, below the base of the monitor.
    pub(crate) path: String,
    /// `If-None-Match` of the request.
    pub(crate) if_none_match: Option<String>,
    /// The person has the right `answer`.
    pub(crate) may_answer: bool,
    /// The person has the right `speak`.
    pub(crate) may_speak: bool,
}

/// Its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadReply {
    /// Status and headers.
    pub(crate) head: ReplyHead,
    /// Body, unpacked.
    pub(crate) body: Vec<u8>,
}

/// Status and headers of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ReplyHead {
    /// Status of HTTP.
    pub(crate) status: u16,
    /// `Content-Type`.
    pub(crate) content_type: Option<String>,
    /// `ETag`.
    pub(crate) etag: Option<String>,
}

/// Why a read got no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadFault {
    /// The machine shows this on its own dashboard only.
    #[error("the machine does not show this to its fleet (fleet.reads there)")]
    NotOffered,
    /// No monitor listens.
    #[error("the machine is off")]
    Offline,
    /// The servers of the fleet do not answer.
    #[error("the servers of the fleet do not answer")]
    Unreachable,
    /// No answer came in time.
    #[error("the machine did not answer in time")]
    Late,
    /// The answer is not one of a monitor.
    #[error("the answer of the machine cannot be read")]
    Damaged,
}

/// Answers reads.
pub(crate) type ReadRunner = Arc<dyn Fn(FleetRead) -> Pin<Box<dyn Future<Output = ReadReply> + Send>> + Send + Sync>;

/// Sends a read and waits for its answer.
pub(super) async fn send(
    client: &Client,
    subject: &str,
    read: &FleetRead,
    timeout: Duration,
) -> Result<ReadReply, ReadFault> {
    if client.connection_state() != State::Connected {
        return Err(ReadFault::Unreachable);
    }
    let payload = serde_json::to_vec(read).map_err(|_| ReadFault::Damaged)?;
    let mut headers = HeaderMap::new();
    headers.insert(READ, "1");
    let request = Request::new().headers(headers).payload(payload.into()).timeout(Some(timeout));
    let answer = client.send_request(subject.to_owned(), request).await.map_err(|error| match error.kind() {
        RequestErrorKind::NoResponders => ReadFault::Offline,
        RequestErrorKind::TimedOut => ReadFault::Late,
        _ => ReadFault::Unreachable,
    })?;
    ReadReply::of_message(answer.headers.as_ref(), &answer.payload).ok_or(ReadFault::Damaged)
}

/// The answer to a message that asks for a read: headers and payload. `limit`: bytes of a message of the servers.
pub(super) async fn answer(message: &Message, source: &str, run: &ReadRunner, limit: usize) -> (HeaderMap, Vec<u8>) {
    let read = serde_json::from_slice::<FleetRead>(&message.payload).ok().filter(|read| read.source == source);
    let Some(read) = read else {
        return refusal(400, ErrorCode::InvalidBody, "The read cannot be read, or is for another machine").message();
    };
    match tokio::time::timeout(ANSWER_TIMEOUT, run(read)).await {
        Ok(reply) => {
            let packed = tokio::task::spawn_blocking(move || reply.packed(limit)).await;
            packed.unwrap_or_else(|_| refusal(500, ErrorCode::Internal, "Internal error").message())
        }
        // Nobody waits for it any more.
        Err(_) => refusal(503, ErrorCode::MachineOffline, "The answer came too late").message(),
    }
}

/// An error of the fleet as an answer.
pub(crate) fn refusal(status: u16, code: ErrorCode, error: &str) -> ReadReply {
    let body = ErrorBody { request_id: "fleet".to_owned(), ..ErrorBody::new(code, error) };
    let content_type = Some("application/json".to_owned());
    let head = ReplyHead { status, content_type, etag: None };
    ReadReply { head, body: serde_json::to_vec(&body).unwrap_or_default() }
}

/// Error for an answer of so many bytes, where `limit` fit into one message.
pub(crate) fn too_large(bytes: &str, limit: usize) -> ReadReply {
    let error = format!("The answer has {bytes} bytes, and {limit} fit into a message of the fleet");
    refusal(TOO_LARGE_STATUS, ErrorCode::AnswerTooLarge, &error)
}

impl ReadReply {
    /// Headers and payload of its message, or of an error where it is too large for one.
    fn packed(self, limit: usize) -> (HeaderMap, Vec<u8>) {
        let room = limit.saturating_sub(MAX_HEAD_BYTES);
        match packed(&self.body) {
            Ok(payload) if payload.len() > room => too_large(&payload.len().to_string(), room).message(),
            Ok(payload) => (self.head.headers(), payload),
            Err(_) => refusal(500, ErrorCode::Internal, "The answer cannot be packed").message(),
        }
    }

    /// The same for an answer that fits.
    pub(super) fn message(self) -> (HeaderMap, Vec<u8>) {
        let headers = self.head.headers();
        (headers, packed(&self.body).unwrap_or_default())
    }

    /// Reads a message; `None` when it is damaged.
    fn of_message(headers: Option<&HeaderMap>, payload: &[u8]) -> Option<Self> {
        let head = serde_json::from_str(headers?.get(REPLY)?.as_str()).ok()?;
        Some(Self { head, body: unpacked(payload, MAX_ANSWER_BYTES)? })
    }
}

impl ReplyHead {
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        // JSON has no line breaks, which a header could not have.
        headers.insert(REPLY, serde_json::to_string(self).unwrap_or_default());
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(body: &[u8]) -> ReadReply {
        let content_type = Some("image/png".to_owned());
        let head = ReplyHead { status: 200, content_type, etag: Some("W/\"1\"".to_owned()) };
        ReadReply { head, body: body.to_vec() }
    }

    #[test]
    fn messages_give_the_answers_that_were_sent() {
        let sent = reply(b"\x89PNG\r\n\x1a\nrest");
        let (headers, payload) = sent.clone().packed(1 << 20);
        assert_eq!(ReadReply::of_message(Some(&headers), &payload), Some(sent));
        assert_eq!(ReadReply::of_message(None, &payload), None, "without a head");
        assert_eq!(ReadReply::of_message(Some(&headers), b"no zstd"), None);
    }

    #[test]
    fn answer_beyond_message_size_names_both_sizes() {
        // Random bytes: they do not pack.
        let bytes: Vec<u8> = (0..300).flat_map(|_| crate::random::random_hex::<32>().into_bytes()).collect();
        let (headers, payload) = reply(&bytes).packed(MAX_HEAD_BYTES + 1000);
        let answer = ReadReply::of_message(Some(&headers), &payload).expect("an answer");
        let body: ErrorBody = serde_json::from_slice(&answer.body).expect("an error");
        assert_eq!((answer.head.status, body.code), (413, ErrorCode::AnswerTooLarge));
        assert!(body.error.contains(" 1000 ") && body.error.contains(" bytes"), "{}", body.error);
        assert_eq!(reply(&bytes).packed(1 << 20).0, reply(b"").head.headers(), "it fits");
    }

    #[tokio::test]
    async fn read_for_another_machine_runs_nothing() {
        let run: ReadRunner = Arc::new(|_| panic!("it ran"));
        let read = FleetRead {
            source: "b".repeat(32),
            path: "/api/v2/sessions-store".to_owned(),
            if_none_match: None,
            may_answer: false,
            may_speak: false,
        };
        for payload in [serde_json::to_vec(&read).expect("JSON"), b"{".to_vec()] {
            let message = Message {
                subject: "th.v1.studio.a.cmd".into(),
                reply: None,
                length: payload.len(),
                payload: payload.into(),
                headers: None,
                status: None,
                description: None,
            };
            let (headers, payload) = answer(&message, &"a".repeat(32), &run, 1 << 20).await;
            assert_eq!(ReadReply::of_message(Some(&headers), &payload).expect("an answer").head.status, 400);
        }
    }
}
