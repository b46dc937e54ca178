//! A rule of alerts in force, and which lines it fits.

use crate::api::{AlertRuleSpec, Attention, AttentionKind};

/// A rule in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationRule {
    /// Unique among the rules. The outbox remembers under it what was sent.
    pub id: String,
    /// What it says. Its sinks are named; with none it sends nothing.
    pub spec: AlertRuleSpec,
}

impl NotificationRule {
    /// Whether the rule is about this line.
    #[must_use]
    pub fn fits(&self, line: &Attention) -> bool {
        let AlertRuleSpec { groups, kinds, agents, min_held_up, .. } = &self.spec;
        line.kind != AttentionKind::Unknown
            && (groups.is_empty() || groups.contains(&line.group()))
            && (kinds.is_empty() || kinds.contains(&line.kind))
            && (agents.is_empty() || line.agent.iter().chain(&line.cycle).any(|agent| agents.contains(agent)))
            && line.held_up >= *min_held_up
    }

    /// Whether no message may be made at `now`.
    #[must_use]
    pub fn is_quiet(&self, now: i64) -> bool {
        self.spec.quiet.is_some_and(|quiet| quiet.contains(now))
    }
}
