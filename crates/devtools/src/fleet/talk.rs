//! A machine whose agents talk in OpenClaw's transcripts, and whose command waits there for an approval. Its mirror has both:
//! threads and search with the messages, and home with the line until OpenClaw has an answer.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use bench::http;
use serde_json::{Value, json};
use xtask::tree;

use super::Round;
use super::site::{CLOCK_MS, TestFleet};

/// Name of the machine.
pub(super) const NAME: &str = "talking";
/// The shared database of OpenClaw.
const DATABASE: &str = "state/openclaw.sqlite";
/// Transcript of eden in the fixture.
const TRANSCRIPT: &str = "agents/eden/sessions/70e14d35-13d4-4028-8a08-4708e7f7c260.jsonl";

/// Beginnings of the times of the fixture, and those that take their place.
const FIXTURE_TIMES: [(&str, &str); 2] = [("2026-11-21T", "2026-02-20T"), ("17952", "17715")];

/// A home with transcripts and an approval that waits, and without a log.
pub(super) fn home(round: &Round) -> Result<PathBuf> {
    let home = round.copied("openclaw-2026.2/dot-openclaw", NAME)?;
    std::fs::create_dir_all(home.join("logs"))?;
    std::fs::create_dir_all(home.join("state"))?;
    replace_database(&home, "openclaw-approvals/dot-openclaw/state/openclaw.sqlite")?;
    // The fixture is of later than the moment of the lane. Whether a clock is behind depends on the order of arrival.
    for folder in ["agents", "subagents"] {
        for file in tree::files_below(&home.join(folder), &[])? {
            let text = std::fs::read_to_string(&file)?;
            let text = FIXTURE_TIMES.iter().fold(text, |text, (later, earlier)| text.replace(later, earlier));
            std::fs::write(&file, text)?;
        }
    }
    Ok(home)
}

fn replace_database(home: &Path, fixture: &str) -> Result<()> {
    let staged = home.join("staged.sqlite");
    std::fs::copy(tree::root().join("fixtures").join(fixture), &staged).context("cannot copy the database")?;
    std::fs::rename(staged, home.join(DATABASE)).context("cannot replace the database")
}

/// Appends a message of ruda to eden, and its answer, to eden's transcript.
pub(super) fn say(home: &Path, number: u64) -> Result<()> {
    let at = CLOCK_MS - 500_000 + number * 10;
    let provenance =
        json!({ "kind": "inter_session", "sourceSessionKey": "agent:ruda:main", "sourceTool": "sessions_send" });
    let question = json!({
        "role": "user", "content": format!("스테이징 로그를 봐 주세요. talkmarker {number} end"),
        "provenance": provenance, "timestamp": at
    });
    let reply = json!([{ "type": "text", "text": format!("보았습니다. talkmarker {number} reply") }]);
    let reply = json!({ "role": "assistant", "content": reply, "stopReason": "stop", "timestamp": at + 5 });
    let mut transcript = OpenOptions::new().append(true).open(home.join(TRANSCRIPT)).context("no transcript")?;
    for (id, message) in [("q", question), ("r", reply)] {
        let line = json!({ "type": "message", "id": format!("lane-{id}{number}"), "message": message });
        transcript.write_all(format!("{line}\n").as_bytes())?;
    }
    Ok(())
}

/// OpenClaw has the answers to all approvals.
pub(super) fn resolve(fleet: &TestFleet) -> Result<()> {
    let machine = fleet.machines.iter().find(|machine| machine.name == NAME).context("no machine talks")?;
    replace_database(&machine.home, "openclaw-approvals/resolved/openclaw.sqlite")
}

/// The mirrors show messages of transcripts, and approvals or none. That the answers are those of the machine is compared
/// elsewhere.
pub(super) fn ensure_shown(fleet: &TestFleet, has_approvals: bool) -> Result<()> {
    for aggregator in &fleet.aggregators {
        let get = |path: &str| http::json(aggregator.port, &format!("/@{NAME}/api/v2/{path}"));
        let health = get("health")?;
        ensure!(health["transcripts"]["talks"].as_u64() > Some(3), "no exchanges: {}", health["transcripts"]);
        ensure!(get("events?limit=500")?.to_string().contains(r#""origin":"transcript""#), "no event of a transcript");
        let home = get("home")?;
        let lines = home["attention"].as_array().into_iter().flatten();
        let approvals = lines.filter(|line| line["kind"] == "toolApproval").count();
        ensure!((approvals > 0) == has_approvals, "{approvals} approvals wait: {}", Value::clone(&home["attention"]));
    }
    Ok(())
}
