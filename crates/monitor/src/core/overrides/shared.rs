//! Storage of shared records (notes, resolved marks, views for everybody, rules of alerts) in an append-only file next to the override
//! file. Replaying its lines gives the records in force. A change is acknowledged when its line is durable; lines of
//! other programs are read when the file changes.

use std::io;

use coordination::api::{SharedChanged, SharedContent, SharedLine, Unreadable};
use coordination::shared_records::{SharedRecords, SharedRefusal};
use tokio::sync::oneshot;

use super::append_log::{self, AppendLog, Replay};
use super::writer::OverrideWriter;
use super::{Applied, OverrideStoreUpdate, WriteError};
use crate::fs::durable;
use crate::home::HomeDir;

/// A requested change of a shared record.
#[derive(Debug, Clone)]
pub struct SharedChange {
    /// Id of the record.
    pub id: String,
    /// Its new content; `None` removes it.
    pub content: Option<SharedContent>,
    /// The revision that the author saw; the change is refused when it is another one.
    pub expected: Option<u32>,
    /// The author.
    pub by: Option<String>,
    /// Names the change in the monitor's log.
    pub request_id: String,
}

/// A durable change: its result, and a receiver that resolves when queries show it.
pub(super) type SharedCommitted = (SharedChanged, Applied);

/// The file as last read or written.
#[derive(Debug)]
pub(super) struct SharedFile {
    /// The records in force.
    records: SharedRecords,
    /// The file, to append to; `None` when it has to be opened first.
    log: Option<AppendLog<SharedRecords>>,
    /// Its signature then; `None` before the first look.
    seen: Option<Option<durable::FileSignature>>,
    /// Read it again even if it looks the same.
    force_reload: bool,
    /// Why it cannot be read; the earlier records stay in force, and writes are refused.
    trouble: Option<String>,
    /// The hub does not know it yet.
    pub(super) unpublished: bool,
    /// The file is new, and its entry in the folder is not surely durable.
    unconfirmed: bool,
}

impl Default for SharedFile {
    fn default() -> Self {
        Self {
            records: SharedRecords::default(),
            log: None,
            seen: None,
            force_reload: false,
            trouble: None,
            // A home without such a file has none, which the hub does not know before.
            unpublished: true,
            unconfirmed: false,
        }
    }
}

#[cfg(test)]
impl SharedFile {
    pub(super) fn records(&self) -> &SharedRecords {
        &self.records
    }
}

impl Replay for SharedRecords {
    type Line = SharedLine;

    fn apply(&mut self, line: SharedLine) {
        self.apply(line);
    }
}

/// The shared records of a home, and the number of lines that cannot be read; none without a file.
///
/// # Errors
/// When there is a file that cannot be read.
pub(crate) fn read_shared_records(home: &HomeDir) -> io::Result<(SharedRecords, u64)> {
    append_log::read(&home.shared_records()).map(|content| (content.state, content.bad))
}

impl OverrideWriter {
    /// Reads the file again if it is another one than last time.
    pub(super) fn reload_shared(&mut self) {
        let path = self.home.shared_records();
        let shared = &mut self.shared;
        let now = durable::signature(&path);
        let changed = shared.seen != Some(now);
        if !changed && !shared.force_reload {
            return;
        }
        shared.seen = Some(now);
        // Two changes within the clock's grain have one signature: the second look finds the later one.
        shared.force_reload = changed;
        match AppendLog::<SharedRecords>::open_existing(&path) {
            // A person removed the unreadable file, as the message asked: the records in force are written in its place.
            Ok(None) if shared.trouble.is_some() && !shared.records.is_empty() && self.lock.is_ok() => {
                self.restore_shared()
            }
            Ok(log) => {
                let bad = log.as_ref().map_or(0, |log| log.content().bad);
                if bad > 0 {
                    tracing::warn!(lines = bad, "lines of the file of shared records cannot be read");
                }
                let records = log.as_ref().map(|log| log.content().state.clone()).unwrap_or_default();
                shared.unpublished |= shared.trouble.take().is_some() || records != shared.records;
                (shared.records, shared.log) = (records, log);
            }
            Err(error) => {
                let cause = error.to_string();
                shared.force_reload = true;
                shared.log = None;
                if shared.trouble.as_ref() != Some(&cause) {
                    tracing::error!(cause, "the file of shared records cannot be read");
                    shared.trouble = Some(cause);
                    shared.unpublished = true;
                }
            }
        }
    }

    fn restore_shared(&mut self) {
        let shared = &mut self.shared;
        let path = self.home.shared_records();
        let written =
            AppendLog::<SharedRecords>::open(&path).and_then(|mut log| log.append(shared.records.lines()).map(|_| log));
        match written {
            Ok(log) => {
                tracing::info!("the file of shared records was written again from the records in force");
                (shared.log, shared.trouble) = (Some(log), None);
                (shared.unpublished, shared.unconfirmed) = (true, true);
            }
            Err(error) => {
                let cause = format!("the file of shared records cannot be written again: {error}");
                self.failed(&cause);
            }
        }
    }

