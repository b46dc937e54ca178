//! Rules of alerts that the monitor sends: which lines of the work list, after how long, outside which hours, and to which
//! sinks.

use crate::api::{Attention, AttentionGroup, AttentionKind};
use crate::ids::AgentId;

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;

/// Which lines are sent where, and when. An empty list fits everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationRule {
    /// Its name, unique among the rules. The outbox remembers under it what was sent.
    pub name: String,
    /// Who can settle the line.
    pub groups: Vec<AttentionGroup>,
    /// Why it waits.
    pub kinds: Vec<AttentionKind>,
    /// Agents that wait or are stuck.
    pub agents: Vec<AgentId>,
    /// Number of other agents that the line holds up, at least.
    pub min_held_up: u32,
    /// Once it has waited for so long, in milliseconds.
    pub after_ms: i64,
    /// No message is made during these hours; the lines follow when they end.
    pub quiet: Option<QuietHours>,
    /// Lines are collected for so long and sent as one message.
    pub digest_ms: Option<i64>,
    /// A line that still waits is sent again after so long.
    pub repeat_ms: Option<i64>,
    /// Names of the sinks.
    pub sinks: Vec<String>,
}

impl NotificationRule {
    /// Whether the rule is about this line.
    #[must_use]
    pub fn fits(&self, line: &Attention) -> bool {
        let is_watched = |agent: &AgentId| self.agents.contains(agent);
        line.kind != AttentionKind::Unknown
            && (self.groups.is_empty() || self.groups.contains(&line.group()))
            && (self.kinds.is_empty() || self.kinds.contains(&line.kind))
            && (self.agents.is_empty() || line.agent.iter().chain(&line.cycle).any(is_watched))
            && line.held_up >= self.min_held_up
    }

    /// Whether no message may be made at `now`.
    #[must_use]
    pub fn is_quiet(&self, now: i64) -> bool {
        self.quiet.is_some_and(|quiet| quiet.contains(now))
    }
}

/// Hours of each day in a zone with a fixed distance from UTC. They may reach over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// First minute of the day.
    from: i64,
    /// First minute after them.
    to: i64,
    /// Minutes that the local time is ahead of UTC.
    offset: i64,
}

impl QuietHours {
    /// Reads `22:00-08:00`, in a zone that is `offset_minutes` ahead of UTC. `None` when it is not two different times of
    /// day.
    #[must_use]
    pub fn parse(text: &str, offset_minutes: i64) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute_of_day(from)?, minute_of_day(to)?);
        (from != to).then_some(Self { from, to, offset: offset_minutes })
    }

    /// Whether `now` (epoch ms) is among them.
    #[must_use]
    pub fn contains(self, now: i64) -> bool {
        let minute = self.minute(now);
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }

    /// When they end next after `now`, epoch ms.
    #[must_use]
    pub fn next_end(self, now: i64) -> i64 {
        let minutes = (self.to - self.minute(now)).rem_euclid(DAY_MINUTES);
        let start_of_minute = now - now.rem_euclid(MINUTE_MS);
        start_of_minute + if minutes == 0 { DAY_MINUTES } else { minutes } * MINUTE_MS
    }

    fn minute(self, now: i64) -> i64 {
        (now.div_euclid(MINUTE_MS) + self.offset).rem_euclid(DAY_MINUTES)
    }
}

/// `HH:MM`; `24:00` is midnight.
fn minute_of_day(text: &str) -> Option<i64> {
    let (hour, minute) = text.trim().split_once(':')?;
    let number = |text: &str| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { text.parse::<i64>().ok() } else { None }
    };
    let minutes = number(hour)? * 60 + Some(number(minute)?).filter(|minute| *minute < 60)?;
    (minutes <= DAY_MINUTES).then_some(minutes % DAY_MINUTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::parse_iso;

    #[test]
    fn quiet_hours_follow_the_offset_and_midnight() {
        let at = |text: &str| parse_iso(text).unwrap();
        let night = QuietHours::parse("22:00-08:00", 9 * 60).unwrap();
        for (time, quiet) in [
            ("2026-03-01T12:59:59Z", false),
            ("2026-03-01T13:00:00Z", true),
            ("2026-03-01T22:59:59Z", true),
            ("2026-03-01T23:00:00Z", false),
        ] {
            assert_eq!(night.contains(at(time)), quiet, "{time}");
        }
        assert_eq!(night.next_end(at("2026-03-01T13:00:30Z")), at("2026-03-01T23:00:00Z"));
        let noon = QuietHours::parse("12:00-13:30", -5 * 60).unwrap();
        assert!(noon.contains(at("2026-03-01T18:29:00Z")) && !noon.contains(at("2026-03-01T18:30:00Z")));
        assert_eq!(noon.next_end(at("2026-03-01T18:30:00Z")), at("2026-03-02T18:30:00Z"));
        assert!(QuietHours::parse("20:00-24:00", 0).unwrap().contains(at("2026-03-01T23:59:59Z")));
    }

    #[test]
    fn quiet_hours_need_two_different_times() {
        for text in ["", "22:00", "22-08", "22:00-22:00", "25:00-08:00", "22:60-08:00", "24:00-00:00", "2:00-8:00"] {
            assert_eq!(QuietHours::parse(text, 0), None, "{text}");
        }
    }
}
