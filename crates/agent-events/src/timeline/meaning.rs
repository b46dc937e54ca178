//! Detection of schema events that report the same thing through different channels within five seconds, and choice of
//! the one to show (`contract/event-schema-v1_1.md` §A.4). A reported fact is preferred to a guess from a tool call
//! that has not run yet, and a guess to an event that the server itself generated.

use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{Kind, SchemaEvent, Source};

/// Within this time two events can say the same.
pub(super) const EQUIVALENCE_WINDOW_MS: i64 = 5_000;

/// How much an event is worth as evidence; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum EvidenceRank {
    /// Something that happened: a hook that reports it, or a program's own report.
    Fact,
    /// What a call was about to do, reported before it ran.
    Guess,
    /// What the server filled in.
    Filler,
}

/// Route by which an event came. Two events of one route are two events: repeats were dropped by their key.
///
/// What can repeat at once counts once per route, whichever hook reported it: an agent that waits, works and waits
/// again has waited twice. What happens once is one event, whichever hooks report it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct EvidenceSource {
    pub(super) rank: EvidenceRank,
    /// `raw.provider` of events that happen once; else empty.
    provider: String,
    /// `raw.event_name` of events that happen once; else empty.
    event_name: String,
}

/// A digest of what an event says.
pub(super) type MeaningDigest = [u8; 16];

/// The digest of what an event says, if several inputs may report it; otherwise none.
pub(super) fn meaning(event: &SchemaEvent) -> Option<MeaningDigest> {
    let parts = parts(event)?;
    let mut hasher = Sha256::new();
    for part in &parts {
        // With its length before it, no part can pass for the end of another.
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().first_chunk().copied()
}

fn parts(event: &SchemaEvent) -> Option<Vec<String>> {
    let mut fields =
        vec![event.kind.as_str().to_owned(), event.workspace_id.clone(), event.terminal_session_id.clone()];
    let mut add = |part: Option<&str>| fields.push(part.unwrap_or_default().to_owned());
    match &event.kind {
        Kind::AgentStarted | Kind::AgentStopped | Kind::AgentUnblocked => add(Some(&event.agent_id)),
        Kind::AgentBlocked => {
            add(Some(&event.agent_id));
            add(event.text("state"));
            add(event.text("reason"));
        }
        Kind::ManagerAssign | Kind::AgentAcknowledged => {
            add(Some(&event.agent_id));
            add(event.target_agent_id.as_deref());
            add(event.task_id.as_deref());
        }
        // Whichever agent reports it, a task is created, begun and ended once; teams have their own numbers.
        Kind::TaskCreated | Kind::TaskStarted | Kind::TaskCompleted | Kind::TaskFailed => {
            add(event.agent_id.split('/').next());
            add(event.task_id.as_deref());
        }
        Kind::MeetingRequested | Kind::MeetingStarted | Kind::MeetingEnded => {
            add(Some(&event.agent_id));
            add(event.target_agent_id.as_deref());
            add(event.payload.get("participants").map(Value::to_string).as_deref());
        }
        // The same tool is called again and again; only the id of a call identifies it.
        Kind::ToolStarted | Kind::ToolSucceeded | Kind::ToolFailed => add(Some(event.text("tool_use_id")?)),
        // Progress differs each time, and for other types equality is unknown.
        Kind::TaskProgress | Kind::Heartbeat | Kind::SchemaError | Kind::Other(_) => return None,
    }
    Some(fields)
}

/// The route by which an event came.
pub(super) fn evidence_source(event: &SchemaEvent) -> EvidenceSource {
    let raw = |name: &str| event.raw.as_ref().and_then(|raw| raw.get(name)).and_then(Value::as_str).unwrap_or_default();
    let event_name = raw("event_name");
    let of_tool = event.kind.is_tool();
    let rank = match &event.source {
        Source::Synthetic => EvidenceRank::Filler,
        // That a tool is called is a fact; what the call will bring about is not.
        Source::Hook if event_name == "PreToolUse" && !of_tool => EvidenceRank::Guess,
        _ => EvidenceRank::Fact,
    };
    let once = of_tool || matches!(event.kind, Kind::TaskCreated | Kind::TaskCompleted | Kind::TaskFailed);
    let name = |name: &str| if once { name.to_owned() } else { String::new() };
    EvidenceSource { rank, provider: name(raw("provider")), event_name: name(event_name) }
}

/// One of the events that say the same.
#[derive(Debug, Clone)]
pub(super) struct GroupedEvent<Id> {
    /// Epoch milliseconds.
    pub(super) at: i64,
    pub(super) id: Id,
    pub(super) source: Arc<EvidenceSource>,
}

/// For each event the one that it gives way to. Facts win over guesses, and guesses over fillers; of equals the
/// earlier one wins. A function of the set.
pub(super) fn decide<Id: Clone + Ord>(run: &[GroupedEvent<Id>]) -> Vec<Option<Id>> {
    let mut order: Vec<usize> = (0..run.len()).collect();
    order.sort_by_key(|number| (run[*number].source.rank, run[*number].at, run[*number].id.clone()));
    let mut winners: Vec<usize> = Vec::new();
    let mut loses = vec![None; run.len()];
    for number in order {
        let this = &run[number];
        let winner = winners.iter().map(|other| &run[*other]).find(|other| {
            other.source != this.source && other.at.abs_diff(this.at) <= EQUIVALENCE_WINDOW_MS.unsigned_abs()
        });
        match winner {
            Some(winner) => loses[number] = Some(winner.id.clone()),
            None => winners.push(number),
        }
    }
    loses
}
