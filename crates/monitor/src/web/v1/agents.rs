//! Handlers of `/api/agents…` and `/api/team-state` (`contract/monitor-api.md` §3).

use axum::extract::{Path, State};
use coordination::ids::TaskId;
use coordination::roster::Roster;
use coordination::workspace::{TaskStatus, parse_team_state};
use serde_json::{Value, json};

use super::answer::{Pretty, V1Error};
use super::folder::{AgentFolder, UnreadFiles, home_file};
use super::query::V1QueryPairs;
use super::task;
use crate::app::AppState;
use crate::sources::workspace::folders;
use coordination::workspace::{is_month, valid_task_id};

/// Agents that have a folder, in the order of the configuration.
pub(super) async fn list(State(state): State<AppState>) -> Result<Pretty, V1Error> {
    with_roster(state, |state, roster, _| {
        let home = &state.settings().home;
        let (mut agents, mut unread) = (Vec::new(), UnreadFiles::default());
        for folder in folders(home, roster) {
            match AgentFolder::find(home, roster, folder.agent_id.as_str()) {
                Ok(agent) => agents.push(info(&agent)),
                Err(fault) if fault.is_not_found() => {}
                // One folder that cannot be read does not hide the other agents.
                Err(fault) => drop(unread.note::<()>(Err(fault))),
            }
        }
        Ok(unread.add_to(json!({ "count": agents.len(), "agents": agents })))
    })
    .await
}

/// One agent's folder, in short.
pub(super) async fn one_info(State(state): State<AppState>, Path(id): Path<String>) -> Result<Pretty, V1Error> {
    with_agent(state, id, |agent, _| Ok(info(agent))).await
}

/// An agent's open tasks, urgent first.
pub(super) async fn open_tasks(
    State(state): State<AppState>,
    Path(id): Path<String>,
    pairs: V1QueryPairs,
) -> Result<Pretty, V1Error> {
    with_agent(state, id, move |agent, now| tasks(agent, &pairs, now)).await
}

/// `CURRENT_TASK.md` of an agent.
pub(super) async fn current_task(State(state): State<AppState>, Path(id): Path<String>) -> Result<Pretty, V1Error> {
    with_agent(state, id, |agent, _| current(agent)).await
}

/// The newest entries of an agent's archive of one month.
pub(super) async fn archive(
    State(state): State<AppState>,
    Path(id): Path<String>,
    pairs: V1QueryPairs,
) -> Result<Pretty, V1Error> {
    with_agent(state, id, move |agent, _| history(agent, &pairs)).await
}

/// An agent's blocked tasks.
pub(super) async fn blocked_tasks(State(state): State<AppState>, Path(id): Path<String>) -> Result<Pretty, V1Error> {
    with_agent(state, id, blocked).await
}

/// An agent's plans as written, newest first.
pub(super) async fn plans(State(state): State<AppState>, Path(id): Path<String>) -> Result<Pretty, V1Error> {
    let agent_id = id.clone();
    with_agent(state, id, move |agent, _| {
        let (plans, unread) = agent.plans()?;
        Ok(unread.add_to(json!({ "agentId": agent_id, "count": plans.len(), "plans": plans })))
    })
    .await
}

/// `/api/agents/:id/<anything else>`.
pub(super) async fn unknown_action(
    State(state): State<AppState>,
    Path((id, action)): Path<(String, String)>,
) -> Result<Pretty, V1Error> {
    with_agent(state, id, move |_, _| Err(V1Error::not_found(format!("Unknown action: {action}")))).await
}

/// One task: open, else archived, else `null` with 200.
pub(super) async fn one_task(
    State(state): State<AppState>,
    Path((id, task_id)): Path<(String, String)>,
) -> Result<Pretty, V1Error> {
    with_roster(state, move |state, roster, now| {
        let agent = AgentFolder::find(&state.settings().home, roster, &id)?;
        if !valid_task_id(&task_id) {
            return Err(V1Error::value("taskId", ["task_ and lower-case letters, digits or _"]));
        }
        let task_id = TaskId::from(task_id);
        if let Some(found) = agent.task(&task_id)? {
            let source = found.source.clone().unwrap_or_else(|| "active".to_owned());
            return Ok(json!({ "agentId": id, "task": task::of_file(&found, now), "source": source }));
        }
        Ok(match agent.archived(&task_id)? {
            Some(entry) => json!({ "agentId": id, "task": task::of_history(&entry), "source": "history" }),
            None => json!({ "agentId": id, "task": null, "source": "not_found" }),
        })
    })
    .await
}

/// `team-state.json` of the home, as written.
pub(super) async fn team_state(State(state): State<AppState>) -> Result<Pretty, V1Error> {
    with_roster(state, |state, _, _| {
        Ok(match home_file(&state.settings().home, "team-state.json")? {
            Some(text) => parse_team_state(&text),
            None => json!({ "version": 1, "agents": {}, "lastUpdatedMs": 0 }),
        })
    })
    .await
}

