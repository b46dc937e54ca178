//! Types for the query parameters of most `GET` routes of REST v2: sessions, threads, events, tasks, agents,
//! delegations, quality and drift. `coordination::query::params` parses and prints them.

use super::{AgentPair, Classifier, Origin};
use crate::category::Category;
use crate::delivery::DeliveryState;
use crate::ids::{AgentId, SessionId, TaskId};
use crate::role::Role;
use crate::session::Status;
use crate::workspace::TaskStatus;

/// `GET sessions`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct SessionsQuery {
    /// Primary category.
    pub category: Option<Category>,
    /// Applies `category` and its counts to secondary categories too.
    #[cfg_attr(feature = "openapi", param(rename = "includeSecondary", required = false))]
    pub include_secondary: bool,
    /// Status at `now`.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub status: Vec<Status>,
    /// A participant.
    pub agent: Option<AgentId>,
    /// Further participants: all of them took part.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub with: Vec<AgentId>,
    /// Key of one of OpenClaw's own sessions, in any case: work sessions that hold something of it, by what its
    /// transcript says or by the keys that events name.
    #[cfg_attr(feature = "openapi", param(rename = "sessionKey", max_length = 400))]
    pub session_key: Option<String>,
    /// Sends in any of these states.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub delivery: Vec<DeliveryFilter>,
    /// Marked as resolved by a person, or not.
    pub resolved: Option<bool>,
    /// A sub-tag, case-insensitive.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub tag: Option<String>,
    /// Text in title, messages, participants or tags, case-insensitive.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub q: Option<String>,
    /// Activity at or after this time, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// Begun at or before this time, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub until: Option<i64>,
    /// Order of the sessions.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub sort: SessionsSort,
    /// Page size, 1–200, default 50.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 200))]
    pub limit: Option<u32>,
    /// Continue after this `next`.
    #[cfg_attr(feature = "openapi", param(pattern = "^[0-9][.]-?[0-9]{1,18}[.][!-~]{1,200}$"))]
    pub after: Option<String>,
}

/// Delivery state of a send, as a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(rename_all = "lowercase"))]
pub enum DeliveryFilter {
    /// It was refused.
    Blocked,
    /// No answer, by an event or by silence.
    Unanswered,
    /// An answer is waited for.
    Waiting,
}

impl DeliveryFilter {
    /// All, the worst first.
    pub const ALL: [Self; 3] = [Self::Blocked, Self::Unanswered, Self::Waiting];

    /// Text on the wire and in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Unanswered => "unanswered",
            Self::Waiting => "waiting",
        }
    }

    /// True when any of the sends counted is in this state.
    #[must_use]
    pub fn is_in(self, trouble: &super::Trouble) -> bool {
        match self {
            Self::Blocked => trouble.blocked > 0,
            Self::Unanswered => trouble.no_reply + trouble.no_trace > 0,
            Self::Waiting => trouble.waiting > 0,
        }
    }
}

impl std::str::FromStr for DeliveryFilter {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|filter| filter.as_str() == text).ok_or(())
    }
}

/// Order of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(rename_all = "lowercase"))]
pub enum SessionsSort {
    /// Newest activity first.
    #[default]
    Latest,
    /// By category in seed order, newest first within.
    Category,
}

/// `GET sessions/{id}/threads/{threadId}` and `GET sessions/{id}/timeline`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct ThreadQuery {
    /// Older than this page mark.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::PageMark>))]
    pub before: Option<String>,
    /// Newer than this page mark.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::PageMark>))]
    pub after: Option<String>,
    /// Page around this event.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub around: Option<String>,
    /// Messages a page, 1–500, default 100.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 500))]
    pub limit: Option<u32>,
}

/// `GET sessions/{id}`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct SessionQuery {
    /// The classifier that decides the category; the one in force when absent
    pub classifier: Option<Classifier>,
}

/// `GET sessions/{id}/threads/{threadId}/find` and `GET sessions/{id}/find`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct FindQuery {
    /// Text to look for, case-insensitive; not blank
    #[cfg_attr(feature = "openapi", param(max_length = 400, pattern = "\\S"))]
    pub q: String,
}

