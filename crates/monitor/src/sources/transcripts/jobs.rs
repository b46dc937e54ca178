//! Reader of `a2a-jobs/job-<runId>.json`, OpenClaw's files of agent-to-agent requests, running or recently finished
//! (`contract/workspace.md` §8). Only changed files are read.

use std::collections::BTreeMap;

use coordination::api::Unreadable;
use coordination::merge::{Job, is_job_name, read_job};
use coordination::store::JOBS_FOLDER;

use crate::fs::sandbox::FileMeta;
use crate::home::HomeDir;
use crate::sources::workspace::{ReadError, read_text};

/// A job holds one message.
const MAX_JOB_FILE_BYTES: u64 = 4 << 20;
/// Finished ones are deleted after a week, so there are never so many.
const MAX_JOB_FILES: usize = 10_000;

/// Knows the jobs of the last look.
#[derive(Debug, Default)]
pub(super) struct JobFiles {
    known: BTreeMap<String, (FileMeta, Option<Job>)>,
}

impl JobFiles {
    /// Looks at all of them and reads the changed ones; whether anything changed.
    pub(super) fn look(&mut self, home: &HomeDir, trouble: &mut Vec<Unreadable>) -> bool {
        let mut report = |path: &str, error: ReadError| {
            if let ReadError::Unreadable(cause) = error {
                trouble.push(Unreadable { path: path.to_owned(), cause });
            }
        };
        let folder = match home.open().and_then(|home| home.folder(JOBS_FOLDER)).map_err(ReadError::from) {
            Ok(folder) => folder,
            Err(error) => {
                let missing = matches!(error, ReadError::Missing);
                report(JOBS_FOLDER, error);
                return missing && !std::mem::take(&mut self.known).is_empty();
            }
        };
        let names = match folder.names().map_err(ReadError::from) {
            Ok(names) => names,
            Err(error) => {
                report(JOBS_FOLDER, error);
                return false;
            }
        };
        let mut before = std::mem::take(&mut self.known);
        let mut changed = false;
        for name in names.into_iter().filter(|name| is_job_name(name)).take(MAX_JOB_FILES) {
            let Ok(seen) = folder.metadata(&name).and_then(FileMeta::regular) else { continue };
            match before.remove(&name) {
                Some((known, job)) if known == seen => {
                    self.known.insert(name, (seen, job));
                }
                old => match read_text(&folder, &name, MAX_JOB_FILE_BYTES) {
                    Ok(text) => {
                        // One that is half written reads as none, and is another file when it is whole.
                        let job = read_job(&text);
                        changed |= old.and_then(|(_, job)| job) != job;
                        self.known.insert(name, (seen, job));
                    }
                    Err(error) => report(&format!("{JOBS_FOLDER}/{name}"), error),
                },
            }
        }
        changed || before.into_values().any(|(_, job)| job.is_some())
    }

    pub(super) fn jobs(&self) -> Vec<Job> {
        self.known.values().filter_map(|(_, job)| job.clone()).collect()
    }
}
