//! Cursor of the task list: a place in its order as text.

use std::cmp::Reverse;

use crate::api::TaskSummary;
use crate::hub::{TaskOrderKey, rank};
use crate::ids::{AgentId, TaskId};
use crate::query::QueryError;
use crate::query::params::invalid;

/// Writes rank, time, and agent and task, split by the length of the agent's id.
pub(in crate::query) fn write_cursor((rank, Reverse(last), agent, id): &TaskOrderKey) -> String {
    let last = last.map(|last| last.to_string()).unwrap_or_default();
    format!("{rank}.{last}.{}.{agent}{id}", agent.as_str().len())
}

/// Reads what [`write_cursor`] wrote.
pub(in crate::query) fn read_cursor(text: &str) -> Result<TaskOrderKey, QueryError> {
    let mut parts = text.splitn(4, '.');
    let key = (|| {
        let rank = parts.next()?.parse().ok()?;
        let last = parts.next().filter(|last| !last.is_empty()).map(|last| last.parse().ok());
        let length: usize = parts.next()?.parse().ok()?;
        let (agent, id) = parts.next()?.split_at_checked(length)?;
        let last = match last {
            Some(last) => Some(last?),
            None => None,
        };
        Some((rank, Reverse(last), AgentId::from(agent), TaskId::from(id)))
    })();
    key.ok_or_else(|| invalid("after", "not a page mark of an earlier answer"))
}

/// The place of a task in the list.
pub(in crate::query) fn key_of(task: &TaskSummary) -> TaskOrderKey {
    (rank(task.status), Reverse(task.last_activity), task.agent_id.clone(), task.id.clone())
}

/// The place before all tasks of the same status and time.
pub(in crate::query) fn at_moment((rank, last, ..): TaskOrderKey) -> TaskOrderKey {
    // Two empty ids sort before all others.
    (rank, last, AgentId::from(""), TaskId::from(""))
}

/// The place after all tasks of the same status and time.
pub(in crate::query) fn after_moment((rank, Reverse(last), ..): TaskOrderKey) -> TaskOrderKey {
    match last {
        Some(last) => at_moment((rank, Reverse(last.checked_sub(1)), AgentId::from(""), TaskId::from(""))),
        // Tasks without a time are the last ones of their status.
        None => at_moment((rank.saturating_add(1), Reverse(Some(i64::MAX)), AgentId::from(""), TaskId::from(""))),
    }
}
