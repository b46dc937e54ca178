//! The thread that keeps the index of a search up with the hub. It begins when the history is read: until then both
//! cores have that to do, and what is not covered is found by looking.

use std::sync::Weak;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use crate::state::{AppState, Shared};

/// Events taken in at once: readers and the writer of the hub wait for about a millisecond, for longer behind a question
/// that held the index meanwhile.
const SLICE: u32 = 256;
/// So often it sees whether the monitor still runs.
const REST: Duration = Duration::from_millis(500);

/// Says that the hub has changed.
#[derive(Debug)]
pub(crate) struct Wake(SyncSender<()>);

impl Wake {
    /// Costs nothing while the thread is awake.
    pub(crate) fn wake(&self) {
        // An error says that it has been told already.
        self.0.try_send(()).unwrap_or_default();
    }
}

pub(crate) fn channel() -> (Wake, Receiver<()>) {
    let (sender, receiver) = mpsc::sync_channel(1);
    (Wake(sender), receiver)
}

pub(crate) fn spawn(state: Weak<Shared>, woken: Receiver<()>) -> std::io::Result<()> {
    std::thread::Builder::new().name("index".to_owned()).spawn(move || run(&state, &woken)).map(drop)
}

fn run(state: &Weak<Shared>, woken: &Receiver<()>) {
    let mut made = Vec::new();
    loop {
        let Some(state) = AppState::upgrade(state) else { return };
        let more = state.is_ready() && state.live().index_more(SLICE, &mut made);
        drop(state);
        if !more && woken.recv_timeout(REST) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}
