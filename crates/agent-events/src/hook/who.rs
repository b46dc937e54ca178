//! Construction of agent ids from team names and agent names, with the agent's role in the team
//! (`contract/event-schema-v1_1.md` §C.3).

use crate::key::{MAX_SEGMENT_CHARS, SHORT_ID_LETTERS, segment, short_id};

/// What a leader is called by others.
const LEADERS: [&str; 5] = ["leader", "team-lead", "team_lead", "team-leader", "main"];

/// What an agent is in its team; hints for the mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TeamRole {
    Leader,
    Teammate,
    Subagent,
}

impl TeamRole {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Leader => "leader",
            Self::Teammate => "teammate",
            Self::Subagent => "subagent",
        }
    }
}

/// An agent as events name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Who {
    /// `team/name`.
    pub(super) id: String,
    /// Role in the team.
    pub(super) party: TeamRole,
    /// The id that the program itself gave it.
    pub(super) native: Option<String>,
    /// Its name as written, where folding changed it.
    pub(super) written: Option<String>,
}

/// A name that the program made up for an unnamed team: `session-` and the beginning of the leader's session. It
/// distinguishes teams, and means nothing to a reader.
pub(super) fn is_made_up(team: &str) -> bool {
    let digits = team.strip_prefix("session-").unwrap_or_default();
    digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// A team, as far as anything names one.
#[derive(Debug, Clone, Copy)]
pub(super) struct TeamName<'a> {
    pub(super) name: &'a str,
}

impl<'a> TeamName<'a> {
    /// The team of this name; an unnamed team keeps this one.
    pub(super) fn or_named(self, name: &'a str) -> Self {
        if is_made_up(name) { self } else { TeamName { name } }
    }

    pub(super) fn leader(self) -> Who {
        Who { id: format!("{}/leader", segment(self.name)), party: TeamRole::Leader, native: None, written: None }
    }

    /// An agent by its name.
    pub(super) fn named(self, name: &str, party: TeamRole, native: Option<&str>) -> Who {
        let mut folded = segment(name);
        if folded.eq_ignore_ascii_case("leader") {
            // Only the main thread is the leader, whatever others are called.
            folded.push_str("-agent");
        }
        let written = (folded != name).then(|| name.chars().take(MAX_SEGMENT_CHARS).collect());
        Who { id: format!("{}/{folded}", segment(self.name)), party, native: native.map(str::to_owned), written }
    }

    /// An agent without a name: by its type and some letters of its id.
    pub(super) fn unnamed(self, kind: Option<&str>, native: &str) -> Who {
        let short = short_id(native, SHORT_ID_LETTERS);
        let mut who = self.named(&format!("{}-{short}", kind.unwrap_or("agent")), TeamRole::Subagent, Some(native));
        who.written = None;
        who
    }
}

/// A name by which the leader is meant.
pub(super) fn is_leader(name: &str) -> bool {
    LEADERS.iter().any(|leader| name.eq_ignore_ascii_case(leader))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c3_names_of_team_make_ids() {
        assert_eq!(TeamName { name: "core" }.named("Leader", TeamRole::Subagent, None).id, "core/Leader-agent");
        assert!(is_made_up("session-29602af4") && !is_made_up("session-2960") && !is_made_up("session-checkout"));
        assert_eq!(TeamName { name: "core" }.unnamed(Some("Explore"), "a1b2c3d4e5").id, "core/Explore-a1b2c3");
    }
}
