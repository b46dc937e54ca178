//! Comparison of what an aggregator answers below `/@<name>/` with what a plain monitor answers of the same files. Every `GET`
//! of `docs/openapi.json` is compared, or listed in [`NOT_COMPARED`] with the reason.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use bench::http::{self, BenchResponse};
use bench::server::{BenchServer, wait_until};
use serde_json::Value;
use xtask::tree;

use super::difference::difference;

/// Requests without a variable part, by route. Words of a query are percent-encoded.
const FIXED: &[(&str, &[&str])] = &[
    ("/api/v2/agents", &["", "?since=1771560000000"]),
    ("/api/v2/alerts", &[""]),
    ("/api/v2/category-changes", &["", "?limit=500"]),
    ("/api/v2/classifier/config", &[""]),
    ("/api/v2/classifier/replay", &["?limit=1000"]),
    ("/api/v2/days", &["", "?offset=540"]),
    ("/api/v2/delegations", &[""]),
    ("/api/v2/doctor", &[""]),
    ("/api/v2/drift", &["", "?since=1771560000000"]),
    ("/api/v2/evidence", &["?q=a", "?since=1771640000000"]),
    ("/api/v2/health", &[""]),
    ("/api/v2/home", &["", "?at=1771560000000"]),
    ("/api/v2/live/poll", &[""]),
    ("/api/v2/names", &[""]),
    ("/api/v2/quality", &["", "?since=1771560000000"]),
    ("/api/v2/recap", &["", "?since=1771560000000"]),
    ("/api/v2/schema-events", &[""]),
    (
        "/api/v2/search",
        &[
            "?q=%EB%B0%B0%ED%8F%AC",
            "?q=%ED%99%95%EC%9D%B8&limit=100",
            "?q=task",
            "?q=error",
            "?q=marker",
            "?q=talkmarker",
            "?q=from%3Aeden&in=events",
        ],
    ),
    ("/api/v2/shared", &["", "?all=true"]),
    ("/api/v2/speak", &[""]),
    ("/api/v2/totals", &["", "?at=1771560000000"]),
    ("/api/v2/waits", &[""]),
];

/// Routes that are followed page by page: query of the first page, parameter that continues, and list of the answer.
const PAGED: &[(&str, &str, &str, &str)] = &[
    ("/api/v2/events", "?limit=500", "before", "events"),
    ("/api/v2/sessions", "?limit=200", "after", "sessions"),
    ("/api/v2/tasks", "?limit=500", "after", "tasks"),
];

/// Routes of one thing each.
const VARIABLE: &[&str] = &[
    "/api/v2/agents/{id}",
    "/api/v2/agents/{id}/activity",
    "/api/v2/events/{id}",
    "/api/v2/sessions/{id}",
    "/api/v2/sessions/{id}/category/history",
    "/api/v2/sessions/{id}/delegations",
    "/api/v2/sessions/{id}/find",
    "/api/v2/sessions/{id}/flow",
    "/api/v2/sessions/{id}/threads/{thread}",
    "/api/v2/sessions/{id}/threads/{thread}/find",
    "/api/v2/sessions/{id}/timeline",
    "/api/v2/tasks/{agent}/{id}",
];

/// Reason for routes of the machine itself.
const OF_THE_MACHINE: &str = "the machine's own monitor answers it: compared by `requests.rs`";

/// Reason for routes about all machines.
const MERGED: &str = "compared with the answers of all machines in `merged`";

/// Routes that are not compared, with the reason.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("/api/v2/fleet", "an aggregator answers it, and no machine"),
    ("/api/v2/fleet/agents", MERGED),
    ("/api/v2/fleet/drift", MERGED),
    ("/api/v2/fleet/events", MERGED),
    ("/api/v2/fleet/live", "a stream without end"),
    ("/api/v2/fleet/search", MERGED),
    ("/api/v2/fleet/sessions", MERGED),
    ("/api/v2/fleet/tasks", MERGED),
    ("/api/v2/live", "a stream without end; `live/poll` has the same frames"),
    ("/api/v2/live/events", "a stream without end; `live/poll` has the same frames"),
    ("/api/v2/schema-events/live", "a stream without end"),
    ("/api/v2/me", "rights: nobody may write to a mirror"),
    ("/api/v2/agents/{id}/avatar", OF_THE_MACHINE),
    ("/api/v2/permission-requests", OF_THE_MACHINE),
    ("/api/v2/permission-requests/{id}", OF_THE_MACHINE),
    ("/api/v2/sessions-archive", OF_THE_MACHINE),
    ("/api/v2/sessions-archive/{agent}/{session}/history", OF_THE_MACHINE),
    ("/api/v2/sessions-store", OF_THE_MACHINE),
    ("/api/v2/sessions-store/{key}/history", OF_THE_MACHINE),
    ("/api/v2/sessions-store/{key}/preview", OF_THE_MACHINE),
];

