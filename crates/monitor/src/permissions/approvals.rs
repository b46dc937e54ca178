//! Broker of approvals that wait in OpenClaw's gateway: a person answers on a page, and the answer goes to the gateway
//! once. The approvals themselves are in OpenClaw's database; here is only what was shown and answered since the start.
//!
//! Nothing is queued, retried or sent later. The gateway compares nothing, so the client reads the approval again and
//! sends the decision only for exactly what was shown.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coordination::api::{
    GivenAnswer, PermissionAnswer, PermissionChannel, PermissionDecision, PermissionState, PermissionStory,
    PermissionSummary, RequestedCall,
};
use coordination::gateway_approval::{ApprovalAnswer, ApprovalOutcome};
use coordination::ids::AgentId;
use coordination::store::PendingApproval;
use coordination::tool_dangers::tool_dangers;
use tokio::task::spawn_blocking;

use super::record::{AnswerLine, AnswerLineKind};
use super::{AnswerError, AnswerRefused, AnswerRequest, KnownRequest};
use crate::clock::ServerClock;
use crate::config::{Gateway, Settings};
use crate::gateway::answer_approval;
use crate::home::{HomeDir, RecordFile};

/// Approvals that are remembered.
const MAX_SHOWN: usize = 100;

/// Outcomes of answers, for metrics.
const OUTCOME_WORDS: [&str; 5] = ["taken", "ended", "uncertain", "not_taken", "other_call"];

/// Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ApprovalBroker(Arc<ApprovalBrokerInner>);

#[derive(Debug)]
struct ApprovalBrokerInner {
    gateway: Option<Gateway>,
    approvals: Mutex<ShownApprovals>,
    /// Number of answers by what became of them at the gateway.
    outcomes: Mutex<BTreeMap<&'static str, u64>>,
    record: RecordFile<AnswerLine>,
    clock: ServerClock,
    /// Words that take a second press.
    confirm_words: Vec<String>,
}

/// Approvals that were shown or answered, the newest first: at most [`MAX_SHOWN`], and those that are being answered.
#[derive(Debug, Default)]
struct ShownApprovals(VecDeque<ShownApproval>);

#[derive(Debug)]
struct ShownApproval {
    summary: PermissionSummary,
    /// All of what it asks for.
    call: RequestedCall,
    /// The gateway's own page.
    url: Option<String>,
    /// An answer is on its way.
    answering: bool,
}

