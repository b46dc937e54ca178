//! Loop of the alerts thread: waits for changes of the hub, outcomes of sinks and requests of people, and makes a step of
//! the engine after each. A panic is logged, and the thread starts again from the file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use coordination::alerts::WorkListLook;
use coordination::api::{AlertMessage, AlertsPage, SourceState};
use coordination::query;

use super::engine::AlertEngine;
use super::{AlertError, AlertInput, AnswerSender, page};
use crate::core::Core;

/// So often it sees whether the monitor still runs.
const IDLE_INTERVAL: Duration = Duration::from_millis(500);
/// Shortest wait for something that is due by time alone.
const MIN_WAIT: Duration = Duration::from_millis(20);
/// Lines of the work list appear by time alone, too.
const TIME_CHECK: Duration = Duration::from_secs(5);
/// Between two looks at the list while changes follow each other, unless one takes more than an eighth of that.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
const LOOK_COST_FACTOR: u32 = 8;
/// A monitor that starts reads its files one after the other: so long, a line that is missing may only not be read yet.
const START_GRACE: Duration = Duration::from_secs(60);
/// A recap is about a period, so it waits for as long. Tests do not.
const RECAP_GRACE: Duration = if cfg!(test) { Duration::ZERO } else { START_GRACE };
/// Between two attempts to write a recap.
const RECAP_RETRY: Duration = Duration::from_secs(60);
/// Pause after a panic.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// A person who waits for the outcome of a test.
type WaitingTest = (u64, AnswerSender<AlertMessage>);

/// State of the loop.
pub(super) struct AlertThread {
    engine: AlertEngine,
    core: Weak<Core>,
    may_write: Box<dyn Fn() -> bool + Send>,
    page: Arc<Mutex<AlertsPage>>,
    is_wake_pending: Arc<AtomicBool>,
    /// When the history was read.
    ready_since: Option<Instant>,
    /// Version of the hub at the newest look, when that was, and how long it took.
    last_look: Option<(u64, Instant, Duration)>,
    /// A recap could not be written: not before then again.
    recaps_after: Option<Instant>,
    tests: Vec<WaitingTest>,
    /// Answers to people, given once the state behind them is published.
    replies: Vec<Box<dyn FnOnce() + Send>>,
}

impl AlertThread {
    pub(super) fn new(
        engine: AlertEngine,
        core: Weak<Core>,
        may_write: Box<dyn Fn() -> bool + Send>,
        page: Arc<Mutex<AlertsPage>>,
        is_wake_pending: Arc<AtomicBool>,
    ) -> Self {
        Self {
            engine,
            core,
            may_write,
            page,
            is_wake_pending,
            ready_since: None,
            recaps_after: None,
            last_look: None,
            tests: Vec::new(),
            replies: Vec::new(),
        }
    }

    /// Runs until the monitor ends.
    pub(super) fn run(mut self, inbox: &Receiver<AlertInput>) {
        while catch_unwind(AssertUnwindSafe(|| self.run_steps(inbox))).is_err() {
            // The file has what matters of the state.
            self.engine.stop("the alerts thread made a mistake and starts again");
            self.publish();
            std::thread::sleep(RESTART_DELAY);
        }
    }

    fn run_steps(&mut self, inbox: &Receiver<AlertInput>) {
        loop {
            let wait = {
                let Some(core) = self.core.upgrade() else { return };
                self.step(&core);
                self.wait(&core)
            };
            let first = match inbox.recv_timeout(wait) {
                Ok(input) => Some(input),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let Some(core) = self.core.upgrade() else { return };
            for input in first.into_iter().chain(inbox.try_iter()) {
                self.take(input, core.live().now());
            }
        }
    }

    fn take(&mut self, input: AlertInput, now: i64) {
        match input {
            AlertInput::Wake => self.is_wake_pending.store(false, Ordering::Release),
            AlertInput::Outcome(outcome) => self.engine.settle(outcome, now),
            AlertInput::Test { sink, receiver, answer } => match self.engine.test(&sink, receiver, now) {
                Ok(id) => self.tests.push((id, answer)),
                Err(error) => self.reply(answer, Err(error)),
            },
            AlertInput::Retry { id, by, answer } => {
                let retried = self.engine.retry(id, by, now);
                self.reply(answer, retried);
            }
            AlertInput::Subscribe { subscription, answer } => {
                let subscribed = self.engine.subscribe(*subscription, now);
                self.reply(answer, subscribed);
            }
            AlertInput::Unsubscribe { id, by, answer } => {
                let removed = self.engine.unsubscribe(id, by, now);
                self.reply(answer, removed);
            }
        }
    }

    fn reply<T: Send + 'static>(&mut self, answer: AnswerSender<T>, result: Result<T, AlertError>) {
        // The requester may have disconnected.
        self.replies.push(Box::new(move || drop(answer.send(result))));
    }

