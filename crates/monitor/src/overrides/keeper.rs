//! The thread that owns the override file.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use coordination::api::{CategoryChange, ManualOverride, Unreadable};
use coordination::ids::SessionId;
use tokio::sync::oneshot;

use super::file::{Content, ReadError, Signature};
use super::{Change, Committed, Request, StoreError, audit, file};
use crate::clock::Clock;
use crate::home::Home;
use crate::ingest::{Ingest, Input};

/// How often edits made by others are looked for.
const POLL: Duration = Duration::from_secs(1);

pub(super) struct Keeper {
    home: Home,
    clock: Clock,
    ingest: Ingest,
    content: Content,
    /// Signature of the file as last read; `None` before the first look.
    seen: Option<Option<Signature>>,
    /// Why the file cannot be used; writes are refused while this is set.
    damage: Option<String>,
    /// What is in force.
    entries: BTreeMap<SessionId, ManualOverride>,
}

impl Keeper {
    pub(super) fn new(home: Home, clock: Clock, ingest: Ingest) -> Self {
        Self { home, clock, ingest, content: Content::default(), seen: None, damage: None, entries: BTreeMap::new() }
    }

    pub(super) fn run(mut self, inbox: &Receiver<Request>) {
        loop {
            if self.refresh() && !self.ingest.send(self.input(None)) {
                return;
            }
            match inbox.recv_timeout(POLL) {
                Ok(Request { change, answer }) => {
                    let outcome = self.commit(&change).map(|manual| {
                        let (applied, shown) = oneshot::channel();
                        // Without a hub the sender is dropped, which the waiting side takes as done.
                        let _told: bool = self.ingest.send(self.input(Some(applied)));
                        Committed { manual, applied: shown }
                    });
                    if let Err(error) = &outcome {
                        tracing::error!(%error, "a category was not changed");
                    }
                    // The one who asked may have hung up; what is on disk stands.
                    drop(answer.send(outcome));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn input(&self, applied: Option<oneshot::Sender<()>>) -> Input {
        let path = self.home.overrides();
        let path = path.strip_prefix(self.home.root()).unwrap_or(&path).display().to_string();
        let trouble = self.damage.iter().map(|cause| Unreadable { path: path.clone(), cause: cause.clone() }).collect();
        Input::Overrides { entries: self.entries.clone(), trouble, applied }
    }

    /// Reads the file again if it is another one than last time. True when something may have changed.
    fn refresh(&mut self) -> bool {
        let path = self.home.overrides();
        let now = file::signature(&path);
        if self.seen == Some(now) {
            return false;
        }
        let first = self.seen.is_none();
        self.seen = Some(now);
        match file::read(&path) {
            Ok(content) => {
                self.entries = content.known(&self.clock.now_iso());
                self.content = content;
                self.damage = None;
            }
            Err(ReadError::Unreadable(cause)) => self.fall_back(first, cause),
            Err(ReadError::Damaged(bytes, cause)) => {
                match file::keep_aside(&path, &bytes, &self.clock.now_iso()) {
                    Ok(aside) => tracing::error!(aside = %aside.display(), cause, "the override file is damaged"),
                    Err(error) => {
                        tracing::error!(%error, cause, "the override file is damaged and could not be copied")
                    }
                }
                self.fall_back(first, cause);
            }
        }
        true
    }

    /// The values known so far stay in force; right after the start they come from the audit log.
    fn fall_back(&mut self, first: bool, cause: String) {
        self.damage = Some(cause);
        if first {
            match audit::read(&self.home.override_audit()) {
                Ok(changes) => self.entries = audit::replay(&changes),
                Err(error) => tracing::error!(%error, "the audit log cannot be read either"),
            }
        }
    }

    fn commit(&mut self, change: &Change) -> Result<Option<ManualOverride>, StoreError> {
        let not_committed = |error: std::io::Error| StoreError::not_committed(&error);
        let path = self.home.overrides();
        let mut log = audit::AuditLog::open(&self.home.override_audit()).map_err(not_committed)?;
        // Another program may have written since the last look; under the lock this is the newest there is.
        self.refresh();
        if let Some(cause) = &self.damage {
            let cause = format!("the override file cannot be read ({cause}); repair or remove it first");
            return Err(StoreError::NotCommitted { cause, full: false });
        }
        let from = self.content.written(&change.session_id);
        if from.is_none() && change.category.is_none() && !self.content.entries.contains_key(change.session_id.as_str())
        {
            return Ok(None);
        }
        let record = self.record(&mut log, change, from).map_err(not_committed)?;
        log.append(&record).map_err(not_committed)?;
        let manual = change.category.map(|collab_category| ManualOverride {
            collab_category,
            updated_at: record.at.clone(),
            updated_by: change.by.clone(),
        });
        let before = self.content.entries.clone();
        match &manual {
            Some(manual) => self.content.set(&change.session_id, manual),
            None => drop(self.content.entries.shift_remove(change.session_id.as_str())),
        }
        if let Err(error) = self.content.write(&path) {
            self.content.entries = before;
            let void = CategoryChange { void_of: Some(record.request_id.clone()), ..record };
            if let Err(error) = log.append(&void) {
                tracing::error!(%error, "a change that was not made stays in the audit log");
            }
            return Err(not_committed(error));
        }
        self.seen = Some(file::signature(&path));
        self.entries = self.content.known(&record.at);
        file::sync_folder(&path).map_err(|error| {
            // What the file says now is in force all the same: the next look must send it.
            self.seen = None;
            StoreError::Uncertain { cause: error.to_string() }
        })?;
        Ok(manual)
    }

    fn record(
        &self,
        log: &mut audit::AuditLog,
        change: &Change,
        from: Option<String>,
    ) -> std::io::Result<CategoryChange> {
        let to = change.category.map(|category| category.as_str().to_owned());
        let last = log.last_of(&change.session_id)?;
        Ok(CategoryChange {
            at: self.clock.now_iso(),
            work_session_id: change.session_id.clone(),
            undo_of: last.filter(|last| last.to == from && last.from == to).map(|last| last.request_id),
            from,
            to,
            by: change.by.clone(),
            reason: change.reason.clone(),
            request_id: change.request_id.clone(),
            void_of: None,
        })
    }
}
