//! Broker of permission requests: a coding agent's hook asks and waits, a person answers on a page, and the hook gets the
//! answer (`contract/event-schema-v1_1.md` §C.2, `PermissionRequest`).
//!
//! A request and its answer are in memory only, apart from the record of answers: nothing is queued, retried or sent
//! later. Whatever goes wrong here, the hook ends without a decision, and the terminal asks.

mod agent_event;
mod approvals;
mod errors;
mod record;
mod requests;
mod shown;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use coordination::api::{
    GivenAnswer, PermissionAnswer, PermissionAsk, PermissionChannel, PermissionRef, PermissionRequests,
    PermissionState, PermissionStory, PermissionSummary, PermissionVerdict, RequestedCall,
};
use coordination::hub::OpenPermission;
use coordination::ids::AgentId;
use coordination::schema::folded;
use coordination::tool_dangers::tool_dangers;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until, timeout};

use self::agent_event::{AgentSign, AskingAgent, sign_of, subject_of};
pub(crate) use self::approvals::ApprovalBroker;
pub(crate) use self::errors::{AnswerError, AskRefused};
use self::record::{AnswerLine, AnswerLineKind};
pub(crate) use self::requests::AnswerRefused;
use self::requests::{Asker, Requests, WaitingRequest};
use self::shown::ShownRequests;
use crate::clock::ServerClock;
use crate::config::Settings;
use crate::home::{HomeDir, RecordFile};
use crate::random::random_hex;
use crate::sink::ValueSink;
use crate::sources::agent_events::AgentEvents;

/// A hook that holds the terminal's own question back is let go after this, unless a page is open.
const UNWATCHED_WAIT: Duration = Duration::from_secs(10);
/// So long an answer that came at the last moment may take to be recorded.
const RECORD_TIMEOUT: Duration = Duration::from_secs(2);
/// Newest events of agents that are searched for an agent's name.
const MAX_SEARCHED_EVENTS: usize = 500;

/// An answer of a person.
#[derive(Debug, Clone)]
pub(crate) struct AnswerRequest {
    /// Id of the permission request.
    pub(crate) id: String,
    /// The answer.
    pub(crate) answer: PermissionAnswer,
    /// Who answers, for the record.
    pub(crate) by: Option<String>,
    /// Id of the HTTP request, as in the log of the monitor.
    pub(crate) request_id: String,
}

/// A request with what only the broker knows of it.
#[derive(Debug, Clone)]
pub(crate) struct KnownRequest {
    pub(crate) summary: PermissionSummary,
    /// Absent once it has ended.
    pub(crate) call: Option<(RequestedCall, String)>,
    pub(crate) dangers: Vec<coordination::api::Danger>,
    /// Key of the hook's event.
    pub(crate) key: String,
    /// Only the words of the person.
    pub(crate) story: PermissionStory,
}

/// Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PermissionBroker(Arc<BrokerInner>);

#[derive(Debug)]
struct BrokerInner {
    requests: Mutex<Requests>,
    record: RecordFile<AnswerLine>,
    clock: ServerClock,
    /// Words that take a second press.
    confirm_words: Vec<String>,
    shown: ShownRequests,
}

impl PermissionBroker {
    /// A broker without requests. `hub` gets the open requests after each change.
    pub(crate) fn new(settings: &Settings, hub: ValueSink<Vec<OpenPermission>>) -> Self {
        Self(Arc::new(BrokerInner {
            requests: Mutex::default(),
            record: RecordFile::new(settings.home.clone(), HomeDir::ANSWER_RECORD),
            clock: settings.clock,
            confirm_words: settings.confirm_words.clone(),
            shown: ShownRequests::new(hub),
        }))
    }

    /// Waits for an answer to a hook's request, at most as long as the hook says. No decision means that the terminal
    /// asks. When the caller is dropped, because the hook has ended, the request is withdrawn. `pages`: number of live
    /// clients.
    ///
    /// # Errors
    /// When too many requests wait.
    pub(crate) async fn ask(
        &self,
        ask: PermissionAsk,
        events: &AgentEvents,
        pages: impl Fn() -> u64,
    ) -> Result<PermissionVerdict, AskRefused> {
        let wait = Duration::from_secs(ask.wait_seconds.into());
        let start = Instant::now();
        let mut reading = events.reading();
        let serial = ask.serial;
        let (id, mut verdict) = self.open(ask, events)?;
        let guard = WithdrawGuard { broker: self, id: &id };
        let (deadline, unwatched) = (start + wait, start + UNWATCHED_WAIT.min(wait));
        let mut checks_pages = serial;
        loop {
            tokio::select! {
                answered = &mut verdict => return Ok(answered.unwrap_or_default()),
                () = sleep_until(unwatched), if checks_pages => {
                    checks_pages = false;
                    if pages() == 0 && !self.requests().is_opened(&id) && self.end(&id, PermissionState::Expired) {
                        break;
                    }
                }
                () = sleep_until(deadline) => {
                    if self.end(&id, PermissionState::Expired) {
                        break;
                    }
                    // An answer is being recorded.
                    let late = timeout(RECORD_TIMEOUT, &mut verdict).await;
                    return Ok(late.ok().and_then(Result::ok).unwrap_or_default());
                }
                changed = reading.changed() => match changed {
                    Ok(()) => self.settle(events),
                    // The monitor is shutting down.
                    Err(_) => break,
                }
            }
        }
        drop(guard);
        Ok(PermissionVerdict::default())
    }