/// Fields of `health` that describe the process and its past, not the files. The others are compared. `status` follows from
/// others and from the times of the lines that arrived last: a clock that was wrong is forgotten while a monitor runs.
const OF_THE_PROCESS: [&str; 11] = [
    "machine",
    "writes",
    "following",
    "live",
    "index",
    "cache",
    "memory",
    "process",
    "requests",
    "uptimeSecs",
    "status",
];

/// Fields of its `transcripts` that say what the process has read. A mirror reads no transcripts.
const OF_THE_READER: [&str; 4] = ["bytes", "rows", "remembered", "revision"];

/// A monitor that reads a home of its own, whose answers count as right.
pub(super) struct PlainMonitor<'a> {
    pub(super) server: &'a BenchServer,
    pub(super) home: String,
}

/// Where an aggregator serves one machine.
pub(super) struct MirroredMachine<'a> {
    pub(super) port: u16,
    pub(super) name: &'a str,
    /// Home in the mirror.
    pub(super) home: String,
}

/// One `GET`.
struct Question {
    route: &'static str,
    path: String,
}

/// Fails when `docs/openapi.json` has a `GET` that is neither compared nor excepted, or one is listed that it does not have.
pub(super) fn check_routes() -> Result<()> {
    let text =
        std::fs::read_to_string(tree::root().join("docs/openapi.json")).context("cannot read docs/openapi.json")?;
    let described: Value = serde_json::from_str(&text).context("docs/openapi.json is not JSON")?;
    let paths = described["paths"].as_object().context("docs/openapi.json has no paths")?;
    let described: BTreeSet<&str> = paths
        .iter()
        .filter(|(path, item)| path.starts_with("/api/v2/") && item.get("get").is_some())
        .map(|(path, _)| path.as_str())
        .collect();
    let fixed = FIXED.iter().map(|(route, _)| *route);
    let paged = PAGED.iter().map(|(route, ..)| *route);
    let listed = fixed.chain(paged).chain(VARIABLE.iter().copied()).chain(NOT_COMPARED.iter().map(|(route, _)| *route));
    let listed: BTreeSet<&str> = listed.collect();
    let odd: Vec<&&str> = described.symmetric_difference(&listed).collect();
    ensure!(odd.is_empty(), "routes that only docs/openapi.json or only fleet/answers.rs has: {odd:?}");
    Ok(())
}

/// What a plain monitor answers, as it came.
pub(super) struct PlainAnswers {
    answers: Vec<(Question, BenchResponse)>,
    home: String,
}

impl PlainAnswers {
    /// Asks it every question.
    pub(super) fn read(plain: &PlainMonitor, sample: usize) -> Result<Self> {
        let questions = questions(plain.server.port, sample)?.into_iter();
        let answered = questions.map(|question| Ok((http::get(plain.server.port, &question.path)?, question)));
        let answers = answered.map(|answered| answered.map(|(answer, question)| (question, answer)));
        Ok(Self { answers: answers.collect::<Result<_>>()?, home: plain.home.clone() })
    }
}

