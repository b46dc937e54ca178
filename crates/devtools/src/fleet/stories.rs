//! Events in the life of a fleet that no schedule of faults has: a deleted stream, a copied machine, a removed one, and a stream
//! that is too small for its logs.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use bench::{home, http};
use coordination::digest::sha256_hex;
use serde_json::{Value, json};

use super::aggregator::state_of;
use super::cluster::Cluster;
use super::plan::SplitMix;
use super::process::{Process, retry};
use super::site::{TestFleet, logs};
use super::writer::{Writer, rewrite_task};
use super::{MIRRORED_WITHIN, Round};
use crate::bundle;

/// A publisher says every ten seconds that it is there; that of a copy waits for it.
const CONFLICT_WITHIN: Duration = Duration::from_secs(30);
/// Path of the live log in a home.
const LIVE_LOG: &str = "logs/coordination-events.ndjson";
/// Bytes of a stream that is too small.
const SMALL_STREAM_BYTES: u64 = 60_000;

/// Deletes the stream of logs and makes it again. The last aggregator loses its mirror, so that it needs all lines again.
pub(super) fn delete_stream(fleet: &mut TestFleet, cluster: &Cluster) -> Result<()> {
    let last = fleet.aggregators.len() - 1;
    fleet.aggregators[last].process.take().context("no aggregator")?.kill()?;
    std::fs::remove_dir_all(&fleet.aggregators[last].mirror).context("cannot remove the mirror")?;
    cluster.request(&format!("STREAM.DELETE.TH_LOG_{}", fleet.name), "")?;
    fleet.make_streams()?;
    fleet.start_aggregator(last)
}

/// Deletes a stream and creates it again. Lines are written in between, and no mirror is lost.
pub(super) fn write_to_new_stream(
    fleet: &TestFleet,
    cluster: &Cluster,
    stream: &str,
    (random, writer): (&mut SplitMix, &mut Writer),
) -> Result<()> {
    cluster.request(&format!("STREAM.DELETE.{stream}_{}", fleet.name), "")?;
    writer.append(fleet, random)?;
    fleet.make_streams()?;
    rewrite_task(&fleet.machines[0].home, &format!("# Task of {stream}\n\n- [ ] step\n"))?;
    writer.append(fleet, random)
}

/// Logs that their home lost for a moment are whole again. Of those that it lost for good, an aggregator that begins later
/// finds the lines in the stream, and shows none.
pub(super) fn removed_logs(round: &Round, cluster: &Cluster) -> Result<()> {
    let mut fleet = round.fleet(cluster, "pruned")?;
    let home = round.copied("everything", "pruned")?;
    fleet.add_machine("pruned", home.clone())?;
    fleet.add_aggregator("early")?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    let (logs, away) = (home.join("logs"), home.join("away"));
    for (from, to) in [(&logs, &away), (&away, &logs)] {
        std::fs::rename(from, to)?;
        fleet.wait_until_mirrored(MIRRORED_WITHIN).context("logs that are away for a moment")?;
    }
    std::fs::remove_file(home.join("logs/coordination-events-2025-11.ndjson"))?;
    std::fs::OpenOptions::new().write(true).open(home.join(LIVE_LOG))?.set_len(0)?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    fleet.aggregators.clear();
    fleet.add_aggregator("late")?;
    round.compare(&fleet).map(drop)
}

/// A log that was copied and renamed while nothing was published is the one that it was: mirrors have it under its new name and
/// do not write it again.
pub(super) fn renamed_while_away(round: &Round, cluster: &Cluster) -> Result<()> {
    let mut fleet = round.fleet(cluster, "renamed")?;
    let home = round.copied("everything", "renamed")?;
    fleet.add_machine("renamed", home.clone())?;
    fleet.add_aggregator("shown")?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    let mirror = fleet.aggregators[0].mirrored_home(&fleet.aggregators[0].source("renamed")?);
    let before = std::fs::metadata(mirror.join(LIVE_LOG))?.ino();
    fleet.machines[0].publisher.take().context("no publisher")?.kill()?;
    let mut writer = Writer::default();
    // The copy comes first by name.
    writer.copy_log(&home)?;
    let renamed = writer.rename_log(&home)?;
    append_line(&home, "line-of-the-next-log")?;
    fleet.start_publisher(0)?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    let path = renamed.strip_prefix(&home).context("an archive outside its home")?;
    ensure!(std::fs::metadata(mirror.join(path))?.ino() == before, "the mirror has another file for the renamed log");
    round.compare(&fleet).map(drop)
}

