//! URL query of the page of alert rules: the fields of a rule to write, made from a line or a group of the work list.

use coordination::api::{AttentionGroup, AttentionKind};
use coordination::ids::AgentId;

use super::filters::{UrlPairs, UrlQueryWriter, agents, values};

/// Beginning of a rule of alerts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewAlertRule {
    /// Who can settle its lines.
    pub groups: Vec<AttentionGroup>,
    /// Why they wait.
    pub kinds: Vec<AttentionKind>,
    /// Agents that wait or are stuck.
    pub agents: Vec<AgentId>,
}

impl NewAlertRule {
    /// Reads the query of a URL; `None` when no rule is to be written. Words that it does not know are passed over: the
    /// person sees the fields before anything is saved.
    pub fn from_pairs(pairs: &UrlPairs) -> Option<Self> {
        pairs.iter().any(|(name, _)| ["group", "kind", "agent"].contains(&name.as_str())).then(|| Self {
            groups: values(pairs, "group"),
            kinds: values(pairs, "kind"),
            agents: agents(pairs, "agent"),
        })
    }

    /// The same as pairs of a query.
    pub(super) fn to_pairs(&self) -> Vec<(String, String)> {
        let mut query = UrlQueryWriter(Vec::new());
        query.put_all("group", self.groups.iter().map(|group| group.as_str()));
        query.put_all("kind", self.kinds.iter().map(|kind| kind.as_str()));
        query.put_all("agent", &self.agents);
        query.0
    }
}
