//! Thread that saves the hub to its cache file. It decides when to save, asks the log reader for its position in the
//! log files (a checkpoint), and writes the file. If a change of the hub interrupts a save, the thread tries again
//! after a pause; the pauses grow.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use coordination::hub::SectionSink as _;

use super::file::{CacheWriter, SaveError};
use super::{
    CacheJob, CacheSettings, CacheShared, FINDINGS_SECTION, LOG_SECTION, ProgramIdentity, Receiver, SEARCH_SECTION,
    SaveRequest,
};
use crate::core::Core;
use crate::fs::durable;

/// Between two looks at whether a save is due, at most.
const POLL: Duration = Duration::from_secs(5);
/// First pause after a save that was interrupted; doubled up to the interval between saves.
const FIRST_RETRY: Duration = Duration::from_secs(2);
/// A save is due when this part of what it covers is new, at least.
const NEW_BYTES_DIVISOR: u64 = 64;
/// When the monitor ends, this part of the least number of new bytes is enough.
const CLOSE_DIVISOR: u64 = 4;
/// The tail answers a request at its next look.
const CHECKPOINT_WAIT: Duration = Duration::from_millis(2_500);

/// State of the thread.
pub(crate) struct CacheThread {
    shared: Arc<CacheShared>,
    jobs: Receiver<CacheJob>,
    /// The file and its settings; `None` when the cache is off.
    place: Option<(PathBuf, CacheSettings)>,
    /// Names the home in the file.
    home: String,
    next_try: Instant,
    /// Pause after the next save that is interrupted.
    retry: Duration,
}

impl CacheThread {
    pub(super) fn new(
        shared: Arc<CacheShared>,
        jobs: Receiver<CacheJob>,
        place: Option<(PathBuf, CacheSettings)>,
        home: String,
    ) -> Self {
        Self { shared, jobs, place, home, next_try: Instant::now(), retry: FIRST_RETRY }
    }

    /// Starts the thread, unless the cache is off. It ends with the core.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn spawn(mut self, core: Weak<Core>) -> io::Result<()> {
        let Some((path, settings)) = self.place.take() else { return Ok(()) };
        let work = move || self.run(&core, &path, &settings);
        std::thread::Builder::new().name("cache".to_owned()).spawn(work).map(drop)
    }

    fn run(mut self, core: &Weak<Core>, path: &Path, settings: &CacheSettings) {
        loop {
            let job = self.jobs.recv_timeout(POLL.min(settings.interval));
            let Some(core) = core.upgrade() else { return };
            match job {
                Ok(CacheJob::Save(request)) => self.save(&core, path, settings, &request, true),
                Ok(CacheJob::Close(done)) => {
                    self.close(&core, path, settings);
                    done.send(()).unwrap_or_default();
                }
                Ok(CacheJob::Remove(done)) => {
                    remove(path);
                    done.send(()).unwrap_or_default();
                    return;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            // A start from the cache should not have to index what it loads.
            if Instant::now() >= self.next_try && core.is_ready() && core.live().is_mostly_indexed() {
                if !path.exists() {
                    // Deleted since.
                    self.shared.covered.store(0, Ordering::SeqCst);
                }
                if self.is_worth(&core, settings.min_new_bytes) {
                    self.next_try = Instant::now() + self.retry;
                    self.shared.requested.store(true, Ordering::SeqCst);
                }
            }
        }
    }

    /// Whether so many bytes of the log, and a part of all, are new.
    fn is_worth(&self, core: &Core, min_new_bytes: u64) -> bool {
        let read: u64 = core.status().log_status.files.iter().map(|file| file.read_to).sum();
        let covered = self.shared.covered.load(Ordering::SeqCst);
        read.saturating_sub(covered) >= min_new_bytes.max(covered / NEW_BYTES_DIVISOR).max(1)
    }

    /// Saves what is new before the process ends. Changes wait meanwhile.
    fn close(&mut self, core: &Core, path: &Path, settings: &CacheSettings) {
        if !core.is_ready() || !self.is_worth(core, settings.min_new_bytes / CLOSE_DIVISOR) {
            return;
        }
        self.shared.requested.store(true, Ordering::SeqCst);
        let deadline = Instant::now() + CHECKPOINT_WAIT;
        while let Ok(job) = self.jobs.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            if let CacheJob::Save(request) = job {
                return self.save(core, path, settings, &request, false);
            }
        }
    }

    fn save(&mut self, core: &Core, path: &Path, settings: &CacheSettings, request: &SaveRequest, gives_way: bool) {
        let start = Instant::now();
        match write(core, path, &self.home, request, gives_way) {
            Ok(bytes) => {
                self.shared.covered.store(request.log.bytes(), Ordering::SeqCst);
                self.shared.saves.fetch_add(1, Ordering::Relaxed);
                (self.next_try, self.retry) = (Instant::now() + settings.interval, FIRST_RETRY);
                tracing::debug!("hub cache: {bytes} bytes saved in {} ms", start.elapsed().as_millis());
            }
            Err(SaveError::Interrupted) => {
                self.next_try = Instant::now() + self.retry.min(settings.interval);
                self.retry = self.retry.saturating_mul(2).min(settings.interval);
            }
            Err(SaveError::Io(error)) => {
                self.next_try = Instant::now() + settings.interval;
                self.shared.failures.fetch_add(1, Ordering::Relaxed);
                tracing::warn!("hub cache not saved: {}: {error}; the next start reads the log", path.display());
            }
        }
    }
}

fn remove(path: &Path) {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!("hub cache cannot be removed: {}: {error}", path.display());
        }
        _ => {}
    }
}

/// Writes the file beside its place and moves it there; returns its bytes.
fn write(core: &Core, path: &Path, home: &str, request: &SaveRequest, gives_way: bool) -> Result<u64, SaveError> {
    let Some(program) = ProgramIdentity::current() else {
        return Err(io::Error::other("the program's own file cannot be read").into());
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let temporary = path.with_extension("tmp");
    let written = (|| {
        let interrupted = || gives_way && core.live().is_writer_waiting();
        let mut writer = CacheWriter::create(&temporary, &interrupted)?;
        {
            let hub = core.hub();
            if core.line_blocks() != request.line_blocks {
                return Err(SaveError::Interrupted);
            }
            hub.save(&mut writer)?;
            // While the hub is locked: the index covers no event that was not saved.
            writer.section(SEARCH_SECTION, &*core.live().index())?;
        }
        // The hub is free again.
        writer.end_interruptions();
        writer.encoded_section(FINDINGS_SECTION, &request.findings)?;
        writer.section(LOG_SECTION, &request.log)?;
        let bytes = writer.finish(program, home)?;
        std::fs::rename(&temporary, path)?;
        durable::open_folder(folder)?.sync_all()?;
        Ok(bytes)
    })();
    if written.is_err() {
        // Nothing is there when it could not be created.
        drop(std::fs::remove_file(&temporary));
    }
    written
}
