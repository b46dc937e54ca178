//! Scanner of one transcript for traces of exchanges with other sessions: calls that send or spawn, received messages,
//! starts and ends of runs, and notices of OpenClaw. It reads line by line and can continue when lines are added.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::super::history::NESTED;
use super::super::{MessageRole, TranscriptEntry, TranscriptMessage, clean, envelope};
use super::call::{CallMark, Tool, tool};
use super::notice::{ChildNotice, completed, is_announce_step, settled, undelivered};
use super::result::{answer, inner};
use super::{ExchangeParty, TranscriptLineRef};

/// Whose transcript it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanSource {
    /// The agent.
    pub agent: String,
    /// The session's key; that of an archived transcript may be unknown.
    pub key: Option<String>,
    /// The session's id.
    pub session_id: String,
}

/// Exchange data of one transcript. Lines may be added at any time, in their order.
#[derive(Debug, Clone)]
pub struct ExchangeScan {
    /// Agent and key of the transcript's session.
    pub(super) party: ExchangeParty,
    pub(super) session_id: Arc<str>,
    agent: Arc<str>,
    /// Calls that send or spawn, in order.
    pub(super) calls: Vec<CallMark>,
    /// Messages from other sessions, in order.
    pub(super) received: Vec<ReceivedMessage>,
    /// Ends of runs, in order.
    pub(super) turns: Vec<AgentTurn>,
    /// Starts of runs, in order.
    pub(super) run_starts: Vec<RunStart>,
    /// Notices of OpenClaw to the session, in order.
    pub(super) notices: Vec<ExchangeNotice>,
    /// The key under which the session can be opened.
    opened_by: Option<Arc<str>>,
    /// Ids of the lines that belong to exchanges, by position of the line.
    ids: BTreeMap<u64, Arc<str>>,
    /// Number of changes so far that may affect exchanges.
    news: u64,
    /// The last turn was for a person and affects no exchange.
    loose: bool,
}

/// A message from another session.
#[derive(Debug, Clone)]
pub(super) struct ReceivedMessage {
    /// Position of the line.
    pub(super) place: u64,
    /// Epoch milliseconds.
    pub(super) at_ms: i64,
    /// The sending session.
    pub(super) source: ExchangeParty,
    /// Id of the run to which the line belongs, if known.
    pub(super) run: Option<String>,
    pub(super) text: String,
    /// OpenClaw asks the session for its announcement.
    pub(super) announce_step: bool,
}

/// The agent's text at the end of a run, or the failure of that run.
#[derive(Debug, Clone)]
pub(super) struct AgentTurn {
    /// Position of the line.
    pub(super) place: u64,
    /// Epoch milliseconds.
    pub(super) at_ms: i64,
    /// Id of the run, if known.
    pub(super) run: Option<String>,
    /// The last text of the run.
    pub(super) text: Option<String>,
    /// The run failed or was broken off.
    pub(super) failed: bool,
    pub(super) error: Option<String>,
}

/// A prompt of a person or of the program: a run begins here.
#[derive(Debug, Clone)]
pub(super) struct RunStart {
    /// Position of the line.
    pub(super) place: u64,
    /// Epoch milliseconds.
    pub(super) at_ms: i64,
    /// Id of the run, if known.
    pub(super) run: Option<String>,
    /// The task, if the session is a child.
    pub(super) task: Option<String>,
}

/// A notice of OpenClaw in a session, about one of its exchanges.
#[derive(Debug, Clone)]
pub(super) struct ExchangeNotice {
    /// Position of the line.
    pub(super) place: u64,
    /// Epoch milliseconds.
    pub(super) at_ms: i64,
    pub(super) kind: ExchangeNoticeKind,
}

#[derive(Debug, Clone)]
pub(super) enum ExchangeNoticeKind {
    Child(ChildNotice),
    /// Nothing came of a message to this session.
    Undelivered(ExchangeParty, String),
}

impl ExchangeScan {
    /// Nothing of it is known yet.
    #[must_use]
    pub fn new(source: ScanSource) -> Self {
        Self {
            opened_by: source.key.as_deref().map(Arc::from),
            agent: source.agent.as_str().into(),
            party: ExchangeParty { agent: source.agent, key: source.key },
            session_id: source.session_id.into(),
            calls: Vec::new(),
            received: Vec::new(),
            turns: Vec::new(),
            run_starts: Vec::new(),
            notices: Vec::new(),
            ids: BTreeMap::new(),
            news: 0,
            loose: false,
        }
    }

