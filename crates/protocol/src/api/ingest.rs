//! Types of the HTTP API for events of coding agents (`contract/event-schema-v1_1.md` §C.1): results of posted events
//! and hooks, query and pages of `GET /api/v2/schema-events`, and the status of ingest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum number of items in one request.
pub const MAX_ITEMS: usize = 100;
/// Largest body of such a request, in bytes.
pub const MAX_ITEMS_BYTES: usize = 1 << 20;

/// What is wrong with an input, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fault {
    /// The field: `payload.exit_code`; empty for the whole.
    pub path: String,
    /// Why, as a code: `required`, `type`, `format`, `length`, `enum`, `unsupported_version` …
    pub code: String,
}

/// What became of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ItemState {
    /// Stored on disk. Heartbeats are accepted too, and not stored.
    Accepted,
    /// A duplicate of a stored item.
    Duplicate,
    /// Rejected; `errors` say why. A retry is rejected too.
    Rejected,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

/// One item's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemResult {
    /// What became of it.
    pub state: ItemState,
    /// Its identity: the id of an event, the fingerprint of a hook. Absent for rejected items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Everything that is wrong with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
}

/// Answer of `POST /api/v2/schema-events` and `POST /api/hooks/claude-code`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemResults {
    /// One for each item, in their order.
    pub items: Vec<ItemResult>,
}

/// Query parameters of `GET /api/v2/schema-events` and its live form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct SchemaEventsQuery {
    /// Changes after this position: the `next` of an earlier answer. From the beginning when absent.
    #[cfg_attr(feature = "openapi", param(pattern = "^[0-9a-z]{1,32}\\.[0-9]{1,19}$"))]
    pub since: Option<String>,
    /// At most this many changes, 1–1,000; 200 when absent.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 1000))]
    pub limit: Option<u32>,
    /// Only events of or to these agents, `team/name`.
    #[cfg_attr(feature = "openapi", param(rename = "agent", required = false))]
    pub agents: Vec<String>,
    /// Only events of these types.
    #[cfg_attr(feature = "openapi", param(rename = "type", required = false))]
    pub types: Vec<String>,
    /// Only events of these runs.
    #[cfg_attr(feature = "openapi", param(rename = "run_id", required = false))]
    pub runs: Vec<String>,
    /// Only events at these terminals.
    #[cfg_attr(feature = "openapi", param(rename = "terminal_session_id", required = false))]
    pub terminals: Vec<String>,
    /// `run` groups the events of the answer by run inside each terminal (`runs`). Of JSON answers only.
    pub group: Option<EventsGroup>,
    /// `ndjson` for one event a line, as `Accept: application/x-ndjson` asks for too; else one JSON object.
    pub format: Option<EventsFormat>,
}

/// Grouping of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EventsGroup {
    /// By run inside each terminal.
    Run,
}

impl std::str::FromStr for EventsGroup {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "run" { Ok(Self::Run) } else { Err(()) }
    }
}

/// Events of one run at one terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SchemaRun {
    /// The terminal.
    pub terminal_session_id: String,
    /// The run; absent for events of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Ids of its events, in the answer's order.
    pub events: Vec<String>,
}

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EventsFormat {
    /// One object.
    #[default]
    Json,
    /// One event a line.
    Ndjson,
}

impl std::str::FromStr for EventsFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "json" => Ok(Self::Json),
            "ndjson" => Ok(Self::Ndjson),
            _ => Err(()),
        }
    }
}

/// `GET /api/v2/schema-events`: the normalised stream, in the order of the last change of each event.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SchemaEventsPage {
    /// Current state of the events of schema 1.1. An event that was sent before replaces its earlier state.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub events: Vec<Value>,
    /// Ids of events that were sent before and no longer exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Position to continue at: `since` of the next request.
    pub next: String,
    /// More events follow `next` now.
    pub more: bool,
    /// `since` is from an earlier run of the monitor: events sent before are void, and the stream starts over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restarted: bool,
    /// The answer's events by run inside each terminal, when requested (`group=run`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<SchemaRun>,
}

/// State of the input from coding agents and its journal, counted since the start unless stated otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct IngestInfo {
    /// Posted and dropped items are accepted here. False while another monitor writes this home or its disk refuses.
    pub writable: bool,
    /// Bytes of the journal of all inputs.
    pub bytes: u64,
    /// Inputs in it, each counted once.
    pub inputs: u64,
    /// Lines of it that cannot be read.
    pub bad_lines: u64,
    /// Events that follow from them and are held.
    pub events: u64,
    /// Tool events that were evicted from memory and are only in the journal now (`hooks.max_tool_events`).
    #[serde(default)]
    pub evicted_events: u64,
    /// Agents these events name.
    pub agents: u64,
    /// Events with a known id and different content; the first of each wins.
    pub conflicts: u64,
    /// Hooks by name, and those that make no event.
    #[serde(default)]
    pub hooks: HookCounts,
    /// Items that were new.
    pub accepted: u64,
    /// Items that were there already.
    pub duplicates: u64,
    /// Rejected items.
    pub rejected: u64,
    /// Of these, those that have no `schema_error` of their own, because there may be one a second.
    pub errors_left_out: u64,
    /// Bytes of the drop file; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_bytes: Option<u64>,
    /// Offset up to which it was read.
    pub dropped_to: u64,
    /// Lines of it that are invalid, or longer than 1 MiB.
    pub bad_dropped_lines: u64,
    /// Why nothing is accepted, or the newest failure since the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<super::StoreFailure>,
}

/// How many hooks there were, by name, and what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HookCounts {
    /// By name, for the hooks that the specification names.
    pub by_name: BTreeMap<String, u64>,
    /// Hooks that make no event: turn markers, prompts without a task, and hooks that the specification skips.
    pub ignored: u64,
    /// Hooks whose name this build does not know.
    pub unknown: u64,
    /// Duplicate hooks: the same wait, the same task, the same moment as another one (§A.4).
    pub doubled: u64,
    /// Ends of subagents that named none, where not exactly one was running.
    pub unjoined: u64,
}
