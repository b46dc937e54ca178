//! Parser for times in a query: days, months, points in time, relative times, today and yesterday.

use protocol::time;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;
/// Longer ago than any log.
const MAX_AGO: i64 = 100_000;

/// A point in time that may depend on the time and time zone of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Epoch milliseconds.
    At(i64),
    /// On the user's clock: epoch milliseconds as if it were UTC.
    Local(i64),
    /// So many milliseconds before now.
    Ago(i64),
    /// Midnight of the user's day, this many days ago.
    DaysAgo(i64),
}

/// Accepted forms, for error messages.
pub const FORMS: [&str; 7] = ["2026-11-22", "2026-11", "2026-11-22T09:00", "7d", "24h", "today", "yesterday"];

impl When {
    /// Reads `2026-11-22`, `2026-11`, an ISO time, `7d`, `24h`, `30m`, `2w`, `today`, `yesterday` and their Korean like.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = super::folded(text.trim());
        match text.as_str() {
            "today" | "오늘" => return Some(Self::DaysAgo(0)),
            "yesterday" | "어제" => return Some(Self::DaysAgo(1)),
            "그제" | "그저께" => return Some(Self::DaysAgo(2)),
            _ => {}
        }
        if let Some(ago) = ago(&text) {
            return Some(Self::Ago(ago));
        }
        let at = time::parse_iso(&text).filter(|at| at.abs() <= 8_640_000_000_000_000)?;
        let clock = text.find(['t', ' ']).and_then(|from| text.get(from + 1..));
        let zoned = clock.is_some_and(|clock| clock.contains(['z', '+', '-']));
        Some(if zoned { Self::At(at) } else { Self::Local(at) })
    }

    /// The moment, for a user whose clock is this many minutes ahead of UTC.
    #[must_use]
    pub fn at(self, now: i64, offset_min: i32) -> i64 {
        let offset = i64::from(offset_min) * MINUTE_MS;
        match self {
            Self::At(at) => at,
            Self::Local(at) => at.saturating_sub(offset),
            Self::Ago(ago) => now.saturating_sub(ago),
            Self::DaysAgo(days) => {
                let today = now.saturating_add(offset).div_euclid(DAY_MS);
                ((today - days) * DAY_MS).saturating_sub(offset)
            }
        }
    }
}

fn ago(text: &str) -> Option<i64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at_checked(digits)?;
    let unit = match unit {
        "m" | "분" => MINUTE_MS,
        "h" | "시간" => 60 * MINUTE_MS,
        "d" | "일" => DAY_MS,
        "w" | "주" => 7 * DAY_MS,
        _ => return None,
    };
    number.parse::<i64>().ok().filter(|number| *number <= MAX_AGO).map(|number| number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_on_the_readers_clock() {
        // 2026-11-22T10:00Z
        let now = 1_795_341_600_000;
        let at = |text: &str, offset| When::read(text).map(|when| time::to_iso(when.at(now, offset)));
        let resolved = |text: &str, offset| at(text, offset).unwrap_or_default();
        assert_eq!(resolved("2026-11-22", 540), "2026-11-21T15:00:00.000Z");
        assert_eq!(resolved("2026-11", 0), "2026-11-01T00:00:00.000Z");
        assert_eq!(resolved("2026-11-22T09:00", 540), "2026-11-22T00:00:00.000Z");
        assert_eq!(resolved("2026-11-22T09:00Z", 540), "2026-11-22T09:00:00.000Z");
        assert_eq!(resolved("2026-11-22T09:00+09:00", 0), "2026-11-22T00:00:00.000Z");
        assert_eq!(resolved("24h", 540), "2026-11-21T10:00:00.000Z");
        assert_eq!(resolved("7일", 0), "2026-11-15T10:00:00.000Z");
        assert_eq!(resolved("오늘", 540), "2026-11-21T15:00:00.000Z");
        assert_eq!(resolved("yesterday", -480), "2026-11-21T08:00:00.000Z");
        for wrong in ["", "7", "d", "2026-13", "tomorrow", "99999999999999999999d", "-7d"] {
            assert_eq!(When::read(wrong), None, "{wrong}");
        }
    }
}
