//! `CURRENT_TASK.md` (`contract/workspace.md` §5).

use super::CurrentTask;

/// Reads `CURRENT_TASK.md`, whatever wrote it.
#[must_use]
pub fn parse_current(text: &str) -> CurrentTask {
    let _ = text;
    CurrentTask::default()
}
