//! Type `AgentPair`: an unordered pair of agents.

use serde::{Deserialize, Serialize};

use crate::commas;
use crate::ids::AgentId;

/// A pair of agents, the lesser id first. In text both with a comma between, e.g. `eden,seum`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentPair([AgentId; 2]);

impl AgentPair {
    /// The pair of these two, in whatever order they are given.
    #[must_use]
    pub fn new(one: AgentId, other: AgentId) -> Self {
        if one <= other { Self([one, other]) } else { Self([other, one]) }
    }

    /// The same, where its text says it: an id of blanks has none.
    #[must_use]
    pub fn from_texts(one: &str, other: &str) -> Option<Self> {
        let pair = Self::new(one.into(), other.into());
        (pair.to_string().parse().as_ref() == Ok(&pair)).then_some(pair)
    }

    /// Both agents.
    #[must_use]
    pub fn both(&self) -> &[AgentId; 2] {
        &self.0
    }

    /// Each as who begins, with the other.
    #[must_use]
    pub fn directions(&self) -> [(&AgentId, &AgentId); 2] {
        let [one, other] = &self.0;
        [(one, other), (other, one)]
    }
}

impl std::fmt::Display for AgentPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&commas::join(self.0.iter().map(AgentId::as_str)))
    }
}

impl std::str::FromStr for AgentPair {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let ids = commas::split(text).map(|id| id.trim().to_lowercase()).filter(|id| !id.is_empty());
        let [one, other] = <[String; 2]>::try_from(ids.collect::<Vec<_>>()).map_err(|_| ())?;
        Ok(Self::new(AgentId::from(one), AgentId::from(other)))
    }
}

impl TryFrom<String> for AgentPair {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map_err(|()| "not two agents with a comma between")
    }
}

impl From<AgentPair> for String {
    fn from(pair: AgentPair) -> Self {
        pair.to_string()
    }
}
