//! Number of sessions with an automatic category for each UTC day, and how many of them are fallbacks (the classifier
//! found no telling word). A session counts on the day on which it began. `GET /api/v2/home` compares recent fallbacks with
//! earlier ones from these counts, without visiting all sessions (`ARCHITECTURE.md`, invariant 12).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::api::FiledShare;

const DAY_MS: i64 = 86_400_000;

/// Sums by the day (since 1970, UTC) on which sessions began.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct FiledDays {
    /// Sums of all days.
    total: FiledShare,
    /// Sums of each day. A day without sessions has no entry.
    days: BTreeMap<i64, FiledShare>,
}

impl FiledDays {
    /// Counts a session that began at `at`.
    pub(super) fn add(&mut self, at: i64, fallback: bool) {
        let day = self.days.entry(at.div_euclid(DAY_MS)).or_default();
        for share in [&mut self.total, day] {
            share.sessions += 1;
            share.fallback += u32::from(fallback);
        }
    }

    /// Reverts [`FiledDays::add`].
    pub(super) fn take(&mut self, at: i64, fallback: bool) {
        let number = at.div_euclid(DAY_MS);
        let Some(day) = self.days.get_mut(&number) else { return };
        for share in [&mut self.total, &mut *day] {
            share.sessions = share.sessions.saturating_sub(1);
            share.fallback = share.fallback.saturating_sub(u32::from(fallback));
        }
        if day.sessions == 0 {
            self.days.remove(&number);
        }
    }

    /// The last `days` days, `now`'s among them: when they begin, the sessions begun since, and those begun before. What
    /// lies in the future (a clock was wrong) is recent. Costs those days, not history.
    pub(crate) fn split(&self, now: i64, days: i64) -> (i64, FiledShare, FiledShare) {
        let first = now.div_euclid(DAY_MS) - days + 1;
        let mut recent = FiledShare::default();
        for share in self.days.range(first..).map(|(_, share)| share) {
            recent.sessions += share.sessions;
            recent.fallback += share.fallback;
        }
        let earlier = FiledShare {
            sessions: self.total.sessions - recent.sessions,
            fallback: self.total.fallback - recent.fallback,
        };
        (first * DAY_MS, recent, earlier)
    }
}
