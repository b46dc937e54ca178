//! Recaps: what changed, sent at times of the day. A [`RecapSchedule`] says when one is due, a [`RecapMark`] of the outbox
//! how far the ones before go, a [`RecapDigest`] is the content of a message.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::decision::SinkRoute;
use super::message::{MessageForm, OutboxMessage};
use crate::api::{AttentionKind, RecapKind, RecapOutcome, RecapTotal, minute_of_day};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// A recap that is later than this is left out; the next one covers its period.
const MAX_LATE_MS: i64 = DAY_MS / 2;
/// Period of the first recap.
const FIRST_PERIOD_MS: i64 = DAY_MS;
/// Longest period.
const MAX_PERIOD_MS: i64 = 14 * DAY_MS;
/// A recap that ends so far in the future was made by a clock that was ahead.
const MAX_AHEAD_MS: i64 = DAY_MS;
/// Due times that are remembered.
const MAX_DUES: usize = 64;

/// Words for the days of the week, in the order of [`RecapSchedule::days`].
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// When a recap is sent, and where to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecapSchedule {
    /// Its name, unique among the recaps.
    pub name: String,
    /// Minutes of the day, ascending.
    minutes: BTreeSet<i64>,
    /// Days of the week from Monday on.
    days: [bool; 7],
    /// Minutes that its zone is ahead of UTC.
    pub offset: i64,
    /// Names of sinks; all when empty.
    pub sinks: Vec<String>,
    /// Whether it is sent when nothing happened.
    pub sends_empty: bool,
}

/// How far recaps of one name are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecapMark {
    /// Due times up to this moment are settled, epoch ms.
    pub until: i64,
    /// Whether a recap covers the time up to then. Otherwise the schedule began then.
    #[serde(default)]
    pub covered: bool,
    /// The newest due times for which a recap was made, epoch ms.
    #[serde(default)]
    dues: BTreeSet<i64>,
}

/// A recap to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueRecap {
    /// When it was due, epoch ms.
    pub due: i64,
    /// Its period begins just after this moment, epoch ms.
    pub since: i64,
}

/// What follows from a schedule at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecapStep {
    /// Nothing now.
    Wait,
    /// The outbox gets this mark, and nothing is sent.
    Mark(RecapMark),
    /// A recap is due.
    Due(DueRecap),
}

impl RecapSchedule {
    /// A schedule of every day without times.
    #[must_use]
    pub fn new(name: &str, offset: i64) -> Self {
        Self { name: name.to_owned(), days: [true; 7], offset, ..Self::default() }
    }

    /// Adds a time of the day, such as `08:30`. False for other text.
    pub fn add_time(&mut self, text: &str) -> bool {
        let minute = minute_of_day(text).filter(|_| !text.trim().starts_with("24"));
        minute.is_some_and(|minute| {
            self.minutes.insert(minute);
            true
        })
    }