    /// Nothing is known yet of an archived transcript: its session cannot be opened, even where its key is
    /// known.
    #[must_use]
    pub fn of_archive(source: ScanSource) -> Self {
        Self { opened_by: None, ..Self::new(source) }
    }

    /// The same transcript, of which nothing is known.
    #[must_use]
    pub fn emptied(&self) -> Self {
        let source = ScanSource {
            agent: self.party.agent.clone(),
            key: self.party.key.clone(),
            session_id: self.session_id.to_string(),
        };
        Self { opened_by: self.opened_by.clone(), ..Self::new(source) }
    }

    /// Grows with every line that may affect exchanges: while it is unchanged, [`super::find`] finds the same.
    #[must_use]
    pub fn news(&self) -> u64 {
        self.news
    }

    /// How many of its lines are remembered.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.calls.len() + self.received.len() + self.turns.len() + self.run_starts.len() + self.notices.len()
    }

    /// Takes the next line.
    pub fn push(&mut self, entry: &TranscriptEntry) {
        let before = self.news;
        self.take(entry);
        if self.news != before
            && let Some(id) = &entry.id
        {
            self.ids.insert(entry.place, id.as_str().into());
        }
    }

    fn take(&mut self, entry: &TranscriptEntry) {
        let Some(message) = entry.message() else { return };
        let (place, at_ms) = (entry.place, entry.at_ms.unwrap_or_default());
        match message.role() {
            MessageRole::Assistant => self.assistant(message, place, at_ms),
            MessageRole::User => self.user(message, place, at_ms),
            MessageRole::Tool => self.result(message, place, at_ms),
            MessageRole::Custom if message.text_of("customType") == Some(NESTED) => self.nested(message, place, at_ms),
            MessageRole::Custom | MessageRole::System | MessageRole::Other => {}
        }
    }

    pub(super) fn written(&self, place: u64) -> TranscriptLineRef {
        let entry = self.ids.get(&place).map(Arc::clone);
        let key = self.opened_by.as_ref().map(Arc::clone);
        let (session_id, agent) = (Arc::clone(&self.session_id), Arc::clone(&self.agent));
        TranscriptLineRef { session_id, place, entry, key, agent }
    }

    /// The line that began the run in which the line at this place was written.
    pub(super) fn began(&self, place: u64) -> Option<TranscriptLineRef> {
        self.begins().filter(|begin| *begin < place).max().map(|begin| self.written(begin))
    }

    /// Where runs begin, other than by messages of other sessions.
    pub(super) fn begins(&self) -> impl Iterator<Item = u64> {
        let start = self.run_starts.iter().map(|start| start.place);
        start
            .chain(self.received.iter().map(|received| received.place))
            .chain(self.notices.iter().map(|notice| notice.place))
    }

    fn assistant(&mut self, message: TranscriptMessage<'_>, place: u64, at_ms: i64) {
        let mut works_on = message.stop_reason() == Some("toolUse");
        for call in message.calls() {
            works_on = true;
            if let Some(tool) = tool(call.name) {
                self.calls.push(CallMark::from_call(tool, call, place, at_ms));
                self.news += 1;
            }
        }
        if works_on || message.is_injected() {
            return;
        }
        let failed = matches!(message.stop_reason(), Some("error" | "aborted"));
        let text = message.whole_text().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        if text.is_some() || failed {
            let error = message.text_of("errorMessage").map(str::to_owned);
            let run = message.run_id().map(str::to_owned);
            self.push_turn(AgentTurn { place, at_ms, run, text, failed, error });
        }
    }

    /// Most turns are for people. Of those only the last is stored: it may be how a child ended.
    fn push_turn(&mut self, turn: AgentTurn) {
        let loose = match &turn.run {
            Some(run) => {
                let start = self.run_starts.iter().rev().find(|start| start.run.as_ref() == Some(run));
                let received = self.received.iter().any(|received| received.run.as_ref() == Some(run));
                start.is_some_and(|start| start.task.is_none()) && !received && !run.starts_with("announce:")
            }
            None => {
                let start = self.run_starts.last().filter(|start| start.task.is_none());
                let others = self.received.iter().map(|received| received.place).max();
                start.is_some_and(|start| others.is_none_or(|other| other < start.place))
            }
        };
        if self.loose {
            self.turns.pop();
        }
        self.loose = loose;
        if !loose || self.run_starts.iter().any(|start| start.task.is_some()) {
            self.news += 1;
        }
        self.turns.push(turn);
    }

    fn user(&mut self, message: TranscriptMessage<'_>, place: u64, at_ms: i64) {
        let whole = message.whole_text().unwrap_or_default();
        let text = clean::stored(&whole, MessageRole::User).trim().to_owned();
        let run = message.run_id().map(str::to_owned);
        if !message.is_inter_session() {
            if let Some(child) = completed(&text) {
                self.notices.push(ExchangeNotice { place, at_ms, kind: ExchangeNoticeKind::Child(child) });
                self.news += 1;
            } else {
                let task = envelope::subagent_task(&text).map(str::to_owned);
                self.news += u64::from(task.is_some());
                self.run_starts.push(RunStart { place, at_ms, run, task });
            }
            return;
        }
        self.news += 1;
        let provenance = message.provenance();
        if matches!(provenance.and_then(|it| it.source_tool), Some("subagent_settle" | "subagent_announce")) {
            let children = settled(&text).into_iter().map(ExchangeNoticeKind::Child);
            self.notices.extend(children.map(|notice| ExchangeNotice { place, at_ms, kind: notice }));
            self.run_starts.push(RunStart { place, at_ms, run, task: None });
            return;
        }
        let key = provenance.and_then(|it| it.source_session_key).or_else(|| noted_source(&whole));
        let source =
            key.map_or_else(|| ExchangeParty { agent: "unknown".to_owned(), key: None }, ExchangeParty::of_key);
        if let Some((key, error)) = undelivered(&text) {
            let notice = ExchangeNoticeKind::Undelivered(ExchangeParty::of_key(key), error.to_owned());
            self.notices.push(ExchangeNotice { place, at_ms, kind: notice });
            self.run_starts.push(RunStart { place, at_ms, run, task: None });
            return;
        }
        let announce_step = is_announce_step(&text);
        self.received.push(ReceivedMessage { place, at_ms, source, run, text, announce_step });
    }

    fn result(&mut self, message: TranscriptMessage<'_>, place: u64, at_ms: i64) {
        let (name, answer) = answer(message);
        let Some(tool) = name.as_deref().and_then(tool) else { return };
        let id = message.text_of("toolCallId").unwrap_or_default();
        let call = self.call(tool, id, place, at_ms);
        call.take_answer(answer, at_ms);
    }

    /// The real call behind the wrapper; the wrapper is a call of its own only where it called something else.
    fn nested(&mut self, message: TranscriptMessage<'_>, place: u64, at_ms: i64) {
        let Some(details) = message.fields().get("details").and_then(Value::as_object) else { return };
        let text = |name: &str| details.get(name).and_then(Value::as_str).unwrap_or_default();
        let Some(tool) = tool(text("toolName")) else { return };
        let parent = text("parentToolCallId");
        let known = self.calls.iter().any(|call| call.tool == tool && call.id == parent);
        let call = self.call(tool, if known { parent } else { text("toolCallId") }, place, at_ms);
        if let Some(input) = details.get("input").and_then(Value::as_object).filter(|_| !known) {
            call.take_arguments(input);
        }
        call.take_answer(details.get("result").and_then(inner), at_ms);
    }

    /// The call of that name; a new one where its own line was not read.
    fn call(&mut self, tool: Tool, id: &str, place: u64, at_ms: i64) -> &mut CallMark {
        let known = self.calls.iter().rposition(|call| call.tool == tool && call.id == id && !id.is_empty());
        let at = known.unwrap_or_else(|| {
            self.calls.push(CallMark::bare(tool, id, at_ms));
            self.calls.len() - 1
        });
        self.calls[at].places.push(place);
        self.news += 1;
        &mut self.calls[at]
    }
}

/// `sourceSession=<key>` in the note before a text.
fn noted_source(text: &str) -> Option<&str> {
    let line = text.trim_start().lines().next()?;
    line.split_whitespace().find_map(|word| word.strip_prefix("sourceSession=")).filter(|key| !key.is_empty())
}
