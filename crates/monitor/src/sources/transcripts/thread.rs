//! OS thread that runs the transcript reader: on notifications of the file watcher, and at times of its own. At
//! start-up it waits until the whole log has been read. After an expensive read it pauses longer.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use coordination::roster::Roster;

use super::{TranscriptReader, TranscriptUpdate};
use crate::sink::ValueSink;
use crate::sources::store::{self, SessionStores};
use crate::sources::workspace::{FolderWatch, LookSchedule};

/// Lines that are written together are looked at together.
const SETTLE: Duration = Duration::from_millis(50);
/// Until the history of the log is read.
const WAIT: Duration = Duration::from_millis(20);
/// Changed stores are reported at most so often; new exchanges are reported at once.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// A look is followed by a rest of this many times what it took.
const REST_FACTOR: u32 = 4;

/// Whether transcripts may be read yet: the log goes first, and the roster decides where sessions are.
pub(crate) enum TranscriptGate {
    /// The history of the log is not read yet.
    Waiting,
    /// The agents to look for.
    Open(Box<Roster>),
    /// The monitor has ended.
    Closed,
}

/// Starts following. The thread ends when the gate is closed or the receiver is gone.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn spawn(
    gate: impl Fn() -> TranscriptGate + Send + 'static,
    stores: Arc<SessionStores>,
    watched: bool,
    output: ValueSink<TranscriptUpdate>,
) -> std::io::Result<()> {
    let run = move || run(&gate, &stores, watched, &output);
    std::thread::Builder::new().name("talk".to_owned()).spawn(run).map(drop)
}

fn run(
    gate: &impl Fn() -> TranscriptGate,
    stores: &SessionStores,
    watched: bool,
    output: &ValueSink<TranscriptUpdate>,
) {
    let (hint, hints) = mpsc::sync_channel(1);
    let mut watch = watched.then(|| FolderWatch::new(hint.clone()));
    let mut reader = TranscriptReader::new();
    let (mut waiting, mut last_sent) = (None::<TranscriptUpdate>, None::<Instant>);
    let home = stores.home();
    let (mut schedule, mut is_notified) = (LookSchedule::default(), true);
    loop {
        let roster = match gate() {
            TranscriptGate::Open(roster) => roster,
            TranscriptGate::Closed => return,
            TranscriptGate::Waiting => {
                std::thread::sleep(WAIT);
                continue;
            }
        };
        let began = Instant::now();
        let held = stores.sessions(&roster);
        if let Some(watch) = &mut watch {
            let agents = store::agents(home, &roster).unwrap_or_default();
            watch.follow(home, store::watched_folders(home, &roster, &agents));
        }
        let (update, more) = reader.look(home, &roster, &held);
        let is_whole = watch.as_ref().is_some_and(FolderWatch::is_whole);
        let poll = schedule.after_look(is_notified, update.is_some() || more, is_whole);
        waiting = update.or(waiting);
        let due = last_sent.is_none_or(|last_sent| last_sent.elapsed() >= MIN_INTERVAL);
        if let Some(update) = waiting.take_if(|update| due || update.talk.is_some()) {
            last_sent = Some(Instant::now());
            if !output.send(update) {
                return;
            }
        }
        if more {
            continue;
        }
        std::thread::sleep(SETTLE.max(began.elapsed().saturating_mul(REST_FACTOR)).min(LookSchedule::SHORTEST));
        let wait = if waiting.is_some() { MIN_INTERVAL } else { poll };
        let hint = hints.recv_timeout(wait);
        is_notified = hint.is_ok();
        if hint == Err(RecvTimeoutError::Disconnected) {
            std::thread::sleep(LookSchedule::SHORTEST);
        }
    }
}
