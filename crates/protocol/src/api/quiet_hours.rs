//! Hours of each day in which alerts are held.

use serde::{Deserialize, Serialize};

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;

/// Hours of each day in a zone with a fixed distance from UTC. They may reach over midnight; equal times are a whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QuietHours {
    /// First minute of the day.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1439))]
    from: i64,
    /// First minute after them.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1439))]
    to: i64,
    /// Minutes that the local time is ahead of UTC.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(minimum = -899, maximum = 899))]
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

    /// Written as for [`QuietHours::parse`].
    #[must_use]
    pub fn text(self) -> String {
        let time = |minute: i64| format!("{:02}:{:02}", minute / 60, minute % 60);
        format!("{}-{}", time(self.from), time(self.to))
    }

    /// Whether its times are minutes of a day, in a zone within 15 hours of UTC.
    #[must_use]
    pub fn is_valid(self) -> bool {
        let day = 0..DAY_MINUTES;
        day.contains(&self.from) && day.contains(&self.to) && self.offset.abs() < 15 * 60
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
pub(crate) fn minute_of_day(text: &str) -> Option<i64> {
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
        assert_eq!((night.text().as_str(), night.is_valid()), ("22:00-08:00", true));
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
