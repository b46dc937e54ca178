//! Lines of the record of messages sent to agents, `logs/task-hub-speak.ndjson`. Each message has two lines: the
//! request, which is on disk before the message is sent, and the result. After a restart the newest lines are read, so
//! that a repeated request does not send its message again.

use coordination::api::SpeakAnswer;
use serde::{Deserialize, Serialize};

use super::MessageRequest;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SendRecordLine {
    /// ISO time by the monitor's clock.
    pub(super) at: String,
    /// Which of the two lines of a message.
    pub(super) what: RecordKind,
    /// Names the message.
    pub(super) request_id: String,
    /// Names the request in the monitor's log.
    pub(super) asked_by: String,
    /// The session that gets the message.
    pub(super) to: String,
    /// The session that speaks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) caller: String,
    /// The text of the message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) text: String,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) conversation: Option<String>,
    /// The work session it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) work_session: Option<String>,
    /// How long an answer was to be waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wait_secs: Option<u32>,
    /// Who sent it, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
    /// Its result; replies are in transcripts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<SpeakAnswer>,
    /// How long the gateway took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) elapsed_ms: Option<u64>,
}

/// Line of a message in the record. The words on disk are those of earlier versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RecordKind {
    /// The message is about to be sent.
    #[serde(rename = "asked")]
    Request,
    /// Its result.
    #[serde(rename = "told")]
    Result,
}

impl SendRecordLine {
    /// The line before a message is sent.
    pub(super) fn request(request: &MessageRequest, at: String) -> Self {
        let call = &request.call;
        Self {
            at,
            what: RecordKind::Request,
            request_id: request.request_id.clone(),
            asked_by: request.http_request_id.clone(),
            to: call.target.clone(),
            caller: call.caller.clone(),
            text: call.text.clone(),
            conversation: call.conversation.clone(),
            work_session: call.work_session.clone(),
            wait_secs: Some(call.wait_secs),
            by: request.by.clone(),
            answer: None,
            elapsed_ms: None,
        }
    }

    /// The line behind it.
    pub(super) fn result(request: &MessageRequest, at: String, answer: &SpeakAnswer, elapsed_ms: Option<u64>) -> Self {
        let answer = SpeakAnswer { reply_cut: answer.reply.is_some(), reply: None, ..answer.clone() };
        Self {
            what: RecordKind::Result,
            caller: String::new(),
            text: String::new(),
            conversation: None,
            work_session: None,
            wait_secs: None,
            by: None,
            answer: Some(answer),
            elapsed_ms,
            ..Self::request(request, at)
        }
    }
}