/// A copied machine: its publisher ends, says which file makes the two the same source, and has published nothing. The original
/// continues, and the page says what happened.
pub(super) fn copied_machine(round: &Round, cluster: &Cluster) -> Result<()> {
    let mut fleet = round.fleet(cluster, "copies")?;
    fleet.add_machine("original", round.copied("ping-pong", "original")?)?;
    fleet.add_aggregator("shown")?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    let copy = round.home("copy");
    bundle::copy_dir(&fleet.machines[0].home, &copy)?;
    append_line(&copy, "line-of-the-copy")?;
    let mut second = fleet.publisher_of_copy("copy", &copy)?;
    let log = fleet.log_of("copy");
    retry("the publisher of the copy ends", CONFLICT_WITHIN, || {
        ensure!(ended_by_conflict(&mut second, &log)?, "it runs");
        Ok(())
    })?;
    let first = fleet.machines[0].publisher.as_mut().context("no publisher")?;
    ensure!(first.exit_status()?.is_none(), "the publisher of the original ended");
    append_line(&fleet.machines[0].home, "line-of-the-original")?;
    fleet.machines[0].is_conflicted = true;
    // Byte for byte: nothing of the copy is in it.
    fleet.wait_until_mirrored(MIRRORED_WITHIN).map(drop)
}

/// Appends a message between two agents to the live log of a home.
fn append_line(home: &Path, id: &str) -> Result<()> {
    let line = json!({
        "eventId": id, "timestamp": "2026-02-01T09:00:00.000Z", "type": "send", "fromAgent": "eden", "toAgent": "seum",
        "message": id,
    });
    let mut log = std::fs::OpenOptions::new().append(true).create(true).open(home.join(LIVE_LOG))?;
    Ok(writeln!(log, "{line}")?)
}

/// Whether a publisher ended; an error when it did with another status or without naming the file.
pub(super) fn ended_by_conflict(process: &mut Process, log: &Path) -> Result<bool> {
    let Some(status) = process.exit_status()? else { return Ok(false) };
    let said = std::fs::read_to_string(log)?;
    ensure!(status.code() == Some(1), "a publisher ended with {status}: {said}");
    ensure!(said.contains("task-hub-fleet.json"), "the publisher does not name task-hub-fleet.json: {said}");
    Ok(true)
}

