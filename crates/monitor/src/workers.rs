//! Pool of worker threads for parsing and compression. A thread that needs a job's result runs the job itself if no
//! worker has started it. If a worker is running the job, the thread runs other queued jobs meanwhile.

use std::fmt;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

/// One thread consumes all results; more workers than this would only wait for it.
const MAX_THREADS: usize = 3;

/// Handle of the pool; cheap to clone. The threads end when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct WorkerPool {
    queue: Sender<Arc<dyn PoolJob>>,
    /// The other end of the queue. Dead when every worker has ended.
    jobs: Weak<JobQueue>,
    threads: usize,
}

/// Queued jobs. An idle worker waits for the next one with the lock.
type JobQueue = Mutex<Receiver<Arc<dyn PoolJob>>>;

impl WorkerPool {
    /// One thread for each core except one, which the consumer of the results uses; at most [`MAX_THREADS`].
    pub(crate) fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_threads(cores.saturating_sub(1).min(MAX_THREADS))
    }

    /// A pool of `threads` threads, or of fewer when the system refuses some. It also works with none.
    pub(crate) fn with_threads(threads: usize) -> Self {
        let (queue, jobs) = mpsc::channel::<Arc<dyn PoolJob>>();
        let jobs = Arc::new(Mutex::new(jobs));
        let start = |_: &usize| {
            let jobs = Arc::clone(&jobs);
            let thread = std::thread::Builder::new().name("worker".to_owned()).spawn(move || worker_loop(&jobs));
            thread.inspect_err(|error| tracing::warn!(%error, "worker pool: a thread could not be started")).is_ok()
        };
        Self { queue, threads: (0..threads).filter(start).count(), jobs: Arc::downgrade(&jobs) }
    }

    /// False when every job runs on the thread that takes its result.
    pub(crate) fn has_threads(&self) -> bool {
        self.threads > 0
    }

    /// Drops a large value on a worker thread, if there is one.
    pub(crate) fn drop_in_background<T: Send + 'static>(&self, value: T) {
        let value = Mutex::new(Some(value));
        let dropped_later = self.submit(move || drop(value.lock().unwrap_or_else(PoisonError::into_inner).take()));
        drop(dropped_later);
    }

    /// Queues a job. It runs on the first free worker, or on the thread that takes the result.
    pub(crate) fn submit<T: Send + 'static>(&self, job: impl Fn() -> T + Send + 'static) -> Deferred<T> {
        let slot = Arc::new(JobSlot { state: Mutex::new(JobState::Pending(Box::new(job))), changed: Condvar::new() });
        if self.has_threads() {
            // Fails when every worker has ended. The thread that takes the result then runs the job.
            self.queue.send(Arc::clone(&slot) as Arc<dyn PoolJob>).unwrap_or_default();
        }
        Deferred { slot, jobs: Weak::clone(&self.jobs) }
    }
}

impl fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkerPool({})", self.threads)
    }
}

/// Runs queued jobs until the last handle of the pool is dropped.
fn worker_loop(queue: &JobQueue) {
    loop {
        // One idle worker waits in `recv` with the lock; the others wait for the lock.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        job.run();
    }
}

/// Runs the next queued job on this thread. False when no job is queued, or a worker is about to take it.
fn run_queued(jobs: &Weak<JobQueue>) -> bool {
    let next = jobs.upgrade().and_then(|jobs| jobs.try_lock().ok()?.try_recv().ok());
    next.inspect(|job| job.run()).is_some()
}

trait PoolJob: Send + Sync {
    /// Runs the job, unless another thread has started it.
    fn run(&self);
}

/// The result of a job, computed by a worker or by `take`. Dropping it does not cancel a queued job.
pub(crate) struct Deferred<T> {
    slot: Arc<JobSlot<T>>,
    /// Jobs to run while a worker runs this one.
    jobs: Weak<JobQueue>,
}

/// A job and its state, shared by the queue and the [`Deferred`].
struct JobSlot<T> {
    state: Mutex<JobState<T>>,
    /// Notified when the state changes to `Done`, or back to `Pending` after a panic.
    changed: Condvar,
}

enum JobState<T> {
    /// Not started, or ended by a panic.
    Pending(Box<dyn Fn() -> T + Send>),
    Running,
    Done(T),
    Taken,
}

impl<T> Deferred<T> {
    /// A result that is already computed.
    pub(crate) fn ready(value: T) -> Self {
        let slot = JobSlot { state: Mutex::new(JobState::Done(value)), changed: Condvar::new() };
        Self { slot: Arc::new(slot), jobs: Weak::new() }
    }

    /// True when [`Deferred::take`] returns at once.
    pub(crate) fn is_done(&self) -> bool {
        matches!(*self.slot.lock(), JobState::Done(_))
    }