    /// Keeps to these days of the week, `mon` to `sun`. `Err` with a text that names none.
    ///
    /// # Errors
    /// When a text is no day.
    pub fn set_days<'a>(&mut self, texts: &'a [String]) -> Result<(), &'a str> {
        let mut days = [false; 7];
        for text in texts {
            let day = DAYS.iter().position(|day| text.trim().eq_ignore_ascii_case(day)).ok_or(text.as_str())?;
            days[day] = true;
        }
        self.days = days;
        Ok(())
    }

    /// Its times of the day.
    #[must_use]
    pub fn times(&self) -> Vec<String> {
        self.minutes.iter().map(|minute| format!("{:02}:{:02}", minute / 60, minute % 60)).collect()
    }

    /// Its days of the week; empty for every day.
    #[must_use]
    pub fn day_names(&self) -> Vec<String> {
        let named = DAYS.iter().zip(self.days).filter(|(_, is_on)| *is_on && self.days != [true; 7]);
        named.map(|(day, _)| (*day).to_owned()).collect()
    }

    /// The newest due time up to `now`, epoch ms.
    #[must_use]
    pub fn last_due(&self, now: i64) -> Option<i64> {
        let today = self.local_day(now);
        let of_day = |day: i64| self.dues_of(day).rev().find(|due| *due <= now);
        (0..=7).find_map(|back| of_day(today - back))
    }

    /// The first due time after `now`, epoch ms.
    #[must_use]
    pub fn next_due(&self, now: i64) -> Option<i64> {
        let today = self.local_day(now);
        let of_day = |day: i64| self.dues_of(day).find(|due| *due > now);
        (0..=7).find_map(|ahead| of_day(today + ahead))
    }

    fn local_day(&self, now: i64) -> i64 {
        (now + self.offset * MINUTE_MS).div_euclid(DAY_MS)
    }

    /// Due times of a day, counted from 1970-01-01, a Thursday.
    fn dues_of(&self, day: i64) -> impl DoubleEndedIterator<Item = i64> {
        let is_on = usize::try_from((day + 3).rem_euclid(7)).is_ok_and(|day| self.days[day]);
        let minutes = self.minutes.iter().filter(move |_| is_on);
        minutes.map(move |minute| day * DAY_MS + (minute - self.offset) * MINUTE_MS)
    }

    /// What follows at `now`. A schedule without a mark begins: what was due before is not sent.
    #[must_use]
    pub fn step(&self, mark: Option<&RecapMark>, now: i64) -> RecapStep {
        let Some(mark) = mark else { return RecapStep::Mark(RecapMark::new(now)) };
        if mark.until > now {
            // The clock was ahead. Otherwise nothing would be sent until it is there again.
            let covered = mark.covered && mark.until - now <= MAX_AHEAD_MS;
            return RecapStep::Mark(RecapMark { until: now, covered, dues: mark.dues.clone() });
        }
        let is_open = |due: &i64| *due > mark.until && now - due <= MAX_LATE_MS && !mark.dues.contains(due);
        let Some(due) = self.last_due(now).filter(is_open) else { return RecapStep::Wait };
        let since = if mark.covered { mark.until.max(now - MAX_PERIOD_MS) } else { now - FIRST_PERIOD_MS };
        RecapStep::Due(DueRecap { due, since })
    }

    /// The line of the outbox for a due recap: one message for each receiver; none when nothing happened, unless that
    /// shall be said.
    #[must_use]
    pub fn messages(&self, due: i64, digest: &RecapDigest, routes: &[SinkRoute], first_id: u64) -> Vec<OutboxMessage> {
        // What could not be read may have changed, too.
        if digest.totals.is_empty() && !digest.partial && !self.sends_empty {
            return Vec::new();
        }
        let named = routes.iter().filter(|route| self.sinks.is_empty() || self.sinks.contains(&route.name));
        let receivers = named.flat_map(|route| {
            let targets = route.targets.as_ref();
            let targets = targets.map_or_else(|| vec![None], |targets| targets.iter().cloned().map(Some).collect());
            targets.into_iter().map(|target| (&route.name, target))
        });
        let message = |(id, (sink, target)): (u64, (&String, Option<String>))| OutboxMessage {
            target,
            // A rule may have the same name.
            rule: format!("recap:{}", self.name),
            rule_name: Some(self.name.clone()),
            recap: Some(Box::new(digest.clone())),
            keys: vec![format!("recap:{}:{due}", self.name)],
            ..OutboxMessage::new(id, sink, MessageForm::Recap, digest.until)
        };
        (first_id..).zip(receivers).map(message).collect()
    }
}

impl RecapMark {
    /// The mark of a schedule that begins: what was due before is settled.
    #[must_use]
    pub fn new(at: i64) -> Self {
        Self { until: at, ..Self::default() }
    }

    /// Notes that the recap of a due time was made.
    pub(super) fn settle(&mut self, due: i64, at: i64) {
        (self.until, self.covered) = (at, true);
        self.dues.insert(due);
        while self.dues.len() > MAX_DUES {
            self.dues.pop_first();
        }
    }
}

/// What a message says of a period. Texts are cleaned and masked; names are those that people read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecapDigest {
    /// The period begins just after this moment, epoch ms.
    pub since: i64,
    /// It ends with this moment, epoch ms.
    pub until: i64,
    /// Minutes that the zone of its words is ahead of UTC.
    pub offset: i64,
    /// Number of all changes of each kind.
    #[serde(default)]
    pub totals: Vec<RecapTotal>,
    /// The weightiest of them, at most [`OutboxMessage::MAX_LINES`].
    #[serde(default)]
    pub lines: Vec<RecapDigestLine>,
    /// Some inputs could not be read.
    #[serde(default)]
    pub partial: bool,
}

impl RecapDigest {
    /// Number of all changes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.totals.iter().map(|total| total.count as usize).sum()
    }
}

/// A change as a message shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecapDigestLine {
    /// What changed.
    pub kind: RecapKind,
    /// What happened, where a kind covers several things.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RecapOutcome>,
    /// Kind of the line of the work list, of [`RecapKind::Blocked`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<AttentionKind>,
    /// When, epoch ms.
    pub at: i64,
    /// Number of changes that it covers.
    pub count: u32,
    /// The agent concerned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The other agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub other: String,
    /// Title of the task or session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Detail as written by the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How long an answer took, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// How long it usually takes, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_ms: Option<i64>,
    /// Its evidence in the dashboard, below the base path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

#[cfg(test)]
mod tests;
