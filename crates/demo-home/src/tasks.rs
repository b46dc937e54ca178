//! Writer of task files that agree with the generated log: each agent's newest open tasks as files, its newest ended
//! tasks in the archive (`contract/workspace.md` §3–§4).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use coordination::time::to_iso;
use serde_json::Value;

use super::RehearseError;

/// The newest so many open tasks of an agent get a file: agents do not juggle more.
const OPEN_AN_AGENT: usize = 12;
/// Archived tasks retained for an agent.
const ENDED_AN_AGENT: usize = 2_000;

/// State of each task by the log.
#[derive(Debug, Default)]
pub(super) struct DemoTasks {
    known: BTreeMap<String, DemoTask>,
}

#[derive(Debug, Default)]
struct DemoTask {
    agent: String,
    session: Option<String>,
    description: Option<String>,
    priority: String,
    started: i64,
    last: i64,
    blocked: Option<(String, Vec<String>)>,
    ended: Option<(i64, Option<String>)>,
}

impl DemoTasks {
    /// Takes one event in.
    pub(super) fn see(&mut self, event: &Value, at: i64) {
        let Some(data) = event.get("data") else { return };
        let text = |key: &str| data.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let Some(id) = text("taskId") else { return };
        let task = match kind {
            "task.started" => self.known.entry(id).or_insert_with(|| DemoTask {
                agent: event.get("agentId").and_then(Value::as_str).unwrap_or("main").to_owned(),
                session: text("workSessionId"),
                priority: text("priority").unwrap_or_else(|| "medium".to_owned()),
                started: at,
                ..DemoTask::default()
            }),
            _ => match self.known.get_mut(&id) {
                Some(task) => task,
                None => return,
            },
        };
        task.last = at;
        match kind {
            "a2a.send" if task.description.is_none() => {
                task.description = text("message").map(|text| {
                    text.lines().next().unwrap_or_default().trim_start_matches("[Goal] ").chars().take(80).collect()
                });
            }
            "task.blocked" => {
                let by = data.get("unblockedBy").and_then(Value::as_array).into_iter().flatten();
                let by = by.filter_map(Value::as_str).map(str::to_owned).collect();
                task.blocked = Some((text("reason").unwrap_or_default(), by));
            }
            "task.resumed" => task.blocked = None,
            "task.completed" => task.ended = Some((at, None)),
            "task.cancelled" => task.ended = Some((at, Some(text("reason").unwrap_or_default()))),
            _ => {}
        }
    }

    /// Writes the files.
    pub(super) fn write(&self, home: &Path) -> Result<(), RehearseError> {
        let mut newest: Vec<(&String, &DemoTask)> = self.known.iter().collect();
        newest.sort_by_key(|(_, task)| std::cmp::Reverse(task.last));
        let mut counts: BTreeMap<(&str, bool), usize> = BTreeMap::new();
        let mut archives: BTreeMap<PathBuf, Vec<(&String, &DemoTask)>> = BTreeMap::new();
        for (id, task) in newest {
            let count = counts.entry((&task.agent, task.ended.is_some())).or_default();
            *count += 1;
            let folder = home.join(folder(&task.agent));
            match &task.ended {
                None if *count <= OPEN_AN_AGENT => {
                    write(&folder.join("tasks").join(format!("{id}.md")), &open(id, task))?;
                }
                Some((at, _)) if *count <= ENDED_AN_AGENT => {
                    let month = to_iso(*at).get(..7).unwrap_or_default().to_owned();
                    archives
                        .entry(folder.join("task-history").join(format!("{month}.md")))
                        .or_default()
                        .push((id, task));
                }
                _ => {}
            }
        }
        for (path, mut entries) in archives {
            entries.sort_by_key(|(_, task)| task.ended.as_ref().map(|(at, _)| *at));
            let mut text = "# Task History\n".to_owned();
            for (id, task) in entries {
                text.push_str(&ended(id, task));
            }
            write(&path, &text)?;
        }
        Ok(())
    }
}

/// `ruda` is the default agent of the rehearsed configuration: its folder has no suffix.
fn folder(agent: &str) -> String {
    if agent == "ruda" { "workspace".to_owned() } else { format!("workspace-{agent}") }
}

fn write(path: &Path, text: &str) -> Result<(), RehearseError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(RehearseError::write(parent))?;
    }
    fs::write(path, text).map_err(RehearseError::write(path))
}

fn description(task: &DemoTask) -> &str {
    task.description.as_deref().unwrap_or("Follow-up")
}

fn open(id: &str, task: &DemoTask) -> String {
    let status = if task.blocked.is_some() { "blocked" } else { "in_progress" };
    let mut text = format!(
        "# Task: {id}\n\n## Metadata\n- **Status:** {status}\n- **Priority:** {}\n- **Created:** {}\n- **Source:** user\n",
        task.priority,
        to_iso(task.started)
    );
    if let Some(session) = &task.session {
        text.push_str(&format!("- **Work Session:** {session}\n"));
    }
    text.push_str(&format!("\n## Description\n{}\n\n## Progress\n- Task started\n", description(task)));
    if let Some((reason, _)) = &task.blocked {
        text.push_str(&format!("- [BLOCKED] {reason}\n"));
    }
    text.push_str(&format!("\n## Last Activity\n{}\n", to_iso(task.last)));
    if let Some((reason, by)) = &task.blocked {
        let fence = serde_json::json!({ "blockedReason": reason, "unblockedBy": by, "escalationState": "none" });
        text.push_str(&format!("\n## Blocking\n```json\n{fence}\n```\n"));
    }
    text.push_str("\n---\n*Managed by task tools*\n");
    text
}

fn ended(id: &str, task: &DemoTask) -> String {
    let (at, cancelled) = task.ended.clone().unwrap_or_default();
    let minutes = (at - task.started) / 60_000;
    let duration = if minutes < 60 { format!("{minutes}m") } else { format!("{}h {}m", minutes / 60, minutes % 60) };
    let last = cancelled.as_ref().map_or_else(|| "Task completed".to_owned(), |why| format!("Task cancelled: {why}"));
    let mut text = format!(
        "\n---\n\n## [{}] {}\n\n**Task ID:** {id}\n**Priority:** {}\n**Started:** {}\n**Completed:** {}\n**Duration:** {duration}\n\n### Progress\n- Task started\n- {last}",
        to_iso(at),
        description(task),
        task.priority,
        to_iso(task.started),
        to_iso(at)
    );
    if let Some(why) = cancelled {
        text.push_str(&format!("\n\n### Summary\nCancelled: {why}"));
    }
    text
}
