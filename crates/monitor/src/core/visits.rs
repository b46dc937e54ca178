//! Store of last visits, `task-hub-visits.json` in the home: when each person whom a proxy names looked at the dashboard last.
//! The file is read for each visit, so that two monitors of one home agree. One that cannot be read is never overwritten.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use coordination::api::PersonVisit;
use serde::{Deserialize, Serialize};

use crate::fs::durable;
use crate::home::HomeDir;

/// People whose visits are stored. Of more, those who were here longest ago are dropped.
const MAX_PEOPLE: usize = 1_000;
/// Longer files are not ours: so many names of 200 characters fit.
const MAX_BYTES: u64 = 1 << 20;
/// A visit is not written again so soon, however often a page reports it.
const MIN_INTERVAL_MS: i64 = 10_000;

/// Content of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VisitsFile {
    /// Epoch milliseconds by name.
    last_visits: BTreeMap<String, i64>,
}

impl VisitsFile {
    fn set(&mut self, user: &str, now: i64) {
        let visits = &mut self.last_visits;
        visits.remove(user);
        while visits.len() >= MAX_PEOPLE
            && let Some((oldest, _)) = visits.iter().min_by_key(|(_, at)| **at)
        {
            let oldest = oldest.clone();
            visits.remove(&oldest);
        }
        visits.insert(user.to_owned(), now);
    }
}

/// The store of one home.
pub(crate) struct VisitStore {
    path: PathBuf,
    /// Whether this process holds the write lock of the home.
    may_write: Box<dyn Fn() -> bool + Send + Sync>,
    /// Whether the last visit was not recorded. Held while the file is read and replaced.
    failing: Mutex<bool>,
}

impl VisitStore {
    /// The store of this home. Nothing is read yet.
    pub(crate) fn new(home: &HomeDir, may_write: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { path: home.last_visits(), may_write: Box::new(may_write), failing: Mutex::new(false) }
    }

    /// Records that a person is here now, and returns the visit before. It blocks.
    pub(crate) fn record(&self, user: &str, now: i64) -> PersonVisit {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let (last_visit, recorded) = match self.read() {
            Ok(file) => (file.last_visits.get(user).copied(), self.write(file, user, now)),
            Err(error) => (None, Err(error)),
        };
        match &recorded {
            Err(error) if !*failing => {
                let file = self.path.display();
                tracing::warn!(%error, %file, "last visits are not recorded; each browser uses its own");
            }
            Ok(()) if *failing => tracing::info!("last visits are recorded again"),
            _ => {}
        }
        *failing = recorded.is_err();
        PersonVisit { last_visit, recorded: recorded.is_ok() }
    }

    fn read(&self) -> io::Result<VisitsFile> {
        match durable::read(&self.path, MAX_BYTES) {
            Ok((bytes, _)) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(VisitsFile::default()),
            Err(error) => Err(error),
        }
    }

    fn write(&self, mut file: VisitsFile, user: &str, now: i64) -> io::Result<()> {
        let is_recent = |at: &i64| (0..MIN_INTERVAL_MS).contains(&now.saturating_sub(*at));
        if file.last_visits.get(user).is_some_and(is_recent) {
            return Ok(());
        }
        if !(self.may_write)() {
            return Err(io::Error::other("another monitor writes this home"));
        }
        file.set(user, now);
        durable::replace(&self.path, &serde_json::to_vec(&file)?)
    }
}

#[cfg(test)]
mod tests;
