//! Recognition of what a file is: by its path when it belongs to a home, else by its first line.

use coordination::event::is_log_name;
use coordination::evidence;
use coordination::ids::AgentId;
use coordination::roster::CONFIG_NAMES;
use coordination::workspace::{FileKind, valid_agent_id};
use serde_json::Value;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileContentKind {
    /// A coordination log or an archive of one.
    Log,
    /// Events of coding agents: event schema 1.x, or hooks.
    AgentEvents,
    /// An evidence file.
    Evidence,
    /// Settings, tasks or other files of a home.
    Home,
    /// A transcript of an OpenClaw session.
    Transcript,
    /// A database.
    Database,
    /// None of these.
    #[serde(other)]
    Unknown,
}

/// Where a file belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FilePlace {
    Log,
    AgentEvents,
    Evidence,
    /// `openclaw.json` or a part of it, by its path in the home.
    Config(String),
    /// Categories that people chose.
    Overrides,
    /// A file of a workspace, by the folder's name; of the home itself where that is absent.
    Workspace {
        folder: Option<String>,
        kind: FileKind,
    },
    /// It is not read.
    Other(FileContentKind),
}

impl FilePlace {
    pub(crate) fn kind(&self) -> FileContentKind {
        match self {
            Self::Log => FileContentKind::Log,
            Self::AgentEvents => FileContentKind::AgentEvents,
            Self::Evidence => FileContentKind::Evidence,
            Self::Config(_) | Self::Overrides | Self::Workspace { .. } => FileContentKind::Home,
            Self::Other(kind) => *kind,
        }
    }
}

/// Files with events of coding agents: those that hooks write while no monitor runs, and those that a monitor stores.
const AGENT_EVENTS: [&str; 2] = ["logs/hook-events.ndjson", "logs/task-hub-ingest.ndjson"];

/// Categories that people chose.
const OVERRIDES: &str = "work-session-category-overrides.json";

/// The folder of the home among paths, with its `/`: the one highest up with a configuration or a log, and of those with
/// a log if any has one.
pub(crate) fn home_of<'a>(paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut found: Option<(bool, usize, &str)> = None;
    for path in paths {
        let config = CONFIG_NAMES.iter().find_map(|name| folder_of(path, name));
        let log = path.rsplit_once('/').filter(|(_, name)| is_log_name(name));
        let log = log.and_then(|(folder, _)| folder_of(folder, "logs"));
        let Some(folder) = log.or(config) else { continue };
        let candidate = (log.is_none(), folder.matches('/').count(), folder);
        if found.is_none_or(|known| candidate < known) {
            found = Some(candidate);
        }
    }
    found.map(|(_, _, folder)| folder.to_owned())
}

/// What is before `name` in a path that ends with it.
fn folder_of<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    path.strip_suffix(name).filter(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Whether a file can be one that is read, by its path: transcripts and pictures are not unpacked in vain.
#[must_use]
pub fn may_be_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let endings = [".ndjson", ".jsonl", ".json", ".json5", ".md", ".gz", ".zst", ".zstd", ".log", ".txt", ".html"];
    let hidden = path.starts_with("__MACOSX/") || name.starts_with("._");
    !hidden && !is_transcript_path(path) && endings.iter().any(|ending| name.ends_with(ending))
}

/// The kind of a file that is not read, where its path says so: a home has thousands of them.
pub(crate) fn unread_kind(path: &str) -> Option<FileContentKind> {
    let is_database = [".sqlite", ".db", "-wal", "-shm"].iter().any(|ending| path.ends_with(ending));
    match () {
        () if is_transcript_path(path) => Some(FileContentKind::Transcript),
        () if is_database => Some(FileContentKind::Database),
        () => None,
    }
}

fn is_transcript_path(path: &str) -> bool {
    path.contains("/sessions/") && path.contains(".jsonl")
}

/// Where a file belongs. `home` is [`home_of`] all paths.
pub(crate) fn recognise(path: &str, home: Option<&str>, head: &[u8]) -> FilePlace {
    if let Some(below) = home.and_then(|home| path.strip_prefix(home)) {
        return in_home(below).unwrap_or_else(|| match of_head(head) {
            // A home has many files that are none of the dashboard's.
            FilePlace::Log | FilePlace::AgentEvents if below.contains('/') => {
                FilePlace::Other(FileContentKind::Unknown)
            }
            place => place,
        });
    }
    match of_head(head) {
        // Nothing in it says what it is.
        FilePlace::Other(FileContentKind::Unknown) if is_log_name(path.rsplit('/').next().unwrap_or(path)) => {
            FilePlace::Log
        }
        place => place,
    }
}

fn in_home(below: &str) -> Option<FilePlace> {
    if is_transcript_path(below) {
        return Some(FilePlace::Other(FileContentKind::Transcript));
    }
    if let Some(name) = below.strip_prefix("logs/") {
        return match () {
            () if is_log_name(name) => Some(FilePlace::Log),
            () if AGENT_EVENTS.contains(&below) => Some(FilePlace::AgentEvents),
            () => None,
        };
    }
    if below == OVERRIDES {
        return Some(FilePlace::Overrides);
    }
    if below == "team-state.json" {
        return Some(FilePlace::Workspace { folder: None, kind: FileKind::TeamState });
    }
    let (folder, rest) = below.split_once('/').unwrap_or(("", below));
    if folder == "plans" && FileKind::Plan.takes(rest) {
        return Some(FilePlace::Workspace { folder: None, kind: FileKind::Plan });
    }
    if folder == "workspace" || folder.starts_with("workspace-") {
        let kind = FileKind::in_folder(rest)?;
        return Some(FilePlace::Workspace { folder: Some(folder.to_owned()), kind });
    }
    let is_config = folder != "agents" && [".json", ".json5"].iter().any(|ending| below.ends_with(ending));
    is_config.then(|| FilePlace::Config(below.to_owned()))
}

/// The agent whose folder has this name, by the name alone.
pub(crate) fn agent_of_folder(folder: &str) -> Option<AgentId> {
    match folder.strip_prefix("workspace-") {
        Some(id) => valid_agent_id(id).then(|| AgentId::from(id)),
        None => (folder == "workspace").then(|| AgentId::from("main")),
    }
}

/// By the first lines that are JSON objects: a log that is cut off at its beginning starts with a part of a line.
fn of_head(head: &[u8]) -> FilePlace {
    if head.starts_with(b"SQLite format 3\0") {
        return FilePlace::Other(FileContentKind::Database);
    }
    if head.starts_with(evidence::PAGE_START.as_bytes()) {
        return FilePlace::Evidence;
    }
    let lines = head.split(|byte| *byte == b'\n').take(20);
    let objects = lines.filter_map(|line| match serde_json::from_slice(line.trim_ascii()) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    });
    for fields in objects {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        if text("format") == Some(evidence::FORMAT) {
            return FilePlace::Evidence;
        }
        if text("type") == Some("session") && fields.get("version").is_some_and(Value::is_number) {
            return FilePlace::Other(FileContentKind::Transcript);
        }
        let is_hook = fields.contains_key("hook_event_name") || fields.contains_key("payload");
        if is_hook || (fields.contains_key("version") && fields.contains_key("type")) {
            return FilePlace::AgentEvents;
        }
        if text("type").is_some() {
            return FilePlace::Log;
        }
    }
    FilePlace::Other(FileContentKind::Unknown)
}