    fn open(
        &self,
        ask: PermissionAsk,
        events: &AgentEvents,
    ) -> Result<(String, oneshot::Receiver<PermissionVerdict>), AskRefused> {
        let (sender, receiver) = oneshot::channel();
        let asker = Asker { session: ask.session, native: ask.native_agent };
        let subject = find_subject(events, &ask.key, &asker).unwrap_or_else(|| AskingAgent {
            // Its event is not known, so the request is on no line of the work list, only in the list of requests.
            agent: AgentId::from(folded(asker.native.as_deref().unwrap_or(&asker.session))),
            terminal: String::new(),
        });
        let now = self.0.clock.now_ms();
        let id = random_hex::<12>();
        let summary = PermissionSummary {
            id: id.clone(),
            channel: PermissionChannel::Hook,
            agent: subject.agent,
            session_id: None,
            event_id: None,
            tool: ask.call.tool.clone(),
            asked_at: now,
            expires_at: now.saturating_add(i64::from(ask.wait_seconds) * 1_000),
            serial: ask.serial,
            state: PermissionState::Open,
            answer: None,
        };
        let request = WaitingRequest {
            summary,
            digest: ask.call.digest(),
            dangers: tool_dangers(&ask.call, &self.0.confirm_words),
            bytes: ask.call.input.to_string().len(),
            call: ask.call,
            first_words: ask.first_words,
            last_words: ask.last_words,
            key: ask.key,
            asker,
            terminal: subject.terminal,
            answering: false,
            opened: false,
            verdict: sender,
        };
        let revision = events.board().revision();
        self.change(|requests| {
            if requests.open().is_empty() {
                requests.scanned = revision;
            }
            requests.add(request).map_err(|_| AskRefused::Full)
        })?;
        Ok((id, receiver))
    }

    /// Gives an answer: recorded on the disk, then handed to the hook. The first answer wins.
    ///
    /// # Errors
    /// When it is refused or cannot be recorded; the hook got nothing.
    pub(crate) async fn answer(&self, request: AnswerRequest) -> Result<PermissionSummary, AnswerError> {
        let line = {
            let mut requests = self.requests();
            let open = requests.claim(&request.id, &request.answer)?;
            AnswerLine {
                at: self.0.clock.now_iso(),
                what: AnswerLineKind::Answer,
                id: request.id.clone(),
                channel: PermissionChannel::Hook,
                agent: open.summary.agent.to_string(),
                session: open.asker.session.clone(),
                tool: open.summary.tool.clone(),
                digest: open.digest.clone(),
                decision: request.answer.decision,
                by: request.by.clone(),
                reason: request.answer.reason.clone(),
                confirmed: request.answer.confirmed,
                request_id: request.request_id.clone(),
                state: None,
                cause: None,
            }
        };
        // In a task of its own: a person who closes the page after the press has answered all the same.
        let broker = self.clone();
        let given = tokio::spawn(async move { broker.record_and_deliver(request, line).await });
        given.await.map_err(io::Error::other).map_err(AnswerError::NotRecorded)?
    }

    async fn record_and_deliver(
        self,
        request: AnswerRequest,
        line: AnswerLine,
    ) -> Result<PermissionSummary, AnswerError> {
        if let Err(error) = self.append(line.clone()).await {
            self.change(|requests| requests.release(&request.id));
            return Err(AnswerError::NotRecorded(error));
        }
        let answer = GivenAnswer {
            decision: request.answer.decision,
            at: self.0.clock.now_ms(),
            by: request.by,
            reason: request.answer.reason,
        };
        let ended = self.change(|requests| requests.deliver(&request.id, answer)).ok_or(AnswerRefused::NotFound)?;
        tracing::info!(
            id = request.request_id,
            agent = line.agent,
            tool = line.tool,
            decision = ?line.decision,
            state = ?ended.state,
            "a permission request was answered"
        );
        let outcome = AnswerLine {
            at: self.0.clock.now_iso(),
            what: AnswerLineKind::Outcome,
            reason: None,
            state: Some(ended.state),
            ..line
        };
        if let Err(error) = self.append(outcome).await {
            tracing::error!(%error, "the outcome of an answer could not be recorded");
        }
        Ok(ended)
    }

