//! Parser of `CURRENT_TASK.md` in all its forms (`contract/workspace.md` §5).

use super::CurrentTask;
use crate::ids::TaskId;

/// Lines that say there is no task.
const NO_TASK_LINES: [&str; 4] =
    ["*(No active focus task)*", "*(No task in progress)*", "*(진행 중인 작업 없음)*", "*(No task)*"];
const TASK_ERROR_LINE: &str = "*(Last task ended with error)*";
/// Headings that are form, not a title.
const FORM_LINES: [&str; 8] =
    ["current", "current task", "description", "started", "last activity", "progress", "status", "context"];

/// Reads `CURRENT_TASK.md` in any of its forms.
#[must_use]
pub fn parse_current(text: &str) -> CurrentTask {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim).collect();
    if lines.iter().any(|line| NO_TASK_LINES.contains(line)) {
        return CurrentTask::default();
    }
    // The old monitor took this for a task (`contract/monitor-api.md` D12).
    if lines.contains(&TASK_ERROR_LINE) {
        return CurrentTask { error: true, ..CurrentTask::default() };
    }
    let focus = lines.iter().find_map(|line| line.strip_prefix("**Focus:**").map(str::trim).filter(|id| is_task(id)));
    let title = lines
        .iter()
        .find_map(|line| line.strip_prefix("**Task:**"))
        .or_else(|| lines.iter().find_map(|line| line.strip_prefix("## ").filter(|heading| !is_form(heading))))
        .or_else(|| after_heading(&lines, "## description"))
        .or_else(|| first_words(&lines))
        .map(str::trim)
        .filter(|title| !title.is_empty());
    CurrentTask {
        has_task: focus.is_some() || title.is_some(),
        error: false,
        focus: focus.map(TaskId::from),
        title: title.map(str::to_owned),
    }
}

/// `taskSummary` of the 1.x answer: the rest of the first `**Task:** …` line, else of `**Focus:** …`
/// (`contract/monitor-api.md` §3). Nothing when there is no task.
#[must_use]
pub fn current_summary(text: &str) -> Option<String> {
    if !parse_current(text).has_task {
        return None;
    }
    ["**Task:**", "**Focus:**"].into_iter().find_map(|mark| {
        let rest = text.lines().find_map(|line| line.trim().strip_prefix(mark))?.trim();
        (!rest.is_empty()).then(|| rest.to_owned())
    })
}

fn is_task(id: &str) -> bool {
    id.strip_prefix("task_").is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    })
}

fn is_form(heading: &str) -> bool {
    FORM_LINES.contains(&heading.trim().to_lowercase().as_str())
}

fn after_heading<'a>(lines: &[&'a str], heading: &str) -> Option<&'a str> {
    let at = lines.iter().position(|line| line.eq_ignore_ascii_case(heading))?;
    let next = lines.get(at + 1..)?.iter().find(|line| !line.is_empty())?;
    Some(*next).filter(|line| !line.starts_with('#'))
}

/// A text written by hand: its first line that is no heading, mark or form field.
fn first_words<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let form = |line: &str| line.starts_with(['#', '*', '-']) || line.is_empty();
    lines.iter().copied().find(|line| !form(line))
}
