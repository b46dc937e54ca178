//! Locations of OpenClaw's session stores and transcripts, default or configured (`contract/sessions.md` §2,
//! `contract/workspace.md` §1–§2). It names them and opens nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use protocol::ids::AgentId;
use protocol::roster::Roster;
use protocol::workspace::valid_agent_id;

/// Name of an agent's database.
pub const DATABASE_NAME: &str = "openclaw-agent.sqlite";
/// Name of a file store.
pub const STORE_NAME: &str = "sessions.json";
/// Folder of the job files, below the home.
pub const JOBS_FOLDER: &str = "a2a-jobs";

/// A folder: below the home, or where the configuration says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreFolder {
    /// Below the home.
    Home(PathBuf),
    /// As the configuration gives it.
    Named(PathBuf),
}

/// One file that may hold sessions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreFile {
    /// What it holds.
    pub kind: StoreKind,
    /// The agent to which bare keys in it belong.
    pub agent: AgentId,
    /// True when no other agent uses the file.
    pub exclusive: bool,
    /// Its folder.
    pub place: StoreFolder,
    /// Its name in the folder.
    pub name: String,
}

/// Kind of a store file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreKind {
    /// An agent's database.
    Database,
    /// A file store.
    File,
    /// `state/openclaw.sqlite`.
    Shared,
    /// `subagents/runs.json`.
    Runs,
}

/// The locations under a configuration.
pub struct StoreLayout<'a> {
    roster: &'a Roster,
    /// The folder that a path of the configuration means.
    resolve: &'a dyn Fn(&str) -> StoreFolder,
}

impl std::fmt::Debug for StoreLayout<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreLayout").field("roster", &self.roster).finish_non_exhaustive()
    }
}

impl<'a> StoreLayout<'a> {
    /// The locations under this configuration. `resolve` says which folder a path in it means.
    #[must_use]
    pub fn new(roster: &'a Roster, resolve: &'a dyn Fn(&str) -> StoreFolder) -> Self {
        Self { roster, resolve }
    }

    /// Agents that may have sessions: the configured ones, then those that only a folder below `agents` suggests.
    #[must_use]
    pub fn agents(roster: &Roster, folders: impl IntoIterator<Item = AgentId>) -> Vec<AgentId> {
        let mut ids: Vec<AgentId> = roster.agents.iter().map(|agent| agent.id.clone()).collect();
        ids.extend(folders);
        ids.retain(|id| valid_agent_id(id.as_str()));
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        ids
    }

    /// Every file that may hold sessions, each once.
    #[must_use]
    pub fn sources(&self, agents: &[AgentId]) -> Vec<StoreFile> {
        let default = self.default_agent();
        let (mut all, mut known) = (Vec::new(), BTreeSet::new());
        let mut add = |kind, agent: &AgentId, exclusive, place: StoreFolder, name: &str| {
            if known.insert((kind, place.clone(), name.to_owned())) {
                all.push(StoreFile { kind, agent: agent.clone(), exclusive, place, name: name.to_owned() });
            }
        };
        for agent in agents {
            add(StoreKind::Database, agent, true, self.database(agent), DATABASE_NAME);
        }
        match self.template() {
            None => {
                for agent in agents {
                    add(StoreKind::File, agent, true, sessions_folder(agent), STORE_NAME);
                }
            }
            // Without a place for the agent's id all agents share one file.
            Some(template) if !template.contains("{agentId}") => {
                let (place, name) = self.named_file(template);
                add(StoreKind::File, &default, false, place, &name);
            }
            Some(template) => {
                for agent in agents {
                    let (place, name) = self.named_file(&template.replace("{agentId}", agent.as_str()));
                    add(StoreKind::File, agent, true, place, &name);
                }
            }
        }
        add(StoreKind::File, &default, false, legacy_folder(), STORE_NAME);
        add(StoreKind::Shared, &default, false, StoreFolder::Home(PathBuf::from("state")), "openclaw.sqlite");
        add(StoreKind::Runs, &default, false, StoreFolder::Home(PathBuf::from("subagents")), "runs.json");
        all
    }

    /// Every folder that may hold transcript files, with its agent; of a shared one that is the default agent.
    #[must_use]
    pub fn transcript_folders(&self, agents: &[AgentId]) -> Vec<(AgentId, StoreFolder)> {
        let own = agents.iter().map(|agent| (agent.clone(), sessions_folder(agent)));
        let named = agents.iter().filter_map(|agent| Some((agent.clone(), self.file_store(agent)?)));
        let all = own.chain(named).chain([(self.default_agent(), legacy_folder())]);
        let mut known = BTreeSet::new();
        all.filter(|(_, place)| known.insert(place.clone())).collect()
    }

    /// Where an agent's database is.
    #[must_use]
    pub fn database(&self, agent: &AgentId) -> StoreFolder {
        let named = self.roster.agent(agent.as_str()).and_then(|agent| agent.agent_dir.as_deref());
        match named.map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => (self.resolve)(text),
            None => StoreFolder::Home(PathBuf::from(format!("agents/{agent}/agent"))),
        }
    }

    /// The folder of the file store that the configuration names for an agent.
    #[must_use]
    pub fn file_store(&self, agent: &AgentId) -> Option<StoreFolder> {
        Some(self.named_file(&self.template()?.replace("{agentId}", agent.as_str())).0)
    }

    fn default_agent(&self) -> AgentId {
        AgentId::from(self.roster.key_rules().default_agent)
    }

    fn template(&self) -> Option<&'a str> {
        self.roster.session_store.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }

    fn named_file(&self, text: &str) -> (StoreFolder, String) {
        let path = Path::new(text);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let folder = path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
        ((self.resolve)(&folder), name.unwrap_or_else(|| STORE_NAME.to_owned()))
    }
}

/// Where an agent's session files are by default.
#[must_use]
pub fn sessions_folder(agent: &AgentId) -> StoreFolder {
    StoreFolder::Home(PathBuf::from(format!("agents/{agent}/sessions")))
}

/// The folder of sessions of the oldest releases.
#[must_use]
pub fn legacy_folder() -> StoreFolder {
    StoreFolder::Home(PathBuf::from("sessions"))
}
