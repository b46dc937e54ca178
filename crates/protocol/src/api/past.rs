//! Past moments: the parameters that ask any question of the dashboard as of a moment, and which events count as known
//! then.

use serde::{Deserialize, Serialize};

use super::{AttentionKind, Cursor, StatusCounts};
use crate::delivery::DeliveryState;

/// Which events count as known at a past moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(rename_all = "lowercase"))]
pub enum KnownBy {
    /// Those that had happened, by the times in the events.
    #[default]
    Time,
    /// Those that had been written to the log. A line is written no earlier than the newest time in the lines before it.
    Arrival,
}

impl KnownBy {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Time, Self::Arrival];

    /// Text on the wire and in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Arrival => "arrival",
        }
    }
}

impl std::str::FromStr for KnownBy {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|known_by| known_by.as_str() == text).ok_or(())
    }
}

/// A past moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PastMoment {
    /// In epoch milliseconds.
    pub at: i64,
    /// Which events count as known.
    pub known_by: KnownBy,
}

/// Parameters of every question that can be asked as of a past moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct AtQuery {
    /// Answers as of this moment, epoch ms; as of now when absent. A moment in the future is refused.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub at: Option<i64>,
    /// Which events count as known at that moment: those that had happened (`time`), or those that had been written to
    /// the log (`arrival`).
    #[cfg_attr(feature = "openapi", param(rename = "knownBy", required = false))]
    pub known_by: KnownBy,
}

impl AtQuery {
    /// Names of the parameters.
    pub const NAMES: [&str; 2] = ["at", "knownBy"];

    /// The moment; none for the present.
    #[must_use]
    pub fn moment(self) -> Option<PastMoment> {
        self.at.map(|at| PastMoment { at, known_by: self.known_by })
    }
}

impl From<PastMoment> for AtQuery {
    fn from(PastMoment { at, known_by }: PastMoment) -> Self {
        Self { at: Some(at), known_by }
    }
}

/// `GET days`: the days on which something happened, so that a moment can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventDays {
    /// Time of the first event, epoch ms; absent when the log has no event with a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<i64>,
    /// Time of the last event that is not in the future, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<i64>,
    /// Time of the newest event before `near`, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<i64>,
    /// Time of the oldest event after `near`, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
    /// Days with events, oldest first; at most the newest [`MAX_EVENT_DAYS`].
    #[serde(default)]
    pub days: Vec<EventDay>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// One day with events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventDay {
    /// When it begins, epoch ms.
    pub at: i64,
    /// Number of its events.
    pub events: u32,
}

/// Most days of [`EventDays::days`].
pub const MAX_EVENT_DAYS: usize = 3_660;

/// Parameters of `GET days`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct DaysQuery {
    /// Minutes ahead of UTC, by which days begin; -1080 to 1080, default 0.
    #[cfg_attr(feature = "openapi", param(rename = "offset", minimum = -1080, maximum = 1080, required = false))]
    pub offset_min: i32,
    /// Names the events just before and after this moment, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub near: Option<i64>,
}

/// `GET totals`: counts at one moment, so that two moments can be compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MomentTotals {
    /// Sessions by status.
    pub sessions: StatusCounts,
    /// Sessions by category, in seed order.
    #[serde(default)]
    pub categories: Vec<u32>,
    /// Lines of the work list by kind, without guesses; kinds without a line are left out.
    #[serde(default)]
    pub attention: Vec<AttentionTotal>,
    /// Sends by delivery state; states without a send are left out.
    #[serde(default)]
    pub sends: Vec<SendTotal>,
    /// Mean time from a send to its answer, in ms; absent where nothing was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_reply_ms: Option<u64>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The moment.
    pub now: i64,
}

/// Number of lines of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttentionTotal {
    /// The kind.
    pub kind: AttentionKind,
    /// The number.
    pub count: u64,
}

/// Number of sends in a delivery state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SendTotal {
    /// The state.
    pub state: DeliveryState,
    /// The number.
    pub count: u64,
}
