//! Test of an upgrade from 0.1.0: this program over a home that 0.1.0 wrote (`fixtures/upgrade-0.1.0`).
//!
//! Proves (build): After an upgrade from 0.1.0 manual categories, their history, classifier rules, the journal of coding
//! agents and installed hooks are in force, and a change leaves what was there in the files.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{PATIENCE, TestServer, program, set, story, text};

const SESSION: &str = "ws_8afdbb24-73f9-4e70-a6bd-6a49b996ca81";

/// The server over a copy of the old home.
fn upgraded(user: &Path) -> TestServer {
    let copied = Command::new("cp").arg("-r").arg(story("upgrade-0.1.0/openclaw")).arg(user.join(".openclaw")).status();
    assert!(copied.expect("cp").success());
    TestServer::start(&["--home", text(&user.join(".openclaw")), "--clock", "1771654320000"])
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).expect("a file").lines().map(str::to_owned).collect()
}

#[test]
fn home_of_0_1_0_is_in_force_and_extended() {
    let user = tempfile::tempdir().expect("a folder");
    let home = user.path().join(".openclaw");
    let server = upgraded(user.path());
    server.state("ok");
    let detail = server.json(&format!("/api/v2/sessions/{SESSION}"));
    assert_eq!(detail["session"]["category"]["key"], "legal_compliance");
    assert_eq!(detail["evidence"]["manual"]["updatedBy"], "온새");
    let history = server.json(&format!("/api/v2/sessions/{SESSION}/category/history"));
    assert_eq!(history["changes"][0]["reason"], "계약 검토");
    let rules = server.json("/api/v2/classifier/config");
    assert_eq!(rules["config"]["words"][0]["word"], "대사표");
    let sessions = server.json("/api/v2/sessions?limit=10");
    let of_hooks = sessions["sessions"].as_array().expect("sessions").iter().map(|it| it["hookEvents"].as_u64());
    assert_eq!(of_hooks.flatten().sum::<u64>(), 14, "the journal");
    // One that a hook kept while no monitor ran goes into the journal.
    let start = Instant::now();
    while lines(&home.join("logs/task-hub-ingest.ndjson")).len() < 15 {
        assert!(start.elapsed() < PATIENCE, "{}", server.json("/api/v2/health")["ingest"]);
    }

    let overrides = home.join("work-session-category-overrides.json");
    let audit = home.join("work-session-category-audit.ndjson");
    let (before, lines_before): (Value, _) =
        (serde_json::from_slice(&fs::read(&overrides).expect("a file")).expect("JSON"), lines(&audit));
    assert_eq!(set(&server.address, "ws_new", "infra_ops", "새 사람").expect("an answer").status, 200);
    let after: Value = serde_json::from_slice(&fs::read(&overrides).expect("a file")).expect("JSON");
    assert_eq!(after[SESSION], before[SESSION]);
    // The fields that 0.1.0 reads.
    let entry = after["ws_new"].as_object().expect("an entry");
    assert_eq!(entry.keys().collect::<Vec<_>>(), ["collabCategory", "updatedAt", "updatedBy"]);
    let lines_after = lines(&audit);
    assert_eq!(&lines_after[..lines_before.len()], &lines_before[..], "the record only grows");
    let old: Value = serde_json::from_str(&lines_before[0]).expect("JSON");
    let new: Value = serde_json::from_str(lines_after.last().expect("a line")).expect("JSON");
    for field in old.as_object().expect("fields").keys().filter(|field| *field != "reason") {
        assert!(new.get(field).is_some(), "0.1.0 reads {field}: {new}");
    }
}

#[test]
fn hooks_of_0_1_0_are_known_and_removed_without_a_trace() {
    let user = tempfile::tempdir().expect("a folder");
    fs::create_dir(user.path().join(".claude")).expect("a folder");
    let settings = user.path().join(".claude/settings.json");
    fs::copy(story("upgrade-0.1.0/claude/settings.json"), &settings).expect("a copy");
    let run = |args: &[&str]| {
        let ran =
            program().args(args).env("HOME", user.path()).env_remove("CLAUDE_CONFIG_DIR").output().expect("a run");
        String::from_utf8(ran.stdout).expect("text")
    };
    let status = run(&["hooks", "status", "--user"]);
    assert!(status.contains("installed for Stop, SessionStart"), "{status}");
    run(&["hooks", "uninstall", "--user"]);
    let left: Value = serde_json::from_slice(&fs::read(&settings).expect("a file")).expect("JSON");
    let own = json!({"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo done"}]}]}});
    assert_eq!(left, own);
}
