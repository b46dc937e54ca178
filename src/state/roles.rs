//! Grouping of agents into main agents and workers by the user, stored in this browser. It changes only the dashboard's
//! display. Roles of events come from the configuration.

use std::collections::BTreeMap;

use coordination::ids::AgentId;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::stored::{Persistent, Stored};

/// Agents marked at most: more than a home has.
const MAX_MARKED: usize = 500;
const VERSION: u64 = 1;

/// Marked agents: true for a main agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoleList(BTreeMap<AgentId, bool>);

impl Persistent for RoleList {
    const KEY: &'static str = "task-hub.agent-roles";

    fn to_text(&self) -> String {
        json!({ "v": VERSION, "main": self.0 }).to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        let stored: Value = serde_json::from_str(text).ok()?;
        let rows = stored.get("main").filter(|_| stored["v"].as_u64() == Some(VERSION))?.as_object()?;
        let marked = rows.iter().filter_map(|(id, main)| Some((AgentId::from(id.as_str()), main.as_bool()?)));
        Some(Self(marked.take(MAX_MARKED).collect()))
    }
}

/// What the user marked.
#[derive(Clone, Copy)]
pub struct Roles(Stored<RoleList>);

impl Roles {
    pub(super) fn new() -> Self {
        Self(Stored::new())
    }

    /// The user's own word on an agent, if there is one. Reactive.
    pub fn marked(self, agent: &AgentId) -> Option<bool> {
        self.0.with(|roles| roles.0.get(agent).copied())
    }

    /// Marks an agent, or takes the mark off.
    pub fn mark(self, agent: &AgentId, main: Option<bool>) {
        self.0.change(|roles| match main {
            Some(_) if roles.0.len() >= MAX_MARKED && !roles.0.contains_key(agent) => {}
            Some(main) => _ = roles.0.insert(agent.clone(), main),
            None => _ = roles.0.remove(agent),
        });
    }
}

/// What the user marked.
pub fn use_roles() -> Roles {
    expect_context()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_marks_round_trip_and_reject_damage() {
        let list = RoleList(BTreeMap::from([("eden".into(), true), ("helper".into(), false)]));
        assert_eq!(RoleList::from_text(&list.to_text()), Some(list));
        assert_eq!(RoleList::from_text(r#"{"v":1,"main":{"eden":3}}"#), Some(RoleList::default()));
        assert_eq!(RoleList::from_text(r#"{"v":2,"main":{}}"#), None);
        assert_eq!(RoleList::from_text("x"), None);
    }
}
