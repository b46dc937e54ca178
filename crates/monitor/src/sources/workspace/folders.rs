//! Mapping from agents to their workspace folders (`contract/workspace.md` §2). A path in the configuration replaces
//! the default folder. Agent ids are validated, because they become parts of paths (defects D9 and D14 in
//! `contract/monitor-api.md`).

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::PathBuf;

use coordination::ids::AgentId;
use coordination::roster::{Roster, RosterAgent};
use coordination::workspace::valid_agent_id;
use rustix::fs::FileType;

use super::file::ReadError;
use crate::fs::sandbox::{Dir, OpenDenied};
use crate::home::HomeDir;

/// An agent's folder; it need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceFolder {
    /// The agent that owns it.
    pub agent_id: AgentId,
    /// Path of the folder.
    pub path: PathBuf,
    /// Its name in the home. None for one that the configuration names: that is a root of its own, and its path may
    /// lead through links.
    in_home: Option<String>,
}

impl WorkspaceFolder {
    /// Opens it.
    ///
    /// # Errors
    /// When there is none, or its path leads to something that is no folder, a link, or may not be opened.
    pub fn open(&self, home: &HomeDir) -> Result<Dir, ReadError> {
        match &self.in_home {
            Some(name) => Ok(home.open()?.folder(name)?),
            None => Dir::root(&self.path).map_err(|error| match error.kind() {
                // The configuration names it: that something else is there must be reported.
                ErrorKind::NotADirectory => std::io::Error::from(OpenDenied::NotFolder).into(),
                _ => error.into(),
            }),
        }
    }
}

/// The folder of every agent of the roster, in its order.
#[must_use]
pub fn folders(home: &HomeDir, roster: &Roster) -> Vec<WorkspaceFolder> {
    let nobody_is_default = !roster.agents.iter().any(|agent| agent.default);
    roster
        .agents
        .iter()
        .filter(|agent| valid_agent_id(agent.id.as_str()))
        .map(|agent| match place(home, nobody_is_default, agent) {
            FolderSource::InHome(name) => {
                WorkspaceFolder { agent_id: agent.id.clone(), path: home.root().join(&name), in_home: Some(name) }
            }
            FolderSource::Named(path) => WorkspaceFolder { agent_id: agent.id.clone(), path, in_home: None },
        })
        .collect()
}

/// The folder of one agent, opened.
///
/// # Errors
/// When there is none, or it is there and cannot be opened.
pub fn folder_of(home: &HomeDir, roster: &Roster, id: &str) -> Result<(WorkspaceFolder, Dir), ReadError> {
    let found = folders(home, roster).into_iter().find(|folder| folder.agent_id.as_str() == id);
    let folder = found.ok_or(ReadError::Missing)?;
    let opened = folder.open(home)?;
    Ok((folder, opened))
}

/// Ids of agents that only a folder suggests: `workspace-<id>` without a configured agent, and `main` for an unclaimed
/// `workspace`. A link in such a place counts too: that it is not read must be reported for some agent.
pub(crate) fn unclaimed(home: &HomeDir, roster: &Roster) -> Vec<AgentId> {
    let Ok(root) = home.open() else { return Vec::new() };
    let claimed: HashSet<PathBuf> = folders(home, roster).into_iter().map(|folder| folder.path).collect();
    let free = |name: &str| {
        let kind = root.metadata(name).map(|seen| seen.kind());
        matches!(kind, Ok(FileType::Directory | FileType::Symlink)) && !claimed.contains(&home.root().join(name))
    };
    let named = root.names().unwrap_or_default().into_iter().filter_map(|name| {
        let id = name.strip_prefix("workspace-")?;
        (valid_agent_id(id) && free(&name)).then(|| AgentId::from(id))
    });
    let main = free("workspace").then(|| AgentId::from("main"));
    main.into_iter().chain(named).collect()
}

enum FolderSource {
    /// By this name in the home.
    InHome(String),
    /// At the path in the configuration.
    Named(PathBuf),
}

fn place(home: &HomeDir, nobody_is_default: bool, agent: &RosterAgent) -> FolderSource {
    if let Some(text) = agent.workspace.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        return FolderSource::Named(configured(home, text));
    }
    if agent.default || (nobody_is_default && agent.id.as_str() == "main") {
        return match std::env::var("OPENCLAW_PROFILE") {
            Ok(profile) if !profile.trim().is_empty() && profile.trim() != "default" => {
                FolderSource::InHome(format!("workspace-{}", profile.trim()))
            }
            _ => FolderSource::InHome("workspace".to_owned()),
        };
    }
    FolderSource::InHome(format!("workspace-{}", agent.id))
}

/// A configured path. `~/.openclaw/…` means the state directory in use, so that a copied home is read from its copy
/// and never from the user's own home.
fn configured(home: &HomeDir, text: &str) -> PathBuf {
    match text.strip_prefix("~/") {
        Some(rest) => match rest.strip_prefix(".openclaw/") {
            Some(below) => home.root().join(below),
            None => home.user_home().map_or_else(|| home.root().join(rest), |user| user.join(rest)),
        },
        None => home.root().join(text),
    }
}
