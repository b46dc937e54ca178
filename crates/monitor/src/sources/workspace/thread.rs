//! OS thread that runs the workspace reader: on notifications of the file watcher, and at times of its own. Also holds that
//! watcher, `FolderWatch`, and those times, `LookSchedule`; the transcript thread uses both, too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{Update, WorkspaceReader};
use crate::home::HomeDir;
use crate::inputs::LookReport;

/// Looks without a notification or a change after which the folders to watch are listed again: a new folder is reported
/// by the watch on its parent, so this is only for watches that failed.
const QUIET_LOOKS: u32 = 15;
/// One save is several steps (write, rename); they are looked at together.
const SETTLE: Duration = Duration::from_millis(20);

/// Starts reading and watching. `sink` gets every update and returns false when its receiver is gone.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn spawn(
    home: HomeDir,
    sink: impl FnMut(Update) -> bool + Send + 'static,
    report: LookReport,
) -> std::io::Result<()> {
    std::thread::Builder::new().name("workspace".to_owned()).spawn(move || run(&home, sink, report)).map(drop)
}

fn run(home: &HomeDir, mut sink: impl FnMut(Update) -> bool, mut report: LookReport) {
    let (hint, hints) = mpsc::sync_channel(1);
    let mut watch = FolderWatch::new(hint);
    let mut reader = WorkspaceReader::new(home.clone());
    let mut quiet_looks = QUIET_LOOKS;
    let (mut schedule, mut is_notified) = (LookSchedule::default(), true);
    loop {
        // Watch first, look afterwards: a write in between is seen by one of the two.
        if quiet_looks == QUIET_LOOKS {
            watch.follow(home, reader.watched_folders());
            quiet_looks = 0;
        }
        let begun = report.begin();
        let update = reader.look();
        let wait = schedule.after_look(is_notified, update.is_some(), watch.is_whole());
        quiet_looks = if update.is_some() { QUIET_LOOKS } else { (quiet_looks + 1).min(QUIET_LOOKS) };
        if let Some(update) = update
            && !sink(update)
        {
            return;
        }
        report.end(begun.filter(|_| reader.is_whole()));
        is_notified = match hints.recv_timeout(wait) {
            Ok(()) => {
                quiet_looks = QUIET_LOOKS;
                std::thread::sleep(SETTLE);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(LookSchedule::SHORTEST);
                false
            }
        };
    }
}

/// Times of looks at files without a notification. They become rarer while nothing changes and the watches report what does. A
/// file system of another machine reports nothing of what is written there: after a change that was found without a
/// notification, looks stay frequent until one is found by a notification.
#[derive(Debug)]
pub(crate) struct LookSchedule {
    /// Between two looks, at least and at most: a watch may fail without a word.
    shortest: Duration,
    longest: Duration,
    /// Looks since the last change or notification.
    quiet: u32,
    /// The newest change was found without a notification.
    missed: bool,
}

impl Default for LookSchedule {
    fn default() -> Self {
        Self::between(Self::SHORTEST, Self::LONGEST)
    }
}

impl LookSchedule {
    /// Between two looks at workspaces or transcripts, at least.
    pub(crate) const SHORTEST: Duration = Duration::from_secs(2);
    /// At most.
    const LONGEST: Duration = Duration::from_secs(16);
    /// Looks before they become rarer: files that were just written are looked at again.
    const FREQUENT_LOOKS: u32 = 3;

    /// With these pauses between two looks.
    pub(crate) fn between(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest, quiet: 0, missed: false }
    }

    /// How long to wait for a notification. `is_whole`: everything is watched.
    pub(crate) fn after_look(&mut self, is_notified: bool, has_changed: bool, is_whole: bool) -> Duration {
        if has_changed {
            self.missed = !is_notified;
        }
        self.quiet = if has_changed || is_notified { 0 } else { self.quiet.saturating_add(1) };
        if self.missed || !is_whole {
            return self.shortest;
        }
        let doublings = self.quiet.saturating_sub(Self::FREQUENT_LOOKS).min(3);
        (self.shortest * (1 << doublings)).min(self.longest)
    }
}

/// Watches on single folders, never on whole trees: a workspace is a git repository and may hold anything.
pub(crate) struct FolderWatch {
    watcher: Option<RecommendedWatcher>,
    followed: BTreeSet<PathBuf>,
    is_whole: bool,
}

