//! Types of `GET /api/v2/search`: ranked hits among sessions, messages, tasks, agents and other events. Highlighted
//! ranges count UTF-16 code units, like strings in browsers.

use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use crate::session::Status;

/// `GET search`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct SearchQuery {
    /// What is looked for: words, `"exact phrases"`, `operator:value`, each with `-` before it for its opposite.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub q: String,
    /// Only hits of these kinds; of all when empty. Counts cover all kinds either way.
    #[cfg_attr(feature = "openapi", param(rename = "in", required = false))]
    pub within: Vec<SearchKind>,
    /// Page size, 1–100, default 30.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 100))]
    pub limit: Option<u32>,
    /// Continue after this `next`.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub after: Option<String>,
    /// Minutes the user's clock is ahead of UTC: where the days of `before:` and `after:` begin.
    #[cfg_attr(feature = "openapi", param(rename = "offset", required = false, minimum = -1080, maximum = 1080))]
    pub offset_min: i32,
}

/// What a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// A work session, by its title, labels, tags or people.
    Sessions,
    /// A bubble of a thread.
    Messages,
    /// A task, by its title, id or steps.
    Tasks,
    /// An agent, by name or id.
    Agents,
    /// Any other event, by its text, type or agents.
    Events,
    /// A note, or a resolved mark with a reason, by its text or author.
    Notes,
}

impl SearchKind {
    /// All, in the order of their tabs.
    pub const ALL: [Self; 6] = [Self::Sessions, Self::Messages, Self::Tasks, Self::Agents, Self::Events, Self::Notes];

    /// Text on the wire and in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Messages => "messages",
            Self::Tasks => "tasks",
            Self::Agents => "agents",
            Self::Events => "events",
            Self::Notes => "notes",
        }
    }
}

impl std::str::FromStr for SearchKind {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// Answer to `GET search`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchPage {
    /// Best first: title before label before message, the newest of equals first.
    pub hits: Vec<SearchHit>,
    /// Hits of the kinds asked for, exactly.
    pub total: u32,
    /// Hits of each kind, exactly, whatever kinds were asked for.
    pub counts: SearchCounts,
    /// How the hits of the kinds asked for are spread.
    pub facets: SearchFacets,
    /// How the query was understood, in its order.
    pub clauses: Vec<SearchClause>,
    /// Mark of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Position this answer reflects.
    pub cursor: super::Cursor,
    /// The server's time.
    pub now: i64,
}

/// Hits of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SearchCounts {
    /// Work sessions.
    pub sessions: u32,
    /// Messages.
    pub messages: u32,
    /// Tasks.
    pub tasks: u32,
    /// Agents.
    pub agents: u32,
    /// Other events.
    pub events: u32,
    /// Notes and resolved marks.
    #[serde(default)]
    pub notes: u32,
}

impl SearchCounts {
    /// Hits of a kind.
    #[must_use]
    pub fn of(&self, kind: SearchKind) -> u32 {
        match kind {
            SearchKind::Sessions => self.sessions,
            SearchKind::Messages => self.messages,
            SearchKind::Tasks => self.tasks,
            SearchKind::Agents => self.agents,
            SearchKind::Events => self.events,
            SearchKind::Notes => self.notes,
        }
    }

    /// The count of a kind, to be raised.
    pub fn of_mut(&mut self, kind: SearchKind) -> &mut u32 {
        match kind {
            SearchKind::Sessions => &mut self.sessions,
            SearchKind::Messages => &mut self.messages,
            SearchKind::Tasks => &mut self.tasks,
            SearchKind::Agents => &mut self.agents,
            SearchKind::Events => &mut self.events,
            SearchKind::Notes => &mut self.notes,
        }
    }
}

/// How the hits are spread; the most frequent first, at most 20 of each. What narrows by one is an operator.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SearchFacets {
    /// By category of the session (`category:`).
    pub categories: Vec<(Category, u32)>,
    /// By who spoke, owns or takes part (`agent:`).
    pub agents: Vec<(AgentId, u32)>,
    /// By event type, of messages and events (`type:`).
    pub types: Vec<(String, u32)>,
    /// By session, of messages, tasks and events (`session:`), with its title.
    pub sessions: Vec<(SessionId, String, u32)>,
}

/// One hit. Which fields it has follows from its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// Kind of the hit.
    pub kind: SearchKind,
    /// Best place of a match.
    pub place: SearchPlace,
    /// Session's title, task's title or agent's name, marked where it holds what is looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Marked>,
    /// Words around what was found, on one line without markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Marked>,
    /// When: the event's time, a session's or task's last activity. UTC epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// The event, of messages and events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// Its type, of messages and events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// The tool used, for events that name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The session, of sessions and of what belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Its title, of what belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// The thread it is shown in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The task, of tasks and of events that name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Whose task it is; the agent, of agents; who spoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// Whom it addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentId>,
    /// True when a person spoke through the agent's session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub human: bool,
    /// The shared record, of notes and marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// True for a mark that something is resolved; its text is the reason.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
    /// Author of a note or mark, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Category of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Status of a session at `now`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Who takes part in a session, most active first, at most six.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<AgentId>,
}

/// Where a match was found; better places first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SearchPlace {
    /// Title or name.
    Title,
    /// Label, id, tag or people.
    Label,
    /// Text of a message or event.
    Text,
    /// Nowhere: the query has only operators.
    Filter,
}

/// A text with ranges to mark.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Marked {
    /// The text.
    pub text: String,
    /// Start and end of each range in UTF-16 code units, in order, apart from each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<[u32; 2]>,
}

/// One part of a query as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchClause {
    /// `text`, `phrase` or the operator's name.
    pub name: String,
    /// Its value, without quotes; a word without the particle that is passed over.
    pub value: String,
    /// What holds it is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not: bool,
    /// Its range in `q`: start and end in UTF-16 code units.
    pub range: [u32; 2],
}

/// What is wrong with a query; an unknown code from a newer server reads as `Unknown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SearchFault {
    /// Nothing to look for.
    Blank,
    /// More than 400 characters.
    TooLong,
    /// More than 32 parts.
    TooMany,
    /// A quote that is not closed.
    OpenQuote,
    /// A minus sign with nothing behind it.
    LoneMinus,
    /// Quotes with nothing between them, or an operator without a value.
    Empty,
    /// Nearly the name of an operator: `allowed` are its names.
    UnknownOperator,
    /// A value that the operator cannot have: `allowed` are values it can have.
    BadValue,
    /// A fault this build does not know.
    #[serde(other)]
    Unknown,
}