    async fn append(&self, line: AnswerLine) -> io::Result<()> {
        let inner = Arc::clone(&self.0);
        spawn_blocking(move || inner.record.append(&line)).await.map_err(io::Error::other)?
    }

    /// All requests, without what their tools would do.
    pub(crate) fn list(&self) -> PermissionRequests {
        let requests = self.requests();
        PermissionRequests {
            open: requests.open().iter().map(|open| open.summary.clone()).collect(),
            ended: requests.ended().map(|ended| ended.summary.clone()).collect(),
        }
    }

    /// One request.
    pub(crate) fn find(&self, id: &str) -> Option<KnownRequest> {
        let requests = self.requests();
        let words = |first: &Option<String>, last: &Option<String>| PermissionStory {
            first_words: first.clone(),
            last_words: last.clone().filter(|last| Some(last) != first.as_ref()),
            ..PermissionStory::default()
        };
        if let Some(open) = requests.find(id) {
            return Some(KnownRequest {
                summary: open.summary.clone(),
                call: Some((open.call.clone(), open.digest.clone())),
                dangers: open.dangers.clone(),
                key: open.key.clone(),
                story: words(&open.first_words, &open.last_words),
            });
        }
        let ended = requests.ended().find(|ended| ended.summary.id == id)?;
        Some(KnownRequest {
            summary: ended.summary.clone(),
            call: None,
            dangers: Vec::new(),
            key: ended.key.clone(),
            story: words(&ended.first_words, &ended.last_words),
        })
    }

    /// Notes that somebody looks at a request over the fleet.
    pub(crate) fn note_opened(&self, id: &str) {
        self.requests().note_opened(id);
    }

    /// Number of requests that wait, and of ended ones by how they ended.
    pub(crate) fn counts(&self) -> (u64, Vec<(&'static str, u64)>) {
        let requests = self.requests();
        let ended = requests.counts().iter().map(|(outcome, count)| (*outcome, *count)).collect();
        (requests.open().len() as u64, ended)
    }

    /// Ends requests that newer events show to be over: answered at the terminal, or their agent stopped.
    fn settle(&self, events: &AgentEvents) {
        // Every waiting hook looks; the first one has read the events for all.
        if self.requests().scanned == events.board().revision() {
            return;
        }
        self.change(|requests| {
            let board = events.board();
            let texts = board.texts_since(requests.scanned);
            requests.scanned = board.revision();
            for sign in texts.iter().filter_map(|text| sign_of(text)) {
                match sign {
                    AgentSign::CallEnded(end) => requests.call_ended(&end),
                    AgentSign::Stopped(asker) => requests.agent_stopped(&asker),
                }
            }
        });
    }

    /// Ends a request without an answer. False while an answer is being recorded.
    fn end(&self, id: &str, state: PermissionState) -> bool {
        self.change(|requests| requests.end(id, state))
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.0.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open requests as they are shown.
    pub(crate) fn shown(&self) -> &ShownRequests {
        &self.0.shown
    }

    /// Changes the requests and passes the open ones to the hub, in the order of the changes.
    fn change<T>(&self, change: impl FnOnce(&mut Requests) -> T) -> T {
        let mut requests = self.requests();
        let ids = |requests: &Requests| requests.open().iter().map(|open| open.summary.id.clone()).collect::<Vec<_>>();
        let before = ids(&requests);
        let result = change(&mut requests);
        if before != ids(&requests) {
            let open = requests.open().iter().map(|open| OpenPermission {
                agent: open.summary.agent.clone(),
                terminal: open.terminal.clone(),
                request: PermissionRef { id: open.summary.id.clone(), expires_at: open.summary.expires_at },
            });
            self.0.shown.show(open.collect());
        }
        result
    }
}

/// Withdraws a request when the hook's connection ends before an answer.
struct WithdrawGuard<'a> {
    broker: &'a PermissionBroker,
    id: &'a str,
}

impl Drop for WithdrawGuard<'_> {
    fn drop(&mut self) {
        self.broker.end(self.id, PermissionState::Withdrawn);
    }
}

/// The agent of a request: by its own event, else by the newest event of the same agent of the program. A request that
/// repeats a wait makes no event of its own.
fn find_subject(events: &AgentEvents, key: &str, asker: &Asker) -> Option<AskingAgent> {
    let board = events.board();
    board
        .text_of(key)
        .and_then(|text| subject_of(&text, asker))
        .or_else(|| board.newest_texts(MAX_SEARCHED_EVENTS).find_map(|text| subject_of(text, asker)))
}