/// Answers about one agent that has a folder.
async fn with_agent(
    state: AppState,
    id: String,
    read: impl FnOnce(&AgentFolder, i64) -> Result<Value, V1Error> + Send + 'static,
) -> Result<Pretty, V1Error> {
    let find = move |state: &AppState, roster: &Roster, now| {
        read(&AgentFolder::find(&state.settings().home, roster, &id)?, now)
    };
    with_roster(state, find).await
}

/// Reads files off the async threads, without holding the hub meanwhile.
async fn with_roster(
    state: AppState,
    read: impl FnOnce(&AppState, &Roster, i64) -> Result<Value, V1Error> + Send + 'static,
) -> Result<Pretty, V1Error> {
    let reading = tokio::task::spawn_blocking(move || {
        let roster = state.hub().roster().clone();
        read(&state, &roster, state.now())
    });
    match reading.await {
        Ok(answer) => answer.map(Pretty),
        // The panic continues in the request's own task, where it becomes a 500.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// An unknown value is `null`, with its cause next to it.
fn info(agent: &AgentFolder) -> Value {
    let mut unread = UnreadFiles::default();
    let current = unread.note(agent.current());
    let tasks = unread.note(agent.task_ids());
    unread.add_to(json!({
        "id": agent.id(),
        "workspaceDir": agent.path(),
        "hasCurrentTask": current.map(|found| found.is_some_and(|(_, current)| current.has_task)),
        "taskCount": tasks.map(|tasks| tasks.len()),
    }))
}

fn tasks(agent: &AgentFolder, pairs: &V1QueryPairs, now: i64) -> Result<Value, V1Error> {
    let wanted = pairs.words("status", &TaskStatus::ALL, TaskStatus::as_str)?;
    let (mut tasks, unread) = agent.tasks()?;
    tasks.retain(|task| wanted.is_empty() || wanted.contains(&task.status));
    task::sort(&mut tasks);
    let tasks: Vec<Value> = tasks.iter().map(|task| task::of_file(task, now)).collect();
    Ok(unread.add_to(json!({ "agentId": agent.id(), "count": tasks.len(), "tasks": tasks })))
}

fn blocked(agent: &AgentFolder, now: i64) -> Result<Value, V1Error> {
    let (mut tasks, unread) = agent.tasks()?;
    tasks.retain(|task| task.status == TaskStatus::Blocked);
    task::sort(&mut tasks);
    let tasks: Vec<Value> = tasks.iter().map(|task| task::of_blocked(task, now)).collect();
    Ok(unread.add_to(json!({ "agentId": agent.id(), "count": tasks.len(), "blockedTasks": tasks })))
}

fn current(agent: &AgentFolder) -> Result<Value, V1Error> {
    let found = agent.current()?;
    let has_task = found.as_ref().is_some_and(|(_, current)| current.has_task);
    let summary = found.as_ref().filter(|_| has_task).and_then(|(text, _)| summary(text));
    Ok(json!({
        "agentId": agent.id(),
        "hasTask": has_task,
        "content": found.map(|(text, _)| text),
        "taskSummary": summary,
    }))
}

/// Rest of the first line with `**Task:**`, else with `**Focus:**`.
fn summary(text: &str) -> Option<String> {
    ["**Task:**", "**Focus:**"].into_iter().find_map(|mark| {
        let rest = text.lines().find_map(|line| line.split_once(mark)).map(|(_, rest)| rest.trim())?;
        (!rest.is_empty()).then(|| rest.to_owned())
    })
}

fn history(agent: &AgentFolder, pairs: &V1QueryPairs) -> Result<Value, V1Error> {
    let months = agent.months()?;
    let requested_month = pairs.text("month").map(str::to_owned);
    if requested_month.as_deref().is_some_and(|month| !is_month(month)) {
        return Err(V1Error::value("month", ["YYYY-MM"]));
    }
    let month = requested_month.or_else(|| months.first().cloned());
    let text = match &month {
        Some(month) => agent.month(month)?.unwrap_or_default(),
        None => String::new(),
    };
    Ok(json!({
        "agentId": agent.id(),
        "history": last_chunks(&text, pairs.limit(50)),
        "hasHistory": !months.is_empty(),
        "months": months,
        "currentMonth": month,
    }))
}

/// The file split before every line that starts an entry; the last `limit` pieces joined again.
fn last_chunks(text: &str, limit: usize) -> &str {
    let mut starts: Vec<usize> = text.match_indices("\n## [").map(|(at, _)| at + 1).collect();
    if !text.is_empty() {
        starts.insert(0, 0);
    }
    let first = starts.len().saturating_sub(limit);
    starts.get(first).map_or("", |at| &text[*at..])
}