/// A machine is removed while two aggregators show it. It is gone from both, also from one that starts later, and comes back
/// whole once its home is published again. Another machine is not affected.
pub(super) fn forgotten_machine(round: &Round, cluster: &Cluster) -> Result<()> {
    let mut fleet = round.fleet(cluster, "forgotten")?;
    for name in ["staying", "leaving"] {
        fleet.add_machine(name, round.copied("everything", name)?)?;
    }
    ["one", "two"].into_iter().try_for_each(|name| fleet.add_aggregator(name))?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    let refused = fleet.forget("leaving").err().context("a machine that publishes was removed")?;
    ensure!(refused.to_string().contains("running"), "the refusal is {refused:#}");
    let mirrors: Vec<_> =
        fleet.aggregators.iter().map(|it| Ok(it.mirrored_home(&it.source("leaving")?))).collect::<Result<_>>()?;
    // Its lines are the last of the stream: one that reads the stream later must not wait for them.
    home::append(&fleet.machines[1].home, &home::event(1))?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    fleet.machines[1].publisher.take().context("no publisher")?.end()?;
    fleet.forget("leaving")?;
    let leaving = fleet.machines.remove(1);
    retry("the machine is gone", MIRRORED_WITHIN, || ensure_gone(&fleet, &leaving.name))?;
    retry("its mirrors are gone", MIRRORED_WITHIN, || {
        let left = mirrors.iter().find(|mirror| mirror.exists());
        ensure!(left.is_none(), "{left:?} is still there");
        Ok(())
    })?;
    let subjects = format!(r#"{{"subjects_filter":"th.v1.{}.>"}}"#, fleet.name);
    let known = cluster.request(&format!("STREAM.INFO.TH_LOG_{}", fleet.name), &subjects)?["state"]["subjects"].take();
    let staying = fleet.aggregators[0].source("staying")?["id"].as_str().unwrap_or_default().to_owned();
    let others = known.as_object().context("no subjects")?.keys().filter(|subject| !subject.contains(&staying)).count();
    ensure!(others == 0, "the stream still has lines of it: {known}");
    fleet.aggregators[1].process.take().context("no aggregator")?.kill()?;
    fleet.start_aggregator(1)?;
    fleet.add_aggregator("late")?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    ensure_gone(&fleet, &leaving.name)?;
    fleet.add_machine(&leaving.name, leaving.home)?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    round.compare(&fleet).map(drop)
}

/// No aggregator shows a machine, and each shows all others whole.
fn ensure_gone(fleet: &TestFleet, name: &str) -> Result<()> {
    for aggregator in &fleet.aggregators {
        ensure!(aggregator.source(name).is_err(), "{} shows {name}", aggregator.name);
        let answer = http::get(aggregator.port, &format!("/@{name}/api/v2/home"))?;
        let code = serde_json::from_slice::<Value>(&answer.body).context("the error is not JSON")?["code"].take();
        ensure!(answer.status == 404 && code == "not_found", "its home is answered with {} {code}", answer.status);
    }
    fleet.wait_until_mirrored(MIRRORED_WITHIN).map(drop)
}

/// A stream that holds only the end of the logs: an aggregator that begins then says what is missing, and so does one that
/// was off while lines expired. What is published again from the beginning fills its holes.
pub(super) fn evicted_logs(round: &Round, cluster: &Cluster) -> Result<()> {
    let mut fleet = round.fleet(cluster, "small")?;
    let stream = format!("TH_LOG_{}", fleet.name);
    let mut config = cluster.request(&format!("STREAM.INFO.{stream}"), "")?["config"].take();
    cluster.request(&format!("STREAM.DELETE.{stream}"), "")?;
    config["max_bytes"] = json!(SMALL_STREAM_BYTES);
    cluster.request(&format!("STREAM.CREATE.{stream}"), &config.to_string())?;
    let home = round.copied("everything", "evicted")?;
    fleet.add_machine("evicted", home.clone())?;
    retry("the stream is full", MIRRORED_WITHIN, || {
        let state = cluster.request(&format!("STREAM.INFO.{stream}"), "")?["state"].take();
        ensure!(state["first_seq"].as_u64() > Some(1), "nothing is evicted: {state}");
        Ok(())
    })?;
    // The publisher may have more to say.
    std::thread::sleep(Duration::from_secs(2));
    fleet.add_aggregator("late")?;
    retry("what is missing is named", MIRRORED_WITHIN, || {
        let source = fleet.aggregators[0].source("evicted")?;
        ensure!(source["state"] == "incomplete", "the machine is {}", state_of(&source));
        ensure_holes(&source, &home)
    })?;
    let in_live_log = |fleet: &TestFleet| -> Result<usize> {
        let source = fleet.aggregators[0].source("evicted")?;
        let holes = source["holes"].as_array().context("no holes")?.iter();
        // Behind those of the other logs nothing comes.
        let holes: Vec<&Value> = holes.filter(|hole| hole["path"] == LIVE_LOG).collect();
        ensure!(holes.iter().all(|hole| hole["knownFrom"].is_i64()), "a hole does not say from when on: {holes:?}");
        Ok(holes.len())
    };
    let before = in_live_log(&fleet)?;
    fleet.aggregators[0].process.take().context("no aggregator")?.kill()?;
    // Digests: packed, they are larger than the stream.
    for part in 0..8 {
        let digest = |number: u32| sha256_hex(&(part * 1_000 + number).to_le_bytes());
        append_line(&home, &(0..400).map(digest).collect::<String>())?;
        std::thread::sleep(Duration::from_millis(500));
    }
    fleet.start_aggregator(0)?;
    retry("what expired meanwhile is named", MIRRORED_WITHIN, || {
        ensure!(in_live_log(&fleet)? > before, "the live log has {before} holes");
        ensure_holes(&fleet.aggregators[0].source("evicted")?, &home)
    })?;
    config["max_bytes"] = json!(SMALL_STREAM_BYTES * 100);
    cluster.request(&format!("STREAM.UPDATE.{stream}"), &config.to_string())?;
    cluster.request(&format!("STREAM.PURGE.{stream}"), "")?;
    append_line(&home, "after all lines expired")?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN).map(drop)
}

/// The holes are parts of the logs, and with what is mirrored they are the whole.
fn ensure_holes(source: &Value, home: &Path) -> Result<()> {
    let logs = logs(home)?;
    let mut missing = 0;
    let mut named = BTreeSet::new();
    for hole in source["holes"].as_array().into_iter().flatten() {
        let path = hole["path"].as_str().unwrap_or_default();
        let (from, to) = (hole["from"].as_u64().unwrap_or_default(), hole["to"].as_u64().unwrap_or_default());
        let length = logs
            .get(path)
            .with_context(|| format!("a hole in {path}, which the home does not have"))?
            .metadata()?
            .len();
        ensure!(from < to && to <= length, "a hole from {from} to {to} in {path} of {length} bytes");
        named.insert(path);
        missing += to - from;
    }
    let whole = logs.values().map(|file| file.metadata().map(|meta| meta.len())).sum::<std::io::Result<u64>>()?;
    let mirrored = source["bytes"].as_u64().unwrap_or_default();
    ensure!(!named.is_empty(), "no hole is named");
    ensure!(mirrored + missing == whole, "{mirrored} bytes are mirrored and {missing} missing of {whole}");
    Ok(())
}
