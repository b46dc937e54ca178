//! Idempotency ledger: results of messages by request id, so that a repeated request is not sent again. It remembers
//! the newest 20,000 request ids, and the reply texts of the newest 64.

use std::collections::{HashMap, VecDeque};

use coordination::api::{Delivered, SpeakAnswer, SpeakState};
use coordination::gateway_message::OutgoingMessage;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::record::{RecordKind, SendRecordLine};
use super::{MAX_MESSAGES_IN_FLIGHT, MessageRequest, SendResult, SpeakError};

/// Names that are remembered; a page repeats requests by its newest ones.
const MAX_NAMES: usize = 20_000;
/// Replies that are remembered; the others are in transcripts.
const MAX_REPLIES: usize = 64;

/// Results by request id.
#[derive(Debug, Default)]
pub(super) struct SendLedger {
    /// At most [`MAX_NAMES`] finished requests, and the running ones.
    slots: HashMap<String, SendSlot>,
    /// Ids of finished requests, the oldest first.
    finished: VecDeque<String>,
    /// Number of requests on their way.
    running: usize,
}

#[derive(Debug)]
struct SendSlot {
    /// Digest of the message and its target.
    content: [u8; 32],
    state: SendState,
}

#[derive(Debug)]
enum SendState {
    Running(watch::Receiver<Option<SendResult>>),
    Done(SpeakAnswer),
}

/// Result of claiming a name.
#[derive(Debug)]
pub(super) enum SendClaim {
    /// It is new: send, and answer the waiting requests.
    Free(watch::Sender<Option<SendResult>>, watch::Receiver<Option<SendResult>>),
    /// It is on its way.
    Running(watch::Receiver<Option<SendResult>>),
    /// It was sent.
    Done(SpeakAnswer),
    /// It is new, and too many others are on their way.
    Full,
}

impl SendLedger {
    /// Claims a name for a message.
    pub(super) fn claim(&mut self, request: &MessageRequest) -> Result<SendClaim, SpeakError> {
        let content = of_call(&request.call);
        if let Some(slot) = self.slots.get(&request.request_id) {
            return match &slot.state {
                _ if slot.content != content => Err(SpeakError::RequestIdTaken),
                SendState::Running(answer) => Ok(SendClaim::Running(answer.clone())),
                SendState::Done(answer) => Ok(SendClaim::Done(answer.clone())),
            };
        }
        if self.running >= MAX_MESSAGES_IN_FLIGHT {
            return Ok(SendClaim::Full);
        }
        let (sender, answer) = watch::channel(None);
        let state = SendState::Running(answer.clone());
        self.slots.insert(request.request_id.clone(), SendSlot { content, state });
        self.running += 1;
        Ok(SendClaim::Free(sender, answer))
    }

    /// Notes what became of a claimed name; one that came to nothing is free again.
    pub(super) fn settle(&mut self, request_id: &str, answer: Option<&SpeakAnswer>) {
        self.running = self.running.saturating_sub(1);
        match (answer, self.slots.get_mut(request_id)) {
            (Some(answer), Some(slot)) => {
                slot.state = SendState::Done(answer.clone());
                self.finish(request_id.to_owned());
            }
            _ => drop(self.slots.remove(request_id)),
        }
    }

    /// Takes in the record of earlier runs of the program. A message without a result is uncertain.
    pub(super) fn fill(&mut self, lines: Vec<SendRecordLine>) {
        for line in lines {
            match (line.what, line.answer) {
                (RecordKind::Request, _) => {
                    let answer = SpeakAnswer {
                        state: SpeakState::Uncertain,
                        delivered: Delivered::Unknown,
                        session_key: Some(line.to.clone()),
                        ..SpeakAnswer::default()
                    };
                    let (conversation, work_session) = (line.conversation.as_deref(), line.work_session.as_deref());
                    let content = digest([Some(&line.to), Some(&line.text), conversation, work_session]);
                    let slot = SendSlot { content, state: SendState::Done(answer) };
                    if self.slots.insert(line.request_id.clone(), slot).is_none() {
                        self.finish(line.request_id);
                    }
                }
                (RecordKind::Result, Some(answer)) => {
                    if let Some(slot) = self.slots.get_mut(&line.request_id) {
                        slot.state = SendState::Done(answer);
                    }
                }
                (RecordKind::Result, None) => {}
            }
        }
    }

    fn finish(&mut self, request_id: String) {
        self.finished.push_back(request_id);
        if let Some(old) = self.finished.len().checked_sub(MAX_REPLIES + 1).and_then(|at| self.finished.get(at))
            && let Some(SendSlot { state: SendState::Done(answer), .. }) = self.slots.get_mut(old)
        {
            answer.reply_cut |= answer.reply.take().is_some();
        }
        if self.finished.len() > MAX_NAMES
            && let Some(oldest) = self.finished.pop_front()
        {
            self.slots.remove(&oldest);
        }
    }
}

fn of_call(call: &OutgoingMessage) -> [u8; 32] {
    let OutgoingMessage { target, text, conversation, work_session, .. } = call;
    digest([Some(target), Some(text), conversation.as_deref(), work_session.as_deref()])
}

fn digest(parts: [Option<&str>; 4]) -> [u8; 32] {
    let mut sum = Sha256::new();
    for part in parts {
        // With its length, so that no two lists of parts are one text.
        sum.update(part.map_or(u64::MAX, |part| part.len() as u64).to_le_bytes());
        sum.update(part.unwrap_or_default());
    }
    sum.finalize().into()
}
