//! Recognition of what a file is: by its path when it belongs to a home, else by its first line.

use coordination::event::is_log_name;
use coordination::evidence;
use coordination::ids::AgentId;
use coordination::merge::is_job_name;
use coordination::roster::CONFIG_NAMES;
use coordination::store::{JOBS_FOLDER, STORE_NAME};
use coordination::workspace::{FileKind, valid_agent_id};
use serde_json::{Map, Value};

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
    /// Which sessions, runs and requests OpenClaw knows.
    Sessions,
    /// A transcript of an OpenClaw session.
    Transcript,
    /// A transcript of Claude Code or Codex.
    CodingAgentTranscript,
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
    /// What people wrote on the dashboard.
    Record(HomeRecord),
    /// A store of sessions, the registry of runs or a job, by its path in the home.
    Sessions(String),
    Transcript,
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
            Self::Sessions(_) => FileContentKind::Sessions,
            Self::Transcript => FileContentKind::Transcript,
            Self::Config(_) | Self::Record(_) | Self::Workspace { .. } => FileContentKind::Home,
            Self::Other(kind) => *kind,
        }
    }
}

/// Files with events of coding agents: those that hooks write while no monitor runs, and those that a monitor stores.
const AGENT_EVENTS: [&str; 2] = ["logs/hook-events.ndjson", "logs/task-hub-ingest.ndjson"];

/// A file of the home with what people wrote on the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HomeRecord {
    /// Categories that people chose.
    Overrides,
    /// Every change of such a category.
    Changes,
    /// Words that people taught the classifier.
    Rules,
    /// Notes, resolved marks, views for everybody and rules of alerts.
    Shared,
}

impl HomeRecord {
    /// That of a path in the home.
    fn at(below: &str) -> Option<Self> {
        match below {
            "work-session-category-overrides.json" => Some(Self::Overrides),
            "work-session-category-audit.ndjson" => Some(Self::Changes),
            "task-hub-classifier.json" => Some(Self::Rules),
            "task-hub-shared.ndjson" => Some(Self::Shared),
            _ => None,
        }
    }
}

/// The folder of the home among paths, with its `/`: the one highest up with a log, a configuration or sessions of
/// agents, and of those with a log if any has one.
pub(crate) fn home_of<'a>(paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut found: Option<(u8, usize, &str)> = None;
    for path in paths {
        let config = || CONFIG_NAMES.iter().find_map(|name| folder_of(path, name));
        let log = path.rsplit_once('/').filter(|(_, name)| is_log_name(name));
        let log = log.and_then(|(folder, _)| folder_of(folder, "logs")).map(|folder| (0, folder));
        let of_home = log.or_else(|| Some((1, config()?))).or_else(|| Some((2, folder_of_sessions(path)?)));
        let Some((rank, folder)) = of_home else { continue };
        let candidate = (rank, folder.matches('/').count(), folder);
        if found.is_none_or(|known| candidate < known) {
            found = Some(candidate);
        }
    }
    found.map(|(_, _, folder)| folder.to_owned())
}

/// What is before `agents/<id>/sessions` in the path of a file there.
fn folder_of_sessions(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    let (agents, agent) = folder.strip_suffix("/sessions")?.rsplit_once('/')?;
    let is_sessions = name == STORE_NAME || name.contains(".jsonl");
    folder_of(agents, "agents").filter(|_| is_sessions && valid_agent_id(agent))
}

/// What is before `name` in a path that ends with it.
fn folder_of<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    path.strip_suffix(name).filter(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Whether a file can be one that is read, by its path: pictures are not unpacked in vain.
#[must_use]
pub fn may_be_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let endings = [".ndjson", ".jsonl", ".json", ".json5", ".md", ".gz", ".zst", ".zstd", ".log", ".txt", ".html"];
    let hidden = path.starts_with("__MACOSX/") || name.starts_with("._");
    !hidden && (is_transcript_path(path) || endings.iter().any(|ending| name.ends_with(ending)))
}