/// `GET classifier/replay`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct ReplayQuery {
    /// The `next` of the page before
    #[cfg_attr(feature = "openapi", param(value_type = Option<i64>, minimum = 0, maximum = 4_294_967_295i64))]
    pub after: Option<u32>,
    /// Sessions a page
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 1000))]
    pub limit: Option<u32>,
}

/// `GET events`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct EventsQuery {
    /// Any of these roles.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub role: Vec<Role>,
    /// Any of these types.
    #[cfg_attr(feature = "openapi", param(rename = "type", required = false))]
    pub types: Vec<String>,
    /// Speaker, addressee or `agentId` is any of these.
    #[cfg_attr(feature = "openapi", param(rename = "agent", required = false))]
    pub agents: Vec<AgentId>,
    /// Who spoke.
    pub from: Option<AgentId>,
    /// Who was addressed.
    pub to: Option<AgentId>,
    /// From one of a pair to the other, of any of these pairs.
    #[cfg_attr(feature = "openapi", param(rename = "pair", required = false))]
    pub pairs: Vec<AgentPair>,
    /// Sends that are in any of these states now.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub delivery: Vec<DeliveryState>,
    /// Only events of this origin.
    #[cfg_attr(feature = "openapi", param(value_type = Option<String>, pattern = "^(log|transcript|hooks)$"))]
    pub origin: Option<Origin>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// Of this task.
    pub task: Option<TaskId>,
    /// At or after this time, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// At or before this time, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub until: Option<i64>,
    /// Text in the display text, type or agents, case-insensitive.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub q: Option<String>,
    /// Page size, 1–500, default 100.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 500))]
    pub limit: Option<u32>,
    /// Older than this `next`.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::PageMark>))]
    pub before: Option<String>,
}

/// `GET tasks`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct TasksQuery {
    /// Tasks of this agent.
    pub agent: Option<AgentId>,
    /// Any of these statuses.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub status: Vec<TaskStatus>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// Text in title or id, case-insensitive.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub q: Option<String>,
    /// Page size, 1–500, default 500.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 500))]
    pub limit: Option<u32>,
    /// After this `next`.
    #[cfg_attr(feature = "openapi", param(pattern = "^[0-9][.](-?[0-9]{1,18})?[.][0-9]{1,3}[.][!-~]{1,200}$"))]
    pub after: Option<String>,
}

/// `GET agents`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct AgentsQuery {
    /// Sends at or after this time count for the pairs; all when absent.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
}

/// `GET waits`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct WaitsQuery {
    /// Only agents that wait for this one, directly or through others, and this one.
    pub agent: Option<AgentId>,
}

/// `GET agents/{id}/activity`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct ActivityQuery {
    /// The period begins then; with the log when absent.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// The period ends then; now when absent.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub until: Option<i64>,
}

/// `GET quality` and `GET drift`: figures by period.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct PeriodsQuery {
    /// Events, or sessions begun, at or after this time; all when absent.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// Minutes the user's clock is ahead of UTC: where days begin.
    #[cfg_attr(feature = "openapi", param(rename = "offset", required = false, minimum = -1080, maximum = 1080))]
    pub offset_min: i32,
}

/// `GET delegations` and `GET sessions/{id}/delegations`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct DelegationsQuery {
    /// Runs with an event at or after.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// Runs begun at or before.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub until: Option<i64>,
    /// Who asks or is asked is any of these.
    #[cfg_attr(feature = "openapi", param(rename = "agent", required = false))]
    pub agents: Vec<AgentId>,
    /// Who asks.
    pub from: Option<AgentId>,
    /// Who is asked.
    pub to: Option<AgentId>,
    /// One of a pair asks the other, of any of these pairs.
    #[cfg_attr(feature = "openapi", param(rename = "pair", required = false))]
    pub pairs: Vec<AgentPair>,
    /// Rows, 1–10,000, default 2,000.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 10000))]
    pub limit: Option<u32>,
}
