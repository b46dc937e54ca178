//! Names of the agents of an evidence file. The log has ids only; names and emoji are those of the home's roster when the
//! file was made. They are not proven: an agent may have another name since.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EvidenceFile;
use crate::event::parse_lines;
use crate::ids::AgentId;
use crate::roster::{Roster, RosterAgent};

/// Longest emoji, in characters: families and flags are of several.
const MAX_EMOJI_CHARS: usize = 12;

/// An agent that the lines name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceAgent {
    /// As in the lines.
    pub id: AgentId,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Emoji.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
}

impl EvidenceAgent {
    /// `None` for an agent that has neither name nor emoji.
    fn of_roster(agent: &RosterAgent, mask: Option<fn(&str) -> String>) -> Option<Self> {
        let shown =
            |text: &Option<String>| text.as_deref().map(|text| mask.map_or_else(|| text.to_owned(), |mask| mask(text)));
        let named = Self { id: agent.id.clone(), name: shown(&agent.name), emoji: shown(&agent.emoji) };
        (named.name.is_some() || named.emoji.is_some()).then_some(named)
    }

    /// As an agent of a roster that only knows names. A file of somebody else may give any text as an emoji: what is
    /// no emoji is left out.
    #[must_use]
    pub fn to_roster(&self) -> RosterAgent {
        let emoji = self.emoji.clone().filter(|emoji| is_emoji(emoji));
        RosterAgent { id: self.id.clone(), name: self.name.clone(), emoji, ..RosterAgent::default() }
    }
}

/// True for a short text without letters, blanks and characters that change the direction of others.
fn is_emoji(text: &str) -> bool {
    let is_part = |c: char| {
        let turns =
            matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        !(c.is_alphabetic() || c.is_whitespace() || c.is_control() || turns)
    };
    !text.is_empty() && text.chars().count() <= MAX_EMOJI_CHARS && text.chars().all(is_part)
}

impl EvidenceFile {
    /// Puts the names of those agents of the roster into the header that the lines name. `mask` is given where texts are
    /// masked.
    pub fn name_agents(&mut self, roster: &Roster, mask: Option<fn(&str) -> String>) {
        let mut ids = BTreeSet::new();
        for line in &self.lines {
            for event in parse_lines(format!("{}\n", line.text).as_bytes(), "", 0).0 {
                add_named(&event.to_value(), roster, &mut ids);
            }
        }
        let agents = ids.iter().filter_map(|id| roster.agent(id.as_str()));
        self.header.agents = agents.filter_map(|agent| EvidenceAgent::of_roster(agent, mask)).collect();
    }

    /// Agents that have another name or emoji in a roster now, or none, each with what the roster says. `mask` is applied to
    /// names that are masked in the file.
    #[must_use]
    pub fn renamed_agents(
        &self,
        roster: &Roster,
        mask: fn(&str) -> String,
    ) -> Vec<(EvidenceAgent, Option<EvidenceAgent>)> {
        let now = |agent: &EvidenceAgent, mask| EvidenceAgent::of_roster(roster.agent(agent.id.as_str())?, mask);
        let is_same =
            |agent: &EvidenceAgent| [None, Some(mask)].into_iter().any(|mask| now(agent, mask).as_ref() == Some(agent));
        let renamed = self.header.agents.iter().filter(|agent| !is_same(agent));
        renamed.map(|agent| (agent.clone(), now(agent, None))).collect()
    }

    /// Name of an agent with its id, as `이든 (eden)`; the id alone where the file has no name for it.
    #[must_use]
    pub fn written_agent(&self, id: &str) -> String {
        let name = self.header.agents.iter().find(|agent| agent.id.as_str().eq_ignore_ascii_case(id));
        name.and_then(|agent| agent.name.as_deref()).map_or_else(|| id.to_owned(), |name| format!("{name} ({id})"))
    }
}

/// Adds the agents that a text of the value names: by id, as a participant or by a session key.
fn add_named(value: &Value, roster: &Roster, ids: &mut BTreeSet<AgentId>) {
    match value {
        Value::String(text) => {
            let named = ["agent:", "part:"].iter().find_map(|start| text.strip_prefix(start));
            let id = named.map_or(text.as_str(), |rest| rest.split(':').next().unwrap_or_default());
            ids.extend(roster.agent(id.trim()).map(|agent| agent.id.clone()));
        }
        Value::Array(items) => items.iter().for_each(|item| add_named(item, roster, ids)),
        Value::Object(fields) => fields.values().for_each(|item| add_named(item, roster, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::is_emoji;

    #[test]
    fn only_emoji_count_as_emoji() {
        for emoji in ["💻", "👩‍💻", "🇰🇷", "1️⃣", "❤️"] {
            assert!(is_emoji(emoji), "{emoji}");
        }
        for text in ["", "관리자", "a", "💻 ok", "\u{202e}", "💻\n", &"💻".repeat(13)] {
            assert!(!is_emoji(text), "{text:?}");
        }
    }
}
