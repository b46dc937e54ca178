//! Relative form of a time, such as minutes ago or yesterday. It is computed from given zone offsets, without browser
//! APIs.

/// Forms of an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relative {
    /// Further in the future than clocks drift, on the same local day.
    Later,
    /// Under a minute, or a little in the future by clock drift.
    Now,
    /// Whole minutes.
    Minutes(i64),
    /// Whole hours, while still the same local day or under six hours old.
    Hours(i64),
    /// The local day before.
    Yesterday,
    /// Older, or on another day of the future.
    Date,
}

/// A younger age than this is a time in the future, and not "just now" by another clock.
pub(super) const MIN_AGE_MS: i64 = -5 * 60_000;

/// Local day number; `offset_minutes` as JavaScript gives it (minutes west of UTC).
pub fn day_number(at_ms: i64, offset_minutes: i64) -> i64 {
    (at_ms - offset_minutes * 60_000).div_euclid(86_400_000)
}

/// The form for `at_ms` as seen from `now_ms`.
pub fn relative_form(now_ms: i64, at_ms: i64, now_offset: i64, at_offset: i64) -> Relative {
    let age = now_ms.saturating_sub(at_ms);
    let days = day_number(now_ms, now_offset) - day_number(at_ms, at_offset);
    match age {
        ..MIN_AGE_MS if days == 0 => Relative::Later,
        ..MIN_AGE_MS => Relative::Date,
        MIN_AGE_MS..60_000 => Relative::Now,
        60_000..3_600_000 => Relative::Minutes(age / 60_000),
        _ if days == 0 || age < 6 * 3_600_000 => Relative::Hours(age / 3_600_000),
        _ if days == 1 => Relative::Yesterday,
        _ => Relative::Date,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    /// 2026-02-21 14:17:00 in Seoul.
    const NOW: i64 = 1_771_651_020_000;
    const SEOUL: i64 = -540;

    fn form(age: i64) -> Relative {
        relative_form(NOW, NOW - age, SEOUL, SEOUL)
    }

    #[test]
    fn age_uses_everyday_form() {
        assert_eq!(form(-5_000), Relative::Now);
        assert_eq!(form(-5 * 60_000), Relative::Now);
        assert_eq!(form(-3 * HOUR), Relative::Later);
        assert_eq!(form(-20 * HOUR), Relative::Date);
        assert_eq!(form(59_999), Relative::Now);
        assert_eq!(form(60_000), Relative::Minutes(1));
        assert_eq!(form(HOUR - 1), Relative::Minutes(59));
        assert_eq!(form(HOUR), Relative::Hours(1));
        assert_eq!(form(14 * HOUR), Relative::Hours(14));
        assert_eq!(form(15 * HOUR), Relative::Yesterday);
        assert_eq!(form(39 * HOUR), Relative::Date);
    }

    #[test]
    fn last_evening_after_midnight_is_hours_ago() {
        let just_after_midnight = NOW - 14 * HOUR;
        assert_eq!(
            relative_form(just_after_midnight, just_after_midnight - 2 * HOUR, SEOUL, SEOUL),
            Relative::Hours(2)
        );
    }

    #[test]
    fn relative_day_uses_local_time_zone() {
        assert_eq!(day_number(NOW, SEOUL) - day_number(NOW - 15 * HOUR, SEOUL), 1);
        assert_eq!(day_number(NOW, 0) - day_number(NOW - 5 * HOUR, 0), 0);
    }
}