    /// Sends the hub the records in force. False when the hub is gone.
    pub(super) fn publish_shared_to_hub(&mut self, applied: Option<oneshot::Sender<()>>) -> bool {
        let path = self.home.shared_records();
        let path = path.strip_prefix(self.home.root()).unwrap_or(&path).display().to_string();
        let trouble = self.shared.trouble.iter().map(|cause| Unreadable { path: path.clone(), cause: cause.clone() });
        self.shared.unpublished = false;
        let records = self.shared.records.clone();
        self.hub.send(OverrideStoreUpdate::Shared { records, trouble: trouble.collect(), applied })
    }

    /// Answers a request to change a record.
    pub(super) fn answer_shared_change(
        &mut self,
        change: SharedChange,
        answer: oneshot::Sender<Result<SharedCommitted, WriteError>>,
    ) {
        let outcome = self.change_shared(change);
        self.outcomes.count(&outcome);
        if let Err(error @ (WriteError::NotCommitted { .. } | WriteError::Uncertain { .. })) = &outcome {
            tracing::error!(cause = error.to_string(), "a shared record was not written");
            self.failed(&error.to_string());
        }
        let outcome = outcome.map(|changed| {
            let (applied, shown) = oneshot::channel();
            // Without a hub the sender is dropped, which the waiting side takes as done.
            let _sent: bool = self.publish_shared_to_hub(Some(applied));
            (changed, shown)
        });
        self.info().pending -= 1;
        // The requester may have disconnected; what is on disk remains in force.
        drop(answer.send(outcome));
    }

    /// Appends the line of a change and makes it durable. A change that says what is in force already writes nothing.
    pub(super) fn change_shared(&mut self, change: SharedChange) -> Result<SharedChanged, WriteError> {
        self.acquire_lock()?;
        self.reload_shared();
        if let Some(cause) = &self.shared.trouble {
            let cause = format!("the file of shared records cannot be read ({cause}); repair or remove it first");
            return Err(WriteError::not_committed_because(cause));
        }
        if next_revision(&self.shared.records, &change)?.is_none() {
            self.confirm_shared()?;
            return Ok(self.shared_changed(&change.id));
        }
        let path = self.home.shared_records();
        let mut log = match self.shared.log.take() {
            Some(log) if log.is_current() => log,
            _ => {
                // The next look reads what another program wrote, or the file that is made here.
                self.shared.seen = None;
                AppendLog::open(&path).map_err(WriteError::not_committed)?
            }
        };
        self.shared.unconfirmed |= log.content().length == 0;
        let next = next_revision(&log.content().state, &change)?;
        let Some(revision) = next else {
            // Another program wrote the same meanwhile.
            self.shared.records = log.content().state.clone();
            self.shared.unpublished = true;
            return Ok(self.shared_changed(&change.id));
        };
        let SharedChange { id, content, by, request_id, .. } = change;
        let line = SharedLine { at: self.clock.now_ms(), by, request_id, id: id.clone(), revision, content };
        if let Err(error) = log.append(vec![line.clone()]) {
            self.shared.seen = None;
            self.reload_shared();
            let is_there = self.shared.records.revision(&line.id) == revision
                && self.shared.records.get(&line.id).map(|record| record.content) == line.content;
            return Err(match is_there {
                true => WriteError::Uncertain { cause: error.to_string() },
                false => WriteError::not_committed(error),
            });
        }
        self.shared.records = log.content().state.clone();
        self.shared.log = Some(log);
        self.shared.seen = Some(durable::signature(&path));
        // Another program may have appended since.
        self.shared.force_reload = true;
        self.shared.unpublished = true;
        self.confirm_shared()?;
        Ok(self.shared_changed(&id))
    }

    /// Makes a new file durable, if it is not yet.
    pub(super) fn confirm_shared(&mut self) -> Result<(), WriteError> {
        if self.shared.unconfirmed {
            let synced = durable::sync_folder(&self.home.shared_records());
            synced.map_err(|error| WriteError::Uncertain { cause: error.to_string() })?;
            self.shared.unconfirmed = false;
        }
        Ok(())
    }

    fn shared_changed(&self, id: &str) -> SharedChanged {
        let records = &self.shared.records;
        SharedChanged { record: records.get(id), revision: records.revision(id) }
    }
}

fn next_revision(records: &SharedRecords, change: &SharedChange) -> Result<Option<u32>, WriteError> {
    let next = records.next_revision(&change.id, change.content.as_ref(), change.expected);
    next.map_err(|refusal| match refusal {
        SharedRefusal::Conflict(current) => WriteError::Conflict { current: Some(current) },
        SharedRefusal::Full => WriteError::not_committed_because("there are 10,000 shared records; remove some first"),
    })
}
