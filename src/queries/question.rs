//! Retry schedule and timeout of a query, as a plain value. Whatever the network does, a page catches up with the
//! changes it was notified of.

/// A first answer may take this long. A connection that died without a word answers never, and the browser keeps up to
/// six such for the next questions: the sooner one is given up, the sooner a question finds a way that works.
const PATIENCE_FIRST_MS: u32 = 5_000;
/// The longest time an answer may take: a slow monitor is not given up for its slowness.
const PATIENCE_CAP_MS: u32 = 20_000;
/// Between a question that found nobody and the next, counted from when it was asked; twice as long each time.
const RETRY_FIRST_MS: u32 = 1_000;
const RETRY_CAP_MS: u32 = 16_000;
/// From a question to the next about a later change: at least two frames, so that a stream of changes does not draw the
/// page without end, and three times what the last answer took, so that neither a slow monitor nor a slow page is asked
/// most of the time; the longest wait is not yet felt as one.
const PACE_LEAST_MS: u32 = 32;
const PACE_MOST_MS: u32 = 150;
const PACE_PER_ANSWER: u32 = 3;

/// The life of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Question {
    /// Tries in a row that found nobody.
    failures: u32,
    under_way: bool,
    /// Something changed since it was asked.
    outdated: bool,
    /// What its newest answer took, in milliseconds.
    took_ms: u32,
}

impl Question {
    /// It is asked, in place of one that may be under way. Returns how long its answer may take, in milliseconds.
    pub(super) fn ask(&mut self) -> u32 {
        self.under_way = true;
        self.outdated = false;
        doubled(PATIENCE_FIRST_MS, self.failures / 2, PATIENCE_CAP_MS)
    }

    /// What it is about changed. True: ask now. Otherwise the answer under way is waited for, and it is asked again
    /// after it: were each question dropped for the next one, changes that come faster than answers would leave the
    /// page without any.
    pub(super) fn change(&mut self) -> bool {
        self.outdated = true;
        !self.under_way
    }

    /// It was answered, after so many milliseconds. True: ask again, because something changed meanwhile.
    pub(super) fn answered(&mut self, took_ms: u32) -> bool {
        *self = Self { outdated: self.outdated, took_ms, ..Self::default() };
        self.outdated
    }

    /// How many milliseconds a change waits that comes `since_ms` after the newest question. After a rest: none.
    pub(super) fn wait(self, since_ms: u32) -> u32 {
        let pace = self.took_ms.saturating_mul(PACE_PER_ANSWER).clamp(PACE_LEAST_MS, PACE_MOST_MS);
        pace.saturating_sub(since_ms)
    }

    /// Nobody answered for `took_ms` milliseconds. Returns after how many more to ask again, whatever the live link
    /// says: one connection can break while it stands, and it can be down just now and back before the page calls it
    /// stale, so that its return asks nothing.
    pub(super) fn failed(&mut self, took_ms: u32) -> u32 {
        self.under_way = false;
        let wait = doubled(RETRY_FIRST_MS, self.failures, RETRY_CAP_MS);
        self.failures = self.failures.saturating_add(1);
        wait.saturating_sub(took_ms)
    }

    /// True when it is more than a hiccup: the page has to say that it does not know the newest.
    pub(super) fn is_behind(self) -> bool {
        self.failures > 1
    }

    /// True while the newest try failed.
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
        assert!(question.change(), "at rest a change is asked for at once");
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

    /// A browser asks over connections that it kept; six of them may have died without a word.
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
