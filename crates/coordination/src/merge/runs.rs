//! Merge of OpenClaw's run and job records into the exchanges found in transcripts.
//!
//! The records are `subagents/runs.json`, the table `subagent_runs`, session rows of sub-agents, and job files
//! (`contract/sessions.md` §2.1, §2.2; `contract/workspace.md` §8). They add outcomes, task and session ids, and
//! exchanges without a transcript.

use std::collections::HashMap;

use serde_json::Value;

use crate::store::{RunStatus, SpawnOutcome, SpawnRun, StoreSnapshot};
use crate::transcript::exchanges::{ChildOutcome, ExchangeContext, ExchangeEvent, ExchangeEventKind, ExchangeParty};

/// Adds what the stores know of children: outcomes, and children whose transcripts are missing.
pub fn with_runs(events: &mut Vec<ExchangeEvent>, stores: &StoreSnapshot) {
    let mut known = KnownDelegations::from_events(events);
    for run in &stores.spawns {
        let name = known.name(run);
        known.add(events, &name, run);
    }
    for session in &stores.sessions {
        // The row of a child has less information than a run or a transcript.
        let child = session.key.as_str().to_lowercase();
        if let Some(parent) = session.entry.spawned_by()
            && known.by_child.get(&child).is_none_or(|name| known.is_orphan(events, name))
        {
            let run = of_row(session.key.as_str(), parent, &session.entry);
            let name = known.name(&run);
            known.add(events, &name, &run);
        }
    }
}

/// Delegations by their names, runs and children.
#[derive(Default)]
struct KnownDelegations {
    /// The spawn (also a refused one) and the result of each, by place.
    by_name: HashMap<String, (Option<usize>, Option<usize>)>,
    by_run: HashMap<String, String>,
    by_child: HashMap<String, String>,
}

impl KnownDelegations {
    fn from_events(events: &[ExchangeEvent]) -> Self {
        let mut known = Self::default();
        for (at, event) in events.iter().enumerate() {
            known.note(at, event);
        }
        known
    }

    fn note(&mut self, at: usize, event: &ExchangeEvent) {
        let result = event.kind == ExchangeEventKind::ChildResult;
        if !super::is_child(event.kind) {
            return;
        }
        let held = self.by_name.entry(event.exchange.clone()).or_default();
        let place = if result { &mut held.1 } else { &mut held.0 };
        *place = Some(at);
        if let Some(run) = &event.run_id {
            self.by_run.insert(run.clone(), event.exchange.clone());
        }
        if let Some(key) = if result { &event.from.key } else { &event.to.key } {
            self.by_child.insert(key.to_lowercase(), event.exchange.clone());
        }
    }

    /// The delegation of a run, or a name for a new one.
    fn name(&self, run: &SpawnRun) -> String {
        let run_id = first_run(run);
        if let Some(name) = self.by_run.get(run_id) {
            return name.clone();
        }
        let child = run.child.to_lowercase();
        let same = self.by_child.get(&child);
        if run_id.is_empty() {
            return same.cloned().unwrap_or(child);
        }
        // A child may be started a second time: another run of it is another delegation.
        let nameless = same.filter(|name| !self.by_run.values().any(|known| known == *name));
        nameless.cloned().unwrap_or_else(|| run_id.to_owned())
    }

    /// Whether no request for it is known.
    fn is_orphan(&self, events: &[ExchangeEvent], name: &str) -> bool {
        let spawn = self.by_name.get(name).and_then(|held| held.0);
        spawn.is_none_or(|at| events[at].from.key.is_none())
    }

    fn add(&mut self, events: &mut Vec<ExchangeEvent>, name: &str, run: &SpawnRun) {
        let (parent, child) = (ExchangeParty::of_key(&run.requester), ExchangeParty::of_key(&run.child));
        let (begun, ended) = self.by_name.get(name).copied().unwrap_or_default();
        let at_ms = match begun.and_then(|at| events.get_mut(at)) {
            Some(spawn) if spawn.kind == ExchangeEventKind::SpawnFailed => return,
            Some(spawn) => {
                // A parent whose transcript is not available.
                if spawn.from.key.is_none() && !run.requester.is_empty() {
                    spawn.from = parent.clone();
                }
                spawn.text = spawn.text.take().or_else(|| run.task.clone());
                spawn.label = spawn.label.take().or_else(|| run.label.clone());
                spawn.at_ms
            }
            None => {
                let Some(at_ms) = run.created_at.or(run.started_at).or(run.ended_at) else { return };
                let mut spawn = talk_event(ExchangeEventKind::Spawn, at_ms, name, &parent, &child, run);
                spawn.text = run.task.clone();
                spawn.status = Some("accepted".to_owned());
                self.note(events.len(), &spawn);
                events.push(spawn);
                at_ms
            }
        };
        let outcome = run.outcome.map(|outcome| match outcome {
            SpawnOutcome::Ok => ChildOutcome::Ok,
            SpawnOutcome::Timeout => ChildOutcome::Timeout,
            SpawnOutcome::Error => ChildOutcome::Error,
            SpawnOutcome::Other => ChildOutcome::Unknown,
        });
        match (ended.and_then(|at| events.get_mut(at)), outcome) {
            (Some(result), outcome) => {
                if result.to.key.is_none() && !run.requester.is_empty() {
                    result.to = parent;
                }
                // The registry knows how it ended; a transcript only its messages.
                result.outcome = outcome.filter(|outcome| *outcome != ChildOutcome::Unknown).or(result.outcome);
                result.error = result.error.take().or_else(|| run.error.clone());
                result.text = result.text.take().or_else(|| run.reply.clone());
            }
            (None, Some(outcome)) => {
                let at_ms = run.ended_at.unwrap_or(at_ms);
                let mut result = talk_event(ExchangeEventKind::ChildResult, at_ms, name, &child, &parent, run);
                result.outcome = Some(outcome);
                result.error = run.error.clone();
                result.text = run.reply.clone();
                self.note(events.len(), &result);
                events.push(result);
            }
            (None, None) => {}
        }
    }
}

