//! Files of a home that travel: logs, line by line, and files that are replaced as a whole. Paths are those in the home, except
//! that workspaces are named after their agents, wherever the configuration has them.

mod transcripts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Component, Path};

use coordination::api::{ConfigState, FleetSkipped};
use coordination::event::is_log_name;
use coordination::roster::Roster;
use coordination::workspace::{FileKind, valid_agent_id};

use super::text::published_json;
use crate::config::FleetText;
use crate::fs::sandbox::{Dir, FileMeta};
use crate::home::HomeDir;
use crate::sources::transcripts::{TranscriptFeed, is_published_path};
use crate::sources::workspace::{ConfigReader, ReadError, TASKS_AN_AGENT, folders, unclaimed};
use transcripts::RetainedTranscripts;

/// Largest file that travels as a whole, before it is packed.
pub(super) const MAX_FILE_BYTES: u64 = 4 << 20;
/// Longest name of a file or folder, in bytes.
const MAX_NAME_BYTES: usize = 200;
/// Folder of logs in a home.
const LOGS: &str = "logs";
/// Name of the configuration in a mirror. It holds what the dashboard needs and no secret.
pub(super) const CONFIG: &str = "openclaw.json";
/// Agent of a folder [`WORKSPACE`] that no configured agent has.
const MAIN: &str = "main";
const WORKSPACE: &str = "workspace";
/// Files of the home itself that are replaced as a whole.
const HOME_FILES: [&str; 3] = ["team-state.json", "work-session-category-overrides.json", "task-hub-classifier.json"];
/// Logs beside the folder of logs.
const HOME_LOGS: [&str; 2] = ["work-session-category-audit.ndjson", "task-hub-shared.ndjson"];
/// How often names are listed while they change.
const MAX_LISTINGS: usize = 8;
/// Logs of the monitor in the folder of logs.
const MONITOR_LOGS: [&str; 2] = [HomeDir::INGEST_RECORD, HomeDir::SPEAK_RECORD];

/// Whether a path is one that a log of a home has.
pub(super) fn is_log_path(path: &str) -> bool {
    match path.split_once('/') {
        Some((LOGS, name)) => name.len() <= MAX_NAME_BYTES && is_log_name(name) || MONITOR_LOGS.contains(&name),
        Some(_) => false,
        None => HOME_LOGS.contains(&path),
    }
}

/// Whether a path is one that a file of a home has that is replaced as a whole.
pub(super) fn is_file_path(path: &str) -> bool {
    let is_name = |name: &str| (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.contains(char::is_control);
    let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || path.contains('\\') || !path.split('/').all(is_name) {
        return false;
    }
    match path.split_once('/') {
        _ if is_published_path(path) => true,
        None => path == CONFIG || HOME_FILES.contains(&path),
        Some(("plans", name)) => !name.contains('/') && FileKind::Plan.takes(name),
        Some((folder, below)) => {
            let is_workspace = folder == WORKSPACE || folder.strip_prefix("workspace-").is_some_and(valid_agent_id);
            is_workspace && FileKind::in_folder(below).is_some()
        }
    }
}

/// What there is to publish besides the logs.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    /// Contents by path, as published, of files that changed since the last look.
    pub(super) changed: BTreeMap<String, Vec<u8>>,
    /// Paths of all files.
    pub(super) paths: BTreeSet<String>,
    /// What is published of transcripts stays as it is: they are being read. Not of stores, unless nothing was read yet.
    pub(super) retained: RetainedTranscripts,
    pub(super) skipped: Vec<FleetSkipped>,
}

/// Reads a home for publishing.
#[derive(Debug)]
pub(super) struct HomeReader {
    home: HomeDir,
    /// What is published of transcripts and stores.
    feed: TranscriptFeed,
    /// Digest of each of these files at the last look, and why it is skipped.
    feed_digests: BTreeMap<String, (String, Option<String>)>,
    config: ConfigReader,
    text: FleetText,
    /// Pictures in workspaces can be read over the fleet.
    has_pictures: bool,
    /// State of each file at the last look.
    known: BTreeMap<String, InventoryFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct InventoryFile {
    meta: FileMeta,
    /// Why it is skipped.
    cause: Option<String>,
}

impl HomeReader {
    pub(super) fn new((home, feed): (HomeDir, TranscriptFeed), text: FleetText, has_pictures: bool) -> Self {
        let config = ConfigReader::new(home.clone());
        Self { config, home, feed, feed_digests: BTreeMap::new(), text, has_pictures, known: BTreeMap::new() }
    }

