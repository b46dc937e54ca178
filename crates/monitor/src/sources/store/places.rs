//! Access to the locations of OpenClaw's session stores, which [`StoreLayout`] names. A store below the home (OpenClaw's
//! state folder) is opened without following symbolic links. The path of a configured folder outside the home may contain
//! links.

use std::path::{Component, Path, PathBuf};

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::store::{StoreFile, StoreFolder, StoreLayout};

use crate::fs::sandbox::Dir;
use crate::home::HomeDir;
use crate::sources::workspace::ReadError;

/// Access to a folder of stores.
pub(super) trait StoreFolderAccess {
    /// Opens the folder.
    fn open(&self, home: &HomeDir) -> Result<Dir, ReadError>;
    /// Its path, with the home's own or the named path's links resolved.
    fn path(&self, home: &HomeDir) -> Result<PathBuf, ReadError>;
    /// Its path as written.
    fn full(&self, home: &HomeDir) -> PathBuf;
    /// Path of a file in it, for people.
    fn shown(&self, home: &HomeDir, name: &str) -> String;
}

impl StoreFolderAccess for StoreFolder {
    fn open(&self, home: &HomeDir) -> Result<Dir, ReadError> {
        Ok(match self {
            Self::Home(below) => home.open()?.folder(below)?,
            Self::Named(path) => Dir::root(path)?,
        })
    }

    fn path(&self, home: &HomeDir) -> Result<PathBuf, ReadError> {
        Ok(match self {
            Self::Home(below) => home.root().canonicalize()?.join(below),
            Self::Named(path) => path.canonicalize()?,
        })
    }

    fn full(&self, home: &HomeDir) -> PathBuf {
        match self {
            Self::Home(below) => home.root().join(below),
            Self::Named(path) => path.clone(),
        }
    }

    fn shown(&self, home: &HomeDir, name: &str) -> String {
        match self {
            Self::Home(below) => below.join(name).display().to_string(),
            Self::Named(path) => home.display(&path.join(name)),
        }
    }
}

/// Agents that may have sessions: the configured ones, then those that only a folder suggests.
pub(super) fn agents(home: &HomeDir, roster: &Roster) -> Result<Vec<AgentId>, ReadError> {
    let listed = match home.open()?.folder("agents") {
        Ok(folder) => folder.names()?,
        Err(error) => match ReadError::from(error) {
            ReadError::Missing => Vec::new(),
            error => return Err(error),
        },
    };
    Ok(StoreLayout::agents(roster, listed.into_iter().map(AgentId::from)))
}

/// Every file that may hold sessions, each once.
pub(super) fn sources(home: &HomeDir, roster: &Roster, agents: &[AgentId]) -> Vec<StoreFile> {
    StoreLayout::new(roster, &|text| written(home, text)).sources(agents)
}

/// Every folder that may hold transcript files.
pub(super) fn transcript_folders(home: &HomeDir, roster: &Roster, agents: &[AgentId]) -> Vec<(AgentId, StoreFolder)> {
    StoreLayout::new(roster, &|text| written(home, text)).transcript_folders(agents)
}

/// Where an agent's database is.
pub(super) fn database(home: &HomeDir, roster: &Roster, agent: &AgentId) -> StoreFolder {
    StoreLayout::new(roster, &|text| written(home, text)).database(agent)
}

/// The folder of the file store that the configuration names for an agent.
pub(super) fn file_store(home: &HomeDir, roster: &Roster, agent: &AgentId) -> Option<StoreFolder> {
    StoreLayout::new(roster, &|text| written(home, text)).file_store(agent)
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
