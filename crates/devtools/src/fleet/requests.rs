//! Story of reads and permission requests: stored sessions, pictures and the request of a hook that waits are on the machine
//! only. An aggregator shows and answers them, and says when the machine does not give them or is off.

use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bench::http::{self, BenchResponse};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::difference::difference;
use super::process::retry;
use super::site::TestFleet;
use super::wire::Tap;
use super::{MIRRORED_WITHIN, READ_WITHIN, Round, answers};

/// Write token of the monitors.
const TOKEN: &str = "correct horse battery";
/// Session of the agent's program, and time of its event before the moment of the fixtures.
const SESSION: &str = "8c35adc1-0000-4000-8000-000000000001";
const EVENT_AT: &str = "2026-02-21T05:16:00.000Z";
/// How long the hook waits.
const HOOK_SECONDS: u32 = 120;
/// A machine that is off is named within this.
const NAMED_WITHIN: Duration = Duration::from_secs(2);
/// First bytes of a picture.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

/// A machine that answers reads beside one that does not, and their aggregator.
pub(super) fn of_machines(round: &Round, cluster: &Cluster) -> Result<()> {
    let mut fleet = round.fleet(cluster, "requests")?.with_token(TOKEN);
    let (home, closed_home) = (stored_home(round, "open")?, stored_home(round, "closed")?);
    let port = fleet.add_served_machine("open", home.clone(), "on")?;
    fleet.add_served_machine("closed", closed_home, "off")?;
    fleet.add_aggregator("shown")?;
    let shown = fleet.aggregators[0].port;
    for name in ["open", "closed"] {
        retry("the machine is shown", MIRRORED_WITHIN, || {
            let source = fleet.aggregators[0].source(name)?;
            ensure!(source["state"] == "live", "{name} is {}", source["state"]);
            Ok(())
        })?;
    }
    compare_talk(port, shown, &home).context("messages of transcripts")?;
    compare_reads(port, shown, &home)?;
    answer_request(cluster, &fleet, (port, shown), &home).context("a permission request")?;
    let refused = http::get(shown, "/@closed/api/v2/sessions-store")?;
    ensure_error(&refused, 501, "not_offered")?;
    let answer = json!({ "decision": "deny", "digest": "0".repeat(64) });
    ensure_error(&post(shown, "/@closed/api/v2/permission-requests/p/answer", &answer)?, 501, "not_offered")?;
    fleet.machines[0].publisher.take().context("no monitor")?.kill()?;
    let start = Instant::now();
    ensure_error(&http::get(shown, "/@open/api/v2/sessions-store")?, 503, "machine_offline")?;
    ensure_error(&post(shown, "/@open/api/v2/permission-requests/p/answer", &answer)?, 503, "machine_offline")?;
    ensure!(start.elapsed() < NAMED_WITHIN, "that the machine is off was said after {:?}", start.elapsed());
    Ok(())
}

/// A home with stored sessions and a picture.
fn stored_home(round: &Round, name: &str) -> Result<std::path::PathBuf> {
    let home = round.copied("openclaw-2026.2/dot-openclaw", name)?;
    let config = home.join("openclaw.json");
    let text = std::fs::read_to_string(&config)?;
    let pictured = text.replace("theme: \"개발\"", "theme: \"개발\", avatar: \"face.png\"");
    ensure!(pictured != text, "the fixture has no theme to put a picture beside");
    std::fs::write(&config, pictured)?;
    std::fs::create_dir_all(home.join("workspace-eden"))?;
    std::fs::write(home.join("workspace-eden/face.png"), PNG)?;
    Ok(home)
}

