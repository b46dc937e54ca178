//! Timing policy of a query, without IO: timeouts, delays of retries, and the pace of requests while live changes
//! arrive. The number of retries is not limited.

/// Timeout of the first request. A dead connection never answers, and the browser reuses up to six such connections for
/// the next requests: the sooner one is given up, the sooner a request finds a working connection.
const TIMEOUT_FIRST_MS: u32 = 5_000;
/// Longest timeout: a slow monitor is not given up.
const TIMEOUT_MAX_MS: u32 = 20_000;
/// Delay between a failed request and the retry, counted from when it was sent; doubled each time.
const RETRY_FIRST_MS: u32 = 1_000;
const RETRY_MAX_MS: u32 = 16_000;
/// Delay between a request and the next one for a later change: at least two frames, so that a stream of changes does
/// not redraw the page without end, and three times the duration of the last answer, so that neither a slow monitor nor
/// a slow page is busy most of the time. The longest delay is too short to be noticed.
const REFETCH_MIN_MS: u32 = 32;
const REFETCH_MAX_MS: u32 = 150;
const REFETCH_DURATION_FACTOR: u32 = 3;

/// What the policy remembers of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RefetchPolicy {
    /// Shortest delay between two requests for changes, in milliseconds, where a query asks for a longer one than others.
    pace_ms: u32,
    /// Failed requests in a row.
    failures: u32,
    pending: bool,
    /// Something changed since the request.
    outdated: bool,
    /// Duration of the newest answer, in milliseconds.
    took_ms: u32,
}

impl RefetchPolicy {
    /// Of a query with at least `pace_ms` between two requests for changes.
    pub(super) fn with_pace(pace_ms: u32) -> Self {
        Self { pace_ms, ..Self::default() }
    }

    /// A request is sent and replaces a pending one. Returns its timeout in milliseconds.
    pub(super) fn on_send(&mut self) -> u32 {
        self.pending = true;
        self.outdated = false;
        doubled(TIMEOUT_FIRST_MS, self.failures / 2, TIMEOUT_MAX_MS)
    }

    /// The data changed. True: send a request now. Otherwise the pending answer is awaited and a request follows it:
    /// if each change cancelled the pending request, changes that arrive faster than answers would leave the page
    /// without any answer.
    pub(super) fn on_change(&mut self) -> bool {
        self.outdated = true;
        !self.pending
    }

    /// The answer arrived after `took_ms` milliseconds. True: refetch, because something changed meanwhile.
    pub(super) fn on_answer(&mut self, took_ms: u32) -> bool {
        *self = Self { outdated: self.outdated, took_ms, ..Self::with_pace(self.pace_ms) };
        self.outdated
    }

    /// Milliseconds that a change waits when it arrives `since_ms` after the newest request. After an idle time: none.
    pub(super) fn delay_ms(self, since_ms: u32) -> u32 {
        let pace = self.took_ms.saturating_mul(REFETCH_DURATION_FACTOR).clamp(REFETCH_MIN_MS, REFETCH_MAX_MS);
        pace.max(self.pace_ms).saturating_sub(since_ms)
    }

    /// The request failed after `took_ms` milliseconds. Returns the delay before the retry, whatever the live link
    /// reports: one connection can break while the link is up, and the link can be down now and back before the page
    /// calls it stale, so that its return triggers no request.
    pub(super) fn on_failure(&mut self, took_ms: u32) -> u32 {
        self.pending = false;
        let wait = doubled(RETRY_FIRST_MS, self.failures, RETRY_MAX_MS);
        self.failures = self.failures.saturating_add(1);
        wait.saturating_sub(took_ms)
    }

    /// True after more than one failure: the page has to show that its data may be outdated.
    pub(super) fn is_behind(self) -> bool {
        self.failures > 1
    }

    /// True while the newest request failed.
    pub(super) fn is_failing(self) -> bool {
        self.failures > 0
    }
}

fn doubled(first: u32, times: u32, cap: u32) -> u32 {
    (first << times.min(10)).min(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_during_request_refetches_after_answer() {
        let mut refetch_policy = RefetchPolicy::default();
        refetch_policy.on_send();
        assert!(!refetch_policy.on_change(), "the answer under way is not dropped");
        assert!(refetch_policy.on_answer(10), "but it may be older than the change");
        refetch_policy.on_send();
        assert!(!refetch_policy.on_answer(10));
        assert!(refetch_policy.on_change(), "an idle query refetches at once");
    }

    #[test]
    fn change_refetches_before_pending_retry() {
        let mut refetch_policy = RefetchPolicy::default();
        refetch_policy.on_send();
        refetch_policy.on_failure(0);
        assert!(refetch_policy.on_change());
    }

    #[test]
    fn unanswered_query_retries_forever() {
        let mut refetch_policy = RefetchPolicy::default();
        let waits: Vec<u32> = (0..40)
            .map(|_| {
                refetch_policy.on_send();
                refetch_policy.on_failure(0)
            })
            .collect();
        assert_eq!(waits[..6], [1_000, 2_000, 4_000, 8_000, 16_000, 16_000]);
        assert_eq!(waits.last(), Some(&RETRY_MAX_MS));
        assert!(refetch_policy.is_failing());
        refetch_policy.on_answer(10);
        assert!(!refetch_policy.is_failing());
        refetch_policy.on_send();
        assert_eq!(refetch_policy.on_failure(0), RETRY_FIRST_MS, "an answer forgets what failed before it");
    }

    /// After an idle time a change is fetched at once; a stream of changes follows the pace of the answers.
    #[test]
    fn first_change_refetches_at_once_then_paces() {
        let mut refetch_policy = RefetchPolicy::default();
        refetch_policy.on_send();
        for (took, pace) in [(0, 32), (10, 32), (20, 60), (50, 150), (2_000, 150), (u32::MAX, 150)] {
            refetch_policy.on_answer(took);
            assert_eq!(refetch_policy.delay_ms(0), pace, "{took} ms");
            assert_eq!(refetch_policy.delay_ms(pace - 1), 1);
            assert_eq!((refetch_policy.delay_ms(pace), refetch_policy.delay_ms(u32::MAX)), (0, 0));
        }
    }

    #[test]
    fn slower_pace_of_a_query_holds_after_every_answer() {
        let mut refetch_policy = RefetchPolicy::with_pace(500);
        for took in [0, 50, 2_000] {
            refetch_policy.on_send();
            refetch_policy.on_answer(took);
            assert_eq!((refetch_policy.delay_ms(0), refetch_policy.delay_ms(500)), (500, 0), "{took} ms");
        }
    }

    /// A browser reuses idle connections; six of them may be dead.
    #[test]
    fn query_survives_six_dead_connections() {
        let mut refetch_policy = RefetchPolicy::default();
        let mut passed = 0;
        for _ in 0..6 {
            let patience = refetch_policy.on_send();
            passed += patience + refetch_policy.on_failure(patience);
        }
        assert!(passed <= 90_000, "{passed} ms");
    }
}
