//! State machine of permission requests, without IO: which wait, which are being answered, and how the others ended.
//! Each request ends once; the first of page, terminal, time limit and end of its hook decides.

use std::collections::{BTreeMap, VecDeque};

use coordination::api::{
    Danger, GivenAnswer, PermissionAnswer, PermissionDecision, PermissionState, PermissionSummary, PermissionVerdict,
    RequestedCall,
};
use tokio::sync::oneshot;

use super::agent_event::CallEnd;

/// Requests that wait at once.
const MAX_OPEN: usize = 512;
/// Bytes of their inputs together.
const MAX_OPEN_BYTES: usize = 64 << 20;
/// Ended requests that are still known.
const MAX_ENDED: usize = 100;
/// Allowed calls whose end is awaited.
const MAX_ALLOWED: usize = 100;

/// A request that waits.
#[derive(Debug)]
pub(super) struct WaitingRequest {
    pub(super) summary: PermissionSummary,
    pub(super) call: RequestedCall,
    pub(super) digest: String,
    pub(super) dangers: Vec<Danger>,
    pub(super) first_words: Option<String>,
    pub(super) last_words: Option<String>,
    /// Key of the hook's event.
    pub(super) key: String,
    /// The asking agent, as its program names it.
    pub(super) asker: Asker,
    /// Its terminal, as hooks name it.
    pub(super) terminal: String,
    /// Bytes of its input as JSON.
    pub(super) bytes: usize,
    /// An answer is being recorded: nothing else ends the request meanwhile.
    pub(super) answering: bool,
    /// Somebody looked at it over the fleet, whose pages are not counted here.
    pub(super) opened: bool,
    /// Where its hook waits. Dropped without a verdict, the terminal asks.
    pub(super) verdict: oneshot::Sender<PermissionVerdict>,
}

/// An agent of a coding program: the session, and the program's own id of a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asker {
    pub(super) session: String,
    pub(super) native: Option<String>,
}

/// A request that ended, and what is still shown of it.
#[derive(Debug, Clone)]
pub(super) struct EndedRequest {
    pub(super) summary: PermissionSummary,
    pub(super) key: String,
    pub(super) first_words: Option<String>,
    pub(super) last_words: Option<String>,
}

/// Why an answer is refused. Nothing was handed to the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerRefused {
    /// No request has this id, or it ended long ago.
    #[error("There is no such permission request")]
    NotFound,
    /// It has ended.
    #[error("The permission request has ended; nothing was sent to the agent")]
    Ended,
    /// Another person answers at this moment.
    #[error("Somebody else is answering this permission request")]
    BeingAnswered,
    /// What was shown is not what would run.
    #[error("The permission request is not the one that was shown; nothing was sent to the agent")]
    OtherCall,
    /// The call takes a second press.
    #[error("confirmed must be true: the call is hard to undo")]
    Unconfirmed,
    /// Only a hook has a terminal behind it.
    #[error("decision must be allow or deny: OpenClaw has no terminal")]
    NoTerminal,
    /// OpenClaw's gateway takes no reason.
    #[error("reason must be absent: OpenClaw takes none")]
    NoReason,
}

/// The reason why no further request is taken: too many wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

/// All requests of this run.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// Oldest first. Shrinks when a request ends.
    open: Vec<WaitingRequest>,
    /// Newest first, at most [`MAX_ENDED`].
    ended: VecDeque<EndedRequest>,
    /// Calls that a page allowed, whose end is not known yet; at most [`MAX_ALLOWED`].
    allowed: VecDeque<(Asker, String)>,
    /// Number of ended requests by how they ended.
    counts: BTreeMap<&'static str, u64>,
    /// Revision of the agents' events up to which ends of calls were looked at.
    pub(super) scanned: u64,
}

impl Requests {
    /// Takes a request in.
    pub(super) fn add(&mut self, request: WaitingRequest) -> Result<(), Full> {
        let bytes: usize = self.open.iter().map(|open| open.bytes).sum();
        if self.open.len() >= MAX_OPEN || bytes.saturating_add(request.bytes) > MAX_OPEN_BYTES {
            return Err(Full);
        }
        self.open.push(request);
        Ok(())
    }

    /// Those that wait, oldest first.
    pub(super) fn open(&self) -> &[WaitingRequest] {
        &self.open
    }

    /// Those that ended, newest first.
    pub(super) fn ended(&self) -> impl Iterator<Item = &EndedRequest> {
        self.ended.iter()
    }

    /// A request that waits.
    pub(super) fn find(&self, id: &str) -> Option<&WaitingRequest> {
        self.open.iter().find(|open| open.summary.id == id)
    }

    /// Notes that somebody looks at it over the fleet.
    pub(super) fn note_opened(&mut self, id: &str) {
        self.open.iter_mut().filter(|open| open.summary.id == id).for_each(|open| open.opened = true);
    }

    /// Whether somebody did.
    pub(super) fn is_opened(&self, id: &str) -> bool {
        self.find(id).is_some_and(|open| open.opened)
    }

    /// Number of ended requests by how they ended.
    pub(super) fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    /// Ends a request without an answer, unless one is being recorded. True when it has ended, now or before.
    pub(super) fn end(&mut self, id: &str, state: PermissionState) -> bool {
        match self.open.iter().position(|open| open.summary.id == id) {
            Some(at) if self.open[at].answering => false,
            Some(at) => {
                self.finish(at, state, None);
                true
            }
            None => true,
        }
    }

