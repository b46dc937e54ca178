//! Alerts of the work list: of which lines a person is notified, and which of those are over.
//!
//! A line gives one alert, when it has waited for as long as the rule says. The result depends on the sequence of lists
//! and times, and on the rule.
//!
//! [`AlertTracker`] serves the page. The monitor sends messages to sinks: [`AlertDecider`] compares the list with an
//! [`Outbox`], by [`NotificationRule`]s. [`RecapSchedule`] says when it sends what changed.

mod decision;
mod message;
mod outbox;
mod outbox_line;
mod recap;
mod rule;

use std::collections::{BTreeMap, BTreeSet};

pub use self::decision::{AlertDecider, AlertDecision, SinkRoute, WorkListLook};
pub use self::message::{AlertLine, MessageForm, MessageStatus, OutboxMessage, retry_delay_ms};
pub use self::outbox::{AlertedLine, Outbox, OutboxLine, RuleStart, Subscriber};
pub use self::recap::{DueRecap, RecapDigest, RecapDigestLine, RecapMark, RecapSchedule, RecapStep};
pub use self::rule::NotificationRule;
use crate::api::Attention;

/// A line that returns within this time is still the same: a monitor that starts reads its files one after the other.
const GRACE_MS: i64 = 60_000;

/// When a line gives an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertRule {
    /// Once it has waited for so long, in milliseconds.
    pub after_ms: i64,
}

/// A line of the list at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedLine {
    /// The line.
    pub line: Attention,
    /// The person wants no alert of it.
    pub muted: bool,
}

/// A notification for a person.
#[derive(Debug, Clone, PartialEq)]
pub enum Alert {
    /// This line waits.
    Due(Box<Attention>),
    /// The line with this key, which gave an alert, is over.
    Over(String),
}

/// A line that was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct KnownLine {
    /// Since when it waits, epoch ms; when it was first seen, for a line that does not say.
    since: i64,
    alerted: bool,
    /// When it was first missing, epoch ms.
    missing_since: Option<i64>,
}

/// Lines that are open, and whether they gave an alert. Keys are those of [`Attention::alert_key`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AlertTracker(BTreeMap<String, KnownLine>);

impl AlertTracker {
    /// A tracker that gives no alert of what was due before: the person opens the list now.
    #[must_use]
    pub fn from_seen(lines: &[WatchedLine], rule: AlertRule, now: i64) -> Self {
        let mut tracker = Self::default();
        drop(tracker.update(lines, true, rule, now));
        tracker
    }

    /// Takes the lines of a moment. `is_complete`: a line that is not among them is over; otherwise it may only not have
    /// been read or sent.
    pub fn update(&mut self, lines: &[WatchedLine], is_complete: bool, rule: AlertRule, now: i64) -> Vec<Alert> {
        let mut alerts = Vec::new();
        let mut present = BTreeSet::new();
        for WatchedLine { line, muted } in lines {
            let key = line.alert_key();
            let known = self.0.entry(key.clone()).or_insert_with(|| KnownLine::new(line, now));
            known.missing_since = None;
            known.alerted |= muted;
            if !known.alerted && now.saturating_sub(known.since) >= rule.after_ms {
                known.alerted = true;
                alerts.push(Alert::Due(Box::new(line.clone())));
            }
            present.insert(key);
        }
        if is_complete {
            self.0.retain(|key, known| {
                if present.contains(key) {
                    return true;
                }
                if known.alerted && known.missing_since.is_none() {
                    alerts.push(Alert::Over(key.clone()));
                }
                let missing_since = *known.missing_since.get_or_insert(now);
                known.alerted && now.saturating_sub(missing_since) < GRACE_MS
            });
        }
        alerts
    }

    /// When the next line is due if no line changes, epoch ms.
    #[must_use]
    pub fn next_due(&self, rule: AlertRule) -> Option<i64> {
        self.0.values().filter(|known| !known.alerted).map(|known| known.since.saturating_add(rule.after_ms)).min()
    }
}

impl KnownLine {
    /// The clock of another machine may be ahead.
    fn new(line: &Attention, now: i64) -> Self {
        let since = if line.since > 0 { line.since.min(now) } else { now };
        Self { since, alerted: false, missing_since: None }
    }
}

#[cfg(test)]
mod tests;
