//! Comparison of the merged lists of an aggregator with the lists of plain monitors: the same rows in one order, each once,
//! by pages of several sizes. The rows themselves are compared machine by machine (`answers`).

use std::cmp::Reverse;

use anyhow::{Result, ensure};
use bench::http;
use coordination::workspace::TaskStatus;
use serde_json::Value;

use super::answers::encoded;

/// Lists: route, parameter that continues, list of the answer, and field of a merged row.
const LISTS: [(&str, &str, &str, &str); 3] = [
    ("events", "before", "events", "event"),
    ("sessions", "after", "sessions", "session"),
    ("tasks", "after", "tasks", "task"),
];
/// Rows of a merged page, and how many of the list are read by such pages. Small pages end within rows of the same time.
const PAGE_ROWS: [(u32, usize); 2] = [(23, 5_000), (200, MOST_ROWS)];
const MOST_ROWS: usize = 50_000;

/// Place of a row in a merged list before the name of its machine: status of a task, and its time.
type RowKey = (usize, Reverse<Option<i64>>);

/// Lists of a plain monitor.
pub(super) struct PlainLists {
    machine: String,
    /// In the order of [`LISTS`]: keys and ids.
    lists: Vec<Vec<(RowKey, String)>>,
}

impl PlainLists {
    /// Reads all pages of a monitor.
    pub(super) fn read(port: u16, machine: &str) -> Result<Self> {
        let rows = |(route, cursor, list, _): &(&str, &str, &str, &str)| {
            let rows = pages(port, &format!("/api/v2/{route}?limit=200"), (cursor, list), MOST_ROWS)?;
            Ok(rows.iter().map(|row| (key(route, row), id(row))).collect())
        };
        Ok(Self { machine: machine.to_owned(), lists: LISTS.iter().map(rows).collect::<Result<_>>()? })
    }
}

/// Compares the lists of an aggregator; the number of compared lists.
///
/// # Errors
/// The first row that is another one.
pub(super) fn compare(port: u16, machines: &[PlainLists]) -> Result<usize> {
    for (number, (route, cursor, list, field)) in LISTS.iter().enumerate() {
        let rows = machines.iter().flat_map(|machine| {
            machine.lists[number].iter().map(|(key, id)| (*key, machine.machine.clone(), id.clone()))
        });
        let mut wanted: Vec<_> = rows.collect();
        // Stable: rows of a machine stay in its order.
        wanted.sort_by(|(a, one, _), (b, other, _)| (a, one).cmp(&(b, other)));
        for (limit, most) in PAGE_ROWS {
            let found = pages(port, &format!("/api/v2/fleet/{route}?limit={limit}"), (cursor, list), most)?;
            let wanted = &wanted[..wanted.len().min(most)];
            let found: Vec<_> = found.iter().map(|row| (text(&row["source"]), id(&row[*field]))).collect();
            let equal =
                wanted.iter().zip(&found).take_while(|((_, machine, id), row)| (machine, id) == (&row.0, &row.1));
            let equal = equal.count();
            ensure!(
                equal == wanted.len() && equal == found.len(),
                "fleet/{route} by {limit}: row {equal} is {:?} instead of {:?} ({} rows instead of {})",
                found.get(equal),
                wanted.get(equal),
                found.len(),
                wanted.len()
            );
        }
    }
    Ok(LISTS.len() * PAGE_ROWS.len())
}

/// Rows of all pages, up to so many.
fn pages(port: u16, first: &str, (cursor, list): (&str, &str), most: usize) -> Result<Vec<Value>> {
    let (mut rows, mut path) = (Vec::new(), first.to_owned());
    loop {
        let page = http::json(port, &path)?;
        rows.extend(page[list].as_array().cloned().unwrap_or_default());
        let Some(next) = page["next"].as_str().filter(|_| rows.len() < most) else {
            rows.truncate(most);
            return Ok(rows);
        };
        path = format!("{first}&{cursor}={}", encoded(next));
    }
}

fn key(route: &str, row: &Value) -> RowKey {
    let time = match route {
        "events" => &row["at"],
        "sessions" => &row["lastTime"],
        _ => &row["lastActivity"],
    };
    let status: Option<TaskStatus> =
        row["status"].as_str().filter(|_| route == "tasks").and_then(|text| text.parse().ok());
    let rank = status.and_then(|status| TaskStatus::ALL.iter().position(|known| *known == status));
    let rank = if route == "tasks" { rank.unwrap_or(TaskStatus::ALL.len()) } else { 0 };
    (rank, Reverse(time.as_i64()))
}

fn id(row: &Value) -> String {
    ["id", "workSessionId", "agentId"].map(|field| text(&row[field])).join(" ")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
