//! Hub writer: the one thread that changes the hub (state in memory). It applies the inputs that arrive together as one
//! batch, and publishes one delta to live clients. The first change after a pause is published at once. Further changes
//! are collected for at most 50 ms, depending on the cost of the last delta and the number of clients.

mod agent_events;
mod files;
mod in_flight;
mod log;
mod overrides;
mod transcripts;

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use coordination::api::ConfigState;
use coordination::hub::{Changes, OpenPermission};
use coordination::merge::TranscriptExchanges;
use tokio::sync::oneshot;

use in_flight::{InFlightLimit, MAX_BLOCKS_IN_FLIGHT};
use log::UnconfirmedInputs;

use crate::core::Core;
use crate::core::alerts::AlertWake;
use crate::core::hub_cache::{CacheHandle, CacheLoader};
use crate::core::live::{Packer, Publisher};
use crate::core::overrides::OverrideStoreUpdate;
use crate::core::search_index::Wake;
use crate::core::source_info;
use crate::sources::agent_events::AgentEventsUpdate;
use crate::sources::tail::{self, Chunk, Follower, LineBlock, LogCheckpoint, LogStatus};
use crate::sources::transcripts::TranscriptUpdate;
use crate::sources::workspace::Update;
use crate::workers::{Deferred, WorkerPool};

/// How often passing time is looked at when nothing comes.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);
/// Events wait this long for the first roster, because roles depend on it.
const ROSTER_WAIT: Duration = Duration::from_secs(2);
/// A block that takes longer than this to be taken in is no usual one, and those behind it are taken in together.
const SLOW_BLOCK: Duration = Duration::from_millis(100);

/// What readers of files send.
#[derive(Debug)]
pub(crate) enum HubInput {
    /// Log lines, in order, while the history is read.
    Lines(Deferred<Chunk>),
    /// Log lines of one look and the status of the files after it.
    Look(Vec<Deferred<Chunk>>, LogStatus),
    /// Read positions behind all lines sent before.
    Checkpoint(Box<LogCheckpoint>),
    /// Roster and workspace, and the changed files.
    Files(Box<Update>),
    /// The manual categories or the classifier rules in force.
    Overrides(OverrideStoreUpdate),
    /// Exchanges of the agents' sessions, by their transcripts.
    Transcripts(Box<TranscriptUpdate>),
    /// Changes of coding agents.
    AgentEvents(Box<AgentEventsUpdate>),
    /// Permission requests of coding agents that can be answered.
    Permissions(Vec<OpenPermission>),
    /// How far a reader of a mirror has read; what it found was sent before.
    Looked(crate::inputs::Looked),
}

/// Sending end; cheap to clone.
#[derive(Debug, Clone)]
pub struct Ingest {
    inputs: Sender<HubInput>,
    /// Limits the blocks that are sent and not applied yet.
    in_flight: Arc<InFlightLimit>,
    /// Dead when the receiver is gone.
    alive: Weak<()>,
    /// Threads that parse blocks.
    workers: WorkerPool,
    /// Requests checkpoints.
    cache: CacheHandle,
}

impl Ingest {
    /// False when the receiver is gone.
    #[must_use]
    pub(crate) fn send(&self, input: HubInput) -> bool {
        self.inputs.send(input).is_ok()
    }
}

impl tail::Output for Ingest {
    /// Waits until the blocks before it are nearly all taken in, so that what was found and not yet taken in stays
    /// bounded however large a file is. A worker parses it on the way.
    fn block(&self, block: LineBlock) -> bool {
        self.in_flight.wait(|| self.is_open());
        self.send(HubInput::Lines(self.workers.submit(move || block.parse())))
    }

    fn look(&self, blocks: Vec<LineBlock>, log_status: LogStatus) -> bool {
        let one = blocks.len() == 1;
        let read = |block: LineBlock| {
            // A single one is read sooner than another thread wakes.
            if one { Deferred::ready(block.parse()) } else { self.workers.submit(move || block.parse()) }
        };
        self.send(HubInput::Look(blocks.into_iter().map(read).collect(), log_status))
    }

    fn is_open(&self) -> bool {
        self.alive.strong_count() > 0
    }

    fn takes_checkpoint(&self) -> bool {
        self.cache.takes_request()
    }

    fn checkpoint(&self, checkpoint: LogCheckpoint) -> bool {
        self.send(HubInput::Checkpoint(Box::new(checkpoint)))
    }
}

/// Receiving end.
pub(crate) struct HubInputReceiver {
    inputs: Receiver<HubInput>,
    /// Counts the blocks that are sent and not applied yet.
    in_flight: Arc<InFlightLimit>,
    /// Threads that compress old lines; shared with the sender.
    workers: WorkerPool,
    #[expect(dead_code, reason = "its existence tells senders that somebody listens")]
    alive: Arc<()>,
}

