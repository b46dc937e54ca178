//! Roster: the agents of `openclaw.json` and of workspace folders, with names, models and paths, and the configured
//! session settings (`contract/workspace.md` §2).

mod agents;
mod config;
mod identity;
mod published;
mod sessions;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

pub use sessions::{ModelRef, PolicySource, SendPolicy, SessionSettings, Visibility};

use crate::ids::AgentId;
use crate::session_key::KeyRules;

/// Names of the configuration file, the newest first (`contract/workspace.md` §2).
pub const CONFIG_NAMES: [&str; 4] = ["openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"];

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RosterAgent {
    /// Lower-cased id.
    pub id: AgentId,
    /// Display name: `identity.name`, else `IDENTITY.md`, else `name`.
    pub name: Option<String>,
    /// `name` is the configuration's `identity.name`, which `IDENTITY.md` does not replace.
    pub has_identity_name: bool,
    /// Emoji: `identity.emoji`, else `IDENTITY.md`.
    pub emoji: Option<String>,
    /// Avatar as written: an http(s) URL, a `data:` URI or a path below the workspace.
    pub avatar: Option<String>,
    /// Its purpose in a few words: `identity.theme`, else `IDENTITY.md`.
    pub theme: Option<String>,
    /// Its own default model: `model`, a text or an object with `primary`.
    pub model: Option<ModelRef>,
    /// `workspace` as configured, `~` not expanded. For the default agent also `agents.defaults.workspace`.
    pub workspace: Option<String>,
    /// `agentDir` as configured: where its session database is, `~` not expanded.
    pub agent_dir: Option<String>,
    /// The default agent, whose folder has no suffix.
    pub default: bool,
    /// Counts as a main agent in roles (`contract/monitor-api.md` §5). True for every configured agent.
    pub main: bool,
    /// Probably a worker: spawned by others and bound to no channel.
    pub worker: bool,
    /// Listed in the configuration; false for a mere `workspace-*` folder.
    pub configured: bool,
}

/// OpenClaw's own dashboard, which the gateway serves (`gateway.controlUi`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GatewayDashboard {
    /// `enabled` is false, or `basePath` is no plain path: there is no address to link to.
    pub off: bool,
    /// `basePath` as a part of an address: empty, or with a `/` at its end and none at its begin.
    pub path: String,
}

/// All agents. The default contains no agent; `main` and `ruda` count as main without being listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Roster {
    /// In display order. Read only: [`Roster::agent`] finds them by an index.
    pub agents: Vec<RosterAgent>,
    /// `session.mainKey`, lower-cased: the last part of main keys; absent means `main`.
    pub main_key: Option<String>,
    /// `session.store`: where session files are, with `{agentId}` and `~` as written.
    pub session_store: Option<String>,
    /// Further session settings.
    pub sessions: SessionSettings,
    /// The gateway's own dashboard.
    pub dashboard: GatewayDashboard,
    /// Ids of main agents, in lower case.
    main: BTreeSet<String>,
    /// Position in `agents` by id in small letters.
    positions: HashMap<String, usize>,
}

/// Main even when no configuration names them (`contract/workspace.md` §2).
const ALWAYS_MAIN: [&str; 2] = ["main", "ruda"];

impl Roster {
    /// Reads `openclaw.json`: JSON5, `$include`, map, list and legacy map. `include` gets a path relative to the
    /// folder of the configuration and gives the file's text. The caller keeps the last good roster on an error.
    ///
    /// # Errors
    /// One clear sentence when the text, or a part it pulls in, cannot be read.
    pub fn parse(text: &str, include: &mut dyn FnMut(&str) -> Result<String, String>) -> Result<Self, String> {
        config::read(text, include).map(|value| agents::of_config(&value))
    }

    /// Counts as a main agent, in any case.
    #[must_use]
    pub fn is_main(&self, id: &str) -> bool {
        let id = id.trim().to_lowercase();
        ALWAYS_MAIN.contains(&id.as_str()) || self.main.contains(&id)
    }

    /// All main ids, sorted.
    #[must_use]
    pub fn main_ids(&self) -> BTreeSet<String> {
        self.main.iter().cloned().chain(ALWAYS_MAIN.map(str::to_owned)).collect()
    }

    /// Rules for resolving bare session keys and main keys.
    #[must_use]
    pub fn key_rules(&self) -> KeyRules {
        let usual = KeyRules::default();
        let default = self.agents.iter().find(|agent| agent.default);
        KeyRules {
            main_key: self.main_key.clone().unwrap_or(usual.main_key),
            default_agent: default.map_or(usual.default_agent, |agent| agent.id.to_string()),
            global_scope: self.sessions.global_scope,
        }
    }

    /// The agent of this id.
    #[must_use]
    pub fn agent(&self, id: &str) -> Option<&RosterAgent> {
        self.agents.get(self.position(id)?)
    }

    fn position(&self, id: &str) -> Option<usize> {
        let has_capitals = id.bytes().any(|byte| byte.is_ascii_uppercase());
        let small = if has_capitals { Cow::Owned(id.to_ascii_lowercase()) } else { Cow::Borrowed(id) };
        self.positions.get(&*small).copied()
    }

    /// Appends an agent.
    fn push(&mut self, agent: RosterAgent) {
        self.positions.entry(agent.id.as_str().to_ascii_lowercase()).or_insert(self.agents.len());
        self.agents.push(agent);
    }

    /// Adds agents known only by a `workspace-<id>` folder, marked as not configured.
    pub fn with_directories(&mut self, ids: &[AgentId]) {
        for id in ids {
            if self.agent(id.as_str()).is_none() {
                self.push(RosterAgent { id: id.clone(), ..RosterAgent::default() });
            }
        }
    }

    /// Adds agents known only by their names, from an evidence file.
    pub fn with_named(&mut self, agents: impl IntoIterator<Item = RosterAgent>) {
        for agent in agents {
            if self.agent(agent.id.as_str()).is_none() {
                self.push(agent);
            }
        }
    }

    /// Fills name, emoji, picture and theme from `IDENTITY.md`. Precedence: the configuration's `identity`, then
    /// this file, then the plain `name`; the template's placeholders are ignored (`contract/workspace.md` §1, §2).
    pub fn set_identity(&mut self, id: &str, identity_md: &str) {
        let Some(agent) = self.position(id).and_then(|at| self.agents.get_mut(at)) else { return };
        let card = identity::read(identity_md);
        if !agent.has_identity_name && card.name.is_some() {
            agent.name = card.name;
        }
        agent.emoji = agent.emoji.take().or(card.emoji);
        agent.avatar = agent.avatar.take().or(card.avatar);
        agent.theme = agent.theme.take().or(card.theme);
    }
}