    /// The logs, opened, by path. A log that cannot be opened is skipped, with its cause.
    pub(super) fn logs(&self) -> io::Result<(BTreeMap<String, File>, Vec<FleetSkipped>)> {
        let home = self.home.open()?;
        let mut names = log_names(&home)?;
        let mut listings = 1;
        loop {
            let opened = open_logs(&home, &names);
            // A log that is renamed meanwhile may be missing under both names, and mirrors would remove it.
            let now = log_names(&home)?;
            if now == names || listings == MAX_LISTINGS {
                return Ok(opened);
            }
            (names, listings) = (now, listings + 1);
        }
    }

    /// Everything else.
    pub(super) fn inventory(&mut self) -> io::Result<Inventory> {
        let (loaded, is_new) = self.config.look();
        let (roster, problem, state) = (loaded.roster.clone(), loaded.problem.clone(), loaded.state);
        let mut inventory = Inventory::default();
        // The last good one stays in use, as on the machine.
        inventory.skipped.extend(problem.map(|file| FleetSkipped { path: file.path, cause: file.cause }));
        let home = self.home.open()?;
        if state != ConfigState::Missing {
            inventory.paths.insert(CONFIG.to_owned());
        }
        if is_new && state != ConfigState::Missing {
            let config = published_config(&roster, self.has_pictures).to_string();
            inventory.changed.insert(CONFIG.to_owned(), config.into_bytes());
        }
        // As a monitor reads them: also the folders of agents that the configuration does not name.
        let mut all = roster.clone();
        all.with_directories(&unclaimed(&self.home, &roster));
        for name in HOME_FILES {
            self.add(&mut inventory, &home, (name, name.to_owned()));
        }
        self.add_transcripts(&mut inventory);
        self.add_folder(&mut inventory, home.folder("plans"), ("plans", FileKind::Plan));
        for folder in folders(&self.home, &all) {
            let below = match roster.agent(folder.agent_id.as_str()) {
                // Where a monitor looks for the agent of a home that names none.
                None if folder.agent_id.as_str() == MAIN => WORKSPACE.to_owned(),
                _ => format!("workspace-{}", folder.agent_id),
            };
            let opened = match folder.open(&self.home) {
                Ok(opened) => opened,
                Err(ReadError::Missing) => continue,
                Err(ReadError::Unreadable(cause)) => {
                    self.keep(&mut inventory, below, cause);
                    continue;
                }
            };
            for (name, _) in FileKind::IN_FOLDER {
                self.add(&mut inventory, &opened, (name, format!("{below}/{name}")));
            }
            for (name, kind) in FileKind::SUBFOLDERS {
                self.add_folder(&mut inventory, opened.folder(name), (&format!("{below}/{name}"), kind));
            }
        }
        Ok(inventory)
    }

    /// A folder that cannot be read keeps what is published of it.
    fn keep(&self, inventory: &mut Inventory, path: String, cause: String) {
        let prefix = format!("{path}/");
        let published = self.known.iter().filter(|(known, file)| known.starts_with(&prefix) && file.cause.is_none());
        inventory.paths.extend(published.map(|(known, _)| known.clone()));
        inventory.skipped.push(FleetSkipped { path, cause });
    }

    /// Notes that a file is skipped for a reason that only its publisher knows.
    pub(super) fn skip(&mut self, path: &str, cause: String) {
        if let Some((_, known)) = self.feed_digests.get_mut(path) {
            *known = Some(cause);
        } else if let Some(known) = self.known.get_mut(path) {
            known.cause = Some(cause);
        }
    }

