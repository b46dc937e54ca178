//! Files of a home besides its logs: the configuration and the agents' folders, as the monitor reads them from disk
//! (`contract/workspace.md` §1, §2, §10).

use std::collections::BTreeMap;

use coordination::api::{ConfigState, Unreadable};
use coordination::ids::AgentId;
use coordination::roster::{CONFIG_NAMES, Roster, RosterAgent};
use coordination::workspace::{FileContent, FileKind, Workspace, WorkspaceFile};

use crate::content::agent_of_folder;

/// Configuration file (`contract/workspace.md` §10).
const MAX_CONFIG_BYTES: usize = 8 << 20;
/// A store of sessions: its writer turns it over at 10 MiB.
const MAX_SESSIONS_BYTES: usize = 64 << 20;

/// A file below the home.
#[derive(Debug)]
struct HomeFile {
    /// Name of the agent's folder; absent for files of the home itself.
    folder: Option<String>,
    kind: FileKind,
    content: Result<String, String>,
}

/// Texts of the files, by their paths below the home.
#[derive(Debug, Default)]
pub(crate) struct HomeFiles {
    config: BTreeMap<String, String>,
    files: BTreeMap<String, HomeFile>,
}

/// What follows from them.
#[derive(Debug, Default)]
pub(crate) struct ReadHome {
    pub(crate) roster: Roster,
    pub(crate) config: ConfigState,
    pub(crate) workspace: Workspace,
    /// Files outside the agents' folders that cannot be read.
    pub(crate) unreadable: Vec<Unreadable>,
}

impl HomeFiles {
    pub(crate) fn add_config(&mut self, path: String, bytes: &[u8]) {
        // A part of the configuration is never that large.
        if bytes.len() <= MAX_CONFIG_BYTES {
            self.config.insert(path, text(bytes));
        }
    }

    /// Adds a store of sessions, the registry of runs or a job.
    pub(crate) fn add_sessions(&mut self, path: String, bytes: &[u8]) -> Result<(), String> {
        if bytes.len() > MAX_SESSIONS_BYTES {
            return Err("too large".to_owned());
        }
        self.config.insert(path, text(bytes));
        Ok(())
    }

    /// Texts of the files of the home outside the agents' folders, by their paths in it.
    pub(crate) fn texts(&self) -> &BTreeMap<String, String> {
        &self.config
    }

    pub(crate) fn add(&mut self, path: String, folder: Option<String>, kind: FileKind, bytes: &[u8]) {
        let content = match bytes.len() as u64 > kind.max_bytes() {
            true => Err("too large".to_owned()),
            false => Ok(text(bytes)),
        };
        self.files.insert(path, HomeFile { folder, kind, content });
    }

    pub(crate) fn read(&self) -> ReadHome {
        let mut home = self.config();
        let claimed = folders(&home.roster);
        let free = |folder: &str| !claimed.iter().any(|(_, name)| name == folder);
        let mut extra: Vec<AgentId> = Vec::new();
        for folder in self.files.values().filter_map(|file| file.folder.as_deref()).filter(|folder| free(folder)) {
            extra.extend(agent_of_folder(folder).filter(|agent| !extra.contains(agent)));
        }
        home.roster.with_directories(&extra);
        let folders = folders(&home.roster);
        let owner = |folder: &str| folders.iter().find(|(_, name)| name == folder).map(|(agent, _)| agent);
        let mut contents = Vec::new();
        for (path, file) in &self.files {
            let agent = file.folder.as_deref().map(owner);
            // A folder that no agent owns.
            if agent == Some(None) {
                continue;
            }
            let agent = agent.flatten();
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let content = match &file.content {
                Ok(text) => FileContent::parse(file.kind, agent, stem, text),
                Err(cause) => FileContent::Unreadable(cause.clone()),
            };
            if let (FileContent::Identity(text), Some(agent)) = (&content, agent) {
                home.roster.set_identity(agent.as_str(), text);
            }
            if let (FileContent::Unreadable(cause), None) = (&content, agent) {
                home.unreadable.push(Unreadable { path: path.clone(), cause: cause.clone() });
            }
            contents.push((path.as_str(), agent, content));
        }
        let files = contents.iter().map(|(path, agent, content)| WorkspaceFile { path, agent: *agent, content });
        home.workspace = Workspace::from_files(folders.iter().map(|(agent, _)| agent), files);
        home
    }

    fn config(&self) -> ReadHome {
        let found = CONFIG_NAMES.iter().find_map(|name| Some((*name, self.config.get(*name)?)));
        let Some((name, text)) = found else {
            return ReadHome { config: ConfigState::Missing, ..ReadHome::default() };
        };
        let mut part = |path: &str| {
            // An absolute path leads to the home of the machine that the files are from.
            let below = path.rsplit_once(".openclaw/").map_or(path, |(_, below)| below);
            let part = self.config.get(below.trim_start_matches("./")).cloned();
            part.ok_or_else(|| format!("$include {path}: not among the files"))
        };
        match Roster::parse(text, &mut part) {
            Ok(roster) => ReadHome { roster, config: ConfigState::Ok, ..ReadHome::default() },
            Err(cause) => ReadHome {
                config: ConfigState::Invalid,
                unreadable: vec![Unreadable { path: name.to_owned(), cause }],
                ..ReadHome::default()
            },
        }
    }
}

/// The name of each agent's folder in the home. Agents whose folders are elsewhere are listed with an empty name.
fn folders(roster: &Roster) -> Vec<(AgentId, String)> {
    let has_default = roster.agents.iter().any(|agent| agent.default);
    let name = |agent: &RosterAgent| {
        let configured = agent.workspace.as_deref().map(str::trim).filter(|path| !path.is_empty());
        match configured {
            Some(path) => {
                let path = path.trim_end_matches('/');
                let below = path.rsplit_once(".openclaw/").map_or(path, |(_, below)| below);
                if below.contains(['/', '~']) { String::new() } else { below.to_owned() }
            }
            None if agent.default || (!has_default && agent.id.as_str() == "main") => "workspace".to_owned(),
            None => format!("workspace-{}", agent.id),
        }
    };
    roster.agents.iter().map(|agent| (agent.id.clone(), name(agent))).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').to_owned()
}
