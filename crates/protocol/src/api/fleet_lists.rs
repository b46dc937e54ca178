//! Types of the merged lists below `/api/v2/fleet/`: sessions, events, tasks, agents and drift of all machines. A row is the
//! row of one machine with its name. Each answer names each of its machines, with what its rows may lack.

use serde::{Deserialize, Serialize};

use super::{AgentCard, AgentSummary, Drift, EventRow, FleetSession, FleetSource, FleetSourceState, RoleCounts};
use super::{StatusCounts, TaskSummary};
use crate::category::Category;
use crate::workspace::TaskStatus;

/// Query of a merged list: the query of the list on one machine, and the machines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OnMachines<Q> {
    /// Only these machines, by name or id, in any case; all when empty.
    pub hosts: Vec<String>,
    /// The query that each machine answers. Its cursor is one of the merged list.
    pub query: Q,
}

/// Query of a list that has no parameters of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct EveryRow {}

/// A machine of a merged list: how many rows it has, and why some may be missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetListSource {
    /// Name of the machine.
    pub source: String,
    /// How many of its rows match, on all pages.
    pub total: u32,
    /// Its history is being read here: none or few of its rows are listed yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub starting: bool,
    /// State of the machine.
    pub state: FleetSourceState,
    /// When its publisher last said that it is there, epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<i64>,
    /// Bytes of its logs that are not mirrored here yet.
    pub bytes_behind: u64,
    /// Bytes of its logs that nobody can give any more.
    pub bytes_missing: u64,
    /// Messages that were refused here.
    pub refused: u64,
    /// Agents that its rows in this answer name.
    pub agents: Vec<AgentSummary>,
}

impl FleetListSource {
    /// The part of a machine's state that says what a list may lack.
    #[must_use]
    pub fn new(source: &FleetSource) -> Self {
        Self {
            source: source.name.clone(),
            starting: source.starting,
            state: source.state,
            last_seen: source.last_seen,
            bytes_behind: source.bytes_behind,
            bytes_missing: source.bytes_missing(),
            refused: source.refused,
            ..Self::default()
        }
    }

    /// Whether all that the machine has is here.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.starting && self.state == FleetSourceState::Live
    }
}

/// `GET /api/v2/fleet/sessions`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetSessionsPage {
    /// Sessions of this page, newest activity first; of equal times the first machine by name, then the order of that
    /// machine.
    pub sessions: Vec<FleetSession>,
    /// Sessions that match all filters.
    pub total: u32,
    /// Matches of all filters but the category, in seed order (all ten).
    pub category_counts: Vec<(Category, u32)>,
    /// Matches of all filters but the status.
    pub status_counts: StatusCounts,
    /// Sub-tags among the most frequent ones of each machine, most frequent first, at most 30.
    pub tags: Vec<(String, u32)>,
    /// Give as `after` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Machines of this answer, by name.
    pub sources: Vec<FleetListSource>,
    /// The `now` it was computed for.
    pub now: i64,
}

/// An event of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetEvent {
    /// Name of the machine.
    pub source: String,
    /// The event.
    pub event: EventRow,
}

/// `GET /api/v2/fleet/events`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetEventsPage {
    /// Newest first; of equal times the first machine by name, then the order of that machine.
    pub events: Vec<FleetEvent>,
    /// Events that match all filters.
    pub total: u32,
    /// Matches of all filters but the role.
    pub role_counts: RoleCounts,
    /// Types among the matches of all filters but the type, most frequent first.
    pub type_counts: Vec<(String, u32)>,
    /// Give as `before` for older ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Machines of this answer, by name.
    pub sources: Vec<FleetListSource>,
    /// The `now` it was computed for.
    pub now: i64,
}

/// A task of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetTask {
    /// Name of the machine.
    pub source: String,
    /// The task.
    pub task: TaskSummary,
}

/// `GET /api/v2/fleet/tasks`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetTasksPage {
    /// By status as on one machine, newest activity first within; of equal times the first machine by name, then the order
    /// of that machine.
    pub tasks: Vec<FleetTask>,
    /// How many match.
    pub total: u32,
    /// Matches of all filters but the status.
    pub status_counts: Vec<(TaskStatus, u32)>,
    /// Files that could not be read, so that "none" is never shown for "could not read".
    pub unreadable: Vec<FleetUnreadable>,
    /// Give as `after` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Machines of this answer, by name.
    pub sources: Vec<FleetListSource>,
    /// The `now` it was computed for.
    pub now: i64,
}

/// A file of a machine that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetUnreadable {
    /// Name of the machine.
    pub source: String,
    /// Path below its home.
    pub path: String,
    /// Short cause, as on the machine.
    pub cause: String,
}

/// An agent of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetAgent {
    /// Name of the machine.
    pub source: String,
    /// The agent with its evidence.
    pub card: AgentCard,
}

/// `GET /api/v2/fleet/agents`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetAgentsPage {
    /// All agents, the one with the newest event first; of equal times the first machine by name, then the order of that
    /// machine. Agents of the same id on two machines are two agents.
    pub agents: Vec<FleetAgent>,
    /// Machines of this answer, by name.
    pub sources: Vec<FleetListSource>,
    /// The `now` it was computed for.
    pub now: i64,
}

/// Drift of the automatic categories of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetDrift {
    /// Name of the machine.
    pub source: String,
    /// What the machine answers.
    pub drift: Drift,
}

/// `GET /api/v2/fleet/drift`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FleetDriftPage {
    /// One for each machine, by name. They are not added up: each machine has a classifier and words of its own.
    pub drifts: Vec<FleetDrift>,
    /// Machines of this answer, by name.
    pub sources: Vec<FleetListSource>,
    /// The `now` it was computed for.
    pub now: i64,
}

#[cfg(feature = "openapi")]
mod params {
    use utoipa::IntoParams;
    use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
    use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
    use utoipa::openapi::{Required, Schema};

    use super::OnMachines;

    /// Name of a machine, and a cursor of that machine.
    const CURSOR_PATTERN: &str = "^[0-9A-Za-z_-]{1,80}[.]([0-9][.])?(-?[0-9]{1,18})?[.][!-~]{1,200}$";

    impl<Q: IntoParams> IntoParams for OnMachines<Q> {
        fn into_params(provider: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
            let mut params = Q::into_params(&provider);
            for cursor in params.iter_mut().filter(|param| matches!(param.name.as_str(), "before" | "after")) {
                let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(CURSOR_PATTERN));
                cursor.schema = Some(Schema::from(text).into());
            }
            let names = ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String)).max_items(Some(50));
            let host = ParameterBuilder::new()
                .name("host")
                .parameter_in(ParameterIn::Query)
                .required(Required::False)
                .description(Some("Only these machines, by name or id, in any case; all when absent."))
                .schema(Some(Schema::from(names)));
            params.push(host.build());
            params
        }
    }
}
