//! Generator of OpenClaw homes (state folders) for demos, benchmarks and tests. The demo home is the embedded fixture
//! `everything` with shifted times. A home of a given number of events repeats the fixture's messages with new ids.
//!
//! [`write`] makes a home in a new or empty folder, [`follow`] appends to its log. The crate reads no clock (callers
//! pass `now_ms`). The file `.rehearsal` marks a folder that it wrote; it writes into no other folder with content.

mod demo;
mod embedded;
mod follow;
mod log;
mod random;
mod scenes;
mod script;
mod shift;
mod tasks;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The fixed clock of the fixtures, in epoch milliseconds (`fixtures/README.md`).
pub const FIXTURE_NOW: i64 = 1_771_651_020_000;
/// File in every folder that [`write`] has made, and in no other: a real home is never touched.
const MARKER: &str = ".rehearsal";

/// Whether a folder was written by [`write`].
#[must_use]
pub fn is_rehearsal(folder: &Path) -> bool {
    folder.join(MARKER).exists()
}

/// What to write.
#[derive(Debug, Clone)]
pub struct DemoPlan {
    /// Folder of the home.
    pub folder: PathBuf,
    /// Number of events.
    pub events: usize,
    /// Equal seeds write equal homes.
    pub seed: u64,
    /// Time of the newest event.
    pub end: Option<i64>,
    /// The demo home instead of a home of a given size.
    pub demo: bool,
    /// Continues to append.
    pub follow: bool,
    /// Events a second while following; realistic pauses without it.
    pub rate: Option<f64>,
    /// Name of the file below `logs/` that takes hooks of Claude Code, for the demo home.
    pub drop_file: &'static str,
}

/// Why nothing was written; each is one sentence for stderr.
#[derive(Debug, thiserror::Error)]
pub enum RehearseError {
    /// The folder has foreign content.
    #[error("{0} is not empty and was not written by a rehearsal; choose a new folder")]
    Foreign(PathBuf),
    /// The folder holds a rehearsal already.
    #[error("{0} holds a rehearsal already; add --follow to go on appending, or choose a new folder")]
    Already(PathBuf),
    /// The file system refused.
    #[error("cannot write {path}: {cause}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        cause: std::io::Error,
    },
}

impl RehearseError {
    fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |cause| Self::Write { path: path.to_path_buf(), cause }
    }
}

/// Writes the home; false when the folder holds one already and it is to be followed.
///
/// # Errors
/// When the folder is not ours or cannot be written.
pub fn write(plan: &DemoPlan, now_ms: &dyn Fn() -> i64) -> Result<bool, RehearseError> {
    let marker = plan.folder.join(MARKER);
    let written = marker.is_file();
    let empty = fs::read_dir(&plan.folder).map_or(true, |mut entries| entries.next().is_none());
    match (written, empty) {
        (true, _) if !plan.follow => return Err(RehearseError::Already(plan.folder.clone())),
        (false, false) => return Err(RehearseError::Foreign(plan.folder.clone())),
        (true, _) => return Ok(false),
        (false, true) => {}
    }
    fs::create_dir_all(&plan.folder).map_err(RehearseError::write(&plan.folder))?;
    fs::write(&marker, "Written by task-monitor rehearse.\n").map_err(RehearseError::write(&marker))?;
    let end = plan.end.unwrap_or_else(now_ms);
    if plan.demo {
        demo::write(&plan.folder, plan.drop_file, end)?;
    } else {
        scenes::write(plan, end)?;
    }
    Ok(true)
}

/// Continues to append until the folder is gone, an error, or the end of the process.
///
/// # Errors
/// When the log cannot be written.
pub fn follow(plan: &DemoPlan, now_ms: &dyn Fn() -> i64) -> Result<(), RehearseError> {
    follow::run(plan, now_ms)
}

/// Seconds as a pause; nonsense becomes none.
fn pause(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
