//! Query of the totals that a metrics system scrapes: sessions by status, the work list by kind, sends by delivery state,
//! and a histogram of reply times. It visits every send of the history and opens no line of the log.

use std::collections::BTreeMap;

use super::attention::attention_counts;
use super::sessions::add;
use crate::api::{AttentionKind, AttentionTotal, MomentTotals, SendTotal, StatusCounts};
use crate::category::Category;
use crate::delivery::DeliveryState;
use crate::hub::{Hub, count};

/// Upper bounds of the buckets of reply times, in seconds. A wait of OpenClaw ends after 300 s
/// (`contract/events.md` §6).
pub const REPLY_BUCKETS: [u32; 10] = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600];

/// Totals at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals {
    /// Sessions by status.
    pub sessions: StatusCounts,
    /// Lines of the work list by kind, those beyond the list's limit included.
    pub attention: BTreeMap<AttentionKind, u64>,
    /// Agents that wait for another one: for its answer, or for its help with a blocked task.
    pub held_up: u64,
    /// Sends by delivery state.
    pub sends: BTreeMap<DeliveryState, u64>,
    /// Time from a send to its answer.
    pub replies: ReplyTimes,
}

/// Histogram of reply times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReplyTimes {
    /// Answers that took at most [`REPLY_BUCKETS`] seconds and more than the bucket before; the last one took longer.
    pub buckets: [u64; REPLY_BUCKETS.len() + 1],
    /// Sum of the times, in milliseconds.
    pub sum_ms: u64,
}

impl ReplyTimes {
    fn add(&mut self, ms: i64) {
        let ms = u64::try_from(ms).unwrap_or(0);
        let bucket = REPLY_BUCKETS.partition_point(|seconds| u64::from(*seconds) * 1_000 < ms);
        self.buckets[bucket] += 1;
        self.sum_ms += ms;
    }

    /// Number of answers.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

/// All totals at `now`.
#[must_use]
pub fn totals(hub: &Hub, now: i64) -> Totals {
    let (attention, held_up) = attention_counts(hub, now);
    let mut totals = Totals { attention, held_up, ..Totals::default() };
    for (brief, _) in hub.recent_sessions(now) {
        add(&mut totals.sessions, brief.status(now));
    }
    let recent = totals.sessions.active + totals.sessions.quiet;
    totals.sessions.archived = count(hub.session_count()).saturating_sub(recent);
    for session in hub.sessions() {
        for send in session.state.sends(&hub.indexes.people, now) {
            *totals.sends.entry(send.state).or_default() += 1;
            if send.state == DeliveryState::Answered
                && send.sent_at > 0
                && let Some(settled_at) = send.settled_at
            {
                totals.replies.add(settled_at - send.sent_at);
            }
        }
    }
    totals
}

/// `GET totals`: the same in the wire form, with the sessions by category.
#[must_use]
pub fn moment_totals(hub: &Hub, now: i64) -> MomentTotals {
    let Totals { sessions, attention, sends, replies, .. } = totals(hub, now);
    MomentTotals {
        sessions,
        categories: Category::ALL.map(|category| hub.sessions.overview.sum(category).sessions).to_vec(),
        attention: attention.into_iter().map(|(kind, count)| AttentionTotal { kind, count }).collect(),
        sends: sends.into_iter().map(|(state, count)| SendTotal { state, count }).collect(),
        mean_reply_ms: replies.sum_ms.checked_div(replies.count()),
        cursor: hub.cursor(),
        now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_time_on_a_bound_is_in_that_bucket() {
        let mut times = ReplyTimes::default();
        for ms in [-5, 0, 1_000, 1_001, 300_000, 4_000_000] {
            times.add(ms);
        }
        assert_eq!(times.buckets, [3, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
        assert_eq!((times.count(), times.sum_ms), (6, 4_302_001));
    }
}
