//! Parsers of plan files and of `team-state.json`, the file with the state of the agents of a team
//! (`contract/workspace.md` §6–§7).

use serde_json::{Value, json};

use super::Plan;
use crate::ids::{AgentId, TaskId};
use crate::json_number::number;
use crate::time::parse_iso;

/// Reads a plan file. A text that is no JSON becomes `{"raw": text}`; a shape this build does not know is stored in
/// `raw`, and whatever of it has a familiar name is used.
#[must_use]
pub fn parse_plan(file_stem: &str, agent: &AgentId, text: &str) -> Plan {
    let raw = serde_json::from_str(text).unwrap_or_else(|_| json!({ "raw": text }));
    let field = |key: &str| {
        let text = raw.get(key).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Plan {
        id: field("id").unwrap_or_else(|| file_stem.to_owned()),
        agent_id: field("agentId").map_or_else(|| agent.clone(), |id| AgentId::from(id.to_lowercase())),
        task_id: field("taskId").map(TaskId::from),
        title: field("title").or_else(|| field("name")).unwrap_or_default(),
        steps: raw.get("steps").and_then(Value::as_array).into_iter().flatten().filter_map(step).collect(),
        status: field("status").unwrap_or_default(),
        submitted_at: field("submittedAt").or_else(|| field("createdAt")),
        decided_at: field("decidedAt"),
        decided_by: field("decidedBy"),
        reject_reason: field("rejectReason"),
        raw,
    }
}

fn step(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text,
        object => ["content", "title", "text", "description"].iter().find_map(|key| object.get(key)?.as_str())?,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Reads `team-state.json` into the 1.x answer `{version, agents, lastUpdatedMs}`. A text that cannot be read gives
/// the answer of a missing file.
#[must_use]
pub fn parse_team_state(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let version = value.get("version").and_then(Value::as_f64).unwrap_or(1.0);
    let agents = value.get("agents").filter(|agents| agents.is_object()).cloned().unwrap_or_else(|| json!({}));
    let updated = value.get("lastUpdatedMs").and_then(Value::as_f64).map(number).or_else(|| {
        let text = value.get("updatedAt").and_then(Value::as_str)?;
        parse_iso(text).map(Value::from)
    });
    json!({ "version": number(version), "agents": agents, "lastUpdatedMs": updated.unwrap_or_else(|| json!(0)) })
}