/// Asks an aggregator the same; the number of questions.
///
/// # Errors
/// The first differences, with path and field. The two answers of the first one are left in `evidence`.
pub(super) fn compare(plain: &PlainAnswers, machine: &MirroredMachine, evidence: &Path) -> Result<usize> {
    wait_until_indexed(machine)?;
    let mut different = Vec::new();
    for (question, wanted) in &plain.answers {
        let path = format!("/@{}{}", machine.name, question.path);
        let found = http::get(machine.port, &path)?;
        // Most need not be parsed.
        if wanted.status == found.status && without_cursor(&wanted.body) == without_cursor(&found.body) {
            continue;
        }
        let wanted = stripped(wanted, question.route, &plain.home);
        let found = stripped(&found, question.route, &machine.home);
        let Some(place) = difference(&wanted, &found, "") else { continue };
        if different.is_empty() {
            for (name, answer) in [("wanted", &wanted), ("found", &found)] {
                std::fs::write(evidence.join(format!("{name}.json")), serde_json::to_vec_pretty(answer)?)?;
            }
        }
        different.push(format!("{path} at {place}"));
    }
    ensure!(
        different.is_empty(),
        "{} of {} answers differ from those of a plain monitor (the first is in {}, wanted.json and found.json):\n  {}",
        different.len(),
        plain.answers.len(),
        evidence.display(),
        different.iter().take(10).cloned().collect::<Vec<_>>().join("\n  ")
    );
    Ok(plain.answers.len())
}

fn wait_until_indexed(machine: &MirroredMachine) -> Result<()> {
    wait_until("the mirror is indexed", std::time::Duration::from_millis(50), || {
        let health = http::json(machine.port, &format!("/@{}/api/v2/health", machine.name))?;
        let covered = health["index"]["events"].as_u64();
        Ok(health["lagBytes"] == 0 && covered.is_none_or(|covered| Some(covered) >= health["events"].as_u64()))
    })
}

fn questions(port: u16, sample: usize) -> Result<Vec<Question>> {
    let mut all = Vec::new();
    for (route, queries) in FIXED {
        all.extend(queries.iter().map(|query| Question { route, path: format!("{route}{query}") }));
    }
    let mut lists = Vec::new();
    for (route, query, continued, list) in PAGED {
        let mut items = Vec::new();
        let mut path = format!("{route}{query}");
        loop {
            let page = http::json(port, &path)?;
            items.extend(page[*list].as_array().cloned().unwrap_or_default());
            all.push(Question { route, path });
            let Some(next) = page["next"].as_str() else { break };
            path = format!("{route}{query}&{continued}={}", encoded(next));
        }
        lists.push(items);
    }
    let [events, sessions, tasks] = lists.as_slice() else { anyhow::bail!("three lists are followed") };
    ensure_distinct(events)?;
    let mut ask = |route: &'static str, words: &[(&str, &Value)], query: &str| {
        let filled = words.iter().fold(route.to_owned(), |path, (name, value)| {
            path.replace(&format!("{{{name}}}"), &encoded(value.as_str().unwrap_or_default()))
        });
        all.push(Question { route, path: format!("{filled}{query}") });
    };
    for event in spread(events, sample) {
        ask("/api/v2/events/{id}", &[("id", &event["id"])], "");
    }
    for task in spread(tasks, sample) {
        ask("/api/v2/tasks/{agent}/{id}", &[("agent", &task["agentId"]), ("id", &task["id"])], "");
    }
    let agents = http::json(port, "/api/v2/agents")?;
    for agent in agents["agents"].as_array().into_iter().flatten() {
        let id = [("id", &agent["agent"]["id"])];
        ask("/api/v2/agents/{id}", &id, "");
        ask("/api/v2/agents/{id}/activity", &id, "?since=1771560000000");
    }
    for session in spread(sessions, sample) {
        let id = [("id", &session["workSessionId"])];
        ask("/api/v2/sessions/{id}", &id, "");
        ask("/api/v2/sessions/{id}/category/history", &id, "");
        ask("/api/v2/sessions/{id}/delegations", &id, "");
        ask("/api/v2/sessions/{id}/find", &id, "?q=a");
        ask("/api/v2/sessions/{id}/flow", &id, "");
        ask("/api/v2/sessions/{id}/timeline", &id, "?limit=200");
        for talk in session["talks"].as_array().into_iter().flatten().take(3) {
            let words = [("id", &session["workSessionId"]), ("thread", &talk["threadId"])];
            ask("/api/v2/sessions/{id}/threads/{thread}", &words, "?limit=200");
            ask("/api/v2/sessions/{id}/threads/{thread}/find", &words, "?q=a");
        }
    }
    Ok(all)
}

fn ensure_distinct(events: &[Value]) -> Result<()> {
    let mut ids = BTreeSet::new();
    for event in events {
        let id = event["id"].as_str().context("an event has no id")?;
        ensure!(ids.insert(id), "the event {id} is listed twice");
    }
    Ok(())
}

