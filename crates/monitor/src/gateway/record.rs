//! Append-only record of the messages sent to agents, `logs/task-hub-speak.ndjson`. Each message has two lines: the
//! request, which is on disk before the message is sent, and the result. After a restart the newest lines are read, so
//! that a repeated request does not send its message again.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use coordination::api::SpeakAnswer;
use serde::{Deserialize, Serialize};

use super::MessageRequest;
use crate::home::HomeDir;

/// Read back after a restart: the newest names are those that may be repeated.
const MAX_READ_BACK_BYTES: u64 = 16 << 20;

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

/// The file. It is opened for each line and never held open.
#[derive(Debug)]
pub(super) struct SendRecord {
    home: HomeDir,
}

impl SendRecord {
    pub(super) fn new(home: HomeDir) -> Self {
        Self { home }
    }

    /// Appends a line and waits until it is on the disk. A partial write is taken back.
    pub(super) fn append(&self, line: &SendRecordLine) -> io::Result<()> {
        let folder = self.home.open()?.made_folder("logs")?;
        let mut file = folder.append(HomeDir::SPEAK_RECORD)?;
        // Another monitor of this home may be writing too.
        file.lock()?;
        let before = file.metadata()?.len();
        let mut bytes = if is_torn(&mut file, before)? { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
        let written = file.write_all(&bytes).and_then(|()| file.sync_all());
        if let Err(error) = written {
            if let Err(error) = file.set_len(before).and_then(|()| file.sync_all()) {
                tracing::error!(%error, "an incomplete line stays in the record of messages");
            }
            return Err(error);
        }
        if before == 0 { folder.sync() } else { Ok(()) }
    }

    /// The newest lines, oldest first; invalid lines are skipped. A missing record has no lines.
    pub(super) fn read(&self) -> io::Result<Vec<SendRecordLine>> {
        let none = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let opened = self.home.open().and_then(|home| home.folder("logs")?.open(HomeDir::SPEAK_RECORD));
        let (mut file, seen) = match opened {
            Ok(opened) => opened,
            Err(error) if none(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let begin = seen.size.saturating_sub(MAX_READ_BACK_BYTES);
        file.seek(SeekFrom::Start(begin))?;
        let mut bytes = Vec::new();
        file.take(MAX_READ_BACK_BYTES).read_to_end(&mut bytes)?;
        // It may begin within a line.
        let whole = bytes.split(|byte| *byte == b'\n').skip(usize::from(begin > 0));
        Ok(whole.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

/// The last line has no end: the next must not be glued to it.
fn is_torn(file: &mut File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    file.seek(SeekFrom::Start(last))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte != *b"\n")
}