    /// The result. Runs the job on this thread when no worker has started it; else runs other queued jobs until the
    /// worker is done.
    pub(crate) fn take(self) -> T {
        loop {
            self.slot.run_if_pending();
            let mut state = self.slot.lock();
            // Nobody else takes the result: the job is done, or a worker runs it.
            while matches!(*state, JobState::Running) {
                drop(state);
                let helped = run_queued(&self.jobs);
                state = self.slot.lock();
                if !helped && matches!(*state, JobState::Running) {
                    state = self.slot.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
            match std::mem::replace(&mut *state, JobState::Taken) {
                JobState::Done(value) => return value,
                // The job panicked on a worker. The next round runs it here, where the panic reaches the caller.
                other => *state = other,
            }
        }
    }
}

impl<T> fmt::Debug for Deferred<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deferred")
    }
}

impl<T> JobSlot<T> {
    fn lock(&self) -> MutexGuard<'_, JobState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: JobState<T>) {
        *self.lock() = state;
        self.changed.notify_all();
    }

    fn run_if_pending(&self) {
        let mut state = self.lock();
        let before = std::mem::replace(&mut *state, JobState::Running);
        let JobState::Pending(job) = before else {
            *state = before;
            return;
        };
        drop(state);
        let mut attempt = PendingOnPanic { slot: self, job: Some(job) };
        let result = attempt.job.as_ref().map(|job| job());
        // Drops the closure and its captures before the taker is notified.
        attempt.job = None;
        if let Some(result) = result {
            self.set(JobState::Done(result));
        }
    }
}

impl<T: Send> PoolJob for JobSlot<T> {
    fn run(&self) {
        self.run_if_pending();
    }
}

/// Makes a job pending again when it panics. The taker then repeats it: it does not wait for ever, and no log line is
/// lost.
struct PendingOnPanic<'a, T> {
    slot: &'a JobSlot<T>,
    job: Option<Box<dyn Fn() -> T + Send>>,
}

impl<T> Drop for PendingOnPanic<'_, T> {
    fn drop(&mut self) {
        if let Some(job) = self.job.take() {
            self.slot.set(JobState::Pending(job));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_job_runs_once() {
        for threads in [0, 1, 3] {
            let pool = WorkerPool::with_threads(threads);
            let runs = Arc::new(AtomicUsize::new(0));
            let deferred: Vec<Deferred<usize>> = (0..200)
                .map(|number| {
                    let runs = Arc::clone(&runs);
                    pool.submit(move || {
                        runs.fetch_add(1, SeqCst);
                        number
                    })
                })
                .collect();
            let taken: Vec<usize> = deferred.into_iter().map(Deferred::take).collect();
            assert_eq!(taken, (0..200).collect::<Vec<_>>());
            assert_eq!(runs.load(SeqCst), 200, "{threads} threads");
        }
    }

    /// A worker that is busy for ever does not block the takers of other jobs.
    #[test]
    fn take_runs_job_when_workers_are_busy() {
        let pool = WorkerPool::with_threads(1);
        let (release, released) = mpsc::channel::<()>();
        let (started, has_started) = mpsc::channel();
        let released = Mutex::new(released);
        let long = pool.submit(move || {
            started.send(()).expect("the test waits");
            released.lock().expect("lock").recv().is_ok()
        });
        has_started.recv().expect("started");
        assert_eq!(pool.submit(|| 7).take(), 7);
        assert!(!long.is_done());
        release.send(()).expect("the job waits");
        assert!(long.take());
    }

    /// Without help this job would wait for the one behind it.
    #[test]
    fn take_runs_queued_jobs_meanwhile() {
        let pool = WorkerPool::with_threads(1);
        let (release, released) = mpsc::channel::<()>();
        let (started, has_started) = mpsc::channel();
        let (released, release) = (Mutex::new(released), Mutex::new(release));
        let first = pool.submit(move || {
            started.send(()).expect("the test waits");
            released.lock().expect("lock").recv_timeout(Duration::from_secs(20)).is_ok()
        });
        has_started.recv().expect("started");
        let second = pool.submit(move || release.lock().expect("lock").send(()).is_ok());
        assert!(first.take(), "the second job ran on this thread");
        assert!(second.take());
    }

    /// The taker repeats a job that panicked on a worker. Later jobs run without that worker.
    #[test]
    fn take_repeats_job_that_panicked() {
        let pool = WorkerPool::with_threads(1);
        let attempts = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&attempts);
        let failing = pool.submit(move || {
            assert!(counter.fetch_add(1, SeqCst) > 0, "the first attempt fails on purpose");
            "result"
        });
        while attempts.load(SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(failing.take(), "result");
        assert_eq!(pool.submit(|| 1).take(), 1, "with no worker left");
    }
}
