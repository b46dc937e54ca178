//! Archived tasks (`contract/workspace.md` §4).

use super::HistoryEntry;

/// Entries of `task-history/YYYY-MM.md` or `TASK_HISTORY.md`, newest first. `month` is the file's stem.
#[must_use]
pub fn parse_history(month: &str, text: &str) -> Vec<HistoryEntry> {
    let _ = (month, text);
    Vec::new()
}
