//! Command `task-monitor sessions`: prints all work sessions of a log file or of an OpenClaw state folder as JSON, in
//! the form of `GET /api/work-sessions`. Manual categories in the state folder apply. The classifier is `v1`, as in the
//! original 1.x monitor.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use coordination::api::ManualOverride;
use coordination::classify::Classifier;
use coordination::compat::{self, WorkSessionsQuery};
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::roster::Roster;

use super::enrich;
use crate::clock::ServerClock;
use crate::fs::sandbox::Dir;
use crate::home::HomeDir;
use crate::sources::workspace::{ConfigReader, WorkspaceReader};

/// Manual categories by session.
type Overrides = BTreeMap<SessionId, ManualOverride>;

/// As much as the server reads of them.
const OVERRIDES_LIMIT: u64 = 16 << 20;

/// Flags of `sessions`.
#[derive(Debug, Clone, Args)]
pub(super) struct SessionsArgs {
    /// One log file instead of a home.
    #[arg(conflicts_with = "home")]
    file: Option<PathBuf>,
    /// A home: all its archives and the live log [default: as for serve].
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Whose agents count as main [default: openclaw.json of the home].
    #[arg(long, value_name = "openclaw.json")]
    config: Option<PathBuf>,
    /// The time for which the status is printed.
    #[arg(long, value_name = "EPOCH_MS")]
    clock: Option<i64>,
}

pub(super) fn run(args: &SessionsArgs) -> anyhow::Result<()> {
    let now = ServerClock::from_option(args.clock).now_ms();
    let hub = match &args.file {
        Some(path) => {
            let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let roster = enrich::roster(args.config.as_deref())?;
            hub(events(&bytes, "file"), roster, Overrides::new())
        }
        None => {
            let home = HomeDir::resolve(args.home.as_deref());
            let roster = match &args.config {
                Some(_) => enrich::roster(args.config.as_deref())?,
                None => roster_of(&home)?,
            };
            hub(logs(&home)?, roster, overrides(&home)?)
        }
    };
    let query = WorkSessionsQuery { limit: usize::MAX, ..WorkSessionsQuery::default() };
    let mut out = std::io::stdout().lock();
    for part in compat::work_sessions(&hub, true, now, &query) {
        out.write_all(&part)?;
    }
    Ok(out.write_all(b"\n")?)
}

fn hub(events: Vec<Event>, roster: Roster, overrides: Overrides) -> Hub {
    let mut hub = Hub::new();
    hub.set_classifier(Classifier::V1);
    hub.set_roster(roster);
    hub.set_overrides(overrides);
    hub.apply(events);
    hub
}

/// Agents by configuration and folder, exactly as the server has them.
pub(super) fn roster_of(home: &HomeDir) -> anyhow::Result<Roster> {
    let loaded = ConfigReader::new(home.clone()).look().0.clone();
    if let Some(problem) = loaded.problem {
        anyhow::bail!("the configuration {} is not usable: {}", problem.path, problem.cause);
    }
    Ok(WorkspaceReader::new(home.clone()).look().map(|update| update.roster).unwrap_or_default())
}

fn events(bytes: &[u8], token: &str) -> Vec<Event> {
    let (events, bad) = parse_lines(bytes, token, 0);
    if !bad.is_empty() {
        eprintln!("{} lines could not be read; the first is at byte {}", bad.len(), bad[0].offset);
    }
    events
}

/// All archives by their first event, then the live log (`contract/events.md` §1.2).
fn logs(home: &HomeDir) -> anyhow::Result<Vec<Event>> {
    let (folder, names) = log_names(home)?;
    let live = home.live_log();
    let mut files: Vec<(bool, i64, Vec<Event>)> = Vec::new();
    for name in names {
        let path = home.logs().join(&name);
        let bytes = folder.read(&name, u64::MAX).with_context(|| format!("cannot read {}", path.display()))?;
        let token = name.strip_suffix(".ndjson").unwrap_or(&name);
        let events = events(&bytes, token);
        files.push((path == live, events.first().map_or(i64::MAX, |event| event.at), events));
    }
    files.sort_by_key(|(live, first, _)| (*live, *first));
    Ok(files.into_iter().flat_map(|(_, _, events)| events).collect())
}

/// The folder of a home's logs, opened, and the names of the logs in it, sorted.
pub(super) fn log_names(home: &HomeDir) -> anyhow::Result<(Dir, Vec<String>)> {
    let opened = home.open().and_then(|home| home.folder("logs")).and_then(|folder| Ok((folder.names()?, folder)));
    let (mut names, folder) = opened.with_context(|| format!("cannot read {}", home.logs().display()))?;
    names.retain(|name| name.starts_with("coordination-events") && name.ends_with(".ndjson"));
    Ok((folder, names))
}

/// Manual categories; invalid entries are skipped (`contract/monitor-api.md` §7). A file that cannot be read is an
/// error: its sessions would be shown as if nobody had set their category.
fn overrides(home: &HomeDir) -> anyhow::Result<Overrides> {
    let path = home.overrides();
    let name = path.file_name().unwrap_or_default();
    let bytes = match home.open().and_then(|home| home.read(name, OVERRIDES_LIMIT)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Overrides::default()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let entries: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&bytes)
        .with_context(|| format!("the manual categories in {} are not a JSON object", path.display()))?;
    Ok(entries.into_iter().filter_map(|(id, entry)| Some((id.into(), serde_json::from_value(entry).ok()?))).collect())
}
