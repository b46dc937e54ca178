//! Rate limit for log messages about failures of the journal and the drop file (files with coding agents' events). Each
//! failure text is logged at most once a minute, and at most 16 different ones a minute.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

const LOG_EVERY: Duration = Duration::from_secs(60);
/// Different causes a minute.
const MAX_CAUSES: usize = 16;

/// Causes that were logged within the last minute.
#[derive(Debug, Default)]
pub(super) struct RecentLogCauses(RefCell<HashMap<String, Instant>>);

impl RecentLogCauses {
    /// True when the cause is to be logged now; it counts as logged then.
    pub(super) fn is_due(&self, cause: &str, now: Instant) -> bool {
        let mut logged = self.0.borrow_mut();
        logged.retain(|_, at| now.duration_since(*at) < LOG_EVERY);
        let due = logged.len() < MAX_CAUSES && !logged.contains_key(cause);
        if due {
            logged.insert(cause.to_owned(), now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternating_causes_are_logged_once_a_minute() {
        let (logged, start) = (RecentLogCauses::default(), Instant::now());
        let at = |tick: u64| start + Duration::from_millis(250 * tick);
        let due = |ticks: std::ops::Range<u64>| {
            let turns = ticks.flat_map(|tick| [("record", tick), ("drop file", tick)]);
            turns.filter(|(cause, tick)| logged.is_due(cause, at(*tick))).count()
        };
        assert_eq!(due(0..240), 2);
        assert_eq!(due(240..480), 2);
        assert!((0..100).filter(|number| logged.is_due(&number.to_string(), at(600))).count() <= MAX_CAUSES);
    }
}