pub(crate) fn channel(cache: CacheHandle) -> (Ingest, HubInputReceiver) {
    let (sender, receiver) = mpsc::channel();
    let alive = Arc::new(());
    let in_flight = Arc::<InFlightLimit>::default();
    let workers = WorkerPool::start();
    let sending = Ingest {
        inputs: sender,
        in_flight: Arc::clone(&in_flight),
        alive: Arc::downgrade(&alive),
        workers: workers.clone(),
        cache,
    };
    (sending, HubInputReceiver { inputs: receiver, in_flight, workers, alive })
}

/// Starts the writer, which first loads the cache and passes the follower that continues behind it to `started`. It
/// ends when the core or the last sender is gone.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn spawn(
    core: Weak<Core>,
    inputs: HubInputReceiver,
    (wake_index, wake_alerts): (Wake, AlertWake),
    loader: CacheLoader,
    started: Sender<Follower>,
) -> std::io::Result<()> {
    let writer = HubWriter {
        core,
        wake_index,
        wake_alerts,
        in_flight: Arc::clone(&inputs.in_flight),
        packer: Packer::new(inputs.workers.clone()),
        at_once: 1,
        waiting_for_roster: Vec::new(),
        roster_known: false,
        history_read: false,
        hooked: false,
        config: ConfigState::Missing,
        newest: source_info::NewestTimes::default(),
        publisher: Publisher::default(),
        started: Instant::now(),
        last_logged: source_info::LastLogged::default(),
        cache: loader.handle(),
        unconfirmed: UnconfirmedInputs::default(),
        partial_talk: None,
    };
    let work = move || {
        let mut writer = writer;
        writer.load(loader, &started);
        drop(started);
        writer.run(&inputs);
    };
    std::thread::Builder::new().name("ingest".to_owned()).spawn(work).map(drop)
}

struct HubWriter {
    core: Weak<Core>,
    wake_index: Wake,
    wake_alerts: AlertWake,
    in_flight: Arc<InFlightLimit>,
    packer: Packer,
    /// Blocks that are taken in together when so many wait.
    at_once: usize,
    /// Inputs that wait for the first roster; empty from then on.
    waiting_for_roster: Vec<HubInput>,
    roster_known: bool,
    history_read: bool,
    /// Whether hooks of coding agents brought any agent.
    hooked: bool,
    config: ConfigState,
    newest: source_info::NewestTimes,
    publisher: Publisher,
    started: Instant,
    last_logged: source_info::LastLogged,
    /// Takes checkpoints.
    cache: CacheHandle,
    unconfirmed: UnconfirmedInputs,
    /// Exchanges of the transcripts read so far, while not all are read and the hub was loaded.
    partial_talk: Option<TranscriptExchanges>,
}

/// Outputs of one batch.
#[derive(Default)]
struct Batch {
    changes: Changes,
    source_changed: bool,
    restart: bool,
    applied: Vec<oneshot::Sender<()>>,
}

