//! Sender of messages to agents through OpenClaw's gateway (`contract/sessions.md` §8.2). Each message is recorded on
//! disk under its request id before it is sent. While the id is remembered (`ledger.rs`), also after a restart, a
//! repeated request gets the recorded result and sends nothing again.
//!
//! `coordination::gateway_message` interprets the gateway's answers. Approvals are answered over its WebSocket
//! (`approval.rs`).

mod approval;
mod client;
mod ledger;
mod record;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use coordination::api::{Delivered, SpeakAnswer, SpeakState};
use coordination::gateway_message::{OutgoingMessage, failure_line, read};
use tokio::sync::{OnceCell, watch};
use tokio::task::spawn_blocking;

pub(crate) use self::approval::answer_approval;
use self::client::Sent;
use self::ledger::{SendClaim, SendLedger};
use self::record::SendRecordLine;
use crate::clock::ServerClock;
use crate::config::{Gateway, Settings};
use crate::home::{HomeDir, RecordFile};

/// Messages that wait for their answers at once.
const MAX_MESSAGES_IN_FLIGHT: usize = 16;

/// A requested message.
#[derive(Debug, Clone)]
pub(crate) struct MessageRequest {
    /// Its id, chosen by the client.
    pub(crate) request_id: String,
    /// What to send.
    pub(crate) call: OutgoingMessage,
    /// The author, for the record.
    pub(crate) by: Option<String>,
    /// Id of the HTTP request, as in the log of the monitor.
    pub(crate) http_request_id: String,
}

/// Why a message was not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpeakError {
    /// Another message has this request id.
    #[error("another message has this requestId")]
    RequestIdTaken,
    /// The record of messages cannot be written, so nothing was sent.
    #[error("the message was not sent, because the record of messages cannot be written: {cause}")]
    NotRecorded {
        /// The error of the system.
        cause: String,
        /// The disk is full.
        full: bool,
    },
}

/// Result of a send.
type SendResult = Result<SpeakAnswer, SpeakError>;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct MessageSender(Arc<MessageSenderInner>);

#[derive(Debug)]
struct MessageSenderInner {
    gateway: Option<Gateway>,
    record: RecordFile<SendRecordLine>,
    ledger: Mutex<SendLedger>,
    /// Set once the ledger has loaded the record.
    loaded: OnceCell<()>,
    clock: ServerClock,
}

impl MessageSender {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self(Arc::new(MessageSenderInner {
            gateway: settings.gateway.clone(),
            record: RecordFile::new(settings.home.clone(), HomeDir::SPEAK_RECORD),
            ledger: Mutex::default(),
            loaded: OnceCell::new(),
            clock: settings.clock,
        }))
    }

    /// Whether a gateway is configured.
    pub(crate) fn is_on(&self) -> bool {
        self.0.gateway.is_some()
    }

    /// Sends a message, unless one of this name was sent, and returns its result. When the caller is dropped, the
    /// message is sent and recorded all the same.
    ///
    /// # Errors
    /// When it was not sent, and the reason is on this side.
    pub(crate) async fn send_once(&self, request: MessageRequest) -> Result<SpeakAnswer, SpeakError> {
        let Some(gateway) = self.0.gateway.clone() else {
            return Ok(SpeakAnswer { state: SpeakState::Off, delivered: Delivered::No, ..SpeakAnswer::default() });
        };
        self.0.loaded.get_or_try_init(|| self.load()).await?;
        let claim = self.0.ledger().claim(&request)?;
        let (mut answer, repeated) = match claim {
            SendClaim::Done(answer) => return Ok(SpeakAnswer { repeated: true, ..answer }),
            SendClaim::Full => {
                return Ok(failed(SpeakState::TooMany, Delivered::No, "too many messages wait for their answers"));
            }
            SendClaim::Running(answer) => (answer, true),
            SendClaim::Free(sender, answer) => {
                tokio::spawn(Arc::clone(&self.0).send_and_record(gateway, request, sender));
                (answer, false)
            }
        };
        let result = answer.wait_for(Option::is_some).await.ok().and_then(|result| result.clone());
        // The monitor ends while it is sent.
        let ended = || Ok(failed(SpeakState::Uncertain, Delivered::Unknown, "the monitor is shutting down"));
        result.unwrap_or_else(ended).map(|answer| SpeakAnswer { repeated, ..answer })
    }

    async fn load(&self) -> Result<(), SpeakError> {
        let inner = Arc::clone(&self.0);
        let lines = spawn_blocking(move || inner.record.read()).await.map_err(io::Error::other).flatten();
        self.0.ledger().fill(lines.map_err(not_recorded)?);
        Ok(())
    }
}

impl MessageSenderInner {
    fn ledger(&self) -> MutexGuard<'_, SendLedger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records, sends, records, and answers the waiting requests.
    async fn send_and_record(
        self: Arc<Self>,
        gateway: Gateway,
        request: MessageRequest,
        waiting: watch::Sender<Option<SendResult>>,
    ) {
        let result = Arc::clone(&self).send(&gateway, &request).await;
        if let Err(error) = &result {
            tracing::error!(id = request.http_request_id, %error, "a message was not sent");
        }
        self.ledger().settle(&request.request_id, result.as_ref().ok());
        // The waiting requests may be gone.
        drop(waiting.send(Some(result)));
    }

    async fn send(self: Arc<Self>, gateway: &Gateway, request: &MessageRequest) -> SendResult {
        let line = SendRecordLine::request(request, self.clock.now_iso());
        Arc::clone(&self).append(line).await.map_err(not_recorded)?;
        let wait = Duration::from_secs(request.call.wait_secs.into());
        let (answer, elapsed_ms) = match client::post(gateway, &request.call.body(), wait).await {
            Sent::GatewayReply(reply) => (read(&reply, request.call.wait_secs), Some(reply.elapsed_ms)),
            Sent::Never(cause) => (failed(SpeakState::Unreachable, Delivered::No, &cause), None),
            Sent::Lost(cause) => (failed(SpeakState::Uncertain, Delivered::Unknown, &cause), None),
        };
        let mut answer = clean(gateway, answer);
        answer.session_key = answer.session_key.or_else(|| Some(request.call.target.clone()));
        tracing::info!(
            id = request.http_request_id,
            to = request.call.target,
            state = ?answer.state,
            delivered = ?answer.delivered,
            "a message to an agent"
        );
        let line = SendRecordLine::result(request, self.clock.now_iso(), &answer, elapsed_ms);
        if let Err(error) = self.append(line).await {
            tracing::error!(id = request.http_request_id, %error, "the result of a message could not be recorded");
            answer.unrecorded = true;
        }
        Ok(answer)
    }

    async fn append(self: Arc<Self>, line: SendRecordLine) -> io::Result<()> {
        spawn_blocking(move || self.record.append(&line)).await.map_err(io::Error::other)?
    }
}

fn failed(state: SpeakState, delivered: Delivered, cause: &str) -> SpeakAnswer {
    SpeakAnswer { state, delivered, said: failure_line(cause), ..SpeakAnswer::default() }
}

/// An answer without the token, whatever the gateway answered.
fn clean(gateway: &Gateway, answer: SpeakAnswer) -> SpeakAnswer {
    let clean = |text: Option<String>| text.map(|text| gateway.without_token(text));
    SpeakAnswer {
        session_key: clean(answer.session_key),
        run_id: clean(answer.run_id),
        reply: clean(answer.reply),
        said: clean(answer.said),
        ..answer
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` calls")]
fn not_recorded(error: io::Error) -> SpeakError {
    let full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    SpeakError::NotRecorded { cause: error.to_string(), full }
}
