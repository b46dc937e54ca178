//! URL query of the agents page: agent filters by state and role, and the period and sort order of its table of agent
//! pairs (sends, answer times, missing answers).

use std::str::FromStr;

use coordination::api::AgentState;

use super::filters::{UrlPairs, UrlQueryWriter, invalid_value, text, value};

/// States by which agents are filtered, in the order of the row of choices.
pub const STATES: [AgentState; 9] = [
    AgentState::PendingInput,
    AgentState::Failed,
    AgentState::Working,
    AgentState::Silent,
    AgentState::InMeeting,
    AgentState::Waiting,
    AgentState::Blocked,
    AgentState::Idle,
    AgentState::Stopped,
];

/// A state as the URL writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateShown(pub AgentState);

impl StateShown {
    fn as_str(self) -> &'static str {
        match self.0 {
            AgentState::Working => "working",
            AgentState::Silent => "silent",
            AgentState::Waiting => "waiting",
            AgentState::Blocked => "blocked",
            AgentState::Idle => "idle",
            AgentState::PendingInput => "input",
            AgentState::InMeeting => "meeting",
            AgentState::Failed => "failed",
            AgentState::Stopped => "ended",
            AgentState::Unknown => "unknown",
        }
    }
}

impl FromStr for StateShown {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        STATES.into_iter().map(Self).find(|state| state.as_str() == text).ok_or(())
    }
}

/// Main agents or workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleShown {
    /// Agents that exchange messages.
    Main,
    /// Agents that receive delegated work.
    Worker,
}

impl RoleShown {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Main, Self::Worker];

    /// Text in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Worker => "worker",
        }
    }
}

impl FromStr for RoleShown {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(())
    }
}

/// How far back the pairs of agents are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PairsSince {
    /// One day.
    Day,
    /// Seven days: enough to compare, and bounded whatever history holds.
    #[default]
    Week,
    /// Everything.
    Always,
}

impl PairsSince {
    /// All, shortest first.
    pub const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Always];

    /// Text in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "24h",
            Self::Week => "7d",
            Self::Always => "all",
        }
    }

    /// The earliest time it lets through, on a whole minute; none for everything.
    pub fn earliest_ms(self, now_ms: i64) -> Option<i64> {
        let since = match self {
            Self::Day => super::Since::Day,
            Self::Week => super::Since::Week,
            Self::Always => return None,
        };
        Some(since.earliest_ms(now_ms))
    }
}

impl FromStr for PairsSince {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|since| since.as_str() == text).ok_or(())
    }
}

/// Columns by which pairs can be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PairsColumn {
    /// How many sends.
    #[default]
    Sends,
    /// The middle answer.
    P50,
    /// The slow answers.
    P95,
    /// The share that was refused.
    Blocked,
    /// The share without reply.
    NoReply,
    /// The newest send.
    Last,
}

impl PairsColumn {
    /// All, from left to right.
    pub const ALL: [Self; 6] = [Self::Sends, Self::P50, Self::P95, Self::Blocked, Self::NoReply, Self::Last];

    fn as_str(self) -> &'static str {
        match self {
            Self::Sends => "sends",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::Blocked => "blocked",
            Self::NoReply => "no_reply",
            Self::Last => "last",
        }
    }
}

/// Order of the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairsOrder {
    /// By what.
    pub column: PairsColumn,
    /// The least first.
    pub ascending: bool,
}

impl PairsOrder {
    /// The order after a press on the head of a column: the most first, then the least.
    #[must_use]
    pub fn press(self, column: PairsColumn) -> Self {
        Self { column, ascending: column == self.column && !self.ascending }
    }
}

impl std::fmt::Display for PairsOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.column.as_str())?;
        f.write_str(if self.ascending { "-up" } else { "" })
    }
}

impl FromStr for PairsOrder {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let (name, ascending) = text.strip_suffix("-up").map_or((text, false), |name| (name, true));
        let column = PairsColumn::ALL.into_iter().find(|column| column.as_str() == name).ok_or(())?;
        Ok(Self { column, ascending })
    }
}

/// Filters of the agents page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentsFilter {
    /// One state.
    pub state: Option<StateShown>,
    /// Main agents or workers.
    pub role: Option<RoleShown>,
    /// How far back pairs are counted.
    pub since: PairsSince,
    /// Order of the pairs.
    pub order: PairsOrder,
    /// All pairs, not only the first.
    pub all_pairs: bool,
}

impl AgentsFilter {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            state: value(pairs, "state"),
            role: value(pairs, "role"),
            since: value(pairs, "since").unwrap_or_default(),
            order: value(pairs, "sort").unwrap_or_default(),
            all_pairs: text(pairs, "pairs").as_deref() == Some("all"),
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("state", self.state.map(StateShown::as_str));
        out.put("role", self.role.map(RoleShown::as_str));
        out.put("since", (self.since != PairsSince::default()).then(|| self.since.as_str()));
        out.put("sort", Some(self.order).filter(|order| *order != PairsOrder::default()));
        out.put("pairs", self.all_pairs.then_some("all"));
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        let since = text(pairs, "since").filter(|text| text.parse::<PairsSince>().is_err());
        let since = since.map(|written| ("since".to_owned(), written));
        [
            invalid_value::<StateShown>(pairs, "state"),
            invalid_value::<RoleShown>(pairs, "role"),
            since,
            invalid_value::<PairsOrder>(pairs, "sort"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// True when nothing narrows the list (what the pairs show does not).
    pub fn is_empty(&self) -> bool {
        self.state.is_none() && self.role.is_none()
    }
}