    /// Checks an answer and reserves the request for it, so that the first answer wins.
    pub(super) fn claim(&mut self, id: &str, answer: &PermissionAnswer) -> Result<&WaitingRequest, AnswerRefused> {
        if self.ended.iter().any(|ended| ended.summary.id == id) {
            return Err(AnswerRefused::Ended);
        }
        let open = self.open.iter_mut().find(|open| open.summary.id == id).ok_or(AnswerRefused::NotFound)?;
        if open.answering {
            return Err(AnswerRefused::BeingAnswered);
        }
        // Its hook is gone, and the end is not noted yet.
        if open.verdict.is_closed() {
            return Err(AnswerRefused::Ended);
        }
        if open.digest != answer.digest {
            return Err(AnswerRefused::OtherCall);
        }
        if answer.decision == PermissionDecision::Allow && !open.dangers.is_empty() && !answer.confirmed {
            return Err(AnswerRefused::Unconfirmed);
        }
        open.answering = true;
        Ok(open)
    }

    /// Gives a reserved request back: its answer could not be recorded. It ends if its hook has ended meanwhile.
    pub(super) fn release(&mut self, id: &str) {
        let Some(at) = self.open.iter().position(|open| open.summary.id == id && open.answering) else { return };
        self.open[at].answering = false;
        if self.open[at].verdict.is_closed() {
            self.finish(at, PermissionState::Withdrawn, None);
        }
    }

    /// Hands a recorded answer to the hook. Returns how the request ended.
    pub(super) fn deliver(&mut self, id: &str, answer: GivenAnswer) -> Option<PermissionSummary> {
        let at = self.open.iter().position(|open| open.summary.id == id)?;
        self.finish(at, PermissionState::Answered, Some(answer));
        self.ended.front().map(|ended| ended.summary.clone())
    }

    /// Takes in that a call of a tool ended. A call that was allowed here is expected to end; otherwise the oldest
    /// request of the agent for that tool was answered at the terminal, unless the terminal does not ask yet.
    pub(super) fn call_ended(&mut self, end: &CallEnd) {
        let is_own = |(asker, tool): &(Asker, String)| *asker == end.asker && *tool == end.tool;
        if let Some(at) = self.allowed.iter().position(is_own) {
            self.allowed.remove(at);
            return;
        }
        let is_ended = |open: &WaitingRequest| {
            !open.answering
                // While its hook waits, nobody can answer it at the terminal: another call of the agent has ended.
                && !open.summary.serial
                && open.asker == end.asker
                && open.summary.tool == end.tool
                && open.summary.asked_at <= end.at
                && end.may_be(&open.call)
        };
        if let Some(at) = self.open.iter().position(is_ended) {
            self.finish(at, PermissionState::Terminal, None);
        }
    }

    /// Takes in that an agent stopped: it waits for nothing any more.
    pub(super) fn agent_stopped(&mut self, asker: &Asker) {
        while let Some(at) = self.open.iter().position(|open| open.asker == *asker && !open.answering) {
            self.finish(at, PermissionState::Withdrawn, None);
        }
    }

    fn finish(&mut self, at: usize, state: PermissionState, answer: Option<GivenAnswer>) {
        let open = self.open.remove(at);
        let decision = answer.as_ref().map(|answer| answer.decision);
        let verdict = answer.as_ref().map(|answer| PermissionVerdict {
            decision: Some(answer.decision).filter(|decision| *decision != PermissionDecision::Terminal),
            digest: open.digest.clone(),
            reason: answer.reason.clone(),
        });
        let delivered = verdict.is_none_or(|verdict| open.verdict.send(verdict).is_ok());
        let state = if delivered { state } else { PermissionState::NotDelivered };
        if decision == Some(PermissionDecision::Allow) && delivered {
            self.allowed.push_back((open.asker, open.summary.tool.clone()));
            if self.allowed.len() > MAX_ALLOWED {
                self.allowed.pop_front();
            }
        }
        *self.counts.entry(outcome(state, decision)).or_default() += 1;
        self.ended.push_front(EndedRequest {
            summary: PermissionSummary { state, answer, ..open.summary },
            key: open.key,
            first_words: open.first_words,
            last_words: open.last_words,
        });
        self.ended.truncate(MAX_ENDED);
    }
}

/// The word of a metric's label.
fn outcome(state: PermissionState, decision: Option<PermissionDecision>) -> &'static str {
    match (state, decision) {
        (PermissionState::Answered, Some(PermissionDecision::Allow)) => "allowed",
        (PermissionState::Answered, Some(PermissionDecision::Deny)) => "denied",
        (PermissionState::Answered, _) => "handed_over",
        (PermissionState::NotDelivered, _) => "not_delivered",
        (PermissionState::Expired, _) => "expired",
        (PermissionState::Withdrawn, _) => "withdrawn",
        (PermissionState::Terminal, _) => "terminal",
        // The last two are states of approvals of OpenClaw.
        (
            PermissionState::Open | PermissionState::Unknown | PermissionState::Elsewhere | PermissionState::Uncertain,
            _,
        ) => "unknown",
    }
}
