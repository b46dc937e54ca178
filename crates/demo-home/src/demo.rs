//! Writer of the demo home: the `everything` fixture with its times shifted to a given time, stored OpenClaw sessions,
//! and the hooks of a Claude Code team.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use coordination::time::{parse_iso, to_iso};

use super::embedded::{added, everything, team};
use super::shift::shift;
use super::{FIXTURE_NOW, RehearseError};

const LIVE: &str = "logs/coordination-events.ndjson";

/// The demo home as it is when the fixtures' clock reads `now`.
pub(super) fn moved(now: i64) -> BTreeMap<String, String> {
    let by = now.saturating_sub(FIXTURE_NOW);
    let mut moved = BTreeMap::new();
    for (path, text) in everything() {
        let text = shift(text, by);
        if path.contains("/task-history/") {
            history(path, &text, &mut moved);
        } else if path.starts_with("logs/") && *path != LIVE {
            moved.insert(archive_name(path, &text), text);
        } else {
            moved.insert((*path).to_owned(), text);
        }
    }
    moved
}

/// Writes the demo home.
pub(super) fn write(folder: &Path, drop_file: &str, now: i64) -> Result<(), RehearseError> {
    let by = now.saturating_sub(FIXTURE_NOW);
    let mut all = moved(now);
    // The name of an archived transcript holds its time, and the names of the others hold none.
    all.extend(added().iter().map(|(below, text)| (shift_name(below, by), shift(text, by))));
    all.insert(format!("logs/{drop_file}"), shift(team(), by));
    for (below, text) in all {
        let path = folder.join(below);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(RehearseError::write(parent))?;
        }
        fs::write(&path, text).map_err(RehearseError::write(&path))?;
    }
    Ok(())
}

/// A file name with its time moved: `….jsonl.reset.2026-02-20T03-17-00.000Z`.
fn shift_name(below: &str, by: i64) -> String {
    let Some((name, time)) = below.rsplit_once(".reset.") else { return below.to_owned() };
    let Some((day, clock)) = time.split_once('T') else { return below.to_owned() };
    let moved = shift(&format!("{day}T{}", clock.replace('-', ":")), by);
    format!("{name}.reset.{}", moved.replace(':', "-"))
}

/// Archives are named for the month or the moment in which they ended (`contract/events.md` §1.2).
fn archive_name(path: &str, text: &str) -> String {
    let last = text.lines().rev().find_map(|line| {
        let rest = line.split("\"ts\":").nth(1)?;
        rest.get(..13)?.parse::<i64>().ok()
    });
    let last = to_iso(last.unwrap_or_default());
    let by_month = path.len() == "logs/coordination-events-2026-01.ndjson".len();
    let suffix = if by_month { last.get(..7).unwrap_or_default().to_owned() } else { last.replace([':', '.'], "-") };
    format!("logs/coordination-events-{suffix}.ndjson")
}

/// Archived tasks go to the file of the month they now ended in.
fn history(path: &str, text: &str, moved: &mut BTreeMap<String, String>) {
    let Some((folder, _)) = path.rsplit_once('/') else { return };
    for entry in text.split("\n---\n\n## [").skip(1) {
        let Some(month) =
            entry.split(']').next().filter(|time| parse_iso(time).is_some()).and_then(|time| time.get(..7))
        else {
            continue;
        };
        let file = moved
            .entry(format!("{folder}/{month}.md"))
            .or_insert_with(|| format!("# Task History - {}\n", month_name(month)));
        file.push_str("\n---\n\n## [");
        file.push_str(entry);
    }
}

fn month_name(month: &str) -> String {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let (year, number) = month.split_once('-').unwrap_or((month, "1"));
    let name = number.parse::<usize>().ok().and_then(|number| NAMES.get(number.checked_sub(1)?)).unwrap_or(&"");
    format!("{name} {year}")
}