    fn step(&mut self, core: &Core) {
        let now = core.live().now();
        if !(self.may_write)() {
            self.engine.stop("another monitor writes this home, and sends its alerts");
        } else if self.engine.prepare(now) {
            if core.is_ready() {
                self.ready_since.get_or_insert_with(Instant::now);
                self.look(core, now);
            }
            self.engine.send_due(now);
            if core.is_ready() {
                self.make_recaps(core, now);
            }
        }
        // Published first: who has an answer reads the state behind it.
        self.publish_at(now);
        self.answer_tests();
        self.replies.drain(..).for_each(|reply| reply());
    }

    /// Looks at the work list, if it may have changed.
    fn look(&mut self, core: &Core, now: i64) {
        let Some(ready_since) = self.ready_since else { return };
        let version = core.live().version();
        if !self.look_wait(version, now).is_zero() {
            return;
        }
        let began = Instant::now();
        let (is_readable, shared) = {
            let status = core.status();
            (status.unreadable().next().is_none(), status.shared_trouble.as_ref().map(Vec::is_empty))
        };
        // Before the rules of the page are read, the default ones would begin.
        let Some(are_rules_read) = shared else { return };
        let hub = core.hub();
        self.engine.set_page_rules(&query::page_rules(&hub), !are_rules_read);
        let (lines, more) = query::alert_lines(&hub, now);
        let is_read = is_readable && hub.source().state == SourceState::Ok && ready_since.elapsed() >= START_GRACE;
        let look = WorkListLook { lines: &lines, is_complete: is_read && !more };
        let decided = self.engine.decide(look, now, &|line| query::alert_line(&hub, line));
        // The disk may be slow, and the hub's writer waits for its readers.
        drop(hub);
        let took = began.elapsed();
        if self.engine.write(decided) {
            self.last_look = Some((version, began, took));
        }
    }

    /// Makes the recaps that are due, up to now.
    fn make_recaps(&mut self, core: &Core, now: i64) {
        if self.recaps_after.is_some_and(|after| Instant::now() < after) {
            return;
        }
        let due = self.engine.due_recaps(now);
        if due.is_empty() || self.ready_since.is_none_or(|since| since.elapsed() < RECAP_GRACE) {
            return;
        }
        let is_readable = core.status().unreadable().next().is_none();
        let hub = core.hub();
        // A home without a log has nothing to read.
        let partial = !is_readable || !matches!(hub.source().state, SourceState::Ok | SourceState::LogMissing);
        let digests: Vec<_> =
            due.iter().map(|(recap, due)| query::recap_digest(&hub, due.since, now, recap.offset, partial)).collect();
        // The disk may be slow, and the hub's writer waits for its readers.
        drop(hub);
        let mut made = due.iter().zip(&digests);
        let is_written = made.all(|((recap, due), digest)| self.engine.send_recap(recap, due.due, digest));
        self.recaps_after = (!is_written).then(|| Instant::now() + RECAP_RETRY);
    }

    /// Time until the next look.
    fn look_wait(&self, version: u64, now: i64) -> Duration {
        let Some((seen, at, took)) = self.last_look else { return Duration::ZERO };
        let passed = at.elapsed();
        let is_due = self.engine.next_at(now).is_some_and(|due| due <= now);
        let interval = if seen != version || is_due {
            LOOK_INTERVAL.max(took.saturating_mul(LOOK_COST_FACTOR))
        } else {
            TIME_CHECK
        };
        interval.saturating_sub(passed)
    }

    fn wait(&self, core: &Core) -> Duration {
        let now = core.live().now();
        let due = self.engine.next_at(now).map(|due| u64::try_from(due.saturating_sub(now)).unwrap_or_default());
        let due = due.map_or(IDLE_INTERVAL, Duration::from_millis);
        let look = if core.is_ready() { self.look_wait(core.live().version(), now) } else { IDLE_INTERVAL };
        due.min(look).clamp(MIN_WAIT, IDLE_INTERVAL)
    }

    fn answer_tests(&mut self) {
        for (id, answer) in std::mem::take(&mut self.tests) {
            let message = self.engine.outbox().and_then(|outbox| page::message(outbox, id));
            match message {
                Some(message) if message.status.is_open() => self.tests.push((id, answer)),
                Some(message) => drop(answer.send(Ok(message))),
                None => {
                    let cause = self.engine.trouble().unwrap_or("the test is not in the outbox any more").to_owned();
                    drop(answer.send(Err(AlertError::Unavailable(cause))));
                }
            }
        }
    }

    fn publish(&self) {
        if let Some(core) = self.core.upgrade() {
            self.publish_at(core.live().now());
        }
    }

    fn publish_at(&self, now: i64) {
        *self.page.lock().unwrap_or_else(PoisonError::into_inner) = page::page(&self.engine, now);
    }
}
