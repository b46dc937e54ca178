//! Writer thread of the override store (manual categories, classifier rules, shared records). It reloads files that
//! other programs edited, commits requests one after the other, and sends what is in force to the hub.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use coordination::api::{ManualOverride, StoreFailure, StoreInfo, StoreState, TaughtInfo, Unreadable};
use coordination::ids::SessionId;
use tokio::sync::oneshot;

use super::append_log;
use super::audit::{AuditLog, LastChanges};
use super::file::{self, OverrideFileContent, OverrideReadError};
use super::lock::{LockDenied, WriterLock};
use super::rules::RulesFile;
use super::shared::SharedFile;
use super::{
    Committed, OverrideChange, OverrideRequest, OverrideStoreShared, OverrideStoreUpdate, WriteError, WriteOutcomes,
};
use crate::clock::ServerClock;
use crate::fs::durable::{self, FileSignature};
use crate::home::HomeDir;
use crate::inputs::LookReport;
use crate::sink::ValueSink;

/// How often edits made by others are looked for.
const POLL: Duration = Duration::from_secs(1);

/// Everything known about the store. Every field but `info` belongs to the one thread.
pub(super) struct OverrideWriter {
    pub(super) home: HomeDir,
    pub(super) clock: ServerClock,
    pub(super) hub: ValueSink<OverrideStoreUpdate>,
    /// What others may know, for `health`.
    pub(super) info: Arc<Mutex<StoreInfo>>,
    /// Whether this process holds the write lock, for other threads.
    pub(super) holds_lock: Arc<AtomicBool>,
    /// The write lock; taken as soon as it is free and held until the end.
    pub(super) lock: Result<WriterLock, LockDenied>,
    /// The audit log; none before the first change, after an error, and without the lock.
    pub(super) log: Option<AuditLog>,
    /// The file as last read or written.
    pub(super) content: OverrideFileContent,
    /// Its signature then; `None` before the first look.
    pub(super) seen: Option<Option<FileSignature>>,
    /// Read it again even if it looks the same.
    pub(super) force_reload: bool,
    /// Why the file cannot be used; writes are refused while this is set.
    pub(super) damage: Option<Damage>,
    /// The overrides in force.
    pub(super) entries: BTreeMap<SessionId, ManualOverride>,
    /// The hub does not know it yet.
    pub(super) unpublished: bool,
    /// The newest rename is not surely durable.
    pub(super) unconfirmed: bool,
    /// The last change failed.
    pub(super) failing: bool,
    /// The rules of the classifier, from a file of their own.
    pub(super) rules: RulesFile,
    /// The rules and their status, for readers.
    pub(super) taught: Arc<Mutex<TaughtInfo>>,
    /// Notes, resolved marks and views for everybody, from a file of their own.
    pub(super) shared: SharedFile,
    /// Requests by outcome, for metrics.
    pub(super) outcomes: Arc<WriteOutcomes>,
}

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) cause: String,
    /// Name of the copy of its bytes.
    pub(super) copy_name: Option<String>,
}

/// Acquires the write lock. Removes a temporary file that a killed process left.
fn take_lock(home: &HomeDir) -> Result<WriterLock, LockDenied> {
    let lock = WriterLock::take(home.root());
    if lock.is_ok() {
        file::remove_rest(&home.overrides());
    }
    lock
}

impl OverrideWriter {
    /// Looks at everything once.
    pub(super) fn new(
        home: HomeDir,
        clock: ServerClock,
        hub: ValueSink<OverrideStoreUpdate>,
        shared: OverrideStoreShared,
    ) -> Self {
        let OverrideStoreShared { info: standing, taught, holds_lock, outcomes } = shared;
        let lock = take_lock(&home);
        let mut writer = Self {
            home,
            clock,
            hub,
            info: standing,
            holds_lock,
            lock,
            log: None,
            content: OverrideFileContent::default(),
            seen: None,
            force_reload: false,
            damage: None,
            entries: BTreeMap::new(),
            unpublished: true,
            unconfirmed: false,
            failing: false,
            rules: RulesFile::default(),
            taught,
            shared: SharedFile::default(),
            outcomes,
        };
        // The file's content replaces it, if it can be read.
        match append_log::read::<LastChanges>(&writer.home.override_audit()) {
            Ok(summary) => {
                writer.entries = summary.entries();
                writer.info().bad_audit_lines = summary.bad;
            }
            Err(error) => writer.failed(&format!("the audit log cannot be read: {error}")),
        }
        if let Err(LockDenied::OtherWriter) = &writer.lock {
            tracing::warn!(home = %writer.home.root().display(), "{}", LockDenied::OtherWriter);
        }
        writer.refresh();
        writer
    }

