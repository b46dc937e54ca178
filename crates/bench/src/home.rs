//! Test homes (OpenClaw state folders) for the benchmarks. Functions build the monitor, generate a home with a given
//! number of events (`task-monitor rehearse`), and append lines to its log.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use xtask::{shell, tree};

/// Builds the monitor of this tree.
pub fn release_monitor() -> Result<PathBuf> {
    shell::say("building task-monitor (release)");
    shell::run(shell::cargo().args(["build", "--release", "-p", "task-monitor"]))?;
    Ok(tree::target()?.join("release/task-monitor"))
}

/// A fresh home with that many events, really named `.openclaw`, in a folder of its own below `target/bench/`.
pub fn rehearsed(monitor: &Path, events: u64, folder: &str) -> Result<PathBuf> {
    seeded(monitor, events, folder, 7)
}

/// The same of another seed: other sessions, messages and times.
pub fn seeded(monitor: &Path, events: u64, folder: &str, seed: u64) -> Result<PathBuf> {
    let home = tree::target()?.join(format!("bench/{folder}/.openclaw"));
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    std::fs::create_dir_all(&home)?;
    let mut rehearse = Command::new(monitor);
    rehearse.arg("rehearse").arg(&home).args(["--events", &events.to_string(), "--seed", &seed.to_string()]);
    shell::run_quietly(&mut rehearse)?;
    Ok(home)
}

/// All files of a home's log, the live one last, and their bytes.
pub fn logs(home: &Path) -> Result<(Vec<PathBuf>, u64)> {
    // An archive's name continues where the live one's ends: `-` sorts before `.`.
    let mut files = tree::files_below(&home.join("logs"), &[])?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ndjson"));
    if files.is_empty() {
        bail!("{} holds no log", home.display());
    }
    let bytes = files.iter().map(|file| file.metadata().map(|meta| meta.len())).sum::<std::io::Result<u64>>()?;
    Ok((files, bytes))
}

/// Appends lines to the live log, the way the gateway does: opened for append, one write.
pub fn append(home: &Path, lines: &str) -> Result<()> {
    let log = OpenOptions::new().append(true).create(true).open(home.join("logs/coordination-events.ndjson"));
    log.context("cannot open the live log")?.write_all(format!("{lines}\n").as_bytes()).context("cannot append")
}

/// An ordinary message that a reader finds again by its number.
pub fn event(number: u64) -> String {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
    let body = json!({
        "type": if number.is_multiple_of(2) { "a2a.send" } else { "a2a.response" },
        "agentId": "eden",
        "ts": u64::try_from(now).unwrap_or_default(),
        "data": {
            "fromAgent": "eden", "toAgent": "seum", "eventRole": "conversation.main",
            "conversationId": format!("bench-{}", number / 20), "workSessionId": format!("ws_bench-{}", number / 100),
            "message": format!("배포 상태를 확인해 주세요. bench-marker-{number}-end")
        }
    });
    body.to_string()
}
