//! Status of a work session: archived after 24 hours without an event, quiet if its newest event ended the session,
//! else active. It therefore depends on the current time.

use serde::{Deserialize, Serialize};

/// A session without activity for longer than this is archived (`contract/monitor-api.md` §4.5). Exactly 24 h is not yet.
pub const ARCHIVE_AFTER_MS: i64 = 86_400_000;

/// Talks of a pair without conversation id are split by a gap longer than this (`contract/monitor-api.md` D20).
pub const PAIR_GAP_MS: i64 = 1_800_000;

/// Status of a work session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// Active work.
    Active,
    /// The newest event ended it.
    Quiet,
    /// No activity for 24 hours.
    Archived,
}

impl Status {
    /// All, in display order.
    pub const ALL: [Self; 3] = [Self::Active, Self::Quiet, Self::Archived];

    /// Status at `now` of a session whose newest event was at `last_time` and `ended` it or not.
    #[must_use]
    pub fn at(last_time: i64, ended: bool, now: i64) -> Self {
        if now.saturating_sub(last_time) > ARCHIVE_AFTER_MS {
            Self::Archived
        } else if ended {
            Self::Quiet
        } else {
            Self::Active
        }
    }

    /// As [`Status::at`], for a session that becomes quiet at `quiet_at` if nothing more happens in it
    /// (`contract/event-schema-v1_1.md` §D.2).
    #[must_use]
    pub fn resting(last_time: i64, ended: bool, quiet_at: Option<i64>, now: i64) -> Self {
        Self::at(last_time, ended || quiet_at.is_some_and(|at| at <= now), now)
    }

    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Quiet => "QUIET",
            Self::Archived => "ARCHIVED",
        }
    }
}

impl std::str::FromStr for Status {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(text)).ok_or(())
    }
}
