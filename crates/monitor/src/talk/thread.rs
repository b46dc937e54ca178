//! Gives the reader of transcripts its own thread and the time to look. Files are the truth and the watcher only a hint:
//! a look every two seconds finds whatever it missed. A look that costs much is followed by a longer rest.

use std::sync::Weak;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::{Heard, Reader};
use crate::ingest::Input;
use crate::state::{AppState, Shared};
use crate::store;
use crate::workspace::Watch;

const POLL: Duration = Duration::from_secs(2);
/// Lines that are written together are looked at together.
const SETTLE: Duration = Duration::from_millis(50);
/// Until the history of the log is read.
const WAIT: Duration = Duration::from_millis(20);
/// That stores changed is told at most so often; talk is told at once.
const TELL: Duration = Duration::from_secs(1);
/// A look is followed by a rest of this many times what it took.
const REST: u32 = 4;

/// Starts following. It ends when nobody holds the state any more.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn spawn(state: Weak<Shared>, watched: bool) -> std::io::Result<()> {
    std::thread::Builder::new().name("talk".to_owned()).spawn(move || run(&state, watched)).map(drop)
}

fn run(state: &Weak<Shared>, watched: bool) {
    let (hint, hints) = mpsc::sync_channel(1);
    let mut watch = watched.then(|| Watch::new(hint.clone()));
    let mut reader = Reader::new();
    let (mut waiting, mut told) = (None::<Heard>, None::<Instant>);
    loop {
        let Some(state) = AppState::upgrade(state) else { return };
        // What the log says goes first, and who the agents are decides where their sessions are.
        if !state.is_ready() {
            drop(state);
            std::thread::sleep(WAIT);
            continue;
        }
        let began = Instant::now();
        let (held, home, roster) = state.stores();
        if let Some(watch) = &mut watch {
            let agents = store::agents(&home, &roster).unwrap_or_default();
            watch.follow(store::watched_folders(&home, &roster, &agents));
        }
        let (heard, more) = reader.look(&home, &roster, &held);
        waiting = heard.or(waiting);
        let due = told.is_none_or(|told| told.elapsed() >= TELL);
        if let Some(heard) = waiting.take_if(|heard| due || heard.talk.is_some()) {
            told = Some(Instant::now());
            if !state.ingest().send(Input::Talk(Box::new(heard))) {
                return;
            }
        }
        drop(state);
        if more {
            continue;
        }
        std::thread::sleep(SETTLE.max(began.elapsed().saturating_mul(REST)).min(POLL));
        let wait = if waiting.is_some() { TELL } else { POLL };
        match hints.recv_timeout(wait) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL),
        }
    }
}
