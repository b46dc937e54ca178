//! Query parameters of the routes for stored sessions: `GET sessions-store` and `GET sessions-archive`, and `preview`
//! and `history` of one session.

use super::{FromPairs, QueryPairs, QueryReader, QueryWriter, ToPairs};
use crate::api::{ArchiveQuery, StoreHistoryQuery, StorePreviewQuery, StoreQuery};
use crate::ids::AgentId;
use crate::query::QueryError;
use crate::session_key::ToolKind;

/// Ten years.
const MAX_MINUTES: u32 = 5_256_000;
const MAX_ROWS: u32 = 10_000;
const MAX_ROW_MESSAGES: u32 = 20;
const MAX_ITEMS: u32 = 50;
const MAX_CHARS: u32 = 2_000;
const MAX_MESSAGES: u32 = 1_000;

impl FromPairs for StoreQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        const NAMES: [&str; 14] = [
            "kinds",
            "agent",
            "activeMinutes",
            "search",
            "label",
            "spawnedBy",
            "limit",
            "includeGlobal",
            "includeUnknown",
            "archived",
            "includeDerivedTitles",
            "includeLastMessage",
            "messageLimit",
            "includeRouting",
        ];
        let read = QueryReader::new(pairs, &NAMES)?;
        let flag = |name| Ok::<_, QueryError>(read.one_of(name, &["true", "false"])?.unwrap_or(false));
        Ok(Self {
            kinds: read.any_of("kinds", &ToolKind::ALL.map(ToolKind::as_str))?,
            agent: read.agent("agent")?,
            active_minutes: read.limit("activeMinutes", MAX_MINUTES)?,
            search: read.text("search")?,
            label: read.text("label")?,
            spawned_by: read.text("spawnedBy")?,
            limit: read.limit("limit", MAX_ROWS)?,
            include_global: flag("includeGlobal")?,
            include_unknown: flag("includeUnknown")?,
            archived: flag("archived")?,
            include_derived_titles: flag("includeDerivedTitles")?,
            include_last_message: flag("includeLastMessage")?,
            message_limit: read.number("messageLimit", 0, MAX_ROW_MESSAGES)?,
            include_routing: flag("includeRouting")?,
        })
    }
}

impl ToPairs for StoreQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        let flag = |set: bool| set.then_some("true");
        out.put_all("kinds", self.kinds.iter().map(|kind| kind.as_str()));
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
        out.put_number("activeMinutes", self.active_minutes.map(i64::from));
        out.put("search", self.search.as_deref());
        out.put("label", self.label.as_deref());
        out.put("spawnedBy", self.spawned_by.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.put("includeGlobal", flag(self.include_global));
        out.put("includeUnknown", flag(self.include_unknown));
        out.put("archived", flag(self.archived));
        out.put("includeDerivedTitles", flag(self.include_derived_titles));
        out.put("includeLastMessage", flag(self.include_last_message));
        out.put_number("messageLimit", self.message_limit.map(i64::from));
        out.put("includeRouting", flag(self.include_routing));
        out.0
    }
}

impl FromPairs for ArchiveQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["agent", "key", "session", "search", "limit"])?;
        Ok(Self {
            agent: read.agent("agent")?,
            key: read.text("key")?,
            session: read.text("session")?,
            search: read.text("search")?,
            limit: read.limit("limit", MAX_ROWS)?,
        })
    }
}

impl ToPairs for ArchiveQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put("agent", self.agent.as_ref().map(AgentId::as_str));
        out.put("key", self.key.as_deref());
        out.put("session", self.session.as_deref());
        out.put("search", self.search.as_deref());
        out.put_number("limit", self.limit.map(i64::from));
        out.0
    }
}

impl FromPairs for StorePreviewQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["limit", "maxChars"])?;
        Ok(Self { limit: read.limit("limit", MAX_ITEMS)?, max_chars: read.limit("maxChars", MAX_CHARS)? })
    }
}

impl FromPairs for StoreHistoryQuery {
    fn from_pairs(pairs: &QueryPairs) -> Result<Self, QueryError> {
        let read = QueryReader::new(pairs, &["limit", "includeTools", "before"])?;
        let include_tools = read.one_of("includeTools", &["true", "false"])?.unwrap_or(false);
        Ok(Self { limit: read.limit("limit", MAX_MESSAGES)?, include_tools, before: read.place("before")? })
    }
}

impl ToPairs for StoreHistoryQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut out = QueryWriter::default();
        out.put_number("limit", self.limit.map(i64::from));
        out.put("includeTools", self.include_tools.then_some("true"));
        out.put("before", self.before.map(|place| place.to_string()).as_deref());
        out.0
    }
}
