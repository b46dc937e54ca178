//! Clock of the server: the wall clock, or the fixed time of `--clock` for tests and screenshots.

use std::time::{SystemTime, UNIX_EPOCH};

use coordination::time::to_iso;

/// Where `now` comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServerClock(ClockKind);

#[derive(Debug, Clone, Copy, Default)]
enum ClockKind {
    #[default]
    System,
    Fixed(i64),
    /// Goes with the runtime's time, and can be set.
    #[cfg(test)]
    Virtual(&'static std::sync::atomic::AtomicI64, tokio::time::Instant),
}

impl ServerClock {
    /// The wall clock.
    #[must_use]
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that always returns `now_ms`.
    #[must_use]
    pub fn fixed(now_ms: i64) -> Self {
        Self(ClockKind::Fixed(now_ms))
    }

    /// A fixed clock when given, else the wall clock.
    #[must_use]
    pub fn from_option(fixed_ms: Option<i64>) -> Self {
        Self(fixed_ms.map_or(ClockKind::System, ClockKind::Fixed))
    }

    /// UTC epoch milliseconds.
    #[must_use]
    pub fn now_ms(self) -> i64 {
        let millis = |since: std::time::Duration| i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        match self.0 {
            ClockKind::System => millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()),
            ClockKind::Fixed(now) => now,
            #[cfg(test)]
            ClockKind::Virtual(base, start) => {
                base.load(std::sync::atomic::Ordering::SeqCst).saturating_add(millis(start.elapsed()))
            }
        }
    }

    /// A clock that starts at `now_ms` and advances with the runtime's time; adding to the returned value sets it.
    #[cfg(test)]
    pub(crate) fn settable(now_ms: i64) -> (Self, &'static std::sync::atomic::AtomicI64) {
        let base: &_ = Box::leak(Box::new(std::sync::atomic::AtomicI64::new(now_ms)));
        (Self(ClockKind::Virtual(base, tokio::time::Instant::now())), base)
    }

    /// `2026-02-18T01:02:03.456Z`, the form OpenClaw writes.
    #[must_use]
    pub fn now_iso(self) -> String {
        to_iso(self.now_ms())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_clock_does_not_advance() {
        assert_eq!(ServerClock::fixed(1_771_651_020_000).now_iso(), "2026-02-21T05:17:00.000Z");
    }
}
