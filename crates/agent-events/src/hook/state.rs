//! State of the fold over a Claude Code session's hooks: agents that wait for a person, tasks, running subagents, open
//! tool calls, and each agent's last activity. The fold regularly saves a copy of it as a checkpoint, from which it
//! resumes when a hook arrives late (`session.rs`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::fingerprint::bucket;

/// Open calls of an agent that are known. More do not run in parallel; earlier ones were interrupted.
const MAX_OPEN_CALLS: usize = 16;

/// State of the fold. It is copied at every checkpoint, so it holds no hook.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionFoldState {
    /// The project, by the first hook of the session.
    pub(super) workspace: Option<String>,
    /// Number of prompts.
    pub(super) prompts: u64,
    /// Waits for a person, by agent.
    pub(super) waits: BTreeMap<String, PersonWait>,
    /// Id of the current task, by agent.
    pub(super) current: BTreeMap<String, String>,
    /// By task id.
    pub(super) tasks: BTreeMap<String, FoldedTask>,
    /// Time and sender of the last message between two agents.
    pub(super) contacts: BTreeMap<(String, String), (i64, String)>,
    /// Task ids of the newest check list (`TodoWrite` of older builds), by agent.
    pub(super) todos: BTreeMap<String, Vec<String>>,
    /// Subagents that run, by native id.
    pub(super) running: BTreeSet<String>,
    /// Open tool calls (`PreToolUse` without its `PostToolUse`), by the agent's id in its hooks; empty for the main thread. The
    /// newest [`MAX_OPEN_CALLS`] of each.
    pub(super) open: BTreeMap<String, VecDeque<String>>,
    /// Agents whose turn has ended.
    pub(super) resting: BTreeSet<String>,
    /// Ids of the calls whose agent is known.
    pub(super) acknowledged: BTreeSet<String>,
    /// Time of each agent's last act by terminal, in epoch milliseconds.
    pub(super) active: BTreeMap<String, BTreeMap<String, i64>>,
    /// Hash and time bucket of recent hooks without a call id, to recognise repeats.
    recent: VecDeque<(String, i64)>,
}

/// A wait for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PersonWait {
    /// Code of the reason, as events state it.
    pub(super) reason: &'static str,
    /// Epoch milliseconds.
    pub(super) since: i64,
    /// The tool that needs permission.
    pub(super) tool: Option<String>,
    /// The task that was current when it began.
    pub(super) task: Option<String>,
    /// It was reported for the main thread because the notification named nobody.
    pub(super) unnamed: bool,
}

/// A task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FoldedTask {
    /// Title of the task.
    pub(super) subject: Option<String>,
    /// Id of the agent it is assigned to.
    pub(super) owner: Option<String>,
    pub(super) stage: TaskStage,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TaskStage {
    /// Mentioned, but not reported as created.
    #[default]
    Known,
    Created,
    Started,
    Completed,
    Failed,
}

impl SessionFoldState {
    /// This hook came in this bucket or the one before already; otherwise it is remembered (§A.4).
    pub(super) fn is_double(&mut self, hash: &str, at: i64) -> bool {
        let bucket = bucket(at);
        while self.recent.front().is_some_and(|(_, at)| *at < bucket - 1) {
            self.recent.pop_front();
        }
        if self.recent.iter().any(|(known, _)| known == hash) {
            return true;
        }
        self.recent.push_back((hash.to_owned(), bucket));
        false
    }

    /// A call begins.
    pub(super) fn opens(&mut self, agent: &str, call: &str) {
        let open = self.open.entry(agent.to_owned()).or_default();
        open.push_back(call.to_owned());
        if open.len() > MAX_OPEN_CALLS {
            open.pop_front();
        }
    }

    /// A call ended.
    pub(super) fn closes(&mut self, agent: &str, call: &str) {
        if let Some(open) = self.open.get_mut(agent) {
            open.retain(|known| known != call);
            if open.is_empty() {
                self.open.remove(agent);
            }
        }
    }

    /// The task of an event, created when it is new.
    pub(super) fn task(&mut self, id: &str) -> &mut FoldedTask {
        self.tasks.entry(id.to_owned()).or_default()
    }

    /// Removes a task from every agent that works on it.
    pub(super) fn leave(&mut self, task: &str) {
        self.current.retain(|_, current| current != task);
    }
}