/// At most that many of the items, from all over the list.
fn spread(items: &[Value], count: usize) -> impl Iterator<Item = &Value> {
    items.iter().step_by(items.len().div_ceil(count).max(1))
}

/// Status and body without what differs between two processes.
pub(super) fn answer(port: u16, path: &str, route: &str, home: &str) -> Result<Value> {
    Ok(stripped(&http::get(port, path)?, route, home))
}

/// Both parts of a body around its first cursor.
fn without_cursor(body: &[u8]) -> (&[u8], &[u8]) {
    const NAME: &[u8] = br#""cursor":{"#;
    let Some(start) = body.windows(NAME.len()).position(|part| part == NAME) else { return (body, &[]) };
    let end = body[start..].iter().position(|byte| *byte == b'}').map_or(body.len(), |length| start + length);
    (&body[..start], &body[end..])
}

fn stripped(response: &BenchResponse, route: &str, home: &str) -> Value {
    let mut body = match serde_json::from_slice(&response.body) {
        Ok(body) => body,
        Err(_) => Value::String(String::from_utf8_lossy(&response.body).into_owned()),
    };
    if let Some(fields) = body.as_object_mut() {
        match route {
            "/api/v2/health" => {
                OF_THE_PROCESS.iter().for_each(|field| drop(fields.shift_remove(*field)));
                let transcripts = fields.get_mut("transcripts").and_then(Value::as_object_mut);
                if let Some(transcripts) = transcripts {
                    OF_THE_READER.iter().for_each(|field| drop(transcripts.shift_remove(*field)));
                }
                // The name that a log had when its line was read: a process that was there before a rotation says the old one.
                for field in ["badLineSamples", "check"] {
                    fields.get_mut(field).into_iter().for_each(remove_files);
                }
            }
            // They hold the random name of the process.
            "/api/v2/schema-events" | "/api/v2/search" => drop(fields.shift_remove("next")),
            // In the order in which the sessions came to the monitor: several logs are mirrored at once.
            "/api/v2/classifier/replay" => {
                fields.shift_remove("next");
                if let Some(sessions) = fields.get_mut("sessions").and_then(Value::as_array_mut) {
                    sessions.sort_by_key(ToString::to_string);
                }
            }
            // A mirror names each workspace after its agent, wherever it is in the home.
            "/api/v2/tasks/{agent}/{id}" => drop(fields.shift_remove("path")),
            _ => {}
        }
    }
    strip(&mut body, home);
    serde_json::json!({ "status": response.status, "body": body })
}

/// Removes cursors (the random name of a process and its count of changes), ids of requests and the number of connected clients,
/// of which one may be half open for a minute; shortens paths of the home.
fn strip(value: &mut Value, home: &str) {
    match value {
        Value::String(text) if text.contains(home) => *text = text.replace(home, "<home>"),
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, home)),
        Value::Object(members) => {
            // The third is of the events that arrived last: they come in another order where several logs are read at once.
            ["requestId", "clients", "thirdNewestEvent"].iter().for_each(|field| drop(members.shift_remove(*field)));
            members.retain(|_, member| member.get("epoch").is_none());
            members.values_mut().for_each(|member| strip(member, home));
        }
        _ => {}
    }
}

/// Removes members of the name `file`.
fn remove_files(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_files),
        Value::Object(members) => {
            members.shift_remove("file");
            members.values_mut().for_each(remove_files);
        }
        _ => {}
    }
}

/// Percent-encoded, but for letters that stay as they are in a path and a query.
pub(super) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            all.push(char::from(byte));
        } else {
            all.push_str(&format!("%{byte:02X}"));
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{encoded, strip};

    #[test]
    fn process_names_and_home_paths_are_stripped() {
        let mut value =
            json!({ "cursor": { "epoch": "x", "seq": 1 }, "requestId": "r", "path": "/tmp/h/logs", "next": "1" });
        strip(&mut value, "/tmp/h");
        assert_eq!(value, json!({ "path": "<home>/logs", "next": "1" }));
    }

    #[test]
    fn words_of_a_query_are_percent_encoded() {
        assert_eq!(encoded("conv:a/배"), "conv%3Aa%2F%EB%B0%B0");
    }
}
