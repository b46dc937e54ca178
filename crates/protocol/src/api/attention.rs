//! Type `Attention`: an item of the work list in `GET /api/v2/home`, such as a blocked task, an unanswered message or
//! a permission wait. The item has its evidence and names who can settle it.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{ApprovalRequest, FallbackBand, PermissionRef};
use crate::delivery::ReasonClass;
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

/// One matter that waits; always names its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Attention {
    /// Why it waits.
    pub kind: AttentionKind,
    /// True when concluded rather than written in a file (shown as 추정).
    pub inferred: bool,
    /// Since when it waits, epoch ms.
    pub since: i64,
    /// The agent that waits or is stuck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The other agent: who did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<AgentId>,
    /// Who can unblock the task: the same agents in the same order as on its own page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unblockers: Vec<AgentId>,
    /// Title of the session or task concerned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Detail text as written by the agent (block reason, first words of the message).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Attempts made, e.g. unblock requests n of 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// What would settle it, as written by the agent (`Unblocked Action` of the task file).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Of a send: why it was refused or got no reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonClass>,
    /// Sends of the same words between the same two that ended alike, this one (the newest) among them.
    #[serde(default = "one")]
    pub times: u32,
    /// Of a task or plan: requests of its agent in the same session that got no reply or were refused. They are the same
    /// matter and have no line of their own.
    #[serde(default)]
    pub messages: u32,
    /// Other agents that wait for [`Attention::agent`], directly or through others.
    #[serde(default)]
    pub held_up: u32,
    /// Of these, the ones that go on once a person has settled the line: they wait for nobody else. 0 for lines that no
    /// person has to settle.
    #[serde(default)]
    pub freed: u32,
    /// Of those held up, the ones that wait for it directly: at most [`Attention::MAX_WAITERS`], the longest wait first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiters: Vec<AgentId>,
    /// Of [`AttentionKind::Deadlock`]: the agents of a cycle, [`Attention::agent`] first. Each waits for the next, the last
    /// for the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<AgentId>,
    /// Event type or file that proves it (`task.blocked`, `a2a.response`, `plans/…json`); empty when it is a rule's
    /// guess, which has neither.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// The session to open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Where to go inside the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The message or event to open at: of a send the send itself, of anything else the event that proves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The task concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Requests that a page of the monitor can answer, oldest first: of [`AttentionKind::Permission`] those whose hooks
    /// wait, of [`AttentionKind::ToolApproval`] the request where the gateway is configured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<PermissionRef>,
    /// Of [`AttentionKind::FallbackDrift`]: the shares that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<FallbackBand>,
    /// Of [`AttentionKind::ToolApproval`]: the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Box<ApprovalRequest>>,
    /// Key of the OpenClaw session that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// When it ends by itself, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

fn one() -> u32 {
    1
}

impl Attention {
    /// Maximum number of waiters that a line names.
    pub const MAX_WAITERS: usize = 3;

    /// What it is about: the same for every event that proves it.
    #[must_use]
    pub fn subject_key(&self) -> String {
        let part = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let parts = [
            format!("{:?}", self.kind),
            part(self.agent.as_ref().map(AgentId::as_str)),
            part(self.other.as_ref().map(AgentId::as_str)),
            part(self.session_id.as_ref().map(SessionId::as_str)),
            part(self.thread_id.as_ref().map(ThreadId::as_str)),
            part(self.task_id.as_ref().map(TaskId::as_str)),
        ];
        let of_openclaw = [self.session_key.as_deref(), self.approval.as_ref().map(|approval| approval.id.as_str())];
        let parts = parts.into_iter().chain(of_openclaw.into_iter().flatten().map(str::to_owned));
        parts.collect::<Vec<_>>().join("\t")
    }

    /// What proves it: its event, or the file and since when the file says so.
    #[must_use]
    pub fn proof_key(&self) -> String {
        match &self.event_id {
            Some(event) => event.to_string(),
            // A statement says when it ends, and not when it was made.
            None => format!("{} {}", self.evidence, self.until.filter(|_| self.since == 0).unwrap_or(self.since)),
        }
    }

