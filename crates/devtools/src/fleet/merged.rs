//! Comparison of the merged answers of an aggregator with those of plain monitors: lists with the same rows in one order, each
//! once, by pages of several sizes; searches and drift machine by machine. Rows of lists are compared in `answers`.

use std::cmp::Reverse;

use anyhow::{Context as _, Result, bail, ensure};
use bench::http;
use coordination::api::FleetSearchPage;
use coordination::workspace::TaskStatus;
use serde_json::{Value, json};

use super::answers::encoded;
use super::difference::difference;

/// Lists: route, parameter that continues, list of the answer, and field of a merged row.
const LISTS: [(&str, &str, &str, &str); 3] = [
    ("events", "before", "events", "event"),
    ("sessions", "after", "sessions", "session"),
    ("tasks", "after", "tasks", "task"),
];
/// Rows of a merged page, and how many of the list are read by such pages. Small pages end within rows of the same time.
const PAGE_ROWS: [(u32, usize); 2] = [(23, 5_000), (200, MOST_ROWS)];
const MOST_ROWS: usize = 50_000;

/// Searches, for the best hits of every machine.
const SEARCHES: [&str; 5] = ["배포", "확인", "task", "error", "from:eden in:events"];
/// Queries of the drift.
const DRIFTS: [&str; 2] = ["", "?since=1771560000000"];

/// Place of a row in a merged list before the name of its machine: status of a task, and its time.
type RowKey = (usize, Reverse<Option<i64>>);

/// Answers of a plain monitor.
pub(super) struct PlainLists {
    machine: String,
    /// In the order of [`LISTS`]: keys and ids.
    lists: Vec<Vec<(RowKey, String)>>,
    /// Keys and ids.
    agents: Vec<(RowKey, String)>,
    /// In the order of [`SEARCHES`].
    searches: Vec<Value>,
    /// In the order of [`DRIFTS`].
    drifts: Vec<Value>,
}

impl PlainLists {
    /// Reads all pages of a monitor.
    pub(super) fn read(port: u16, machine: &str) -> Result<Self> {
        let rows = |(route, cursor, list, _): &(&str, &str, &str, &str)| {
            let rows = pages(port, &format!("/api/v2/{route}?limit=200"), (cursor, list), MOST_ROWS)?;
            Ok(rows.iter().map(|row| (key(route, row), id(row))).collect())
        };
        let agents = http::json(port, "/api/v2/agents")?["agents"].take();
        let agents = agents.as_array().context("no list of agents")?.iter().map(|card| &card["agent"]);
        let search = |words: &&str| {
            let limit = FleetSearchPage::MAX_HITS_PER_SOURCE;
            let found = http::json(port, &format!("/api/v2/search?q={}&limit={limit}", encoded(words)))?;
            Ok(json!({ "source": machine, "total": found["total"], "hits": found["hits"] }))
        };
        let drift = |query: &&str| {
            let drift = http::json(port, &format!("/api/v2/drift{query}"))?;
            Ok(without_cursor(json!({ "source": machine, "drift": drift })))
        };
        Ok(Self {
            machine: machine.to_owned(),
            lists: LISTS.iter().map(rows).collect::<Result<_>>()?,
            agents: agents.map(|agent| (key("agents", agent), id(agent))).collect(),
            searches: SEARCHES.iter().map(search).collect::<Result<_>>()?,
            drifts: DRIFTS.iter().map(drift).collect::<Result<_>>()?,
        })
    }
}

/// Compares the merged answers of an aggregator; their number.
///
/// # Errors
/// The first row that is another one.
pub(super) fn compare(port: u16, machines: &[PlainLists]) -> Result<usize> {
    for (number, (route, cursor, list, field)) in LISTS.iter().enumerate() {
        let wanted = in_order(machines, |machine| &machine.lists[number]);
        for (limit, most) in PAGE_ROWS {
            let found = pages(port, &format!("/api/v2/fleet/{route}?limit={limit}"), (cursor, list), most)?;
            let found: Vec<_> = found.iter().map(|row| (text(&row["source"]), id(&row[*field]))).collect();
            ensure_same(&format!("fleet/{route} by {limit}"), &wanted[..wanted.len().min(most)], &found)?;
        }
    }
    let agents = http::json(port, "/api/v2/fleet/agents")?;
    let agents = agents["agents"].as_array().context("no list of agents")?.iter();
    let agents: Vec<_> = agents.map(|row| (text(&row["source"]), id(&row["card"]["agent"]))).collect();
    ensure_same("fleet/agents", &in_order(machines, |machine| &machine.agents), &agents)?;
    let mut by_name: Vec<&PlainLists> = machines.iter().collect();
    by_name.sort_by(|one, other| one.machine.cmp(&other.machine));
    for (number, words) in SEARCHES.iter().enumerate() {
        let wanted: Vec<&Value> = by_name.iter().map(|machine| &machine.searches[number]).collect();
        ensure_sources(port, &format!("search?q={}", encoded(words)), ("sources", &wanted))?;
        for (machine, hits) in by_name.iter().zip(wanted) {
            let words = encoded(&format!("host:{} {words}", machine.machine));
            ensure_sources(port, &format!("search?q={words}"), ("sources", &[hits]))?;
        }
    }
    for (number, query) in DRIFTS.iter().enumerate() {
        let wanted: Vec<&Value> = by_name.iter().map(|machine| &machine.drifts[number]).collect();
        ensure_sources(port, &format!("drift{query}"), ("drifts", &wanted))?;
    }
    Ok(LISTS.len() * PAGE_ROWS.len() + 1 + SEARCHES.len() * (1 + machines.len()) + DRIFTS.len())
}

/// Machines and ids of the rows of all machines, in the order of a merged list.
fn in_order(machines: &[PlainLists], rows: impl Fn(&PlainLists) -> &Vec<(RowKey, String)>) -> Vec<(String, String)> {
    let rows = |machine| rows(machine).iter().map(|(key, id)| (*key, &machine.machine, id));
    let mut all: Vec<_> = machines.iter().flat_map(rows).collect();
    // Stable: rows of a machine stay in its order.
    all.sort_by_key(|(key, machine, _)| (*key, *machine));
    all.into_iter().map(|(_, machine, id)| (machine.clone(), id.clone())).collect()
}

fn ensure_same(what: &str, wanted: &[(String, String)], found: &[(String, String)]) -> Result<()> {
    let equal = wanted.iter().zip(found).take_while(|(one, other)| one == other).count();
    ensure!(
        equal == wanted.len() && equal == found.len(),
        "{what}: row {equal} is {:?} instead of {:?} ({} rows instead of {})",
        found.get(equal),
        wanted.get(equal),
        found.len(),
        wanted.len()
    );
    Ok(())
}

/// An answer has in `list` what the machines have, machine by machine.
fn ensure_sources(port: u16, path: &str, (list, wanted): (&str, &[&Value])) -> Result<()> {
    let found = http::json(port, &format!("/api/v2/fleet/{path}"))?[list].take();
    let found = found.as_array().with_context(|| format!("fleet/{path} has no {list}"))?.iter().cloned();
    let found: Vec<Value> = found.map(without_cursor).collect();
    match difference(&json!(wanted), &json!(found), "") {
        None => Ok(()),
        Some(place) => bail!("fleet/{path} at {list}{place}"),
    }
}

/// The drift of a machine without its cursor, which has the random name of a process.
fn without_cursor(mut row: Value) -> Value {
    if let Some(drift) = row.get_mut("drift").and_then(Value::as_object_mut) {
        drift.shift_remove("cursor");
    }
    row
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
        "sessions" | "agents" => &row["lastTime"],
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