impl ApprovalBroker {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self(Arc::new(ApprovalBrokerInner {
            gateway: settings.gateway.clone(),
            approvals: Mutex::default(),
            outcomes: Mutex::default(),
            record: RecordFile::new(settings.home.clone(), HomeDir::ANSWER_RECORD),
            clock: settings.clock,
            confirm_words: settings.confirm_words.clone(),
        }))
    }

    /// An approval with the gateway's page of it. `pending`: as OpenClaw's database has it. Without that, it is known if it
    /// was shown before.
    pub(crate) fn find(&self, id: &str, pending: Option<&PendingApproval>) -> Option<(KnownRequest, Option<String>)> {
        let now = self.0.clock.now_ms();
        let mut approvals = self.approvals();
        let approval = match pending.and_then(ShownApproval::new) {
            Some(approval) => approvals.show(approval),
            None => approvals.find(id)?,
        };
        let mut summary = approval.summary.clone();
        if summary.state == PermissionState::Open && !approval.answering {
            // It ended without us.
            if now >= summary.expires_at {
                summary.state = PermissionState::Expired;
            } else if pending.is_none() {
                summary.state = PermissionState::Elsewhere;
            }
        }
        let call = (summary.state == PermissionState::Open).then(|| approval.call.clone());
        let known = KnownRequest {
            summary,
            dangers: call.as_ref().map_or_else(Vec::new, |call| tool_dangers(call, &self.0.confirm_words)),
            call: call.map(|call| {
                let digest = call.digest();
                (call, digest)
            }),
            key: String::new(),
            story: PermissionStory::default(),
        };
        Some((known, approval.url.clone()))
    }

    /// Gives an answer: recorded on the disk, then sent to the gateway, once. The first answer wins.
    ///
    /// # Errors
    /// When it is refused, cannot be recorded, or the gateway did not take it; nothing changed.
    pub(crate) async fn answer(
        &self,
        pending: PendingApproval,
        request: AnswerRequest,
    ) -> Result<PermissionSummary, AnswerError> {
        let shown = ShownApproval::new(&pending).ok_or(AnswerRefused::NotFound)?;
        let gateway = self.0.gateway.clone().ok_or(AnswerRefused::NotFound)?;
        let call = shown.call.clone();
        let is_dangerous = !tool_dangers(&call, &self.0.confirm_words).is_empty();
        let digest = call.digest();
        let line = AnswerLine {
            at: self.0.clock.now_iso(),
            what: AnswerLineKind::Answer,
            id: request.id.clone(),
            channel: PermissionChannel::OpenClaw,
            agent: shown.summary.agent.to_string(),
            session: pending.session_key.clone().unwrap_or_default(),
            tool: call.tool.clone(),
            digest: digest.clone(),
            decision: request.answer.decision,
            by: request.by.clone(),
            reason: None,
            confirmed: request.answer.confirmed,
            request_id: request.request_id.clone(),
            state: None,
            cause: None,
        };
        let answer = ApprovalAnswer {
            id: request.id.clone(),
            kind: pending.request.kind,
            call,
            expires_at: pending.expires_at,
            allow: request.answer.decision == PermissionDecision::Allow,
        };
        let now = self.0.clock.now_ms();
        self.approvals().claim(shown, &request.answer, (&digest, is_dangerous), now)?;
        // In a task of its own: a person who closes the page after the press has answered all the same.
        let broker = self.clone();
        let given = tokio::spawn(async move { broker.record_and_send(&gateway, &answer, line).await });
        given.await.map_err(io::Error::other).map_err(AnswerError::NotRecorded)?
    }

    async fn record_and_send(
        self,
        gateway: &Gateway,
        answer: &ApprovalAnswer,
        line: AnswerLine,
    ) -> Result<PermissionSummary, AnswerError> {
        if let Err(error) = self.append(line.clone()).await {
            self.approvals().settle(&answer.id, None, None);
            return Err(AnswerError::NotRecorded(error));
        }
        let outcome = answer_approval(gateway, answer).await;
        *self.outcomes().entry(outcome_word(&outcome)).or_default() += 1;
        let given =
            GivenAnswer { decision: line.decision, at: self.0.clock.now_ms(), by: line.by.clone(), reason: None };
        let (state, given, cause) = match &outcome {
            ApprovalOutcome::Taken => (Some(PermissionState::Answered), Some(given), None),
            ApprovalOutcome::Ended(state) => (Some(*state), None, None),
            ApprovalOutcome::Unknown(cause) => (Some(PermissionState::Uncertain), Some(given), Some(cause.clone())),
            ApprovalOutcome::NotTaken(cause) => (None, None, Some(cause.clone())),
            ApprovalOutcome::OtherCall => (None, None, Some(AnswerRefused::OtherCall.to_string())),
        };
        let summary = self.approvals().settle(&answer.id, state, given);
        tracing::info!(
            id = line.request_id,
            agent = line.agent,
            tool = line.tool,
            decision = ?line.decision,
            ?outcome,
            "an approval of OpenClaw was answered"
        );
        let outcome_line = AnswerLine {
            at: self.0.clock.now_iso(),
            what: AnswerLineKind::Outcome,
            state: Some(state.unwrap_or(PermissionState::Open)),
            cause,
            ..line
        };
        if let Err(error) = self.append(outcome_line).await {
            tracing::error!(%error, "the outcome of an answer could not be recorded");
        }
        match outcome {
            ApprovalOutcome::NotTaken(cause) => Err(AnswerError::NotTaken(cause)),
            ApprovalOutcome::OtherCall => Err(AnswerRefused::OtherCall.into()),
            _ => summary.ok_or_else(|| AnswerRefused::NotFound.into()),
        }
    }

    async fn append(&self, line: AnswerLine) -> io::Result<()> {
        let inner = Arc::clone(&self.0);
        spawn_blocking(move || inner.record.append(&line)).await.map_err(io::Error::other)?
    }

    /// Number of answers by what became of them at the gateway.
    pub(crate) fn counts(&self) -> Vec<(&'static str, u64)> {
        let outcomes = self.outcomes();
        let count = |outcome: &'static str| (outcome, outcomes.get(outcome).copied().unwrap_or_default());
        OUTCOME_WORDS.map(count).to_vec()
    }

    fn outcomes(&self) -> MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.0.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn approvals(&self) -> MutexGuard<'_, ShownApprovals> {
        self.0.approvals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn outcome_word(outcome: &ApprovalOutcome) -> &'static str {
    match outcome {
        ApprovalOutcome::Taken => "taken",
        ApprovalOutcome::Ended(_) => "ended",
        ApprovalOutcome::Unknown(_) => "uncertain",
        ApprovalOutcome::NotTaken(_) => "not_taken",
        ApprovalOutcome::OtherCall => "other_call",
    }
}