/// What the machine's own monitor reads of transcripts travels.
fn compare_talk(port: u16, shown: u16, home: &Path) -> Result<()> {
    retry("the events are those of the machine", READ_WITHIN, || {
        let (path, home) = ("/api/v2/events?limit=500", home.to_string_lossy());
        let wanted = answers::answer(port, path, path, &home)?;
        let found = answers::answer(shown, &format!("/@open{path}"), path, &home)?;
        ensure!(wanted.to_string().contains(r#""origin":"transcript""#), "the machine has no event of a transcript");
        difference(&wanted, &found, "").map_or(Ok(()), |place| anyhow::bail!("{path} at {place}"))
    })
}

/// Every list, preview, history and picture is the one that the machine's own monitor gives.
fn compare_reads(port: u16, shown: u16, home: &Path) -> Result<()> {
    let list = http::json(port, "/api/v2/sessions-store")?;
    let keys: Vec<&str> =
        list["sessions"].as_array().into_iter().flatten().filter_map(|row| row["key"].as_str()).collect();
    ensure!(!keys.is_empty(), "the machine has no stored sessions");
    let mut paths: Vec<String> = ["sessions-store", "sessions-archive", "speak", "sessions-store/nobody/history"]
        .map(|path| format!("/api/v2/{path}"))
        .into();
    for key in keys {
        let key = answers::encoded(key);
        paths.extend(["preview", "history"].map(|part| format!("/api/v2/sessions-store/{key}/{part}")));
    }
    let archives = http::json(port, "/api/v2/sessions-archive")?;
    for archive in archives["archives"].as_array().into_iter().flatten() {
        let words = ["agentId", "sessionId"].map(|name| answers::encoded(archive[name].as_str().unwrap_or_default()));
        paths.push(format!("/api/v2/sessions-archive/{}/{}/history", words[0], words[1]));
    }
    let home = home.to_string_lossy();
    for path in paths {
        let wanted = answers::answer(port, &path, &path, &home)?;
        let found = answers::answer(shown, &format!("/@open{path}"), &path, &home)?;
        if let Some(place) = difference(&wanted, &found, "") {
            anyhow::bail!("{path} at {place}");
        }
    }
    let picture = http::get(shown, "/@open/api/v2/agents/eden/avatar")?;
    ensure!(picture.status == 200 && picture.body == PNG, "the picture: status {}", picture.status);
    let card = http::json(shown, "/@open/api/v2/agents/eden")?;
    ensure!(card.to_string().contains(r#""avatar":{"kind":"file""#), "the mirror knows of no picture: {card}");
    let routing = http::get(shown, "/@open/api/v2/sessions-store?includeRouting=true")?;
    ensure!(routing.status == 401, "addresses of people were given with status {}", routing.status);
    Ok(())
}

/// A hook on the machine waits; its request is shown and answered on the aggregator, once.
fn answer_request(cluster: &Cluster, fleet: &TestFleet, (port, shown): (u16, u16), home: &Path) -> Result<()> {
    let hook = ask(port)?;
    let id = retry("the request is a line of home", READ_WITHIN, || {
        let page = http::json(shown, "/@open/api/v2/home")?;
        let lines = page["attention"].as_array().into_iter().flatten();
        let id = lines.filter(|line| line["kind"] == "permission").find_map(|line| line["requests"][0]["id"].as_str());
        Ok(id.context("no line has a request")?.to_owned())
    })?;
    let path = format!("/@open/api/v2/permission-requests/{id}");
    let detail = http::json(shown, &path)?;
    ensure!(detail["call"] == call(), "what would run is {}", detail["call"]);
    ensure!(detail["dangers"].as_array().is_some_and(|dangers| !dangers.is_empty()), "no danger is named: {detail}");
    let unconfirmed = json!({ "decision": "allow", "digest": detail["digest"] });
    ensure_error(&post(shown, &format!("{path}/answer"), &unconfirmed)?, 422, "invalid_value")?;
    let source = fleet.aggregators[0].source("open")?;
    let subject = format!("th.v1.{}.{}.cmd", fleet.name, source["id"].as_str().unwrap_or_default());
    let mut tap = Tap::open(cluster.port()?, &subject)?;
    let answer = json!({ "decision": "allow", "digest": detail["digest"], "confirmed": true, "updatedBy": "하늘" });
    let answered = post(shown, &format!("{path}/answer"), &answer)?;
    ensure!(answered.status == 200, "status {}: {}", answered.status, String::from_utf8_lossy(&answered.body));
    let verdict = hook.join().map_err(|_| anyhow::anyhow!("the hook's thread panicked"))??.json()?;
    ensure!(verdict["decision"] == "allow" && verdict["digest"] == detail["digest"], "the hook got {verdict}");
    let command = tap.next_with("Th-Number")?;
    let replayed = tap.send_again(&command)?;
    let refused: Value = serde_json::from_slice(&replayed).context("no answer to a replayed message")?;
    ensure!(refused["status"] == 409, "a replayed message got {refused}");
    ensure_error(&post(shown, &format!("{path}/answer"), &answer)?, 409, "conflict")?;
    let record = std::fs::read_to_string(home.join("logs/task-hub-answers.ndjson"))?;
    let lines: Vec<Value> = record.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    ensure!(lines.len() == 2 && lines[0]["by"] == "하늘" && lines[1]["state"] == "answered", "the record: {record}");
    retry("the line is over", READ_WITHIN, || {
        let page = http::json(shown, "/@open/api/v2/home")?;
        ensure!(!page["attention"].to_string().contains(&id), "the request is still a line");
        Ok(())
    })?;
    let over = http::json(shown, &path)?;
    ensure!(over["request"]["state"] == "answered" && over["call"].is_null(), "the request is {over}");
    Ok(())
}

fn call() -> Value {
    json!({ "tool": "Bash", "input": { "command": "rm -rf build" }, "cwd": "/repo" })
}

/// Posts the event of a coding agent that waits, and its hook, which waits for an answer.
fn ask(port: u16) -> Result<JoinHandle<Result<BenchResponse>>> {
    let payload = json!({
        "session_id": SESSION, "cwd": "/repo", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": { "description": "빌드를 지웁니다" },
    });
    let event = json!({ "received_at": EVENT_AT, "payload": payload });
    let stored = post(port, "/api/hooks/claude-code", &event)?.json()?;
    let key = stored["items"][0]["key"].as_str().context("the event has no key")?;
    let request = json!({ "key": key, "session": SESSION, "call": call(), "waitSeconds": HOOK_SECONDS });
    Ok(std::thread::spawn(move || post(port, "/api/hooks/permission", &request)))
}

/// A POST as a page with the token sends it.
fn post(port: u16, path: &str, body: &Value) -> Result<BenchResponse> {
    let head = format!("X-Task-Monitor-Token: {TOKEN}\r\nOrigin: http://127.0.0.1:{port}\r\n");
    http::post(port, path, &head, body)
}

fn ensure_error(response: &BenchResponse, status: u16, code: &str) -> Result<()> {
    let body = String::from_utf8_lossy(&response.body);
    let named = serde_json::from_slice::<Value>(&response.body).unwrap_or_default()["code"].take();
    ensure!(
        response.status == status && named == code,
        "status {} instead of {status} {code}: {body}",
        response.status
    );
    Ok(())
}
