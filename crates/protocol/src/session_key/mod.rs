//! Parser of OpenClaw's session keys, old and new forms (`contract/sessions.md` §1), and the kinds of session that keys
//! name. Keys are compared without regard to case, because newer versions store them in lower case and older ones as
//! received.

mod form;

use serde::{Deserialize, Serialize};

pub use form::{GroupWord, KeyForm};

/// What of the configuration a key's meaning depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRules {
    /// `session.mainKey`, lower-cased: the last part of main keys.
    pub main_key: String,
    /// Lower-cased id of the agent that bare keys belong to.
    pub default_agent: String,
    /// `session.scope` is `global`: one session, under the reserved key `global`, is the main session.
    pub global_scope: bool,
}

impl Default for KeyRules {
    fn default() -> Self {
        Self { main_key: "main".to_owned(), default_agent: "main".to_owned(), global_scope: false }
    }
}

impl KeyRules {
    fn is_main(&self, word: &str) -> bool {
        word.eq_ignore_ascii_case("main") || word.to_lowercase() == self.main_key
    }
}

/// A parsed session key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// As written, without empty parts.
    text: String,
    /// The agent that the key names.
    agent: Option<String>,
    /// Kind of the session, with the parts of the key that identify it.
    form: KeyForm,
    /// The thread that the key ends with.
    thread: Option<KeyThread>,
    /// Number of `subagent` parts: how deep the session was spawned.
    depth: u32,
}

/// The thread of a session that a key ends with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyThread {
    /// The key before the marker.
    pub parent: String,
    /// Behind `:thread:` or `:topic:`.
    pub id: String,
    /// Marked `:topic:`.
    pub topic: bool,
}

/// Kind of a session as the gateway's tool names it (`contract/sessions.md` §1, column "kind (tool)").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ToolKind {
    /// An agent's main session.
    Main,
    /// Talk of many.
    Group,
    /// A scheduled job.
    Cron,
    /// A webhook.
    Hook,
    /// A device.
    Node,
    /// Everything else.
    Other,
}

impl ToolKind {
    /// All, in the contract's order.
    pub const ALL: [Self; 6] = [Self::Main, Self::Group, Self::Cron, Self::Hook, Self::Node, Self::Other];

    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Group => "group",
            Self::Cron => "cron",
            Self::Hook => "hook",
            Self::Node => "node",
            Self::Other => "other",
        }
    }
}

impl std::str::FromStr for ToolKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// Kind of a gateway's list row (`contract/sessions.md` §1, column "kind (gateway row)").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// One peer, or none.
    Direct,
    /// Many peers.
    Group,
    /// The reserved key `global`.
    Global,
    /// The reserved key `unknown`.
    Unknown,
}

/// `classification` of a gateway's row, as far as it was seen (2026.9.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Classification {
    /// An agent's main session.
    Main,
    /// A spawned child.
    Subagent,
    /// A scheduled job.
    Cron,
    /// Made on a dashboard or by a visible spawn.
    Direct,
    /// A key that a caller chose.
    Custom,
}

/// What a release of OpenClaw makes of a key: the kinds of the tool differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// 2026.2.26: agents' main sessions and their jobs are `other`.
    File,
    /// 2026.9.6.
    Database,
}

