//! OS thread that runs the transcript reader: on notifications of the file watcher, and at times of its own. At
//! start-up it waits until the whole log has been read. After an expensive read it pauses longer. Of a mirrored home it
//! reads what the machine published of its transcripts.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use coordination::roster::Roster;

use super::mirrored::PublishedReader;
use super::{TranscriptReader, TranscriptUpdate};
use crate::inputs::LookReport;
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

/// Where updates come from.
enum UpdateSource {
    /// Transcripts and stores.
    Home(Box<TranscriptReader>),
    /// What the machine of a mirrored home published of them.
    Mirror(Box<PublishedReader>),
}

impl UpdateSource {
    fn watched_folders(&self, stores: &SessionStores, roster: &Roster) -> Vec<PathBuf> {
        let home = stores.home();
        match self {
            Self::Home(_) => {
                let agents = store::agents(home, roster).unwrap_or_default();
                store::watched_folders(home, roster, &agents)
            }
            Self::Mirror(_) => PublishedReader::watched_folders(home),
        }
    }

    /// Second: whether there is more.
    fn look(&mut self, stores: &SessionStores, roster: &Roster) -> (Option<TranscriptUpdate>, bool) {
        match self {
            Self::Home(reader) => reader.look(stores.home(), roster, &stores.sessions(roster)),
            Self::Mirror(reader) => (reader.look(stores.home()), false),
        }
    }

    /// Whether the last look read everything, as far as that matters to a mirror.
    fn is_whole(&self) -> bool {
        match self {
            Self::Home(_) => true,
            Self::Mirror(reader) => reader.is_whole(),
        }
    }
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
    report: LookReport,
) -> std::io::Result<()> {
    let run = move || run(&gate, &stores, watched, (&output, report));
    std::thread::Builder::new().name("talk".to_owned()).spawn(run).map(drop)
}

fn run(
    gate: &impl Fn() -> TranscriptGate,
    stores: &SessionStores,
    watched: bool,
    (output, mut report): (&ValueSink<TranscriptUpdate>, LookReport),
) {
    let (hint, hints) = mpsc::sync_channel(1);
    let mut watch = watched.then(|| FolderWatch::new(hint.clone()));
    let mut source = match stores.home().is_mirror() {
        true => UpdateSource::Mirror(Box::default()),
        false => UpdateSource::Home(Box::new(TranscriptReader::new())),
    };
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
        if let Some(watch) = &mut watch {
            watch.follow(home, source.watched_folders(stores, &roster));
        }
        let begun = report.begin();
        let (update, more) = source.look(stores, &roster);
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
        report.end(begun.filter(|_| waiting.is_none() && source.is_whole()));
        std::thread::sleep(SETTLE.max(began.elapsed().saturating_mul(REST_FACTOR)).min(LookSchedule::SHORTEST));
        let wait = if waiting.is_some() { MIN_INTERVAL } else { poll };
        let hint = hints.recv_timeout(wait);
        is_notified = hint.is_ok();
        if hint == Err(RecvTimeoutError::Disconnected) {
            std::thread::sleep(LookSchedule::SHORTEST);
        }
    }
}
