//! Retry and timeout policy of a query, as a plain value: after any connection failure the page still shows the newest
//! reported state.

/// Timeout of the first request. A dead connection never answers, and the browser reuses up to six such connections for
/// the next requests: the sooner one is given up, the sooner a request finds a working connection.
const PATIENCE_FIRST_MS: u32 = 5_000;
/// Longest timeout: a slow monitor is not given up.
const PATIENCE_CAP_MS: u32 = 20_000;
/// Delay between a failed request and the retry, counted from when it was sent; doubled each time.
const RETRY_FIRST_MS: u32 = 1_000;
const RETRY_CAP_MS: u32 = 16_000;
/// Delay between a request and the next one for a later change: at least two frames, so that a stream of changes does
/// not redraw the page without end, and three times the duration of the last answer, so that neither a slow monitor nor
/// a slow page is busy most of the time. The longest delay is too short to be noticed.
const PACE_LEAST_MS: u32 = 32;
const PACE_MOST_MS: u32 = 150;
const PACE_PER_ANSWER: u32 = 3;

/// State of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Question {
    /// Failed requests in a row.
    failures: u32,
    under_way: bool,
    /// Something changed since the request.
    outdated: bool,
    /// Duration of the newest answer, in milliseconds.
    took_ms: u32,
}

impl Question {
    /// A request is sent and replaces a pending one. Returns its timeout in milliseconds.
    pub(super) fn ask(&mut self) -> u32 {
        self.under_way = true;
        self.outdated = false;
        doubled(PATIENCE_FIRST_MS, self.failures / 2, PATIENCE_CAP_MS)
    }

    /// The data changed. True: send a request now. Otherwise the pending answer is awaited and a request follows it:
    /// if each change cancelled the pending request, changes that arrive faster than answers would leave the page
    /// without any answer.
    pub(super) fn change(&mut self) -> bool {
        self.outdated = true;
        !self.under_way
    }

    /// The answer arrived after `took_ms` milliseconds. True: refetch, because something changed meanwhile.
    pub(super) fn answered(&mut self, took_ms: u32) -> bool {
        *self = Self { outdated: self.outdated, took_ms, ..Self::default() };
        self.outdated
    }

    /// How many milliseconds a change waits that arrives `since_ms` after the newest request. After an idle time: none.
    pub(super) fn wait(self, since_ms: u32) -> u32 {
        let pace = self.took_ms.saturating_mul(PACE_PER_ANSWER).clamp(PACE_LEAST_MS, PACE_MOST_MS);
        pace.saturating_sub(since_ms)
    }

    /// The request failed after `took_ms` milliseconds. Returns the delay before the retry, whatever the live link
    /// reports: one connection can break while the link is up, and the link can be down now and back before the page
    /// calls it stale, so that its return triggers no request.
    pub(super) fn failed(&mut self, took_ms: u32) -> u32 {
        self.under_way = false;
        let wait = doubled(RETRY_FIRST_MS, self.failures, RETRY_CAP_MS);
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
    fn a_change_while_the_answer_is_under_way_is_asked_for_after_it() {
        let mut question = Question::default();
        question.ask();
        assert!(!question.change(), "the answer under way is not dropped");
        assert!(question.answered(10), "but it may be older than the change");
        question.ask();
        assert!(!question.answered(10));
        assert!(question.change(), "an idle query refetches at once");
    }

    #[test]
    fn a_change_asks_at_once_while_a_failed_question_waits_for_its_next_try() {
        let mut question = Question::default();
        question.ask();
        question.failed(0);
        assert!(question.change());
    }

    #[test]
    fn a_question_that_finds_nobody_is_asked_for_ever() {
        let mut question = Question::default();
        let waits: Vec<u32> = (0..40)
            .map(|_| {
                question.ask();
                question.failed(0)
            })
            .collect();
        assert_eq!(waits[..6], [1_000, 2_000, 4_000, 8_000, 16_000, 16_000]);
        assert_eq!(waits.last(), Some(&RETRY_CAP_MS));
        assert!(question.is_failing());
        question.answered(10);
        assert!(!question.is_failing());
        question.ask();
        assert_eq!(question.failed(0), RETRY_FIRST_MS, "an answer forgets what failed before it");
    }

    /// After an idle time a change is fetched at once; a stream of changes follows the pace of the answers.
    #[test]
    fn a_change_after_a_rest_is_asked_for_at_once_and_a_stream_of_them_at_the_pace_of_the_answers() {
        let mut question = Question::default();
        question.ask();
        for (took, pace) in [(0, 32), (10, 32), (20, 60), (50, 150), (2_000, 150), (u32::MAX, 150)] {
            question.answered(took);
            assert_eq!(question.wait(0), pace, "{took} ms");
            assert_eq!(question.wait(pace - 1), 1);
            assert_eq!((question.wait(pace), question.wait(u32::MAX)), (0, 0));
        }
    }

    /// A browser reuses idle connections; six of them may be dead.
    #[test]
    fn a_single_question_outlives_six_dead_connections_within_a_minute_and_a_half() {
        let mut question = Question::default();
        let mut passed = 0;
        for _ in 0..6 {
            let patience = question.ask();
            passed += patience + question.failed(patience);
        }
        assert!(passed <= 90_000, "{passed} ms");
    }
}
