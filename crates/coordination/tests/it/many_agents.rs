//! Tests with a configuration of many agents. The time to read it and to answer queries must grow in proportion to the
//! number of agents.
//!
//! Proves (log): The cost of a configuration and of queries about it grows in proportion to the number of agents.

use coordination::api::AgentsQuery;
use coordination::hub::Hub;
use coordination::ids::AgentId;
use coordination::query;
use coordination::roster::Roster;
use coordination::workspace::{AgentWorkspace, Workspace};

use crate::own_time::{Pattern, grows_with_the_text};

const NOW: i64 = 1_771_651_020_000;
/// Bytes of the longest configuration: some thousands of agents.
const MAX_BYTES: usize = 160 * 1024;

/// A list of agents of about this size.
fn list(size: usize, agent: impl Fn(usize) -> String) -> String {
    let mut text = "{agents:{list:[".to_owned();
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&agent(number));
        text.push(',');
    }
    text + "]}}"
}

#[test]
fn time_is_linear_in_agents() {
    let plain = |size| list(size, |number| format!("{{id:\"a{number}\"}}"));
    let last_is_default = |size| list(size, |number| format!("{{id:\"a{number}\",default:{}}}", number == 900));
    let one_name = |size| list(size, |number| format!("{{id:\"a{number}\",identity:{{name:\"세움\"}}}}"));
    let one_plain_name = |size| list(size, |number| format!("{{id:\"a{number}\",name:\"세움\"}}"));
    let crossed = |size| list(size, |number| format!("{{id:\"a{number}\",name:\"a{}\"}}", number + 1));
    let patterns: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("ids", &plain),
        ("a default", &last_is_default),
        ("one given name", &one_name),
        ("one name", &one_plain_name),
        ("names that are ids of others", &crossed),
    ];
    let patterns = patterns.into_iter().map(|(name, of)| Pattern { name, of });
    grows_with_the_text(patterns, MAX_BYTES, |text| {
        let mut roster = Roster::parse(text, &mut |_| Err(String::new())).expect("a configuration");
        let folders: Vec<AgentId> =
            roster.agents.iter().map(|agent| AgentId::from(format!("{}-f", agent.id))).collect();
        roster.with_directories(&folders);
        roster.set_identity("a1", "- **Emoji:** 🌙\n");
        let workspace = || Workspace {
            agents: roster
                .agents
                .iter()
                .map(|agent| AgentWorkspace { agent_id: agent.id.clone(), ..AgentWorkspace::default() })
                .collect(),
        };
        let mut hub = Hub::new();
        hub.set_roster(roster.clone());
        hub.set_workspace(workspace());
        hub.set_workspace(workspace());
        let page = query::agents(&hub, NOW, &AgentsQuery::default());
        assert_eq!(page.agents.len(), roster.agents.len());
        assert_eq!(query::home(&hub, NOW).agent_total as usize, roster.agents.len());
    });
}