    pub(super) fn run(mut self, inbox: &Receiver<OverrideRequest>, mut report: LookReport) {
        let mut begun = None;
        loop {
            if (self.unpublished && !self.publish_to_hub(None))
                || (self.rules.unpublished && !self.publish_rules_to_hub(None))
                || (self.shared.unpublished && !self.publish_shared_to_hub(None))
            {
                return;
            }
            report.end(begun.take());
            match inbox.recv_timeout(POLL) {
                Ok(request) => self.answer(request),
                Err(RecvTimeoutError::Timeout) => {
                    begun = report.begin();
                    self.refresh();
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn answer(&mut self, request: OverrideRequest) {
        match request {
            OverrideRequest::Change { changes, answer } => self.answer_change(&changes, answer),
            OverrideRequest::Teach { put, answer } => self.answer_rules_change(&put, answer),
            OverrideRequest::Share { change, answer } => self.answer_shared_change(*change, answer),
        }
    }

    fn answer_change(&mut self, changes: &[OverrideChange], answer: oneshot::Sender<Result<Committed, WriteError>>) {
        let outcome = self.commit_all(changes);
        // A damaged file and a foreign lock have a state of their own.
        let of_disk = self.damage.is_none() && self.lock.is_ok();
        self.failing = of_disk && matches!(outcome, Err(WriteError::NotCommitted { .. }));
        match &outcome {
            Ok(done) => done.iter().for_each(|one| self.outcomes.count(one)),
            Err(_) => self.outcomes.count(&outcome),
        }
        let refused = outcome.iter().flatten().filter_map(|one| one.as_ref().err());
        let causes: Vec<String> = outcome.as_ref().err().into_iter().chain(refused).map(ToString::to_string).collect();
        if let Some(cause) = causes.first() {
            tracing::error!(cause, changes = causes.len(), "a category was not changed");
            self.failed(cause);
        }
        self.publish();
        let outcome = outcome.map(|done| {
            let (applied, shown) = oneshot::channel();
            // Without a hub the sender is dropped, which the waiting side takes as done.
            let _sent: bool = self.publish_to_hub(Some(applied));
            Committed { done, applied: shown }
        });
        self.info().pending -= 1;
        // The requester may have disconnected; what is on disk remains in force.
        drop(answer.send(outcome));
    }

    /// Sends the hub the overrides in force. False when the hub is gone.
    fn publish_to_hub(&mut self, applied: Option<oneshot::Sender<()>>) -> bool {
        let path = self.home.overrides();
        let path = path.strip_prefix(self.home.root()).unwrap_or(&path).display().to_string();
        let trouble = self.damage.iter().map(|damage| Unreadable { path: path.clone(), cause: damage.cause.clone() });
        self.unpublished = false;
        let entries = self.entries.clone();
        self.hub.send(OverrideStoreUpdate::Overrides { entries, trouble: trouble.collect(), applied })
    }

    /// Looks at what others did: to the lock, to the file, to the log.
    pub(super) fn refresh(&mut self) {
        // Without the write lock it can still read.
        drop(self.acquire_lock());
        self.reload_file();
        self.reload_rules();
        self.reload_shared();
        if self.lock.is_ok() {
            self.confirm();
            for confirmed in [self.confirm_rules(), self.confirm_shared()] {
                if let Err(error) = confirmed {
                    self.failed(&error.to_string());
                }
            }
            if let Err(error) = self.note() {
                self.failed(&format!("the audit log: {error}"));
            }
        }
        self.publish();
    }

    /// Takes the lock, if it is not ours already, and the log with it.
    pub(super) fn acquire_lock(&mut self) -> Result<(), WriteError> {
        let replaced = self.lock.as_ref().is_ok_and(|lock| lock.is_of_another(self.home.root()));
        if replaced || self.lock.is_err() {
            self.log = None;
            self.lock = take_lock(&self.home);
        }
        if replaced {
            self.reset_to_new_home();
        }
        match &self.lock {
            Ok(_) => Ok(()),
            Err(denied) => Err(WriteError::not_committed_because(denied.to_string())),
        }
    }

    /// Another home replaced the one that was read: nothing of that one is in force, and what could not be
    /// read there is not written here.
    fn reset_to_new_home(&mut self) {
        tracing::warn!("the home is another folder now: its overrides are read from the beginning");
        self.damage = None;
        let audit = append_log::read::<LastChanges>(&self.home.override_audit());
        self.entries = audit.map(|summary| summary.entries()).unwrap_or_default();
        self.shared = SharedFile::default();
        self.shared.unpublished = true;
        self.content = OverrideFileContent::default();
        self.seen = None;
        self.unpublished = true;
    }

    /// Reads the file again if it is another one than last time.
    pub(super) fn reload_file(&mut self) {
        let path = self.home.overrides();
        let now = durable::signature(&path);
        let changed = self.seen != Some(now);
        if !changed && !self.force_reload {
            return;
        }
        self.seen = Some(now);
        // Two changes within the clock's grain have one signature: the second look finds the later one.
        self.force_reload = changed;
        match file::read(&path) {
            Ok(Some(content)) => self.take(content),
            // A home without overrides gets no file because one could not be read for a while.
            Ok(None) if self.damage.is_some() && !self.entries.is_empty() => self.restore(),
            Ok(None) => self.take(OverrideFileContent::default()),
            Err(OverrideReadError::Unreadable(cause)) => {
                self.force_reload = true;
                self.mark_damaged(Damage { cause, copy_name: None });
            }
            Err(OverrideReadError::Damaged { bytes, cause }) => {
                let copied = file::copy_damaged(&path, &bytes, &self.clock.now_iso());
                let copy_name = copied.map_err(|error| {
                    self.force_reload = true;
                    self.failed(&format!("the damaged override file cannot be copied: {error}"));
                });
                self.mark_damaged(Damage { cause, copy_name: copy_name.ok() });
            }
        }
    }

    fn take(&mut self, content: OverrideFileContent) {
        let entries = content.known(&self.entries, &self.clock.now_iso());
        self.unpublished |= self.damage.is_some() || entries != self.entries;
        self.damage = None;
        self.entries = entries;
        self.content = content;
    }

    /// The values known so far stay in force; right after the start they are those of the audit log.
    fn mark_damaged(&mut self, damage: Damage) {
        if self.damage.as_ref() == Some(&damage) {
            return;
        }
        tracing::error!(cause = damage.cause, kept_aside = damage.copy_name, "the override file cannot be used");
        self.failed(&format!("the override file cannot be used: {}", damage.cause));
        self.damage = Some(damage);
        self.unpublished = true;
    }

    /// A person removed the unreadable file: the overrides in force are written in its place.
    fn restore(&mut self) {
        self.force_reload = true;
        if self.lock.is_err() {
            return;
        }
        let (path, content) = (self.home.overrides(), OverrideFileContent::from_entries(&self.entries));
        match content.stage(&path).and_then(file::Staged::put) {
            Ok(()) => {
                tracing::info!("the override file was written again from the overrides in force");
                self.unconfirmed = true;
                self.seen = Some(durable::signature(&path));
                self.take(content);
            }
            Err(error) => self.failed(&format!("the override file cannot be written again: {error}")),
        }
    }

    /// Makes the newest rename durable, if it is not yet.
    fn confirm(&mut self) {
        if self.unconfirmed {
            match durable::sync_folder(&self.home.overrides()) {
                Ok(()) => self.unconfirmed = false,
                Err(error) => self.failed(&error.to_string()),
            }
        }
    }

    /// Notes differences of the file in the log. Before the first change made here there is no log, and a home
    /// that is only looked at gets none.
    fn note(&mut self) -> std::io::Result<()> {
        let path = self.home.override_audit();
        if !self.log.as_ref().is_some_and(AuditLog::is_current) {
            self.log = None;
            self.log = AuditLog::open_existing(&path)?;
        }
        let Some(log) = self.log.as_mut().filter(|_| self.damage.is_none()) else { return Ok(()) };
        let missing = log.content().missing(&self.entries, &self.content, &self.clock.now_iso());
        if !missing.is_empty()
            && let Err(error) = log.append(missing)
        {
            self.log = None;
            return Err(error);
        }
        Ok(())
    }

    /// Stores the newest failure for `health`.
    pub(super) fn failed(&self, cause: &str) {
        let failure = StoreFailure { at: self.clock.now_ms(), cause: cause.to_owned() };
        self.info().last_error = Some(failure);
    }

    /// Brings what others may know up to date.
    fn publish(&self) {
        self.holds_lock.store(self.lock.is_ok(), Ordering::Relaxed);
        let mut info = self.info();
        let newest = info.last_error.as_ref().map(|failure| failure.cause.clone());
        (info.state, info.cause) = match (&self.damage, &self.lock) {
            (Some(damage), _) => (StoreState::Damaged, Some(damage.cause.clone())),
            (None, Err(refusal)) => (StoreState::ReadOnly, Some(refusal.to_string())),
            _ if self.unconfirmed => (StoreState::Uncertain, newest),
            _ if self.failing => (StoreState::ReadOnly, newest),
            _ => (StoreState::Ok, None),
        };
        info.path = self.home.display(&self.home.overrides());
        info.entries = self.entries.len() as u64;
        info.kept_aside = self.damage.as_ref().and_then(|damage| damage.copy_name.clone());
        if let Some(log) = &self.log {
            info.bad_audit_lines = log.content().bad;
        }
    }

    pub(super) fn info(&self) -> std::sync::MutexGuard<'_, StoreInfo> {
        self.info.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