/// The kind of a file that is not read, where its path says so.
pub(crate) fn unread_kind(path: &str) -> Option<FileContentKind> {
    let is_database = [".sqlite", ".db", "-wal", "-shm"].iter().any(|ending| path.ends_with(ending));
    is_database.then_some(FileContentKind::Database)
}

/// Whether a file is a transcript by its path, in use or archived.
#[must_use]
pub fn is_transcript_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    (path.starts_with("sessions/") || path.contains("/sessions/")) && name.contains(".jsonl")
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
    if let Some(store) = store_of(path) {
        return FilePlace::Sessions(store);
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
        return Some(FilePlace::Transcript);
    }
    if is_sessions_file(below) {
        return Some(FilePlace::Sessions(below.to_owned()));
    }
    if let Some(name) = below.strip_prefix("logs/") {
        return match () {
            () if is_log_name(name) => Some(FilePlace::Log),
            () if AGENT_EVENTS.contains(&below) => Some(FilePlace::AgentEvents),
            () => None,
        };
    }
    if let Some(record) = HomeRecord::at(below) {
        return Some(FilePlace::Record(record));
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

/// Whether it says which sessions, runs and requests there are, by its path in the home.
fn is_sessions_file(below: &str) -> bool {
    let of_agent = || below.strip_prefix("agents/")?.split_once('/').map(|(_, rest)| rest);
    let is_job = || below.strip_prefix(JOBS_FOLDER)?.strip_prefix('/').map(is_job_name);
    let is_store = |path: &str| path.strip_prefix("sessions/") == Some(STORE_NAME);
    below == "subagents/runs.json" || is_store(below) || of_agent().is_some_and(is_store) || is_job() == Some(true)
}

/// Path in a home of a store of sessions that was opened without its home.
fn store_of(path: &str) -> Option<String> {
    let folder = folder_of(path, STORE_NAME)?;
    Some(match agent_above_sessions(folder) {
        Some(agent) => format!("agents/{agent}/sessions/{STORE_NAME}"),
        None => format!("sessions/{STORE_NAME}"),
    })
}

/// The agent in a folder's path that ends with `<agent>/sessions/`.
pub(crate) fn agent_above_sessions(folder: &str) -> Option<&str> {
    let above = folder.strip_suffix("/sessions/")?;
    Some(above.rsplit('/').next().unwrap_or(above)).filter(|agent| valid_agent_id(agent))
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
    // Also with a header that is damaged: its format comes first.
    let mut start = head[..head.len().min(64)].windows(evidence::FORMAT.len());
    if head.starts_with(b"{") && start.any(|word| word == evidence::FORMAT.as_bytes()) {
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
        if is_coding_agent_transcript(&fields) {
            return FilePlace::Other(FileContentKind::CodingAgentTranscript);
        }
        if is_transcript_entry(&fields) {
            return FilePlace::Transcript;
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

/// An entry of OpenClaw: its header, or a message. A part of a transcript has no header.
fn is_transcript_entry(fields: &Map<String, Value>) -> bool {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let is_header = text("type") == Some("session") && text("id").is_some() && fields.contains_key("timestamp");
    let is_versioned = text("type") == Some("session") && fields.get("version").is_some_and(Value::is_number);
    let message = fields.get("message").and_then(Value::as_object);
    // A log has no message objects, and other entries come behind the header.
    let is_message = message.is_some_and(|message| message.get("role").is_some_and(Value::is_string));
    let is_other = || fields.contains_key("parentId") && text("id").is_some() && text("type").is_some();
    is_header || is_versioned || is_message || is_other()
}

/// A line that Claude Code or Codex writes about a session of its own.
fn is_coding_agent_transcript(fields: &Map<String, Value>) -> bool {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let has = |name: &str| fields.contains_key(name);
    let is_of_claude = (has("sessionId") && (has("uuid") || has("parentUuid") || has("operation")))
        || has("leafUuid")
        || text("type") == Some("file-history-snapshot");
    let of_codex = ["session_meta", "response_item", "event_msg", "turn_context"];
    let is_of_codex = has("payload") && has("timestamp") && text("type").is_some_and(|kind| of_codex.contains(&kind));
    is_of_claude || is_of_codex
}
