//! Display names, emoji and hues of agents by id, and names of Discord users. [`provide_people`] makes them available
//! to the components below.

use std::collections::BTreeMap;
use std::sync::Arc;

use coordination::api::AgentSummary;
use coordination::ids::{AgentId, EventId};
use coordination::text::hidden;
use leptos::prelude::*;

use crate::i18n::use_i18n;

/// People by their Discord ids.
pub type DiscordUsers = Arc<BTreeMap<String, String>>;

/// Agents known by name, and the people an operator named.
#[derive(Clone, Copy)]
pub struct PeopleNames {
    /// What every row shows of an agent. It hardly ever changes, while `agents` does with most live frames.
    names: Memo<Arc<BTreeMap<AgentId, ShownName>>>,
    agents: Memo<Arc<BTreeMap<AgentId, AgentSummary>>>,
    /// None before they were fetched.
    users: RwSignal<Option<DiscordUsers>>,
}

/// How an agent is called.
#[derive(PartialEq, Eq)]
struct ShownName {
    name: String,
    emoji: Option<String>,
    imitates: Option<AgentId>,
}

impl PeopleNames {
    /// The display name for a sentence or an attribute: hidden characters as `[U+202E]`. Reactive.
    pub fn name(self, id: &AgentId) -> String {
        hidden::marked(&self.written_name(id)).into_owned()
    }

    /// Whom this agent only looks like. Reactive.
    pub fn imitated(self, id: &AgentId) -> Option<AgentId> {
        self.names.with(|people| people.get(id).and_then(|agent| agent.imitates.clone()))
    }

    /// The display name as written; the id itself for an agent nobody named; a word for `unknown`. Reactive.
    pub fn written_name(self, id: &AgentId) -> String {
        if id.as_str().is_empty() || id.as_str() == "unknown" {
            return use_i18n().get().common.unknown_agent.to_owned();
        }
        self.names
            .with(|people| people.get(id).map(|agent| agent.name.clone()).filter(|name| !name.is_empty()))
            // A helper that was done long ago: its team and its name (`contract/event-schema-v1_1.md` §D.1).
            .unwrap_or_else(|| id.as_str().replacen('~', "/", 1))
    }

    /// The letter of an agent without an emoji: of `team/name` the name's, because all agents of a team have the
    /// team's. Reactive.
    pub fn letter(self, id: &AgentId) -> Option<char> {
        let name = self.written_name(id);
        let own = name.rsplit_once('/').map_or(name.as_str(), |(_, own)| own);
        own.chars().find(|c| !hidden::is_hidden(*c))
    }

    /// The emoji, if the agent has one. Reactive.
    pub fn emoji(self, id: &AgentId) -> Option<String> {
        self.names.with(|people| people.get(id).and_then(|agent| agent.emoji.clone()))
    }

    /// The place of a waiting send among those that wait for the same agent, from 1. Reactive.
    pub fn place_in_queue(self, send: &EventId) -> Option<usize> {
        self.agents.with(|people| people.values().find_map(|agent| agent.place_in_queue(send)))
    }

    /// People whose Discord ids occur in mentions. Reactive.
    pub fn users(self) -> DiscordUsers {
        self.users.get().unwrap_or_default()
    }

    /// True once they were fetched.
    pub fn knows_users(self) -> bool {
        self.users.with_untracked(Option::is_some)
    }

    /// Sets them; none when they are to be fetched again.
    pub fn set_users(self, users: Option<DiscordUsers>) {
        self.users.set(users);
    }

    /// All agents, ordered by id. Reactive.
    pub fn all(self) -> Vec<AgentSummary> {
        self.agents.with(|people| people.values().cloned().collect())
    }
}

/// Provides [`PeopleNames`] to all components below. Names of Discord users come later, by [`PeopleNames::set_users`].
pub fn provide_people(agents: Signal<Vec<AgentSummary>>) {
    let map = Memo::new(move |_| {
        let mut people = BTreeMap::new();
        // `collect` would bring a sort into the first load.
        agents.with(|agents| people.extend(agents.iter().map(|agent| (agent.id.clone(), agent.clone()))));
        Arc::new(people)
    });
    let names = Memo::new(move |_| {
        let mut names = BTreeMap::new();
        map.with(|agents| {
            names.extend(agents.iter().map(|(id, agent)| {
                let shown = ShownName {
                    name: agent.name.clone(),
                    emoji: agent.emoji.clone(),
                    imitates: agent.imitates.clone(),
                };
                (id.clone(), shown)
            }));
        });
        Arc::new(names)
    });
    provide_context(PeopleNames { names, agents: map, users: RwSignal::new(None) });
}

/// The names that [`provide_people`] provided.
pub fn use_people() -> PeopleNames {
    expect_context()
}

/// A stable place on the colour wheel for an agent: the class `agent-hue-0` … `agent-hue-11`.
/// A class rather than a style, because the page's content policy allows no inline styles.
pub fn hue_class(id: &AgentId) -> &'static str {
    const CLASSES: [&str; 12] = [
        "agent-hue-0",
        "agent-hue-1",
        "agent-hue-2",
        "agent-hue-3",
        "agent-hue-4",
        "agent-hue-5",
        "agent-hue-6",
        "agent-hue-7",
        "agent-hue-8",
        "agent-hue-9",
        "agent-hue-10",
        "agent-hue-11",
    ];
    // FNV-1a: small, stable across builds, spreads short ids well.
    let hash =
        id.as_str().bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    CLASSES[(hash >> 8) as usize % CLASSES.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_hues_are_stable_and_distinct() {
        let ids = ["ruda", "eden", "seum", "dajim", "yunseul", "miri", "onsae", "ieum"];
        let hues: std::collections::BTreeSet<_> = ids.iter().map(|id| hue_class(&AgentId::from(*id))).collect();
        assert_eq!(hue_class(&AgentId::from("eden")), hue_class(&AgentId::from("eden")));
        assert!(hues.len() >= 6, "eight usual agents share only {} hues", hues.len());
    }
}
