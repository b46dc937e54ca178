//! Types and parsers of OpenClaw's records of spawned runs, tasks and state changes of sessions. Older OpenClaw
//! releases store the runs in `subagents/runs.json`; newer ones use the shared database (`contract/sessions.md` §2.1,
//! §2.2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One spawned run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpawnRun {
    /// Its id.
    pub run_id: String,
    /// The child's key.
    pub child: String,
    /// The requester.
    pub requester: String,
    /// Its controller, where that is known.
    pub controller: Option<String>,
    /// The task, in full.
    pub task: Option<String>,
    /// Its name.
    pub label: Option<String>,
    /// `run` or `session`.
    pub spawn_mode: Option<String>,
    /// Time limit in seconds; 0 means no limit.
    pub timeout_seconds: Option<i64>,
    /// Time of the request, epoch milliseconds.
    pub created_at: Option<i64>,
    /// What becomes of its session at the end: `keep` or `delete`.
    pub cleanup: Option<String>,
    /// When its session is to be archived, epoch milliseconds.
    pub archive_at: Option<i64>,
    /// When it began, epoch milliseconds.
    pub started_at: Option<i64>,
    /// When it ended, epoch milliseconds.
    pub ended_at: Option<i64>,
    /// How it ended; none while it has not.
    pub outcome: Option<SpawnOutcome>,
    /// Why it failed.
    pub error: Option<String>,
    /// Its last answer.
    pub reply: Option<String>,
    /// Whether the answer came home: `delivered`, `pending` and the like.
    pub delivery: Option<String>,
}

/// How a spawned run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SpawnOutcome {
    /// It succeeded.
    Ok,
    /// Its time was over.
    Timeout,
    /// It failed.
    Error,
    /// With a word that is not known.
    Other,
}

impl SpawnRun {
    /// Reads a run as either era writes it. What the row's own columns say may be filled in afterwards.
    #[must_use]
    pub fn read(value: &Value) -> Self {
        let text = |pointer: &str| text(value.pointer(pointer));
        let number = |pointers: [&str; 2]| pointers.into_iter().find_map(|at| value.pointer(at)?.as_i64());
        let outcome = text("/execution/outcome/status").or_else(|| text("/outcome/status"));
        Self {
            run_id: text("/runId").unwrap_or_default(),
            child: text("/childSessionKey").unwrap_or_default(),
            requester: text("/requesterSessionKey").unwrap_or_default(),
            controller: text("/controllerSessionKey"),
            task: text("/task"),
            label: text("/label"),
            spawn_mode: text("/spawnMode"),
            timeout_seconds: number(["/runTimeoutSeconds", "/runTimeoutSeconds"]),
            created_at: number(["/createdAt", "/createdAt"]),
            cleanup: text("/cleanup"),
            archive_at: number(["/archiveAtMs", "/archiveAtMs"]),
            started_at: number(["/execution/startedAt", "/startedAt"]),
            ended_at: number(["/execution/endedAt", "/endedAt"]),
            outcome: outcome.map(|word| match word.as_str() {
                "ok" => SpawnOutcome::Ok,
                "timeout" => SpawnOutcome::Timeout,
                "error" => SpawnOutcome::Error,
                _ => SpawnOutcome::Other,
            }),
            error: text("/execution/outcome/error").or_else(|| text("/outcome/error")),
            reply: text("/completion/terminalReply/text"),
            delivery: text("/delivery/status"),
        }
    }
}

/// Reads `subagents/runs.json`, in the order of the file.
///
/// # Errors
/// One short sentence when the text is no registry of runs.
pub fn read_runs(text: &str) -> Result<Vec<SpawnRun>, String> {
    let value: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| format!("not JSON: {error}"))?;
    let runs = value.get("runs").and_then(Value::as_object).ok_or_else(|| "no runs in it".to_owned())?;
    let named = runs.iter().filter(|(_, run)| run.is_object()).map(|(id, run)| {
        let mut run = SpawnRun::read(run);
        if run.run_id.is_empty() {
            run.run_id.clone_from(id);
        }
        run
    });
    Ok(named.collect())
}

/// One row of `task_runs`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskRun {
    /// Its id.
    pub task_id: String,
    /// `cli`, `subagent`, `cron` and the like.
    pub runtime: String,
    /// `succeeded`, `failed`, `timed_out` and the like.
    pub status: Option<String>,
    /// Its name.
    pub label: Option<String>,
    /// What is to be done.
    pub task: Option<String>,
    /// The requester.
    pub requester: Option<String>,
    /// Key of the session that does it.
    pub child: Option<String>,
    /// The run that does it.
    pub run_id: Option<String>,
    /// When it began, epoch milliseconds.
    pub started_at: Option<i64>,
    /// When it ended, epoch milliseconds.
    pub ended_at: Option<i64>,
    /// Tools that were used.
    pub tool_use_count: Option<i64>,
    /// The tool that was used last.
    pub last_tool_name: Option<String>,
    /// Its last reported progress.
    pub progress_summary: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}

/// One row of `session_state_events`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateEvent {
    /// Position in the feed.
    pub sequence: i64,
    /// `created`, `child_spawned`, `run_completed`, `run_failed`, `compacted`, `goal_changed` and the like.
    pub kind: String,
    /// Key of the session.
    pub session_key: String,
    /// `agent`, `human` or `system`.
    pub actor_type: Option<String>,
    /// Who; for `child_spawned` the parent's key.
    pub actor_id: Option<String>,
    /// The run it belongs to.
    pub run_id: Option<String>,
    /// When, epoch milliseconds.
    pub occurred_at: Option<i64>,
    /// Further fields, as JSON text.
    pub payload: Option<String>,
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