    fn add_folder(&mut self, inventory: &mut Inventory, folder: io::Result<Dir>, (path, kind): (&str, FileKind)) {
        let listed = folder.and_then(|folder| Ok((folder.names()?, folder)));
        let (mut names, folder) = match listed {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.keep(inventory, path.to_owned(), error.to_string()),
        };
        names.retain(|name| kind.takes(name));
        let rest = names.split_off(names.len().min(TASKS_AN_AGENT));
        if !rest.is_empty() {
            let cause = format!("too many files: {} are not published", rest.len());
            inventory.skipped.push(FleetSkipped { path: path.to_owned(), cause });
        }
        for name in names {
            self.add(inventory, &folder, (&name, format!("{path}/{name}")));
        }
    }

    /// Looks at a file; it is read when it changed.
    fn add(&mut self, inventory: &mut Inventory, folder: &Dir, (name, path): (&str, String)) {
        let meta = match folder.metadata(name) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.known.remove(&path);
                return;
            }
            Err(error) => return inventory.skipped.push(FleetSkipped { path, cause: error.to_string() }),
        };
        let known = match self.known.get(&path).filter(|known| known.meta == meta) {
            Some(known) => known.clone(),
            None => {
                let read = folder.read(name, MAX_FILE_BYTES).map_err(|error| error.to_string());
                let cause = match read.and_then(|bytes| self.published(&path, bytes).map_err(str::to_owned)) {
                    Ok(bytes) => {
                        inventory.changed.insert(path.clone(), bytes);
                        None
                    }
                    Err(cause) => Some(cause),
                };
                let known = InventoryFile { meta, cause };
                self.known.insert(path.clone(), known.clone());
                known
            }
        };
        match known.cause {
            None => drop(inventory.paths.insert(path)),
            Some(cause) => inventory.skipped.push(FleetSkipped { path, cause }),
        }
    }

    fn published(&self, path: &str, bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
        if self.text == FleetText::Full || path.ends_with("/IDENTITY.md") {
            return Ok(bytes);
        }
        let is_json = path.ends_with(".json");
        let reduced = if is_json { published_json(&bytes, self.text) } else { None };
        reduced.map(std::borrow::Cow::into_owned).ok_or("its text may not leave this machine (fleet.text)")
    }
}

/// The configuration with what the dashboard shows of it. `has_pictures`: it says which agents have a picture in their workspace.
pub(super) fn published_config(roster: &Roster, has_pictures: bool) -> serde_json::Value {
    roster.to_config(|agent| format!("workspace-{agent}"), has_pictures)
}

