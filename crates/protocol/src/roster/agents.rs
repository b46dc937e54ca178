//! Parser of the agents in a configuration, in all its forms: map, list, legacy map (`contract/workspace.md` §2).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{GatewayDashboard, ModelRef, Roster, RosterAgent, SessionSettings};
use crate::ids::AgentId;

pub(super) fn of_config(config: &Value) -> Roster {
    let mut roster = Roster {
        main_key: text(config.pointer("/session/mainKey")).map(|key| key.to_lowercase()),
        session_store: text(config.pointer("/session/store")),
        sessions: SessionSettings::of_config(config),
        dashboard: dashboard(config),
        ..Roster::default()
    };
    let Some(section) = config.get("agents").and_then(Value::as_object) else { return roster };
    let mut workers = BTreeSet::new();
    let mut chosen_default = None;
    for (id, entry) in entries(section) {
        let id = fold(&id);
        if id.is_empty() || roster.agent(&id).is_some() {
            continue;
        }
        if chosen_default.is_none() && entry.get("default").and_then(Value::as_bool) == Some(true) {
            chosen_default = Some(id.clone());
        }
        workers.extend(spawnable(entry));
        roster.main.insert(id.clone());
        roster.push(agent(&id, entry));
    }
    let system = section.get("defaults").and_then(|defaults| defaults.pointer("/systemAgent/agentId"));
    let default = chosen_default
        .or_else(|| text(system).map(|id| fold(&id)))
        .or_else(|| roster.agents.first().map(|agent| agent.id.to_string()));
    let bound = bound_agents(config);
    let shared_workspace = text(section.get("defaults").and_then(|defaults| defaults.get("workspace")));
    for agent in &mut roster.agents {
        let id = agent.id.as_str();
        agent.default = default.as_deref() == Some(id);
        agent.worker = workers.contains(id) && !bound.contains(id) && !agent.default;
        if agent.default && agent.workspace.is_none() {
            agent.workspace.clone_from(&shared_workspace);
        }
    }
    roster
}

fn dashboard(config: &Value) -> GatewayDashboard {
    let path = text(config.pointer("/gateway/controlUi/basePath")).unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'~');
    let path = path.trim().trim_matches('/');
    let off = config.pointer("/gateway/controlUi/enabled").and_then(Value::as_bool) == Some(false);
    match path {
        "" => GatewayDashboard { off, path: String::new() },
        path if path.bytes().all(plain) => GatewayDashboard { off, path: format!("{path}/") },
        // No address can be made of it.
        _ => GatewayDashboard { off: true, path: String::new() },
    }
}

/// `entries`, then `list`, then legacy keys, each in the file's order.
fn entries(section: &Map<String, Value>) -> Vec<(String, &Map<String, Value>)> {
    let mut found = Vec::new();
    for (key, value) in section.get("entries").and_then(Value::as_object).into_iter().flatten() {
        if let Some(entry) = value.as_object() {
            found.push((key.clone(), entry));
        }
    }
    for entry in section.get("list").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        found.extend(text(entry.get("id")).map(|id| (id, entry)));
    }
    for (key, value) in section {
        // `ownership` and similar keys are not objects; an empty object was never an agent.
        let legacy = !matches!(key.as_str(), "entries" | "list" | "defaults");
        if let (true, Some(entry)) = (legacy, value.as_object().filter(|entry| !entry.is_empty())) {
            found.push((text(entry.get("id")).unwrap_or_else(|| key.clone()), entry));
        }
    }
    found
}

fn agent(id: &str, entry: &Map<String, Value>) -> RosterAgent {
    let identity = |key: &str| text(entry.get("identity").and_then(|identity| identity.get(key)));
    let identity_name = identity("name");
    RosterAgent {
        id: AgentId::from(id),
        has_identity_name: identity_name.is_some(),
        name: identity_name.or_else(|| text(entry.get("name"))),
        emoji: identity("emoji"),
        avatar: identity("avatar"),
        theme: identity("theme"),
        model: ModelRef::of_config(entry.get("model")),
        workspace: text(entry.get("workspace")),
        agent_dir: text(entry.get("agentDir")),
        default: false,
        main: true,
        worker: false,
        configured: true,
    }
}

/// Ids this agent may spawn under; `*` is left out.
fn spawnable(entry: &Map<String, Value>) -> Vec<String> {
    let allowed = entry.get("subagents").and_then(|subagents| subagents.get("allowAgents"));
    let ids = allowed.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    ids.filter(|id| *id != "*").map(fold).collect()
}

fn bound_agents(config: &Value) -> BTreeSet<String> {
    let bindings = config.get("bindings").and_then(Value::as_array).into_iter().flatten();
    bindings.filter_map(|binding| text(binding.get("agentId"))).map(|id| fold(&id)).collect()
}

/// Lower-cased, other characters as `-`, at most 64: as the gateway folds ids.
fn fold(id: &str) -> String {
    let folded: String = id
        .trim()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-') { c } else { '-' })
        .collect();
    folded.trim_matches('-').chars().take(64).collect()
}

pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}