impl HubWriter {
    fn run(mut self, inputs: &HubInputReceiver) {
        let mut next = None;
        loop {
            let wait = self.publisher.home_due_in().map_or(IDLE_INTERVAL, |wait| wait.min(IDLE_INTERVAL));
            let first = next.take().map_or_else(|| inputs.inputs.recv_timeout(wait), Ok);
            let Some(core) = self.core.upgrade() else { return };
            let mut batch = Batch::default();
            let mut has_input = false;
            match first {
                Ok(input) => {
                    has_input = true;
                    let input = self.join(input, inputs, &mut next);
                    let began = Instant::now();
                    self.take(&core, input, &mut batch);
                    self.at_once = if began.elapsed() > SLOW_BLOCK { MAX_BLOCKS_IN_FLIGHT } else { 1 };
                    if next.is_none() {
                        self.collect(&core, inputs, &mut batch);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if !self.roster_known && self.started.elapsed() > ROSTER_WAIT {
                self.release(&core, &mut batch);
            }
            self.publish(&core, batch);
            if has_input {
                self.wake_index.wake();
                self.wake_alerts.wake();
            }
            core.live().evict_rehydrated();
            // More than one block of a file holds, so that packing keeps up while there are lines to read.
            while self.packer.pack_step(core.live()) && next.is_none() {
                next = inputs.inputs.try_recv().ok();
            }
            next = next.or_else(|| inputs.inputs.try_recv().ok());
            while next.is_none() && self.packer.pack_states(core.live()) {
                next = inputs.inputs.try_recv().ok();
            }
        }
    }

    /// Joins blocks of one file that wait when the last one took long to take in: an archive that reaches far back into
    /// a long session then rebuilds that session once for all of them.
    fn join(&self, input: HubInput, inputs: &HubInputReceiver, next: &mut Option<HubInput>) -> HubInput {
        if self.at_once == 1 || !self.roster_known {
            return input;
        }
        let HubInput::Lines(block) = input else { return input };
        let mut chunk = block.take();
        for _ in 1..self.at_once {
            match inputs.inputs.try_recv() {
                Ok(HubInput::Lines(block)) => match chunk.join(block.take()) {
                    None => self.in_flight.done(),
                    Some(other) => *next = Some(HubInput::Lines(Deferred::ready(other))),
                },
                Ok(other) => *next = Some(other),
                Err(_) => break,
            }
            if next.is_some() {
                break;
            }
        }
        HubInput::Lines(Deferred::ready(chunk))
    }

    /// Takes in what else has arrived. The first change after a pause goes out at once; later ones wait for company until
    /// the frame before them is paid for.
    fn collect(&mut self, core: &Core, inputs: &HubInputReceiver, batch: &mut Batch) {
        loop {
            let coalesce_delay = self.publisher.coalesce_delay(core.live());
            let next = if coalesce_delay.is_zero() {
                inputs.inputs.try_recv().ok()
            } else {
                inputs.inputs.recv_timeout(coalesce_delay).ok()
            };
            match next {
                Some(input) => self.take(core, input, batch),
                None if coalesce_delay.is_zero() => return,
                // The clients may still be busy with the frame before.
                None => {}
            }
            // During the history no client waits for a frame, but readers wait for the lock.
            if !self.history_read || batch.applied.len() > 64 {
                return;
            }
        }
    }

    fn take(&mut self, core: &Core, input: HubInput, batch: &mut Batch) {
        match input {
            HubInput::Lines(_) | HubInput::Look(..) | HubInput::Checkpoint(_) if !self.roster_known => {
                self.waiting_for_roster.push(input);
            }
            HubInput::Lines(chunk) => {
                self.lines(core, chunk.take(), batch);
                self.in_flight.done();
            }
            HubInput::Look(chunks, log_status) => {
                for chunk in chunks {
                    self.lines(core, chunk.take(), batch);
                }
                self.update_status(core, log_status, batch);
            }
            HubInput::Checkpoint(log) => self.cache.save(core, *log, self.newest),
            HubInput::Files(update) => {
                self.files(core, *update, batch);
                self.release(core, batch);
            }
            HubInput::Transcripts(update) => self.transcripts(core, *update, batch),
            HubInput::AgentEvents(update) => self.agent_events(core, *update, batch),
            HubInput::Overrides(update) => self.overrides(core, update, batch),
            // Until the history is read, what was sent before may still wait.
            HubInput::Looked(looked) => core.live().note_looked(looked, self.history_read),
            HubInput::Permissions(open) => {
                batch.changes.merge(core.write(|hub| hub.set_permission_requests(open)));
            }
        }
    }

    fn release(&mut self, core: &Core, batch: &mut Batch) {
        self.roster_known = true;
        for input in std::mem::take(&mut self.waiting_for_roster) {
            self.take(core, input, batch);
        }
    }

    fn update_status(&mut self, core: &Core, log_status: LogStatus, batch: &mut Batch) {
        batch.restart |= !self.history_read;
        self.history_read = true;
        core.status().log_status = log_status;
        batch.source_changed |= self.refresh_source(core);
    }

    /// Updates the status of the files, for pages and on the terminal; true when it changed for pages.
    fn refresh_source(&mut self, core: &Core) -> bool {
        let known = source_info::SourceFacts {
            config: self.config,
            newest: self.newest,
            history_read: self.history_read,
            hooked: self.hooked,
        };
        let info = source_info::info(core.settings(), &core.status(), known);
        self.last_logged.log_if_changed(&info, &core.status());
        core.write(|hub| {
            let changed = hub.source().state != info.state || hub.source().unreadable != info.unreadable;
            hub.set_source(info);
            changed
        })
    }

    fn publish(&mut self, core: &Core, batch: Batch) {
        if self.history_read {
            if batch.restart {
                self.publisher.restart(core.live());
                core.set_ready();
            } else if !batch.changes.is_empty() || batch.source_changed {
                self.publisher.publish(core.live(), &batch.changes);
            }
            self.last_logged.log_clock_if_changed(core.live().hub().source(), core.live().now());
            self.publisher.check_time(core.live());
            self.publisher.publish_due_home(core.live());
            core.live().note_published();
        }
        for applied in batch.applied {
            // The requester may have disconnected; the change remains in force.
            applied.send(()).unwrap_or_default();
        }
    }
}

#[cfg(test)]
impl HubInputReceiver {
    /// The next input, waiting for it.
    pub(crate) fn next(&self) -> HubInput {
        self.in_flight.done();
        self.inputs.recv_timeout(Duration::from_secs(20)).expect("an input within 20 s")
    }
}
