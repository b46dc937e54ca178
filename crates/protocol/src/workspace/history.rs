//! Parser of archived tasks in `task-history/YYYY-MM.md` and the older `TASK_HISTORY.md` (`contract/workspace.md` §4).

use super::task_file::priority;
use super::{HistoryEntry, TaskStatus};
use crate::ids::TaskId;
use crate::time::parse_iso;

/// Keys in bold after the description.
const KEYS: [&str; 6] = ["Context", "Task ID", "Priority", "Started", "Completed", "Duration"];

/// Entries of `task-history/YYYY-MM.md` or `TASK_HISTORY.md`, newest first. `month` is the file's stem.
#[must_use]
pub fn parse_history(month: &str, text: &str) -> Vec<HistoryEntry> {
    let mut entries: Vec<HistoryEntry> =
        split(text).into_iter().map(|(time, lines)| entry(month, time, &lines)).rev().collect();
    // Appended in order of completion, but nothing promises it; the sort is stable, so equal times stay newest first.
    entries.sort_by_cached_key(|entry| std::cmp::Reverse(parse_iso(&entry.completed).unwrap_or(0)));
    entries
}

/// The entries' lines, with the time of their headings. A summary may hold headings and rules of its own, so an
/// entry begins only behind `---` (or as the first one).
fn split(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut last_solid = "";
    for line in text.lines() {
        match heading(line).filter(|_| found.is_empty() || last_solid == "---") {
            Some((time, description)) => {
                if let Some((_, lines)) = found.last_mut() {
                    drop_rule(lines);
                }
                found.push((time, vec![description]));
            }
            None => {
                if let Some((_, lines)) = found.last_mut() {
                    lines.push(line);
                }
            }
        }
        if !line.trim().is_empty() {
            last_solid = line.trim();
        }
    }
    found
}

fn heading(line: &str) -> Option<(&str, &str)> {
    let (time, description) = line.strip_prefix("## [")?.split_once(']')?;
    parse_iso(time)?;
    Some((time, description.trim()))
}

/// The rule before the next entry belongs to that entry.
fn drop_rule(lines: &mut Vec<&str>) {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    if lines.last().is_some_and(|line| line.trim() == "---") {
        lines.pop();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HistoryPart {
    Description,
    Fields,
    Context,
    Progress,
    Summary,
}

fn entry(month: &str, time: &str, lines: &[&str]) -> HistoryEntry {
    let mut entry = HistoryEntry { completed: time.to_owned(), month: month.to_owned(), ..HistoryEntry::default() };
    let (mut description, mut context, mut summary) = (Vec::new(), Vec::new(), Vec::new());
    let mut part = HistoryPart::Description;
    for line in lines {
        let trimmed = line.trim();
        if part == HistoryPart::Summary {
            summary.push(*line);
            continue;
        }
        match trimmed {
            "### Progress" => part = HistoryPart::Progress,
            "### Summary" => part = HistoryPart::Summary,
            _ if part != HistoryPart::Progress && field(trimmed).is_some() => {
                let (key, value) = field(trimmed).unwrap_or_default();
                part = HistoryPart::Fields;
                match key {
                    "Context" => {
                        part = HistoryPart::Context;
                        context.push(value);
                    }
                    "Task ID" => entry.id = Some(TaskId::from(value)),
                    "Priority" => entry.priority = priority(value).0,
                    "Started" => entry.started = Some(value.to_owned()),
                    "Completed" => value.clone_into(&mut entry.completed),
                    _ => {}
                }
            }
            "" if part == HistoryPart::Description => part = HistoryPart::Fields,
            _ => match part {
                HistoryPart::Description => description.push(trimmed),
                HistoryPart::Context => context.push(trimmed),
                HistoryPart::Progress => {
                    entry.progress.extend(trimmed.strip_prefix("- ").map(|item| item.trim().to_owned()))
                }
                HistoryPart::Fields | HistoryPart::Summary => {}
            },
        }
    }
    entry.description = description.join("\n").trim().to_owned();
    entry.context = block(&context);
    entry.summary = block(&summary);
    entry.status = status(&entry);
    entry
}

fn field(line: &str) -> Option<(&'static str, &str)> {
    let rest = line.strip_prefix("**")?;
    KEYS.into_iter().find_map(|key| {
        let value = rest.strip_prefix(key)?.strip_prefix(":**")?;
        Some((key, value.trim()))
    })
}

fn block(lines: &[&str]) -> Option<String> {
    Some(lines.join("\n").trim().to_owned()).filter(|text| !text.is_empty())
}

/// The archive does not say how a task ended; its summary and last progress line do.
fn status(entry: &HistoryEntry) -> TaskStatus {
    let cancelled = |text: &str| text.starts_with("Cancelled") || text.starts_with("Task cancelled");
    let called_off = entry.summary.as_deref().is_some_and(cancelled)
        || entry.progress.last().map(String::as_str).is_some_and(cancelled);
    if called_off { TaskStatus::Cancelled } else { TaskStatus::Completed }
}