impl SessionKey {
    /// Reads a key; every text that is not blank is one.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let parts: Vec<&str> = written.trim().split(':').map(str::trim).filter(|part| !part.is_empty()).collect();
        let (first, behind) = parts.split_first()?;
        let is_agent = first.eq_ignore_ascii_case("agent") && behind.len() >= 2;
        let head = if is_agent { 2 } else { 0 };
        let (parts_of_thread, thread) = thread(&parts, head);
        Some(Self {
            text: parts.join(":"),
            agent: is_agent.then(|| behind[0].to_lowercase()),
            form: KeyForm::read(&parts_of_thread[head..], !is_agent),
            depth: depth(&parts_of_thread[head..]),
            thread,
        })
    }

    /// The key as written, without empty parts.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How keys are compared: lower-cased.
    #[must_use]
    pub fn folded(&self) -> String {
        self.text.to_lowercase()
    }

    /// Lower-cased id of the agent that the key itself names.
    #[must_use]
    pub fn named_agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Lower-cased id of the agent it belongs to.
    #[must_use]
    pub fn agent<'a>(&'a self, rules: &'a KeyRules) -> &'a str {
        self.agent.as_deref().unwrap_or(&rules.default_agent)
    }

    /// What it is for, without its thread.
    #[must_use]
    pub fn form(&self) -> &KeyForm {
        &self.form
    }

    /// The thread it ends with.
    #[must_use]
    pub fn thread(&self) -> Option<&KeyThread> {
        self.thread.as_ref()
    }

    /// How many spawns deep its own text nests. A child of another agent's child has a flat key: what the store says
    /// (`spawnDepth`, `spawnedBy`) goes before this.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The key that this one hangs on by its text: a thread's session, or the spawn around a nested one.
    #[must_use]
    pub fn parent(&self) -> Option<String> {
        if let Some(thread) = &self.thread {
            return Some(thread.parent.clone());
        }
        let nested = self.depth >= 2 && matches!(self.form, KeyForm::Subagent(_));
        let (before, _) = self.text.rsplit_once(':')?;
        let (before, _) = before.rsplit_once(':')?;
        nested.then(|| before.to_owned())
    }

    /// Lower-cased channel, where the key has one.
    #[must_use]
    pub fn channel(&self) -> Option<&str> {
        match &self.form {
            KeyForm::Direct { channel, .. } => channel.as_deref(),
            KeyForm::Group { channel, .. } => Some(channel),
            KeyForm::OldDiscord { .. } => Some("discord"),
            _ => None,
        }
    }

    /// A main session: an agent's, by its key or by an alias of it, or the one of the global scope.
    #[must_use]
    pub fn is_main(&self, rules: &KeyRules) -> bool {
        self.names_main(rules) || (rules.global_scope && self.form == KeyForm::Global)
    }

    /// It ends with the word of main sessions.
    fn names_main(&self, rules: &KeyRules) -> bool {
        self.thread.is_none() && matches!(&self.form, KeyForm::Word(word) if rules.is_main(word))
    }

    /// One run of a scheduled job, which no list shows.
    #[must_use]
    pub fn is_cron_run(&self) -> bool {
        matches!(self.form, KeyForm::CronRun { .. })
    }

    /// The same for all keys of one session, to compare by: lower-cased, and a main session under its full name.
    #[must_use]
    pub fn canonical(&self, rules: &KeyRules) -> String {
        if self.names_main(rules) { format!("agent:{}:{}", self.agent(rules), rules.main_key) } else { self.folded() }
    }

    /// Kind as the tool of a release reports it. The newest one knows most: `main` and `cron` for agents' keys too.
    #[must_use]
    pub fn tool_kind(&self, rules: &KeyRules, release: Release) -> ToolKind {
        let bare = self.agent.is_none();
        let newest = release == Release::Database;
        match &self.form {
            KeyForm::Group { .. } => ToolKind::Group,
            KeyForm::Cron(_) | KeyForm::CronRun { .. } if bare || newest => ToolKind::Cron,
            KeyForm::Hook(_) if bare => ToolKind::Hook,
            KeyForm::Node(_) if bare => ToolKind::Node,
            KeyForm::Word(_) | KeyForm::Global if self.is_main(rules) && (bare || newest) => ToolKind::Main,
            _ => ToolKind::Other,
        }
    }

    /// Kind as the gateway's rows report it, from the key alone; a stored `chatType` goes before it.
    #[must_use]
    pub fn row_kind(&self) -> RowKind {
        match self.form {
            KeyForm::Group { .. } => RowKind::Group,
            KeyForm::Global => RowKind::Global,
            KeyForm::Unknown => RowKind::Unknown,
            _ => RowKind::Direct,
        }
    }

    /// `classification` of 2026.9.6; none for forms that it was not seen with.
    #[must_use]
    pub fn classification(&self, rules: &KeyRules) -> Option<Classification> {
        match &self.form {
            _ if self.thread.is_some() => None,
            KeyForm::Subagent(_) => Some(Classification::Subagent),
            KeyForm::Cron(_) => Some(Classification::Cron),
            KeyForm::Dashboard(_) => Some(Classification::Direct),
            KeyForm::Word(_) if self.is_main(rules) => Some(Classification::Main),
            KeyForm::Word(_) if self.agent.is_some() => Some(Classification::Custom),
            _ => None,
        }
    }
}

impl Classification {
    /// Work without a reader, as far as it was seen: spawned children and jobs.
    #[must_use]
    pub fn is_background(self) -> bool {
        matches!(self, Self::Subagent | Self::Cron)
    }
}

impl std::fmt::Display for SessionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The parts before the last marker of a thread, and the thread. Something must precede the marker, behind the
/// agent, and after it.
fn thread<'a>(parts: &'a [&'a str], head: usize) -> (&'a [&'a str], Option<KeyThread>) {
    let marks = |part: &str| part.eq_ignore_ascii_case("thread") || part.eq_ignore_ascii_case("topic");
    let found = (head + 1..parts.len().saturating_sub(1)).rev().find(|at| marks(parts[*at]));
    match found {
        None => (parts, None),
        Some(at) => {
            let topic = parts[at].eq_ignore_ascii_case("topic");
            let thread = KeyThread { parent: parts[..at].join(":"), id: parts[at + 1..].join(":"), topic };
            (&parts[..at], Some(thread))
        }
    }
}

/// How many pairs of `subagent` and an id there are.
fn depth(parts: &[&str]) -> u32 {
    let (mut found, mut at) = (0, 0);
    while at + 1 < parts.len() {
        if parts[at].eq_ignore_ascii_case("subagent") {
            found += 1;
            at += 1;
        }
        at += 1;
    }
    found
}
