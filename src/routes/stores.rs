//! URL queries of two pages: the list of stored sessions and the history of one of them.

use coordination::ids::AgentId;
use coordination::session_key::ToolKind;

use super::filters::{Since, UrlPairs, UrlQueryWriter, agent, invalid_value, invalid_values, text, value, values};

/// Filters of the list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoresFilter {
    /// These kinds; all when empty.
    pub kinds: Vec<ToolKind>,
    /// One agent's.
    pub agent: Option<AgentId>,
    /// Changed since.
    pub since: Option<Since>,
    /// Text in names and keys.
    pub q: Option<String>,
    /// Archived ones instead of the others.
    pub archived: bool,
    /// With the list of archived transcripts unfolded.
    pub records: bool,
}

impl StoresFilter {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            kinds: values(pairs, "kind"),
            agent: agent(pairs, "agent"),
            since: value(pairs, "since"),
            q: text(pairs, "q"),
            archived: text(pairs, "archived").as_deref() == Some("1"),
            records: text(pairs, "records").as_deref() == Some("1"),
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put_all("kind", self.kinds.iter().map(|kind| kind.as_str()));
        out.put("agent", self.agent.as_ref());
        out.put("since", self.since.map(Since::as_str));
        out.put("archived", self.archived.then_some("1"));
        out.put("records", self.records.then_some("1"));
        out.put("q", self.q.as_ref());
        out.0
    }

    /// Parameters with an invalid value, as written.
    pub fn unknown(pairs: &UrlPairs) -> Vec<(String, String)> {
        invalid_values::<ToolKind>(pairs, "kind").into_iter().chain(invalid_value::<Since>(pairs, "since")).collect()
    }

    /// True when nothing narrows the list (which of the two lists it is does not, nor what is unfolded below it).
    pub fn is_empty(&self) -> bool {
        Self { archived: false, records: false, ..self.clone() } == Self::default()
    }
}

/// How the history of a session is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreView {
    /// With what tools gave.
    pub tools: bool,
    /// How many pages precede the newest one.
    pub older: u32,
    /// The line that the link means.
    pub at: Option<String>,
    /// The session whose transcript holds it: the key may lead to another one by now.
    pub of: Option<String>,
}

/// Pages that an address opens at most.
const MAX_OLDER_PAGES: u32 = 50;

impl StoreView {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        Self {
            tools: text(pairs, "tools").as_deref() == Some("1"),
            older: value::<u32>(pairs, "older").unwrap_or_default().min(MAX_OLDER_PAGES),
            at: text(pairs, "at"),
            of: text(pairs, "of"),
        }
    }

    /// The query of the URL, without defaults.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = UrlQueryWriter(Vec::new());
        out.put("at", self.at.as_ref());
        out.put("of", self.of.as_ref());
        out.put("tools", self.tools.then_some("1"));
        out.put("older", (self.older > 0).then_some(self.older));
        out.0
    }

    /// One page more.
    #[must_use]
    pub fn with_older(&self) -> Self {
        Self { older: (self.older + 1).min(MAX_OLDER_PAGES), ..self.clone() }
    }

    /// No address opens more pages.
    pub fn is_at_its_end(&self) -> bool {
        self.older >= MAX_OLDER_PAGES
    }
}
