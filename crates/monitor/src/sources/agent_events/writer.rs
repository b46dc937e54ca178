//! Thread that writes coding agents' events to the journal. It decides which of the received inputs are new, stores
//! them and publishes the resulting changes to the hub.

mod dropping;
mod fresh;
mod logged;
mod publish;

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use std::{io, iter};

use coordination::api::{ItemResult, ItemState, StoreFailure, Unreadable};
use coordination::schema::{
    AgentsChanged, Beats, Changed, ErrorRate, Fault, InputKind, Kind, Ledger, SchemaInput, schema_error,
};

use self::fresh::Fresh;
use self::logged::RecentLogCauses;
use super::drop_file::DropFile;
use super::journal::{DropPositions, Journal, JournalEntry};
use super::lines::FilePosition;
use super::rotated_drop_file::RotatedDropFile;
use super::{AgentEventsShared, AgentEventsUpdate, IngestRequest, SubmittedItem, arrival, defaults};
use crate::clock::ServerClock;
use crate::config::{HooksConfig, Settings};
use crate::fs::durable::WriteError;
use crate::home::HomeDir;
use crate::inputs::LookReport;
use crate::sink::ValueSink;

/// How often the drop file is looked at, and what others do to the record.
const POLL: Duration = Duration::from_millis(250);
/// The same while nothing has come for a time: hooks post to a running monitor, so the drop file is seldom written.
const QUIET_POLL: Duration = Duration::from_secs(1);
/// That time.
const QUIET_AFTER: Duration = Duration::from_secs(30);
/// Requests that are written together, at most.
const MAX_BATCHED_REQUESTS: usize = 64;

/// State of the journal thread, owned by it alone.
pub(super) struct JournalWriter {
    clock: ServerClock,
    hooks: HooksConfig,
    /// Receiver of the changes.
    hub: ValueSink<AgentEventsUpdate>,
    /// What readers see.
    shared: Arc<AgentEventsShared>,
    /// Whether this process has the right to write the home.
    may_write: Box<dyn Fn() -> bool + Send>,
    pub(super) journal: Journal,
    /// Reader of the drop file.
    pub(super) dropped: DropFile,
    /// Reader of the rotated drop file.
    pub(super) rotated: RotatedDropFile,
    /// All inputs, and the events that follow from them.
    pub(super) ledger: Ledger,
    /// Limits how many rejected inputs become events.
    rate: ErrorRate,
    /// The agents as last sent to the hub.
    published_agents: AgentsChanged,
    /// Heartbeats of agents.
    beats: Beats,
    /// The journal is read, and its events are published.
    loaded: bool,
    /// Files that cannot be read, as last sent to the hub.
    unreadable: Vec<Unreadable>,
    /// Causes that were logged recently.
    logged: RecentLogCauses,
    /// When the journal last had new inputs; at first, when it was begun to be read.
    last_input: Instant,
    pub(super) report: LookReport,
}

/// What a thread that ended in a panic had last sent to the hub.
#[derive(Debug, Default)]
pub(super) struct LastReported {
    unreadable: Vec<Unreadable>,
    agents: AgentsChanged,
}

impl JournalWriter {
    pub(super) fn new(
        settings: &Settings,
        hub: ValueSink<AgentEventsUpdate>,
        shared: Arc<AgentEventsShared>,
        may_write: Box<dyn Fn() -> bool + Send>,
    ) -> Self {
        Self {
            clock: settings.clock,
            hooks: settings.hooks.clone(),
            hub,
            shared,
            may_write,
            journal: Journal::new(settings.home.clone()),
            dropped: DropFile::new(settings.home.clone()),
            rotated: RotatedDropFile::new(settings.home.clone()),
            ledger: Ledger::default(),
            rate: ErrorRate::default(),
            published_agents: AgentsChanged::default(),
            beats: Beats::new(
                i64::try_from(settings.hooks.heartbeat.as_millis()).unwrap_or(i64::MAX),
                &settings.hooks.locale,
            ),
            loaded: false,
            unreadable: Vec::new(),
            logged: RecentLogCauses::default(),
            last_input: Instant::now(),
            report: LookReport::default(),
        }
    }

