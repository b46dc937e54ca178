//! Contract test of `docs/openapi.json` against a real monitor. Schemathesis sends valid and invalid requests to every
//! route of REST v2. Every response must be one that the file describes. Writes must fail without the write token.
//!
//! Proves (api): Every answer of every route of docs/openapi.json, to valid and invalid requests, is one that the file
//! describes.
//! Long form: `make soak ARGS=contract`.

mod closed;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use bench::server::BenchServer;

use crate::{bundle, setup, shell, tree};

const SETTINGS: &str = "crates/devtools/src/contract/schemathesis.toml";
const TOKEN: &str = "only-for-this-proof";
/// The fixtures' moment.
const CLOCK_MS: &str = "1771651020000";
/// A stream that needs an upgrade, which only a WebSocket client requests.
const STREAM: &str = "GET /api/v2/live";
/// Answers to permission requests are taken from pages only, which schemathesis is not. `web::tests::permissions` proves
/// what they need.
const ANSWER: &str = "POST /api/v2/permission-requests/{id}/answer";
/// Beginning of operations on a fleet. The monitor of this test shows none, which needs servers: the lane `fleet` reads these.
const FLEET: &str = "GET /api/v2/fleet";
/// Cases a route: in `make test`, and in the soak.
const SHORT_CASES_PER_ROUTE: u32 = 12;
const LONG_CASES_PER_ROUTE: u32 = 100;

/// The proof: in short, or as the soak has it.
pub fn run(long: bool) -> Result<()> {
    let schemathesis = setup::schemathesis()?;
    xtask::browser_tests::build_monitor()?;
    let monitor = tree::target()?.join("debug/task-monitor");
    let place = tree::target()?.join(if long { "contract-long" } else { "contract" });
    let text =
        std::fs::read_to_string(tree::root().join("docs/openapi.json")).context("cannot read docs/openapi.json")?;
    let described = closed::closed(closed::limited(
        serde_json::from_str(&text).context("docs/openapi.json is not JSON")?,
        CLOCK_MS,
    ));
    let server = served(&monitor, &place, &described)?;
    let seed = match long {
        true => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs()),
        false => 1,
    };
    let ask = SchemathesisRun { schemathesis, place, port: server.port, seed };
    let (free, mut guarded) = without_rights(&described);
    let (phases, cases) = if long {
        ("examples,coverage,fuzzing,stateful", LONG_CASES_PER_ROUTE)
    } else {
        ("examples,coverage,fuzzing", SHORT_CASES_PER_ROUTE)
    };
    let report = ask.run("all", &free, &["--phases", phases, "--max-examples", &cases.to_string()])?;
    if report["exit_code"] != 0 || report["complete"] != true {
        bail!("the monitor does not answer as docs/openapi.json says (seed {seed}): {}", brief(&report));
    }
    let seen = seen(&report, &free)?;
    ask.notices_lies(&free)?;
    guarded.retain(|name| name != ANSWER);
    if guarded.is_empty() {
        bail!("docs/openapi.json names no operation that needs a right");
    }
    // After ten refused writes in a minute a monitor listens to no more of them: three each for so many operations.
    for (number, operations) in guarded.chunks(3).enumerate() {
        let place = ask.place.join(format!("rights-{number}"));
        let server = served(&monitor, &place, &described)?;
        SchemathesisRun { schemathesis: ask.schemathesis.clone(), place, port: server.port, seed }
            .asks_rights(&described, operations)?;
    }
    let cases = &report["test_cases"]["generated"];
    shell::say(&format!(
        "contract: {cases} cases, seed {seed}; {seen}; {} ask for a right; {} planted lies were found",
        guarded.len(),
        FALSELY_DESCRIBED_ROUTES.len()
    ));
    Ok(())
}