impl ShownApprovals {
    fn find(&mut self, id: &str) -> Option<&mut ShownApproval> {
        self.0.iter_mut().find(|shown| shown.summary.id == id)
    }

    /// Remembers an approval as it is now, unless it was answered or is being answered.
    fn show(&mut self, approval: ShownApproval) -> &mut ShownApproval {
        if let Some(at) = self.0.iter().position(|shown| shown.summary.id == approval.summary.id) {
            let known = &mut self.0[at];
            if known.summary.state == PermissionState::Open && !known.answering {
                *known = approval;
            }
            return &mut self.0[at];
        }
        if self.0.len() >= MAX_SHOWN
            && let Some(oldest) = self.0.iter().rposition(|shown| !shown.answering)
        {
            self.0.remove(oldest);
        }
        self.0.push_front(approval);
        &mut self.0[0]
    }

    /// Checks an answer and reserves the approval for it, so that the first answer wins. `own`: its digest, and whether it
    /// takes a second press.
    fn claim(
        &mut self,
        approval: ShownApproval,
        answer: &PermissionAnswer,
        (digest, is_dangerous): (&str, bool),
        now: i64,
    ) -> Result<(), AnswerRefused> {
        let approval = self.show(approval);
        if approval.answering {
            return Err(AnswerRefused::BeingAnswered);
        }
        if approval.summary.state != PermissionState::Open || now >= approval.summary.expires_at {
            return Err(AnswerRefused::Ended);
        }
        if answer.digest != digest {
            return Err(AnswerRefused::OtherCall);
        }
        match answer.decision {
            PermissionDecision::Terminal => return Err(AnswerRefused::NoTerminal),
            PermissionDecision::Allow if is_dangerous && !answer.confirmed => return Err(AnswerRefused::Unconfirmed),
            PermissionDecision::Allow | PermissionDecision::Deny => {}
        }
        if answer.reason.is_some() {
            return Err(AnswerRefused::NoReason);
        }
        approval.answering = true;
        Ok(())
    }

    /// Ends a reserved approval, or gives it back where nothing changed.
    fn settle(
        &mut self,
        id: &str,
        state: Option<PermissionState>,
        answer: Option<GivenAnswer>,
    ) -> Option<PermissionSummary> {
        let approval = self.find(id)?;
        approval.answering = false;
        if let Some(state) = state {
            approval.summary = PermissionSummary { state, answer, ..approval.summary.clone() };
        }
        Some(approval.summary.clone())
    }
}

impl ShownApproval {
    /// An approval as a request that waits. None when a page cannot answer it.
    fn new(pending: &PendingApproval) -> Option<Self> {
        let call = pending.call.as_deref()?.clone();
        let agent: AgentId = pending.agent_id.clone()?;
        let summary = PermissionSummary {
            id: pending.request.id.clone(),
            channel: PermissionChannel::OpenClaw,
            agent,
            session_id: None,
            event_id: None,
            tool: call.tool.clone(),
            asked_at: pending.created_at,
            expires_at: pending.expires_at,
            serial: false,
            state: PermissionState::Open,
            answer: None,
        };
        Some(Self { summary, call, url: pending.request.url.clone(), answering: false })
    }
}
