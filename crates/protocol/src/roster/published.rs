//! A configuration that holds of a roster what the dashboard shows, for another machine. It holds no secret: it is made of the
//! roster, not of the file.

use serde_json::{Map, Value, json};

use super::{ModelRef, Roster, RosterAgent};

/// Avatar of an agent whose picture is a file of the machine.
const PICTURE: &str = "picture";

impl Roster {
    /// A configuration that gives the same agents when it is parsed. `workspace` names the folder of each agent. Folders,
    /// pictures in them and settings of stores are those of the machine and not in it. `has_pictures`: an agent with a picture
    /// in its workspace has the avatar [`PICTURE`].
    #[must_use]
    pub fn to_config(&self, workspace: impl Fn(&str) -> String, has_pictures: bool) -> Value {
        let workers: Vec<&str> =
            self.agents.iter().filter(|agent| agent.worker).map(|agent| agent.id.as_str()).collect();
        let agents: Vec<Value> = self
            .agents
            .iter()
            .filter(|agent| agent.configured)
            .map(|agent| {
                let mut entry = entry(agent, workspace(agent.id.as_str()), has_pictures);
                if agent.default && !workers.is_empty() {
                    entry.insert("subagents".to_owned(), json!({ "allowAgents": workers }));
                }
                entry.into()
            })
            .collect();
        let mut session = Map::new();
        if let Some(key) = &self.main_key {
            session.insert("mainKey".to_owned(), key.as_str().into());
        }
        if self.sessions.global_scope {
            session.insert("scope".to_owned(), "global".into());
        }
        json!({ "agents": { "list": agents }, "session": session })
    }
}

fn entry(agent: &RosterAgent, workspace: String, has_pictures: bool) -> Map<String, Value> {
    let mut entry = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        entry.extend(value.map(|value| (key.to_owned(), value)));
    };
    put("id", Some(agent.id.as_str().into()));
    put("default", agent.default.then(|| true.into()));
    put("name", agent.name.clone().filter(|_| !agent.has_identity_name).map(Value::from));
    put("model", agent.model.as_ref().map(|model| written(model).into()));
    put("workspace", Some(workspace.into()));
    let identity: Map<String, Value> = [
        ("name", agent.name.as_deref().filter(|_| agent.has_identity_name)),
        ("emoji", agent.emoji.as_deref()),
        ("theme", agent.theme.as_deref()),
        ("avatar", agent.avatar.as_deref().and_then(|avatar| published_avatar(avatar, has_pictures))),
    ]
    .into_iter()
    .filter_map(|(key, text)| Some((key.to_owned(), text?.into())))
    .collect();
    put("identity", (!identity.is_empty()).then(|| identity.into()));
    entry
}

/// An address as it is. A path is only named as one: where it leads is the machine's own.
fn published_avatar(avatar: &str, has_pictures: bool) -> Option<&str> {
    if ["http://", "https://", "data:"].iter().any(|start| avatar.starts_with(start)) {
        return Some(avatar);
    }
    let has_scheme = avatar.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    (has_pictures && !has_scheme && !avatar.trim().is_empty()).then_some(PICTURE)
}

fn written(model: &ModelRef) -> String {
    match &model.provider {
        Some(provider) => format!("{provider}/{}", model.model),
        None => model.model.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Roster {
        Roster::parse(text, &mut |path| Err(format!("no {path}"))).expect("a configuration")
    }

    #[test]
    fn parsing_it_gives_the_same_agents() {
        let text = r#"{
            gateway: { auth: { token: "s3cret" } },
            session: { mainKey: "Work", scope: "global" },
            agents: { list: [
                { id: "eden", name: "이든", model: { primary: "anthropic/claude" }, workspace: "~/a" },
                { id: "seum", default: true, identity: { name: "세움", emoji: "🔨", theme: "배포", avatar: "a.png" },
                  subagents: { allowAgents: ["grim", "eden"] } },
                { id: "grim" },
            ] },
            bindings: [{ agentId: "eden", match: { channel: "discord" } }],
        }"#;
        let roster = parsed(text);
        let config = roster.to_config(|agent| format!("workspace-{agent}"), false).to_string();
        assert!(!config.contains("s3cret") && !config.contains("avatar"));
        let pictured = roster.to_config(|agent| format!("workspace-{agent}"), true).to_string();
        assert!(!pictured.contains("a.png"), "{pictured}");
        assert_eq!(parsed(&pictured).agents[1].avatar.as_deref(), Some(PICTURE));
        let again = parsed(&config);
        let shown = |roster: &Roster| {
            let bare = |agent: &RosterAgent| RosterAgent { workspace: None, avatar: None, ..agent.clone() };
            (roster.agents.iter().map(bare).collect::<Vec<_>>(), roster.main_ids(), roster.key_rules().main_key)
        };
        assert_eq!(shown(&again), shown(&roster));
        assert_eq!(again.key_rules().default_agent, "seum");
        assert_eq!(again.agents[1].workspace.as_deref(), Some("workspace-seum"));
    }
}