impl FolderWatch {
    pub(crate) fn new(hint: SyncSender<()>) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.as_ref().map_or(true, is_hint) {
                match hint.try_send(()) {
                    Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
                }
            }
        });
        if let Err(error) = &watcher {
            tracing::warn!(%error, "no file watcher: looking at the workspaces every two seconds instead");
        }
        Self { watcher: watcher.ok(), followed: BTreeSet::new(), is_whole: false }
    }

    /// Whether all changes are reported: each folder is watched, or that around it in the home while it is missing.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(crate) fn follow(&mut self, home: &HomeDir, folders: Vec<PathBuf>) {
        let Some(watcher) = &mut self.watcher else { return };
        let root = home.root().canonicalize().unwrap_or_else(|_| home.root().to_path_buf());
        // The folder around one that is missing reports when it is made.
        let nearest = |folder: PathBuf| {
            let around = folder.ancestors().find(|around| around.is_dir());
            let around = around.filter(|around| around.canonicalize().is_ok_and(|around| around.starts_with(&root)));
            around.map(Path::to_path_buf).filter(|_| !folder.is_dir()).unwrap_or(folder)
        };
        let wanted: BTreeSet<PathBuf> = folders.into_iter().map(nearest).collect();
        let now: BTreeSet<PathBuf> = wanted.iter().filter(|folder| folder.is_dir()).cloned().collect();
        for removed in self.followed.difference(&now) {
            if let Err(error) = watcher.unwatch(removed) {
                tracing::debug!(%error, "a removed folder had no watch any more");
            }
        }
        let mut followed: BTreeSet<PathBuf> = self.followed.intersection(&now).cloned().collect();
        for new in now.difference(&self.followed) {
            match watcher.watch(new, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    followed.insert(new.clone());
                }
                Err(error) => tracing::debug!(%error, "a folder is looked at every two seconds instead of watched"),
            }
        }
        self.is_whole = followed.len() == wanted.len();
        self.followed = followed;
    }
}

/// Our own reading is reported too and must not wake us.
fn is_hint(event: &notify::Event) -> bool {
    event.need_rescan()
        || !matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_folder_of_the_home_is_watched_by_the_one_around_it() {
        let (temp, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (hint, hints) = mpsc::sync_channel(1);
        let (home, mut watch) = (HomeDir::new(temp.path()), FolderWatch::new(hint));
        let missing = temp.path().join("agents/eden/sessions");
        watch.follow(&home, vec![missing.clone(), temp.path().to_path_buf()]);
        assert!(watch.is_whole());
        std::fs::create_dir(temp.path().join("agents")).unwrap();
        hints.recv_timeout(Duration::from_secs(10)).expect("a new folder is reported");
        watch.follow(&home, vec![missing.clone()]);
        std::fs::create_dir_all(&missing).unwrap();
        hints.recv_timeout(Duration::from_secs(10)).expect("one in it as well");
        watch.follow(&home, vec![elsewhere.path().join("workspace")]);
        assert!(!watch.is_whole(), "nothing outside the home is watched in its place");
    }

    #[test]
    fn quiet_looks_become_rarer_while_watches_report() {
        let seconds = |schedule: &mut LookSchedule, notified, changed, whole| {
            schedule.after_look(notified, changed, whole).as_secs()
        };
        let mut schedule = LookSchedule::default();
        let quiet = |schedule: &mut LookSchedule| (0..8).map(|_| seconds(schedule, false, false, true)).collect();
        assert_eq!(seconds(&mut schedule, true, true, true), 2);
        let waits: Vec<u64> = quiet(&mut schedule);
        assert_eq!(waits, [2, 2, 2, 4, 8, 16, 16, 16]);
        assert_eq!(seconds(&mut schedule, true, false, true), 2, "after a notification");
        // The watch missed a change.
        assert_eq!(seconds(&mut schedule, false, true, true), 2);
        let waits: Vec<u64> = quiet(&mut schedule);
        assert_eq!(waits, [2; 8]);
        assert_eq!(seconds(&mut schedule, true, true, true), 2);
        let waits: Vec<u64> = quiet(&mut schedule);
        assert_eq!(waits.last(), Some(&16), "it reports again");
        assert_eq!(seconds(&mut schedule, false, false, false), 2, "a folder could not be watched");
    }
}