    /// Continues from the last reported state.
    pub(super) fn resume_from(mut self, before: LastReported) -> Self {
        (self.unreadable, self.published_agents) = (before.unreadable, before.agents);
        self
    }

    /// It ended in a panic: readers learn that their data may be old. State that was being changed is not read.
    pub(super) fn on_panic(&self) -> LastReported {
        let error = io::Error::other("a mistake of the monitor in reading the journal; it starts again");
        let unreadable = vec![self.failed(HomeDir::INGEST_RECORD, &error)];
        self.shared.reading.send_modify(|reading| reading.unreadable = true);
        let agents = AgentsChanged::default();
        let change = AgentEventsUpdate { agents, unreadable: unreadable.clone(), ..AgentEventsUpdate::default() };
        // Without a hub the monitor is closing.
        let _sent: bool = self.hub.send(change);
        LastReported { unreadable, agents: self.published_agents.clone() }
    }

    pub(super) fn run(&mut self, inbox: &Receiver<IngestRequest>) {
        let mut more = self.step();
        loop {
            let wait = if more { Duration::ZERO } else { self.wait() };
            match inbox.recv_timeout(wait) {
                Ok(first) => {
                    // Requests that wait are written with the first: one wait for the disk serves all of them.
                    self.answer(iter::once(first).chain(inbox.try_iter()).take(MAX_BATCHED_REQUESTS).collect());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            more = self.step();
        }
    }

    fn wait(&self) -> Duration {
        let due = self
            .ledger
            .due()
            .into_iter()
            .chain(self.beats.due())
            .min()
            .map(|due| due.saturating_sub(self.clock.now_ms()).max(1));
        let poll = if self.last_input.elapsed() < QUIET_AFTER { POLL } else { QUIET_POLL };
        due.and_then(|wait| u64::try_from(wait).ok()).map_or(poll, |wait| poll.min(Duration::from_millis(wait)))
    }

    /// Looks at the record, the files of hooks and the time. True when there is more to take in at once.
    pub(super) fn step(&mut self) -> bool {
        let begun = self.report.begin();
        let record = self.look().map_err(|error| self.failed(HomeDir::INGEST_RECORD, &error)).err();
        let unreadable = record.is_some();
        self.shared
            .reading
            .send_if_modified(|reading| std::mem::replace(&mut reading.unreadable, unreadable) != unreadable);
        let (rest, rotated) = match self.read_rotated() {
            Ok(more) => (more, None),
            // A foreign file in its place does not stop the reading of hooks.
            Err(error) => (Some(false), Some(self.failed(HomeDir::ROTATED_HOOK_EVENTS, &error))),
        };
        let (more, drop) = match rest.map(|more| self.look_at_drop().map(|other| more || other)) {
            Some(Ok(more)) => (more, None),
            Some(Err(error)) => (false, Some(self.failed(HomeDir::HOOK_EVENTS, &error))),
            None => (false, None),
        };
        let now = self.clock.now_ms();
        if self.loaded && self.ledger.due().is_some_and(|due| due <= now) {
            let changed = self.ledger.settle(now);
            self.publish_changes(changed);
        }
        if self.beats.due().is_some_and(|due| due <= now) {
            let beats = self.beats.turn(now);
            self.beat(&beats);
        }
        let unreadable: Vec<_> = record.into_iter().chain(rotated).chain(drop).collect();
        if unreadable != self.unreadable {
            self.unreadable = unreadable;
            self.send(Changed::default());
        }
        self.publish();
        self.report.end(begun.filter(|_| !more && self.unreadable.is_empty()));
        more
    }

    fn failed(&self, name: &str, error: &io::Error) -> Unreadable {
        let path = format!("logs/{name}");
        self.note_failure(&format!("{path}: {error}"));
        Unreadable { path, cause: error.to_string() }
    }

    /// Stores the newest failure for `health`.
    fn note_failure(&self, cause: &str) {
        let mut info = self.shared.info();
        if info.last_error.as_ref().is_none_or(|last| last.cause != cause) {
            if self.logged.is_due(cause, Instant::now()) {
                tracing::error!(cause, "agent events failed");
            }
            info.last_error = Some(StoreFailure { at: self.clock.now_ms(), cause: cause.to_owned() });
        }
    }

    /// Takes in the new lines of the journal.
    fn look(&mut self) -> io::Result<()> {
        loop {
            let found = self.journal.look()?;
            if found.replaced {
                tracing::warn!("the journal of agent events was replaced: it is read from its beginning");
                self.ledger = Ledger::default();
                self.loaded = false;
                self.dropped.continue_from(FilePosition::default());
                self.rotated.continue_from(FilePosition::default());
            }
            let mut inputs = Vec::new();
            for JournalEntry { input, places } in found.entries {
                inputs.extend(input);
                places.drop.into_iter().for_each(|place| self.dropped.continue_from(place));
                places.rotated.into_iter().for_each(|place| self.rotated.continue_from(place));
            }
            if !inputs.is_empty() {
                self.last_input = Instant::now();
                let changed = self.ledger.take(inputs);
                let evicted = self.ledger.evict(self.hooks.max_tool_events);
                if self.loaded {
                    self.publish_changes(changed);
                    self.publish_changes(evicted);
                }
            }
            if !found.more {
                break;
            }
        }
        if !self.loaded {
            self.load();
        }
        Ok(())
    }

    /// The whole journal is read for the first time, or again: everything that follows from it is published at once, in order.
    fn load(&mut self) {
        self.ledger.settle(self.clock.now_ms());
        let put: Vec<_> = self.ledger.timeline().events().cloned().collect();
        let held: HashSet<&str> = put.iter().map(|event| event.id.as_str()).collect();
        let board = self.shared.board.read().unwrap_or_else(PoisonError::into_inner);
        let removed = board.ids().filter(|id| !held.contains(id)).map(str::to_owned).collect();
        drop(board);
        self.loaded = true;
        let known: HashSet<&str> = self.ledger.timeline().agents().map(|agent| agent.agent_id.as_str()).collect();
        let lost: Vec<String> =
            self.published_agents.0.keys().filter(|id| !known.contains(id.as_str())).cloned().collect();
        self.publish_whole(Changed { put, removed, evicted: Vec::new() }, lost);
        self.shared.reading.send_modify(|reading| reading.revision = Some(reading.revision.unwrap_or(0)));
    }

    pub(super) fn answer(&mut self, requests: Vec<IngestRequest>) {
        let mut items = Vec::new();
        let mut waiting = Vec::new();
        for request in requests {
            waiting.push((request.items.len(), request.answer));
            items.extend(request.items.into_iter().map(|item| (Some(item), DropPositions::default())));
        }
        let mut outcome = self.commit(items).map(|results| results.into_iter().flatten());
        for (count, answer) in waiting {
            let results = match &mut outcome {
                Ok(results) => Ok(results.take(count).collect()),
                Err(error) => Err(error.clone()),
            };
            // The requester may have disconnected; what is on the disk remains.
            drop(answer.send(results));
        }
    }

    /// Decides what is new, writes it, and takes it in from there. An entry without an item only advances the position
    /// in its file.
    pub(super) fn commit(
        &mut self,
        items: Vec<(Option<SubmittedItem>, DropPositions)>,
    ) -> Result<Vec<Option<ItemResult>>, WriteError> {
        let done = self.try_commit(items);
        if let Err(error) = &done {
            self.note_failure(&error.to_string());
        }
        done
    }

    fn try_commit(
        &mut self,
        items: Vec<(Option<SubmittedItem>, DropPositions)>,
    ) -> Result<Vec<Option<ItemResult>>, WriteError> {
        if !(self.may_write)() {
            return Err(WriteError::not_committed_because(self.why_not()));
        }
        self.look().map_err(WriteError::not_committed)?;
        let mut fresh = Fresh::default();
        let mut left_out = 0;
        let (mut entries, mut results, mut moved) = (Vec::new(), Vec::new(), DropPositions::default());
        for (item, places) in items {
            let (input, result) = match item {
                None => (None, None),
                Some(item) => {
                    let (input, result) = self.decide(item, &mut fresh, &mut left_out);
                    (input, Some(result))
                }
            };
            results.push(result);
            if input.is_some() {
                moved = DropPositions::default();
                entries.push(JournalEntry { input, places });
            } else if !places.is_empty() {
                moved = places;
            }
        }
        if !moved.is_empty() {
            entries.push(JournalEntry { input: None, places: moved });
        }
        if !entries.is_empty() {
            self.journal.append(&entries)?;
            if let Err(error) = self.look() {
                // It is on the disk; the next look finds it.
                self.failed(HomeDir::INGEST_RECORD, &error);
            }
        }
        let mut info = self.shared.info();
        for result in results.iter().flatten() {
            match result.state {
                ItemState::Accepted => info.accepted += 1,
                ItemState::Duplicate => info.duplicates += 1,
                ItemState::Rejected | ItemState::Unknown => info.rejected += 1,
            }
        }
        info.errors_left_out += left_out;
        drop(info);
        Ok(results)
    }

    /// The input to write for an item, and the result for its sender.
    fn decide(
        &mut self,
        item: SubmittedItem,
        fresh: &mut Fresh,
        left_out: &mut u64,
    ) -> (Option<SchemaInput>, ItemResult) {
        let result = |state, key| ItemResult { state, key, errors: Vec::new() };
        match item {
            SubmittedItem::Input(input) => {
                let key = Some(input.key.clone());
                let is_heartbeat = matches!(&input.what, InputKind::Event(event) if event.kind == Kind::Heartbeat);
                if is_heartbeat {
                    (None, result(ItemState::Accepted, key))
                } else if self.ledger.knows(&input) || !fresh.take(&input) {
                    (None, result(ItemState::Duplicate, key))
                } else if matches!(&input.what, InputKind::Event(event) if self.ledger.timeline().event(&event.id).is_some() || fresh.conflicts(&event.id))
                {
                    // Another event of the same id: the first one stays, and the conflict is recorded.
                    let errors = vec![Fault { path: "id".to_owned(), code: "conflict".to_owned() }];
                    (Some(*input), ItemResult { errors, ..result(ItemState::Duplicate, key) })
                } else {
                    (Some(*input), result(ItemState::Accepted, key))
                }
            }
            SubmittedItem::Refused { faults, value, route } => {
                let now = self.clock.now_ms();
                let event = schema_error(&faults, &value, route.as_str(), now);
                let input =
                    SchemaInput { key: event.id.clone(), at: event.ts, what: InputKind::Event(Box::new(event)) };
                // The same again later is the same error, with the time of the first.
                let known = self.ledger.timeline().event(&input.key).is_some();
                let input = if known || fresh.contains(&input.key) {
                    None
                } else if self.rate.take(route.as_str(), now) {
                    fresh.take(&input);
                    Some(input)
                } else {
                    *left_out += 1;
                    None
                };
                (input, ItemResult { errors: faults, ..result(ItemState::Rejected, None) })
            }
        }
    }

    fn why_not(&self) -> &'static str {
        match self.journal.has_home() {
            true => "another monitor writes this home; what is sent must go there",
            false => "the home is not there yet; what is sent is taken once it is",
        }
    }
}
