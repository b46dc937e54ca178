//! Ids and team roles for log lines that are made from schema events (`contract/event-schema-v1_1.md` §D.1). The ids
//! name work sessions, agents, and conversations (each a thread or a delegated run). A team role is leader, teammate or
//! subagent.

use crate::SchemaEvent;
use protocol::digest::digest_hex;

/// Letters of a digest in a name.
const DIGEST_LETTERS: usize = 16;

/// What an agent is in its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MappedTeamRole {
    Leader,
    Teammate,
    Subagent,
}

/// An agent's id in the log: in lower case, with `~` for the slash.
#[must_use]
pub fn folded(agent_id: &str) -> String {
    agent_id.to_lowercase().replace('/', "~")
}

/// `ws_cc_` and a digest: one work session for a team, or for a session without one.
#[must_use]
pub fn work_session_id(workspace_id: &str, team_or_session: &str) -> String {
    format!("ws_cc_{}", digest_hex(&format!("{workspace_id}\n{team_or_session}"), DIGEST_LETTERS))
}

/// `conv_` and a digest: one conversation for each pair of a work session, in whatever order; of a delegation one for
/// each child, which has a native id of its own.
#[must_use]
pub fn conversation_id(work_session: &str, one: &str, other: &str, child: Option<&str>) -> String {
    let (one, other) = (folded(one), folded(other));
    let (first, second) = if one <= other { (one, other) } else { (other, one) };
    let identity = [work_session, &first, &second].into_iter().chain(child).collect::<Vec<_>>().join("\n");
    format!("conv_{}", digest_hex(&identity, DIGEST_LETTERS))
}

/// The leader of an agent's team.
pub(super) fn leader_of(agent_id: &str) -> String {
    format!("{}/leader", team_of(agent_id))
}

fn team_of(agent_id: &str) -> &str {
    agent_id.split_once('/').map_or(agent_id, |(team, _)| team)
}

/// The work session of an event. A team that is named like the workspace counts as none (§C.3): then the session is
/// one by itself, unless the event names its team.
pub(super) fn work_session_of(event: &SchemaEvent) -> String {
    let team = team_of(&event.agent_id);
    let workspace = event.workspace_id.strip_prefix("repo_").unwrap_or(&event.workspace_id);
    // An agent with the project's name is in an unnamed team, or in none.
    let unnamed = || event.text("team_name").or(event.session_id.as_deref());
    let team_or_session = if team == workspace { unnamed().unwrap_or(team) } else { team };
    work_session_id(&event.workspace_id, team_or_session)
}

/// What the agent and its counterpart are.
pub(super) fn parties(event: &SchemaEvent) -> (MappedTeamRole, Option<MappedTeamRole>) {
    let hint = |name: &str| match event.text(name) {
        Some("leader") => Some(MappedTeamRole::Leader),
        Some("teammate") => Some(MappedTeamRole::Teammate),
        Some("subagent") => Some(MappedTeamRole::Subagent),
        _ => None,
    };
    let leads = |id: &str| id.split_once('/').is_some_and(|(_, name)| name.eq_ignore_ascii_case("leader"));
    let native = event.text("native_agent_id").is_some();
    let agent = hint("agent_kind").unwrap_or_else(|| match leads(&event.agent_id) {
        true => MappedTeamRole::Leader,
        false if native && !is_of_target(event) => MappedTeamRole::Subagent,
        false => MappedTeamRole::Teammate,
    });
    let target = event.target_agent_id.as_deref().map(|id| {
        hint("target_kind").unwrap_or_else(|| match leads(id) {
            true => MappedTeamRole::Leader,
            false if native && is_of_target(event) => MappedTeamRole::Subagent,
            false => MappedTeamRole::Teammate,
        })
    });
    (agent, target)
}

/// The native id of the child that a delegation is about. Where a child gives work to one of its own, both have one.
pub(super) fn child_of(event: &SchemaEvent) -> Option<&str> {
    let of_target = event.text("target_native_agent_id").filter(|_| is_of_target(event));
    of_target.or_else(|| event.text("native_agent_id"))
}

/// The native id is the counterpart's: an event that gives work to a child carries the child's.
fn is_of_target(event: &SchemaEvent) -> bool {
    event.kind == crate::Kind::ManagerAssign
}
