//! Story of changes on machines whose connections are held and cut: none is made twice, late, at another machine, or after an
//! answer that says it was not made.

use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use bench::http;
use coordination::time::parse_iso;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::plan::SplitMix;
use super::process::retry;
use super::proxy::{FaultyProxy, Traffic};
use super::site::{FIRST_PASSWORD, ServerLink, TestFleet};
use super::{MIRRORED_WITHIN, Round};

/// Write token of the monitors.
const TOKEN: &str = "correct horse battery";
/// Files of a home that have each change, and where a line of them has its words.
const RECORDS: [(&str, &str); 2] =
    [("work-session-category-audit.ndjson", "/reason"), ("task-hub-shared.ndjson", "/content/text")];
const MACHINES: [&str; 2] = ["left", "right"];
const CHANGES: usize = 16;
const LONG_CHANGES: usize = 32;
/// A number that a machine gave holds for five seconds; the rest is for a machine with other work.
const LATE_AFTER_MS: i64 = 15_000;
/// Longer than that.
const HELD_FOR: Duration = Duration::from_secs(6);

/// A change that was sent.
struct SentChange {
    machine: usize,
    /// It is unique.
    reason: String,
    at_ms: i64,
    answer: JoinHandle<Result<http::BenchResponse>>,
}

/// Two machines of equal homes, so that a change at the wrong one would be possible.
pub(super) fn of_machines(round: &Round, cluster: &mut Cluster) -> Result<()> {
    let fleet = round.fleet(cluster, "changes")?.with_running_clock().with_proxies(cluster);
    let mut fleet = fleet.with_token(TOKEN);
    for name in MACHINES.into_iter().chain(["shown"]) {
        cluster.set_password(&fleet.user_of(name), FIRST_PASSWORD)?;
    }
    for name in MACHINES {
        fleet.add_served_machine(name, round.copied("everything", name)?, "off")?;
    }
    fleet.add_aggregator("shown")?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    let port = fleet.aggregators[0].port;
    let page = http::json(port, &format!("/@{}/api/v2/sessions?limit=50", MACHINES[0]))?;
    let sessions: Vec<&str> =
        page["sessions"].as_array().into_iter().flatten().filter_map(|it| it["workSessionId"].as_str()).collect();
    let mut random = SplitMix(round.seed);
    let mut sent = Vec::new();
    for number in 0..if round.long { LONG_CHANGES } else { CHANGES } {
        let machine = random.below(MACHINES.len());
        let session = sessions.get(number % sessions.len().max(1)).context("no sessions")?;
        let reason = format!("lane change {number}");
        // Disturbances repeat after eight changes, so notes meet each of them.
        let request = if number % 3 == 2 {
            note(session, &reason)
        } else {
            // Another one than the session has.
            let category = ["docs_knowledge", "planning_decision"][number / sessions.len() % 2];
            category_change(session, category, &reason)
        };
        sent.push(send(port, machine, request, reason)?);
        std::thread::sleep(Duration::from_millis(random.below(12) as u64));
        disturb(&fleet, machine, number, &mut random)?;
    }
    let mut made = 0;
    for change in sent {
        made += check(&fleet, change)?;
    }
    ensure!(made > 0, "no change was made");
    Ok(())
}

/// Method, path on a machine and body.
type ChangeRequest = (&'static str, String, Value);

fn category_change(session: &str, category: &str, reason: &str) -> ChangeRequest {
    let body = json!({ "collabCategory": category, "updatedBy": "하늘", "reason": reason });
    ("PATCH", format!("sessions/{}/category", super::answers::encoded(session)), body)
}

/// Always the same note: a request that came twice, with another one in between, would change it twice.
fn note(session: &str, text: &str) -> ChangeRequest {
    let content = json!({ "kind": "note", "place": { "workSessionId": session }, "text": text });
    ("PUT", "shared/lane-note".to_owned(), json!({ "content": content, "updatedBy": "하늘" }))
}

fn send(port: u16, machine: usize, (method, path, body): ChangeRequest, reason: String) -> Result<SentChange> {
    let at_ms = i64::try_from(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis())?;
    let head = format!("X-Task-Monitor-Token: {TOKEN}\r\nOrigin: http://127.0.0.1:{port}\r\n");
    let path = format!("/@{}/api/v2/{path}", MACHINES[machine]);
    let answer = std::thread::spawn(move || http::send(method, port, &path, (&head, &body)));
    Ok(SentChange { machine, reason, at_ms, answer })
}

/// What happens to the connections while a change is on its way.
fn disturb(fleet: &TestFleet, machine: usize, number: usize, random: &mut SplitMix) -> Result<()> {
    let proxy = |link: &Option<ServerLink>, act: &dyn Fn(&FaultyProxy)| {
        link.as_ref().map(|link| act(&link.proxy)).context("no proxy")
    };
    let hold = |traffic: Traffic| {
        move |proxy: &FaultyProxy| {
            proxy.set(traffic);
            std::thread::sleep(HELD_FOR);
            proxy.set(Traffic::Open);
        }
    };
    let (of_machine, of_page) = (&fleet.machines[machine].link, &fleet.aggregators[0].link);
    match number % 8 {
        2 => proxy(of_machine, &hold(Traffic::Held)),
        3 => proxy(of_page, &hold(Traffic::Held)),
        4 => proxy(of_machine, &hold(Traffic::RepliesHeld)),
        6 => proxy(if random.below(2) == 0 { of_machine } else { of_page }, &FaultyProxy::cut),
        _ => Ok(()),
    }
}

/// Whether a change was made: once and at once at its machine, or not.
fn check(fleet: &TestFleet, change: SentChange) -> Result<usize> {
    let reason = change.reason;
    let answer = change.answer.join().map_err(|_| anyhow::anyhow!("a request panicked"))?;
    // Without an answer it may have been made, as with one that says so.
    let (status, code) = match &answer {
        Ok(answer) => (answer.status, serde_json::from_slice::<Value>(&answer.body).unwrap_or_default()["code"].take()),
        Err(_) => (0, Value::Null),
    };
    let most = match (status, code.as_str()) {
        (200 | 0, _) | (_, Some("durability_uncertain")) => 1,
        // The machine is away, or the number of the change no longer holds.
        (503, Some("machine_offline")) | (409, Some("conflict")) => 0,
        other => anyhow::bail!("{reason}: the answer is {other:?}"),
    };
    for (number, machine) in fleet.machines.iter().enumerate() {
        let most = if number == change.machine { most } else { 0 };
        let made = retry("the change is in a record", Duration::from_secs(5), || {
            let made = audit_times(&machine.home, &reason)?;
            ensure!(status != 200 || most == 0 || !made.is_empty(), "{reason} is in no record");
            Ok(made)
        })?;
        ensure!(made.len() <= most, "{reason}: made {} times at {} after status {status}", made.len(), machine.name);
        for at in made {
            let late = at - change.at_ms;
            ensure!(late < LATE_AFTER_MS, "{reason}: made {late} ms after it was sent");
        }
    }
    Ok(usize::from(status == 200))
}

/// When a home took a change, by its records.
fn audit_times(home: &Path, reason: &str) -> Result<Vec<i64>> {
    let mut times = Vec::new();
    for (file, words) in RECORDS {
        let text = match std::fs::read_to_string(home.join(file)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            text => text?,
        };
        for line in text.lines() {
            let line: Value = serde_json::from_str(line)?;
            if line.pointer(words).is_some_and(|words| words == reason) {
                let at = line["at"].as_i64().or_else(|| parse_iso(line["at"].as_str()?));
                times.push(at.context("a change has no time")?);
            }
        }
    }
    Ok(times)
}
