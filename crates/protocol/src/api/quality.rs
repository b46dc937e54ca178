//! Types of `GET /api/v2/quality`: quality of the log by period. Each period counts events and sessions, events without
//! a known role, sessions without evidence for their category, and failed milestone syncs.

use serde::{Deserialize, Serialize};

use super::Cursor;

/// Shares over time, and what was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Quality {
    /// Length of a bucket in milliseconds: an hour, a day, or whole days where history is long.
    #[serde(default)]
    pub step_ms: i64,
    /// Buckets without a gap, oldest first; the last one is still running. Empty when there are no events.
    #[serde(default)]
    pub buckets: Vec<QualityBucket>,
    /// The same of the whole time. A session counts once.
    #[serde(default)]
    pub all: QualityBucket,
    /// Events without a usable time; they are in no bucket and not in `all`.
    #[serde(default)]
    pub untimed: u32,
    /// The earliest time asked for; absent for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// One bucket of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QualityBucket {
    /// Start of the period, epoch ms.
    #[serde(default)]
    pub at: i64,
    /// Number of events.
    #[serde(default)]
    pub events: u32,
    /// Of these, without a known role: a type outside the catalogue, or a message without a role of its own
    /// (`contract/events.md` §3, §4); the doctor finds the same.
    #[serde(default)]
    pub unknown_role: u32,
    /// Sessions with an event in it.
    #[serde(default)]
    pub sessions: u32,
    /// Of these, without evidence: the category is the fallback (`contract/monitor-api.md` §6).
    #[serde(default)]
    pub fallback: u32,
    /// `milestone.sync_failed`: the hub could not be reached after three tries.
    #[serde(default)]
    pub sync_failed: u32,
}
