//! Pool of worker threads for parsing and compression. When no worker has started a job, the thread that needs the
//! result computes it. Nothing waits for a free worker.

use std::fmt;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// More would wait for the one that takes their results.
const MAX_THREADS: usize = 3;

/// Hands work out; cheap to clone. The threads end with the last of them.
#[derive(Clone)]
pub(crate) struct Workers {
    queue: Sender<Arc<dyn PoolWork>>,
    threads: usize,
}

impl Workers {
    /// One thread for each core but the one that takes in the results: on one core there are no threads.
    pub(crate) fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_threads(cores.saturating_sub(1).min(MAX_THREADS))
    }

    /// So many threads, or as many of them as the system gives: all work is done without any.
    pub(crate) fn with_threads(threads: usize) -> Self {
        let (queue, work) = mpsc::channel::<Arc<dyn PoolWork>>();
        let work = Arc::new(Mutex::new(work));
        let start = |_: &usize| {
            let work = Arc::clone(&work);
            let thread = std::thread::Builder::new().name("worker".to_owned()).spawn(move || run(&work));
            thread.inspect_err(|error| tracing::warn!(%error, "a log parser thread could not be started")).is_ok()
        };
        Self { queue, threads: (0..threads).filter(start).count() }
    }

    /// There are no workers but the caller.
    pub(crate) fn is_empty(&self) -> bool {
        self.threads == 0
    }

    /// Drops a large value on a worker thread, if there is one.
    pub(crate) fn drop_in_background<T: Send + 'static>(&self, value: T) {
        let value = Mutex::new(Some(value));
        let dropped_later = self.defer(move || drop(value.lock().unwrap_or_else(PoisonError::into_inner).take()));
        drop(dropped_later);
    }

    /// Runs this on the first free thread, or on the thread that takes the result.
    pub(crate) fn defer<T: Send + 'static>(&self, work: impl Fn() -> T + Send + 'static) -> Deferred<T> {
        let slot = Arc::new(WorkSlot { state: Mutex::new(WorkState::Waiting(Box::new(work))), done: Condvar::new() });
        if !self.is_empty() {
            // An error means that no thread is left: the thread that takes the result runs it.
            self.queue.send(Arc::clone(&slot) as Arc<dyn PoolWork>).unwrap_or_default();
        }
        Deferred(slot)
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.threads)
    }
}

fn run(queue: &Mutex<Receiver<Arc<dyn PoolWork>>>) {
    loop {
        // A thread that waits for the lock waits for work too.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        work.work();
    }
}

trait PoolWork: Send + Sync {
    /// Runs it, unless another thread has begun.
    fn work(&self);
}

/// A result that is computed later. Dropping it drops work that has not begun.
pub struct Deferred<T>(Arc<WorkSlot<T>>);

struct WorkSlot<T> {
    state: Mutex<WorkState<T>>,
    done: Condvar,
}

enum WorkState<T> {
    Waiting(Box<dyn Fn() -> T + Send>),
    Underway,
    Done(T),
    Taken,
}

impl<T> Deferred<T> {
    /// A finished result.
    pub(crate) fn done(value: T) -> Self {
        Self(Arc::new(WorkSlot { state: Mutex::new(WorkState::Done(value)), done: Condvar::new() }))
    }

    /// It need not be waited for.
    pub(crate) fn is_done(&self) -> bool {
        matches!(*self.0.lock(), WorkState::Done(_))
    }

    /// The result: computed here when no thread has begun.
    pub(crate) fn take(self) -> T {
        loop {
            self.0.work_unless_begun();
            let mut state = self.0.lock();
            // Only this owner takes the result; so it is done, or another thread runs it.
            while matches!(*state, WorkState::Underway) {
                state = self.0.done.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            match std::mem::replace(&mut *state, WorkState::Taken) {
                WorkState::Done(value) => return value,
                // The other thread failed: here the same failure shows where it always did.
                other => *state = other,
            }
        }
    }
}

impl<T> fmt::Debug for Deferred<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Later")
    }
}

impl<T> WorkSlot<T> {
    fn lock(&self) -> MutexGuard<'_, WorkState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: WorkState<T>) {
        *self.lock() = state;
        self.done.notify_all();
    }

    fn work_unless_begun(&self) {
        let mut state = self.lock();
        let begun = std::mem::replace(&mut *state, WorkState::Underway);
        let WorkState::Waiting(work) = begun else {
            *state = begun;
            return;
        };
        drop(state);
        let mut attempt = RequeueOnPanic { slot: self, work: Some(work) };
        let made = attempt.work.as_ref().map(|work| work());
        // Before others are notified, so that what the work held is dropped by then.
        attempt.work = None;
        if let Some(made) = made {
            self.set(WorkState::Done(made));
        }
    }
}

impl<T: Send> PoolWork for WorkSlot<T> {
    fn work(&self) {
        self.work_unless_begun();
    }
}

/// Requeues work that ended in a panic, so that its result is not awaited for ever and nothing of the log is lost.
struct RequeueOnPanic<'a, T> {
    slot: &'a WorkSlot<T>,
    work: Option<Box<dyn Fn() -> T + Send>>,
}

impl<T> Drop for RequeueOnPanic<'_, T> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.slot.set(WorkState::Waiting(work));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    #[test]
    fn deferred_work_runs_once_in_order() {
        for threads in [0, 1, 3] {
            let workers = Workers::with_threads(threads);
            let done = Arc::new(AtomicUsize::new(0));
            let deferred: Vec<Deferred<usize>> = (0..200)
                .map(|number| {
                    let done = Arc::clone(&done);
                    workers.defer(move || {
                        done.fetch_add(1, SeqCst);
                        number
                    })
                })
                .collect();
            let taken: Vec<usize> = deferred.into_iter().map(Deferred::take).collect();
            assert_eq!(taken, (0..200).collect::<Vec<_>>());
            assert_eq!(done.load(SeqCst), 200, "{threads} threads");
        }
    }

    /// A thread that is busy for ever does not block takers of other work.
    #[test]
    fn nothing_waits_for_a_free_thread() {
        let workers = Workers::with_threads(1);
        let (go, wait) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        let wait = Mutex::new(wait);
        let long = workers.defer(move || {
            begun.send(()).expect("somebody asks");
            wait.lock().expect("lock").recv().is_ok()
        });
        has_begun.recv().expect("begun");
        assert_eq!(workers.defer(|| 7).take(), 7);
        assert!(!long.is_done());
        go.send(()).expect("it still waits");
        assert!(long.take());
    }

    /// Work that panicked on a worker is repeated by the taker, and no later one is lost.
    #[test]
    fn panicked_work_is_not_awaited() {
        let workers = Workers::with_threads(1);
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        let failing = workers.defer(move || {
            assert!(counted.fetch_add(1, SeqCst) > 0, "the first try fails on purpose");
            "made"
        });
        while tries.load(SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(failing.take(), "made");
        assert_eq!(workers.defer(|| 1).take(), 1, "with no thread left");
    }
}