/// Paths of the logs.
fn log_names(home: &Dir) -> io::Result<BTreeSet<String>> {
    let mut found: BTreeSet<String> = HOME_LOGS.map(str::to_owned).into();
    match home.folder(LOGS).and_then(|logs| logs.names()) {
        Ok(names) => {
            found.extend(names.iter().map(|name| format!("{LOGS}/{name}")).filter(|path| is_log_path(path)));
            Ok(found)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(found),
        Err(error) => Err(error),
    }
}

fn open_logs(home: &Dir, names: &BTreeSet<String>) -> (BTreeMap<String, File>, Vec<FleetSkipped>) {
    let (mut logs, mut skipped) = (BTreeMap::new(), Vec::new());
    for path in names {
        match home.open(path) {
            Ok((file, _)) => {
                logs.insert(path.clone(), file);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => skipped.push(FleetSkipped { path: path.clone(), cause: error.to_string() }),
        }
    }
    (logs, skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_a_home_are_taken() {
        for path in
            ["logs/coordination-events.ndjson", "logs/coordination-events-2026-01.ndjson", "task-hub-shared.ndjson"]
        {
            assert!(is_log_path(path) && !is_file_path(path), "{path}");
        }
        for path in ["openclaw.json", "team-state.json", "plans/a.json", "workspace-eden/tasks/task_1234567890.md"] {
            assert!(is_file_path(path) && !is_log_path(path), "{path}");
        }
        for path in [
            "../openclaw.json",
            "/etc/passwd",
            "logs/../openclaw.json",
            "logs/other.txt",
            "workspace-eden/../../x.md",
            "workspace-eden/.ssh/id",
            "workspace-/CURRENT_TASK.md",
            "",
            ".",
            "plans/../openclaw.json",
            "plans/a.json/b.json",
            "plans/a\u{0}.json",
            "workspace-a b/CURRENT_TASK.md",
        ] {
            assert!(!is_file_path(path) && !is_log_path(path), "{path}");
        }
    }

    #[test]
    fn home_without_configuration_stays_one() {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::create_dir_all(folder.path().join("workspace")).expect("folder");
        std::fs::write(folder.path().join("workspace/CURRENT_TASK.md"), "# Task\n").expect("written");
        let inventory =
            HomeReader::new((HomeDir::new(folder.path()), TranscriptFeed::new(false)), FleetText::Full, false)
                .inventory()
                .expect("files");
        assert_eq!(inventory.paths, BTreeSet::from(["workspace/CURRENT_TASK.md".to_owned()]));
        assert!(is_file_path("workspace/CURRENT_TASK.md") && !is_file_path("workspace/../x.md"));
    }

    #[test]
    fn folder_that_cannot_be_read_keeps_its_files() {
        let folder = tempfile::tempdir().expect("folder");
        let tasks = folder.path().join("workspace/tasks");
        std::fs::create_dir_all(&tasks).expect("folder");
        std::fs::write(tasks.join("task_1234567890.md"), "# Task\n").expect("written");
        let mut reader =
            HomeReader::new((HomeDir::new(folder.path()), TranscriptFeed::new(false)), FleetText::Full, false);
        assert_eq!(reader.inventory().expect("files").paths.len(), 1);
        std::fs::rename(&tasks, folder.path().join("elsewhere")).expect("renamed");
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &tasks).expect("a link, which is not followed");
        let inventory = reader.inventory().expect("files");
        assert_eq!(inventory.paths.len(), 1, "nothing is taken out of the mirrors");
        assert_eq!(inventory.skipped.len(), 1, "{:?}", inventory.skipped);
    }

    #[test]
    fn homes_are_read_without_secrets() {
        let folder = tempfile::tempdir().expect("folder");
        let root = folder.path();
        std::fs::create_dir_all(root.join("elsewhere/tasks")).expect("folder");
        std::fs::create_dir_all(root.join("logs")).expect("folder");
        let config =
            r#"{"gateway":{"auth":{"token":"s3cret"}},"agents":{"list":[{"id":"eden","workspace":"elsewhere"}]}}"#;
        std::fs::write(root.join("openclaw.json"), config).expect("written");
        std::fs::write(root.join("elsewhere/CURRENT_TASK.md"), "# Task\n").expect("written");
        std::fs::write(root.join("logs/coordination-events.ndjson"), "{}\n").expect("written");
        std::fs::write(root.join("logs/gateway.log"), "no log of ours\n").expect("written");
        let mut reader = HomeReader::new((HomeDir::new(root), TranscriptFeed::new(false)), FleetText::Full, false);
        let (logs, skipped) = reader.logs().expect("logs");
        assert_eq!(logs.keys().collect::<Vec<_>>(), ["logs/coordination-events.ndjson"]);
        assert_eq!(skipped, []);
        let inventory = reader.inventory().expect("files");
        let names: Vec<&str> = inventory.changed.keys().map(String::as_str).collect();
        assert_eq!(names, ["openclaw.json", "workspace-eden/CURRENT_TASK.md"]);
        assert!(names.iter().all(|name| is_file_path(name)));
        let config = String::from_utf8(inventory.changed["openclaw.json"].clone()).expect("UTF-8");
        assert!(config.contains("workspace-eden") && !config.contains("s3cret"), "{config}");
        let again = reader.inventory().expect("files");
        assert!(again.changed.is_empty(), "nothing changed");
        assert_eq!(again.paths.len(), 2);
        let mut closed = HomeReader::new((HomeDir::new(root), TranscriptFeed::new(false)), FleetText::None, false);
        let inventory = closed.inventory().expect("files");
        assert_eq!(inventory.paths, BTreeSet::from(["openclaw.json".to_owned()]));
        assert_eq!(inventory.skipped.len(), 1, "the task says that it does not travel");
    }
}