    /// Key of the line in a list: what it is about, and what proves it.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}\t{}", self.subject_key(), self.proof_key())
    }

    /// Key of the matter for alerts: it stays the same while newer events prove the same matter.
    #[must_use]
    pub fn alert_key(&self) -> String {
        match self.kind {
            // At a terminal a new wait may be about the same task.
            AttentionKind::Permission | AttentionKind::Question | AttentionKind::AgentFailed => {
                format!("{}\t{}", self.subject_key(), self.since)
            }
            // An agent may have several plans without a task.
            AttentionKind::Approval if self.task_id.is_none() => self.key(),
            _ => self.subject_key(),
        }
    }

    /// Who can settle it.
    #[must_use]
    pub fn group(&self) -> AttentionGroup {
        match self.kind {
            AttentionKind::Permission
            | AttentionKind::Question
            | AttentionKind::Approval
            | AttentionKind::UnblockFailed
            | AttentionKind::AgentFailed
            | AttentionKind::ToolApproval
            | AttentionKind::AgentRequest
            | AttentionKind::Deadlock => AttentionGroup::Person,
            // It names nobody who could help.
            AttentionKind::TaskBlocked if self.unblockers.is_empty() => AttentionGroup::Person,
            // A setting forbids it, or a bill is open.
            AttentionKind::Blocked if self.reason == Some(ReasonClass::Policy) => AttentionGroup::Person,
            AttentionKind::Backoff if self.detail == "billing" => AttentionGroup::Person,
            AttentionKind::LowConfidence | AttentionKind::FallbackDrift => AttentionGroup::Check,
            AttentionKind::TaskBlocked
            | AttentionKind::Blocked
            | AttentionKind::NoReply
            | AttentionKind::Backoff
            | AttentionKind::Zombie
            | AttentionKind::Unknown => AttentionGroup::Agents,
        }
    }
}

impl AttentionKind {
    /// All kinds of matters that this build knows, without the guesses and figures of the classifier.
    pub const MATTERS: [Self; 13] = [
        Self::TaskBlocked,
        Self::Blocked,
        Self::NoReply,
        Self::Approval,
        Self::Zombie,
        Self::UnblockFailed,
        Self::Backoff,
        Self::Permission,
        Self::Question,
        Self::AgentFailed,
        Self::Deadlock,
        Self::ToolApproval,
        Self::AgentRequest,
    ];
}

/// Who can settle a matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AttentionGroup {
    /// Only a person: permissions, questions, approvals, requests of agents, settings, deadlocks, and tasks for which no
    /// agent can do more.
    Person,
    /// Other agents: one waits for another.
    Agents,
    /// Nobody is held up: the classifier asks for a look.
    Check,
}

/// Kinds of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AttentionKind {
    /// A task is blocked.
    TaskBlocked,
    /// A send was refused.
    Blocked,
    /// A send got no reply.
    NoReply,
    /// A plan or task waits for approval.
    Approval,
    /// The category is a guess (fallback).
    LowConfidence,
    /// A task was given up by the zombie detector.
    Zombie,
    /// A blocked task for which every helper was asked in vain.
    UnblockFailed,
    /// An agent's prompts fail and are put off again and again.
    Backoff,
    /// Sessions without evidence for a category are more or less frequent than before.
    FallbackDrift,
    /// A coding agent waits at its terminal for the permission to use a tool.
    Permission,
    /// A coding agent waits at its terminal for an answer.
    Question,
    /// A coding agent was stopped by an error.
    AgentFailed,
    /// Agents wait for each other in a cycle.
    Deadlock,
    /// OpenClaw waits for the approval of a command or tool.
    ToolApproval,
    /// An agent of OpenClaw asks for attention itself, in its own words.
    AgentRequest,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

impl AttentionGroup {
    /// All groups, the most urgent first.
    pub const ALL: [Self; 3] = [Self::Person, Self::Agents, Self::Check];

    /// Word of the group, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agents => "agents",
            Self::Check => "check",
        }
    }
}

impl FromStr for AttentionGroup {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|group| group.as_str() == word).ok_or(())
    }
}

impl AttentionKind {
    /// Word of the kind, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TaskBlocked => "taskBlocked",
            Self::Blocked => "blocked",
            Self::NoReply => "noReply",
            Self::Approval => "approval",
            Self::LowConfidence => "lowConfidence",
            Self::Zombie => "zombie",
            Self::UnblockFailed => "unblockFailed",
            Self::Backoff => "backoff",
            Self::FallbackDrift => "fallbackDrift",
            Self::Permission => "permission",
            Self::Question => "question",
            Self::AgentFailed => "agentFailed",
            Self::Deadlock => "deadlock",
            Self::ToolApproval => "toolApproval",
            Self::AgentRequest => "agentRequest",
            Self::Unknown => "unknown",
        }
    }
}

impl FromStr for AttentionKind {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        Self::MATTERS.into_iter().find(|kind| kind.as_str() == word).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_kinds_and_groups_are_those_of_json() {
        for kind in AttentionKind::MATTERS {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        for group in AttentionGroup::ALL {
            assert_eq!(serde_json::to_value(group).unwrap(), group.as_str());
        }
    }
}