/// The run that a run continues: `announce:v1:<child>:<run>:wake` is the same work, woken by the results of its own
/// children.
fn first_run(run: &SpawnRun) -> &str {
    let woken = run.run_id.strip_prefix("announce:v1:").and_then(|rest| rest.strip_prefix(run.child.as_str()));
    let first = woken.and_then(|rest| rest.strip_prefix(':')).and_then(|rest| rest.split(':').next());
    first.filter(|first| !first.is_empty()).unwrap_or(&run.run_id)
}

/// The row of a child, as a run.
fn of_row(key: &str, parent: &str, entry: &crate::store::SessionEntry) -> SpawnRun {
    let (outcome, ended) = match entry.status() {
        Some(RunStatus::Done) => (Some(SpawnOutcome::Ok), true),
        Some(RunStatus::Failed | RunStatus::Killed) => (Some(SpawnOutcome::Error), true),
        Some(RunStatus::Timeout) => (Some(SpawnOutcome::Timeout), true),
        _ => (None, false),
    };
    let ended_at = entry.ended_at().filter(|_| ended);
    SpawnRun {
        child: key.to_owned(),
        requester: parent.to_owned(),
        label: entry.label().map(str::to_owned),
        created_at: entry.started_at().or_else(|| entry.created_at()).or_else(|| entry.updated_at()),
        ended_at,
        outcome: outcome.filter(|_| ended_at.is_some()),
        ..SpawnRun::default()
    }
}

fn talk_event(
    kind: ExchangeEventKind,
    at_ms: i64,
    name: &str,
    from: &ExchangeParty,
    to: &ExchangeParty,
    run: &SpawnRun,
) -> ExchangeEvent {
    let mut event = ExchangeEvent::new(kind, at_ms, name, from, to);
    event.label = run.label.clone();
    event.run_id = Some(first_run(run).to_owned()).filter(|id| !id.is_empty());
    event
}

/// An exchange under way, from its job file.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Id of the job and of its run.
    run: String,
    from: ExchangeParty,
    to: ExchangeParty,
    message: String,
    /// Creation time, in epoch milliseconds.
    at_ms: i64,
    /// End time and error, when the job failed or was abandoned.
    failed: Option<(i64, Option<String>)>,
    context: ExchangeContext,
}

/// Whether a file of this name, in [`crate::store::JOBS_FOLDER`], is one of a job.
#[must_use]
pub fn is_job_name(name: &str) -> bool {
    name.starts_with("job-") && name.ends_with(".json")
}

/// Reads one `a2a-jobs/job-<runId>.json`; `None` when it is not a job.
#[must_use]
pub fn read_job(text: &str) -> Option<Job> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let number = |name: &str| value.get(name).and_then(Value::as_i64);
    let unknown = || ExchangeParty { agent: "unknown".to_owned(), key: None };
    let failed = matches!(text("status"), Some("FAILED" | "ABANDONED"));
    let at_ms = number("createdAt")?;
    let ended = number("finishedAt").or_else(|| number("updatedAt")).unwrap_or(at_ms);
    Some(Job {
        run: text("jobId")?.to_owned(),
        from: text("requesterSessionKey").map_or_else(unknown, ExchangeParty::of_key),
        to: ExchangeParty::of_key(text("targetSessionKey")?),
        message: text("message").unwrap_or_default().to_owned(),
        at_ms,
        failed: failed.then(|| (ended, text("lastError").map(str::to_owned))),
        context: ExchangeContext {
            task: text("taskId").map(str::to_owned),
            work_session: text("workSessionId").map(str::to_owned),
            conversation: text("conversationId").map(str::to_owned),
        },
    })
}

/// Adds information of jobs: the context of an exchange, its whole message, and exchanges without a transcript yet.
pub fn with_jobs(events: &mut Vec<ExchangeEvent>, jobs: &[Job]) {
    for job in jobs {
        let sent = events
            .iter_mut()
            .find(|event| event.kind == ExchangeEventKind::Send && event.run_id.as_deref() == Some(job.run.as_str()));
        let name = match sent {
            Some(send) => {
                send.text.get_or_insert_with(|| job.message.clone());
                let own = &mut send.context;
                own.task = own.task.take().or_else(|| job.context.task.clone());
                own.work_session = own.work_session.take().or_else(|| job.context.work_session.clone());
                own.conversation = own.conversation.take().or_else(|| job.context.conversation.clone());
                send.exchange.clone()
            }
            None => {
                let mut send = ExchangeEvent::new(ExchangeEventKind::Send, job.at_ms, &job.run, &job.from, &job.to);
                send.text = Some(job.message.clone());
                send.run_id = Some(job.run.clone());
                send.context = job.context.clone();
                events.push(send);
                job.run.clone()
            }
        };
        let answered = |event: &ExchangeEvent| {
            event.exchange == name && matches!(event.kind, ExchangeEventKind::Response | ExchangeEventKind::NoReply)
        };
        if let (Some((at_ms, error)), false) = (&job.failed, events.iter().any(answered)) {
            let mut event = ExchangeEvent::new(ExchangeEventKind::NoReply, *at_ms, &name, &job.to, &job.from);
            event.status = Some("error".to_owned());
            event.error = error.clone();
            events.push(event);
        }
    }
}