/// A monitor on a copy of the fixtures, one agent of which has a picture and two of which have sessions of OpenClaw's own.
fn served(monitor: &Path, place: &Path, described: &Value) -> Result<BenchServer> {
    if place.exists() {
        std::fs::remove_dir_all(place).with_context(|| format!("cannot clear {}", place.display()))?;
    }
    let home = place.join(".openclaw");
    bundle::copy_dir(&tree::root().join("fixtures/everything"), &home)?;
    std::fs::write(home.join("workspace-eden/IDENTITY.md"), "- **Avatar:** eden.png\n")?;
    std::fs::write(home.join("workspace-eden/eden.png"), b"\x89PNG\r\n\x1a\n")?;
    for sessions in ["agents/ruda/sessions", "agents/eden/sessions"] {
        let stored = tree::root().join("fixtures/openclaw-2026.2/dot-openclaw").join(sessions);
        bundle::copy_dir(&stored, &home.join(sessions))?;
    }
    std::fs::write(place.join("token"), TOKEN)?;
    let settings = place.join("settings.toml");
    std::fs::write(&settings, format!("write_token_file = {:?}\n{SINKS}", place.join("token")))?;
    let settings = settings.to_string_lossy().into_owned();
    let server = BenchServer::start(monitor, &home, &["--clock", CLOCK_MS, "--config", &settings])?;
    // The examples of retry and unsubscribe name what these leave: a dead letter and a subscription.
    for path in ["/api/v2/alerts/test", "/api/v2/push-subscriptions"] {
        let body = &described["paths"][path]["post"]["requestBody"]["content"]["application/json"]["example"];
        let head = format!("X-Task-Monitor-Token: {TOKEN}\r\n");
        let response = bench::http::post(server.port, path, &head, body)?;
        if response.status != 200 {
            bail!("the example of {path} is answered with {}", response.status);
        }
    }
    Ok(server)
}

/// Two sinks of alerts: one that nobody listens at, so that its messages are given up, and one for browsers. The rule fits no
/// line, so that nothing else is sent.
const SINKS: &str = r#"
[alerts]
utc_offset = "+09:00"

[[alerts.sinks]]
name = "chat"
kind = "json"
url = "http://127.0.0.1:9/"

[[alerts.sinks]]
name = "phones"
kind = "push"
contact = "mailto:ops@example.org"

[[alerts.rules]]
name = "none"
min_held_up = 1000

[[alerts.recaps]]
name = "morning"
at = ["08:30", "18:00"]
days = ["mon"]
"#;

struct SchemathesisRun {
    schemathesis: PathBuf,
    place: PathBuf,
    port: u16,
    seed: u64,
}

impl SchemathesisRun {
    /// What schemathesis reports of a description; what it says is shown.
    fn run(&self, name: &str, described: &Value, words: &[&str]) -> Result<Value> {
        let file = self.place.join(format!("{name}.json"));
        let report = self.place.join(format!("{name}-report.json"));
        let log = self.place.join(format!("{name}.log"));
        std::fs::write(&file, serde_json::to_vec(described)?)?;
        let mut command = Command::new(&self.schemathesis);
        command.current_dir(&self.place).arg("--config-file").arg(tree::root().join(SETTINGS)).arg("run").arg(&file);
        command.args(["--url", &format!("http://127.0.0.1:{}", self.port), "--no-color", "--continue-on-failure"]);
        command.args(["--request-timeout", "60"]);
        command.args(["--header", &format!("X-Task-Monitor-Token: {TOKEN}"), "--seed", &self.seed.to_string()]);
        command.args(["--report", "json", "--report-json-path"]).arg(&report).args(words);
        let done = command.stdin(std::process::Stdio::null()).output().context("cannot start schemathesis")?;
        std::fs::write(&log, [done.stdout.as_slice(), &done.stderr].concat())?;
        let text = std::fs::read(&report)
            .with_context(|| format!("schemathesis did not report; what it said is in {}", log.display()))?;
        let report: Value = serde_json::from_slice(&text).context("the report is not JSON")?;
        if name == "all" && report["exit_code"] != 0 {
            println!("{}", String::from_utf8_lossy(&done.stdout));
        }
        Ok(report)
    }

