//! Message threads that are open in live clients, with the number of clients for each. The monitor makes a thread's
//! new items only while a client has it open, and puts them only into the frames of those clients.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coordination::api::ShownThread;

/// The threads, each with the number of clients that show it.
#[derive(Debug, Default)]
pub(super) struct ShownThreads(Mutex<BTreeMap<Arc<ShownThread>, usize>>);

/// The thread of one client, given up when dropped.
#[derive(Debug)]
pub(super) struct ShownThreadGuard {
    threads: Arc<ShownThreads>,
    pub(super) thread: Arc<ShownThread>,
}

impl ShownThreads {
    /// A client shows this thread.
    pub(super) fn enter(self: &Arc<Self>, thread: ShownThread) -> ShownThreadGuard {
        let mut shown = self.lock();
        let thread = shown.get_key_value(&thread).map_or_else(|| Arc::new(thread), |(known, _)| Arc::clone(known));
        *shown.entry(Arc::clone(&thread)).or_default() += 1;
        drop(shown);
        ShownThreadGuard { threads: Arc::clone(self), thread }
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Arc<ShownThread>> {
        self.lock().keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<ShownThread>, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ShownThreadGuard {
    fn drop(&mut self) {
        let mut shown = self.threads.lock();
        if let Some(count) = shown.get_mut(&self.thread) {
            *count -= 1;
            if *count == 0 {
                shown.remove(&self.thread);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_is_shown_until_its_last_client_leaves() {
        let threads = Arc::<ShownThreads>::default();
        let thread = |id: &str| ShownThread { session_id: "s".into(), thread_id: id.into() };
        let (first, second) = (threads.enter(thread("a")), threads.enter(thread("a")));
        let other = threads.enter(thread("b"));
        assert_eq!(threads.all().len(), 2);
        drop((first, other));
        assert_eq!(threads.all(), [Arc::new(thread("a"))]);
        drop(second);
        assert!(threads.all().is_empty());
    }
}
