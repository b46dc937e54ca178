//! Locations of OpenClaw's session stores, default or configured (`contract/sessions.md` §2, `contract/workspace.md`
//! §1–§2). A store below the home (OpenClaw's state folder) is opened without following symbolic links. The path of a
//! configured folder outside the home may contain links.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use coordination::ids::AgentId;
use coordination::roster::Roster;

use crate::fs::sandbox::Dir;
use crate::home::HomeDir;
use crate::sources::workspace::ReadError;
use coordination::workspace::valid_agent_id;

/// Name of an agent's database.
pub(super) const DATABASE: &str = "openclaw-agent.sqlite";
/// Name of a file store.
pub(super) const FILE: &str = "sessions.json";

/// A folder: below the home, or where the configuration says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StoreFolder {
    /// Below the home.
    Home(PathBuf),
    /// As the configuration gives it.
    Named(PathBuf),
}

/// One file that may hold sessions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoreFile {
    pub(super) kind: StoreKind,
    /// The agent to which bare keys in it belong.
    pub(super) agent: AgentId,
    /// True when no other agent uses the file.
    pub(super) exclusive: bool,
    /// Its folder.
    pub(super) place: StoreFolder,
    pub(super) name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StoreKind {
    /// An agent's database.
    Database,
    /// A file store.
    File,
    /// `state/openclaw.sqlite`.
    Shared,
    /// `subagents/runs.json`.
    Runs,
}

impl StoreFolder {
    /// Opens the folder.
    pub(super) fn open(&self, home: &HomeDir) -> Result<Dir, ReadError> {
        Ok(match self {
            Self::Home(below) => home.open()?.folder(below)?,
            Self::Named(path) => Dir::root(path)?,
        })
    }

    /// Its path, with the home's own or the named path's links resolved.
    pub(super) fn path(&self, home: &HomeDir) -> Result<PathBuf, ReadError> {
        Ok(match self {
            Self::Home(below) => home.root().canonicalize()?.join(below),
            Self::Named(path) => path.canonicalize()?,
        })
    }

    /// Its path as written.
    pub(super) fn full(&self, home: &HomeDir) -> PathBuf {
        match self {
            Self::Home(below) => home.root().join(below),
            Self::Named(path) => path.clone(),
        }
    }

    pub(super) fn shown(&self, home: &HomeDir, name: &str) -> String {
        match self {
            Self::Home(below) => below.join(name).display().to_string(),
            Self::Named(path) => home.display(&path.join(name)),
        }
    }
}

/// Agents that may have sessions: the configured ones, then those that only a folder suggests.
pub(super) fn agents(home: &HomeDir, roster: &Roster) -> Result<Vec<AgentId>, ReadError> {
    let mut ids: Vec<AgentId> = roster.agents.iter().map(|agent| agent.id.clone()).collect();
    let listed = match home.open()?.folder("agents") {
        Ok(folder) => folder.names()?,
        Err(error) => match ReadError::from(error) {
            ReadError::Missing => Vec::new(),
            error => return Err(error),
        },
    };
    ids.extend(listed.into_iter().map(AgentId::from));
    ids.retain(|id| valid_agent_id(id.as_str()));
    let mut seen = BTreeSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    Ok(ids)
}

/// Every file that may hold sessions, each once.
pub(super) fn sources(home: &HomeDir, roster: &Roster, agents: &[AgentId]) -> Vec<StoreFile> {
    let default = AgentId::from(roster.key_rules().default_agent);
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    let mut add = |kind, agent: &AgentId, exclusive, place: StoreFolder, name: &str| {
        if known.insert((kind, place.clone(), name.to_owned())) {
            all.push(StoreFile { kind, agent: agent.clone(), exclusive, place, name: name.to_owned() });
        }
    };
    for agent in agents {
        add(StoreKind::Database, agent, true, database(home, roster, agent), DATABASE);
    }
    match roster.session_store.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        None => {
            for agent in agents {
                add(StoreKind::File, agent, true, sessions(agent), FILE);
            }
        }
        // Without a place for the agent's id all agents share one file.
        Some(template) if !template.contains("{agentId}") => {
            let (place, name) = named_file(home, template);
            add(StoreKind::File, &default, false, place, &name);
        }
        Some(template) => {
            for agent in agents {
                let (place, name) = named_file(home, &template.replace("{agentId}", agent.as_str()));
                add(StoreKind::File, agent, true, place, &name);
            }
        }
    }
    add(StoreKind::File, &default, false, StoreFolder::Home(PathBuf::from("sessions")), FILE);
    add(StoreKind::Shared, &default, false, StoreFolder::Home(PathBuf::from("state")), "openclaw.sqlite");
    add(StoreKind::Runs, &default, false, StoreFolder::Home(PathBuf::from("subagents")), "runs.json");
    all
}

/// Where an agent's database is.
pub(super) fn database(home: &HomeDir, roster: &Roster, agent: &AgentId) -> StoreFolder {
    let named = roster.agent(agent.as_str()).and_then(|agent| agent.agent_dir.as_deref());
    match named.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => written(home, text),
        None => StoreFolder::Home(PathBuf::from(format!("agents/{agent}/agent"))),
    }
}

/// Where an agent's session files are by default.
pub(super) fn sessions(agent: &AgentId) -> StoreFolder {
    StoreFolder::Home(PathBuf::from(format!("agents/{agent}/sessions")))
}

/// The folder of the file store that the configuration names for an agent.
pub(super) fn file_store(home: &HomeDir, roster: &Roster, agent: &AgentId) -> Option<StoreFolder> {
    let template = roster.session_store.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
    Some(named_file(home, &template.replace("{agentId}", agent.as_str())).0)
}

fn named_file(home: &HomeDir, text: &str) -> (StoreFolder, String) {
    let path = Path::new(text);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|| FILE.to_owned());
    let folder = path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    (written(home, &folder), name)
}

/// A path as the configuration writes it. `~/.openclaw/…`, and what is absolute and below the home, is the home in use,
/// so that a copied home is read from its copy and never from the user's own.
fn written(home: &HomeDir, text: &str) -> StoreFolder {
    let below = text.strip_prefix("~/.openclaw/").map(PathBuf::from).or_else(|| {
        let path = Path::new(text);
        let inside = path.strip_prefix(home.root()).ok().filter(|_| path.is_absolute());
        inside.map(Path::to_path_buf)
    });
    match below.filter(|below| below.components().all(|step| matches!(step, Component::Normal(_) | Component::CurDir)))
    {
        Some(below) => StoreFolder::Home(below),
        None if text == "~/.openclaw" => StoreFolder::Home(PathBuf::new()),
        None => StoreFolder::Named(match (text.strip_prefix("~/"), home.user_home()) {
            (Some(rest), Some(user)) => user.join(rest),
            _ => home.root().join(text),
        }),
    }
}