    /// These operations succeed with the token, and refuse without one and with a wrong one.
    fn asks_rights(&self, described: &Value, operations: &[String]) -> Result<()> {
        let mut words = vec!["--phases", "examples", "--checks", "ignored_auth"];
        words.extend(operations.iter().flat_map(|name| ["--include-name", name]));
        let report = self.run("rights", described, &words)?;
        let accepted = |name: &&String| report["valid_rates"][name.as_str()]["examples"]["accepted"].as_u64() > Some(0);
        if report["exit_code"] != 0 || !operations.iter().all(|name| accepted(&name)) {
            bail!(
                "a write was not asked for its right, or never made, of {}: {}",
                operations.join(", "),
                brief(&report)
            );
        }
        Ok(())
    }

    /// The same with a false description: a run that finds no fault in it finds none anywhere.
    fn notices_lies(&self, described: &Value) -> Result<()> {
        let mut lying = described.clone();
        let schemas = &mut lying["components"]["schemas"];
        // A field of another type, an undescribed field, an undescribed answer, a right that is not asked for.
        schemas["Home"]["properties"]["now"] = json!({ "type": "string" });
        forget(&mut schemas["Drift"]["properties"], "stepMs")?;
        forget(&mut lying["paths"]["/api/v2/names"]["get"]["responses"], "200")?;
        lying["paths"]["/api/v2/quality"]["get"]["security"] = json!([{ "token": [] }]);
        let mut words = vec!["--phases", "coverage"];
        words.extend(FALSELY_DESCRIBED_ROUTES.iter().flat_map(|path| ["--include-path", path]));
        let report = self.run("lying", &lying, &words)?;
        let found: Vec<&str> = report["failures"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|failure| failure["operations"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        for lie in FALSELY_DESCRIBED_ROUTES {
            if !found.contains(&format!("GET {lie}").as_str()) {
                bail!("a lie about {lie} was not noticed: {}", brief(&report));
            }
        }
        Ok(())
    }
}

/// Where the false description lies.
const FALSELY_DESCRIBED_ROUTES: [&str; 4] = ["/api/v2/home", "/api/v2/drift", "/api/v2/names", "/api/v2/quality"];

/// The description without what writes are asked for, and the names of those writes.
fn without_rights(described: &Value) -> (Value, Vec<String>) {
    let mut free = described.clone();
    let mut guarded = Vec::new();
    for (path, item) in free["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            if operation.as_object_mut().and_then(|operation| operation.shift_remove("security")).is_some() {
                guarded.push(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    (free, guarded)
}

fn forget(object: &mut Value, key: &str) -> Result<()> {
    let taken = object.as_object_mut().and_then(|object| object.shift_remove(key));
    taken.map(drop).with_context(|| format!("the description has no {key} to lie about"))
}

/// Every operation of the description that has a success to give gave one; otherwise nothing of it was looked at.
fn seen(report: &Value, described: &Value) -> Result<String> {
    let rates = report["valid_rates"].as_object().context("the report has no rates")?;
    let paths = described["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flat_map(|item| item.keys());
        methods.map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    let mut never = Vec::new();
    let mut successes = 0;
    let (without, with): (Vec<String>, Vec<String>) = operations
        .partition(|operation| [STREAM, ANSWER].contains(&operation.as_str()) || operation.starts_with(FLEET));
    for operation in with {
        let phases = rates.get(&operation).and_then(Value::as_object).into_iter().flat_map(|phases| phases.values());
        match phases.filter_map(|counts| counts["accepted"].as_u64()).sum::<u64>() {
            0 => never.push(operation),
            _ => successes += 1,
        }
    }
    if !never.is_empty() || successes < 40 {
        bail!("no success was ever seen of: {}", never.join(", "));
    }
    Ok(format!("{successes} operations gave a 2xx that was looked at ({} have none)", without.len()))
}

fn brief(report: &Value) -> String {
    let failures = report["failures"].as_array().into_iter().flatten();
    let words = failures.map(|failure| format!("{} at {}", failure["title"], failure["operations"]));
    let errors = report["errors"].as_array().into_iter().flatten().map(Value::to_string);
    words.chain(errors).collect::<Vec<_>>().join("; ")
}
