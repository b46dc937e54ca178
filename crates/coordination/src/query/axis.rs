//! Time axis of the charts of log quality and category drift: periods of equal length, the last of which contains the
//! current time. Periods start at whole hours or days of the client's clock.

pub(super) const HOUR_MS: i64 = 3_600_000;
pub(super) const DAY_MS: i64 = 24 * HOUR_MS;
/// Up to this long, a period is an hour.
const HOURS_UP_TO: i64 = 2 * DAY_MS;

/// Periods without a gap, oldest first; the last one holds `now`.
pub(super) struct PeriodAxis {
    /// Start of the first period, in epoch milliseconds.
    start: i64,
    /// Length of a period in milliseconds.
    pub(super) step: i64,
    /// Number of periods, at least one.
    pub(super) count: usize,
}

impl PeriodAxis {
    /// From the period of `from` to that of `now`. At most `days` periods of a day are shown; a longer range makes the
    /// periods wider.
    pub(super) fn new(from: i64, now: i64, offset_min: i64, days: i64) -> Self {
        let length = now.saturating_sub(from).max(0);
        let step = if length <= HOURS_UP_TO {
            HOUR_MS
        } else {
            // Room for the days that are cut at both ends.
            DAY_MS * (length / DAY_MS + 2).div_euclid(days).max(0).saturating_add(1)
        };
        let offset = offset_min * 60_000;
        let start = (from + offset).div_euclid(step) * step - offset;
        let count = now.max(from).saturating_sub(start) / step + 1;
        Self { start, step, count: usize::try_from(count).unwrap_or(1) }
    }

    /// When a period begins.
    pub(super) fn at(&self, number: usize) -> i64 {
        self.start + self.step * i64::try_from(number).unwrap_or_default()
    }

    /// The period of a time; a time in the future (a clock was wrong) is in the newest one.
    pub(super) fn number(&self, at: i64) -> usize {
        usize::try_from((at - self.start) / self.step).unwrap_or_default().min(self.count - 1)
    }
}
