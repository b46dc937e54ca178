//! Which folder belongs to which agent (`contract/workspace.md` §2, `contract/monitor-api.md` D9, D14).

use std::path::{Path, PathBuf};

use coordination::ids::AgentId;
use coordination::roster::{Roster, RosterAgent};

use super::file::names;
use crate::home::Home;

/// An agent's folder; it need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Whose.
    pub agent_id: AgentId,
    /// Where.
    pub path: PathBuf,
}

/// `^[a-z0-9][a-z0-9_-]{0,63}$`: nothing else reaches the file system.
#[must_use]
pub fn valid_agent_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = id.bytes();
    id.len() <= 64 && bytes.next().is_some_and(plain) && bytes.all(|byte| plain(byte) || byte == b'_' || byte == b'-')
}

/// `^task_[a-z0-9_]{1,64}$`: nothing else reaches the file system.
#[must_use]
pub fn valid_task_id(id: &str) -> bool {
    id.strip_prefix("task_").is_some_and(|rest| {
        (1..=64).contains(&rest.len())
            && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// The folder of every agent of the roster, in its order.
#[must_use]
pub fn folders(home: &Home, roster: &Roster) -> Vec<Folder> {
    roster
        .agents
        .iter()
        .filter(|agent| valid_agent_id(agent.id.as_str()))
        .map(|agent| Folder { agent_id: agent.id.clone(), path: path_of(home, roster, agent) })
        .collect()
}

/// The folder of one agent, if it exists.
#[must_use]
pub fn folder_of(home: &Home, roster: &Roster, id: &str) -> Option<Folder> {
    folders(home, roster).into_iter().find(|folder| folder.agent_id.as_str() == id && folder.path.is_dir())
}

/// Ids of agents that only a folder speaks for: `workspace-<id>` claimed by nobody, and `main` for an unclaimed
/// `workspace`.
pub(super) fn unclaimed(home: &Home, roster: &Roster) -> Vec<AgentId> {
    let claimed: Vec<PathBuf> = folders(home, roster).into_iter().map(|folder| folder.path).collect();
    let free = |path: &Path| path.is_dir() && !claimed.iter().any(|other| other == path);
    let root = home.root();
    let named = names(root).unwrap_or_default().into_iter().filter_map(|name| {
        let id = name.strip_prefix("workspace-")?;
        (valid_agent_id(id) && free(&root.join(&name))).then(|| AgentId::from(id))
    });
    let main = free(&root.join("workspace")).then(|| AgentId::from("main"));
    main.into_iter().chain(named).collect()
}

fn path_of(home: &Home, roster: &Roster, agent: &RosterAgent) -> PathBuf {
    let root = home.root();
    if let Some(text) = agent.workspace.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        return configured(home, text);
    }
    let nobody_is_default = !roster.agents.iter().any(|agent| agent.default);
    if agent.default || (nobody_is_default && agent.id.as_str() == "main") {
        return match std::env::var("OPENCLAW_PROFILE") {
            Ok(profile) if !profile.trim().is_empty() && profile.trim() != "default" => {
                root.join(format!("workspace-{}", profile.trim()))
            }
            _ => root.join("workspace"),
        };
    }
    root.join(format!("workspace-{}", agent.id))
}

/// A configured path. `~/.openclaw/…` means the state directory in use, so that a copied home is read from its copy
/// and never from the user's own home.
fn configured(home: &Home, text: &str) -> PathBuf {
    match text.strip_prefix("~/") {
        Some(rest) => match rest.strip_prefix(".openclaw/") {
            Some(below) => home.root().join(below),
            None => home.user_home().map_or_else(|| home.root().join(rest), |user| user.join(rest)),
        },
        None => home.root().join(text),
    }
}
