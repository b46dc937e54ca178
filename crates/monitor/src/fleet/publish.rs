//! Publisher of a home: sends what is new in its files to the streams of a fleet. It keeps no record of its own. At a start the
//! streams say where to go on, and while the servers are away the files hold what is to be sent.

mod changes;
mod fault;
mod hello;
mod lines;
mod place;
mod stored;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::time::Duration;

use anyhow::Context as _;
use async_nats::jetstream::{self, stream::Stream};
use coordination::api::FleetSkipped;
use coordination::digest::sha256_hex;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::watch;
use tokio::time::Instant;
use zstd::bulk::Compressor;

use super::batch::{compressor, packed};
use super::inventory::HomeReader;
use super::messages::{Hello, Layout, Removal};
use super::mirror::EMPTY;
use super::published_log::PublishedLog;
use super::service::FleetService;
use super::streams::{self, SourceSubjects};
use crate::clock::ServerClock;
use crate::config::FleetSettings;
use crate::fs::sandbox::FileMeta;
use crate::home::HomeDir;
use crate::random::random_hex;
use crate::sources::transcripts::TranscriptFeed;
use changes::LogChanges;
use lines::PublishedLines;
use stored::last_place;

pub(crate) use fault::PublishFault;
pub(super) use stored::{FILE_PATH, last, publish_next};

/// After a batch: lines that follow each other share one.
const BATCH_INTERVAL: Duration = Duration::from_millis(20);
/// Between two looks at names of logs and at all other files.
const FILES_INTERVAL: Duration = Duration::from_secs(1);
/// Between two messages that say that the publisher is there.
const HELLO_INTERVAL: Duration = Duration::from_secs(10);
/// Between two that permission requests cause.
const MIN_HELLO_INTERVAL: Duration = Duration::from_millis(200);
/// A batch that cannot be packed, with its headers, fits into so many bytes.
const MIN_PAYLOAD_BYTES: usize = 320 * 1024;
/// Before the servers are tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Logs whose first line is the same.
const MAX_ALIKE: usize = 64;

/// Publishes until `stop` turns true. With a service, commands and reads of the fleet are answered. `watched`: the system's
/// notifications of changed logs are used.
///
/// # Errors
/// [`PublishFault::Conflict`] and [`PublishFault::Removed`]. Everything else is tried again.
pub(crate) async fn run(
    settings: FleetSettings,
    (home, feed): (HomeDir, TranscriptFeed),
    (clock, watched): (ServerClock, bool),
    (mut stop, service): (watch::Receiver<bool>, Option<FleetService>),
) -> Result<(), PublishFault> {
    let source = super::source_id(&home)?;
    let place = place::place_of(&home).context("the home cannot be looked at")?;
    let publisher = random_hex::<8>();
    let mut changes = LogChanges::new(&home, watched);
    let mut last_cause = String::new();
    // The own hello takes the place of the one that says it.
    let mut removal = None;
    let mut has_published = false;
    loop {
        let connected =
            HomePublisher::connect(&settings, (&home, &feed, clock), (&source, &publisher, &place), service.clone());
        let outcome = tokio::select! {
            connected = connected => connected,
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        };
        let cause = match outcome {
            Ok(publisher) if publisher.removal.is_some() && has_published => return Err(PublishFault::Removed),
            Ok(mut publisher) => {
                publisher.removal = publisher.removal.or(removal);
                let _listening = service.clone().map(|service| publisher.listen(&source, service));
                let outcome = publisher.publish_all(&mut changes, &mut stop).await;
                has_published |= publisher.has_said_hello;
                removal = publisher.removal.clone();
                match outcome {
                    Ok(()) => return Ok(()),
                    Err(PublishFault::Unavailable(cause)) => cause,
                    Err(fault) => match publisher.newest_hello().await {
                        Ok(Some(hello)) if hello.removed.is_some() => return Err(PublishFault::Removed),
                        Ok(Some(hello)) if hello.publisher != publisher.publisher => {
                            publisher.publish_conflict().await;
                            return Err(fault);
                        }
                        Ok(_) => {
                            anyhow::anyhow!("a message of another process is in the streams")
                        }
                        Err(cause) => cause,
                    },
                }
            }
            Err(PublishFault::Unavailable(cause)) => cause,
            Err(fault) => return Err(fault),
        };
        let cause = super::cause_text(&cause);
        if last_cause != cause {
            tracing::warn!("fleet: publishing waits for the servers: {cause}");
            last_cause = cause;
        }
        tokio::select! {
            () = tokio::time::sleep(RETRY_AFTER) => {}
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        }
    }
}

/// Runs what takes long without a wait. The other tasks of a thread move to another one, where there are several.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => work(),
        _ => tokio::task::block_in_place(work),
    }
}

/// A connection and what was published over it.
struct HomePublisher<'a> {
    settings: &'a FleetSettings,
    clock: ServerClock,
    publisher: String,
    /// Where this process runs.
    place: String,
    context: jetstream::Context,
    log_stream: Stream,
    state_stream: Stream,
    subjects: SourceSubjects,
    reader: HomeReader,
    /// Packs batches.
    compressor: Compressor<'static>,
    /// Logs by path.
    logs: BTreeMap<String, PublishedLog>,
    /// What the stream has of the layout.
    layout: Layout,
    is_layout_sent: bool,
    /// Sequences of the files and the layout that this connection published, by subject.
    replaced: HashMap<String, u64>,
    /// Sequence of the last hello.
    hello_sequence: u64,
    /// This process has published since it connected.
    has_said_hello: bool,
    /// The machine was removed before: what the streams have of it up to there does not count.
    removal: Option<Removal>,
    skipped: Vec<FleetSkipped>,
    /// What the monitor here does for the fleet; `None` where none runs.
    service: Option<FleetService>,
}

impl<'a> HomePublisher<'a> {
    async fn connect(
        settings: &'a FleetSettings,
        (home, feed, clock): (&HomeDir, &TranscriptFeed, ServerClock),
        (source, publisher, place): (&str, &str, &str),
        service: Option<FleetService>,
    ) -> Result<Self, PublishFault> {
        let mut context = jetstream::new(streams::connect(settings).await?);
        context.set_timeout(Duration::from_secs(5));
        let max_payload = context.client().server_info().max_payload;
        if max_payload < MIN_PAYLOAD_BYTES {
            let needed = format!("a fleet needs {MIN_PAYLOAD_BYTES} (max_payload)");
            return Err(anyhow::anyhow!("the servers take messages of {max_payload} bytes; {needed}").into());
        }
        let log_stream = streams::existing(&context, &streams::log_stream(&settings.name)).await?;
        let state_stream = streams::existing(&context, &streams::state_stream(&settings.name)).await?;
        let subjects = SourceSubjects::new(&settings.name, source);
        let has_reads = service.as_ref().is_some_and(FleetService::has_reads);
        let hello = stored::last(&state_stream, &subjects.hello()).await?;
        let removal = hello.as_ref().and_then(|hello| Hello::read(&hello.payload)?.removed);
        let layout = match stored::last(&state_stream, &subjects.layout()).await? {
            Some(message) if removal.is_none() => Layout::read(&message.payload).unwrap_or_default(),
            _ => Layout::default(),
        };
        let publisher = Self {
            settings,
            clock,
            publisher: publisher.to_owned(),
            place: place.to_owned(),
            context,
            log_stream,
            subjects,
            reader: HomeReader::new((home.clone(), feed.clone()), settings.text, has_reads),
            compressor: compressor().map_err(anyhow::Error::from)?,
            logs: BTreeMap::new(),
            layout,
            is_layout_sent: false,
            replaced: HashMap::new(),
            hello_sequence: hello.as_ref().map_or(0, |hello| hello.sequence),
            has_said_hello: false,
            removal,
            state_stream,
            skipped: Vec::new(),
            service,
        };
        publisher.ensure_original(hello.as_ref()).await?;
        Ok(publisher)
    }

    async fn publish_all(
        &mut self,
        changes: &mut LogChanges,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<(), PublishFault> {
        let start = Instant::now();
        let (mut files_due, mut hello_due, mut requests_shown) = (start, start, start);
        while !*stop.borrow() {
            let now = Instant::now();
            if now >= files_due {
                // Watched first, and looked at afterwards.
                changes.renew();
                if self.publish_files().await? {
                    hello_due = now;
                }
                files_due = Instant::now() + FILES_INTERVAL;
            }
            if now >= requests_shown + MIN_HELLO_INTERVAL
                && self.service.as_ref().is_some_and(FleetService::has_new_requests)
            {
                (hello_due, requests_shown) = (now, now);
            }
            if now >= hello_due {
                self.check_stream().await?;
                self.publish_hello(false).await?;
                hello_due = Instant::now() + HELLO_INTERVAL;
            }
            let published = self.publish_lines().await?;
            if published == PublishedLines::Replaced {
                files_due = now;
            }
            let rest = async {
                match published {
                    PublishedLines::Nothing => changes.next().await,
                    PublishedLines::All => tokio::time::sleep(BATCH_INTERVAL).await,
                    PublishedLines::Part | PublishedLines::Replaced => {}
                }
            };
            tokio::select! {
                () = rest => {}
                _ = stop.wait_for(|stop| *stop) => {}
            }
        }
        self.publish_hello(true).await
    }

    /// Fails when the stream of logs is another one than before: it holds nothing that was published, and as long as no line is
    /// written no other message says so.
    async fn check_stream(&self) -> anyhow::Result<()> {
        let info = self.log_stream.get_info().await.context("the servers do not answer for the stream of logs")?;
        anyhow::ensure!(info.created == self.log_stream.cached_info().created, "the stream of logs is another one");
        Ok(())
    }

    /// Names of the logs, and files that changed; whether the layout is a new one. What is published of a file is noted in the layout, which comes last.
    async fn publish_files(&mut self) -> Result<bool, PublishFault> {
        let (found, mut skipped) = self.reader.logs().map_err(anyhow::Error::from)?;
        let (mut layout, mut logs) = (Layout::default(), BTreeMap::new());
        let found = self.layout.in_order_of_claim(found);
        for (path, file) in found {
            match self.log_of(&path, file, &logs).await? {
                Some(log) => {
                    layout.logs.insert(path.clone(), log.generation.clone());
                    logs.insert(path, log);
                }
                None => drop(layout.logs.insert(path, EMPTY.to_owned())),
            }
        }
        // A log that cannot be opened now is still there: mirrors would remove what the layout lacks. One that was renamed
        // has its name already.
        for path in skipped.iter().map(|file| &file.path) {
            let before = self.layout.logs.get(path);
            if let Some(generation) =
                before.filter(|generation| !layout.logs.values().any(|named| named == *generation))
            {
                layout.logs.insert(path.clone(), generation.clone());
                logs.extend(self.logs.remove_entry(path));
            }
        }
        self.logs = logs;
        let mut inventory = blocking(|| self.reader.inventory()).map_err(anyhow::Error::from)?;
        let retained = self.layout.files.keys().filter(|path| inventory.retained.has(path));
        inventory.paths.extend(retained.cloned());
        let limit = self.context.client().server_info().max_payload;
        for path in inventory.paths {
            let bytes = inventory.changed.get(&path);
            let digest = bytes.map(|bytes| sha256_hex(bytes)).or_else(|| self.layout.files.get(&path).cloned());
            let Some(digest) = digest else { continue };
            if let Some(bytes) = bytes.filter(|_| self.layout.files.get(&path) != Some(&digest)) {
                let payload = packed(bytes).map_err(anyhow::Error::from)?;
                // Room for headers.
                if payload.len() + 4096 > limit {
                    let cause = format!("{} bytes are more than a message of these servers may have", payload.len());
                    self.reader.skip(&path, cause.clone());
                    skipped.push(FleetSkipped { path, cause });
                    continue;
                }
                self.replace_file(&path, payload).await?;
            }
            layout.files.insert(path, digest);
        }
        // A new version takes the place of the last one in the stream, and so does nothing that of a file that is gone.
        let gone: Vec<String> =
            self.layout.files.keys().filter(|path| !layout.files.contains_key(*path)).cloned().collect();
        for path in gone {
            self.replace_file(&path, Vec::new()).await?;
        }
        // After a start it is sent even where it is the same: a stop in between can have left a file without it.
        let is_new = layout != self.layout || !self.is_layout_sent;
        self.is_layout_sent = true;
        if is_new {
            self.replace_layout(&layout).await?;
            self.layout = layout;
        }
        skipped.extend(inventory.skipped);
        if self.skipped != skipped {
            for file in &skipped {
                tracing::info!("fleet: {} is not published: {}", file.path, file.cause);
            }
            self.skipped = skipped;
        }
        Ok(is_new)
    }

    /// The log behind a name: one that is known already, whatever its name was, or one whose place the stream says.
    async fn log_of(
        &mut self,
        path: &str,
        file: File,
        taken: &BTreeMap<String, PublishedLog>,
    ) -> Result<Option<PublishedLog>, PublishFault> {
        let identity = FileMeta::from_handle(&file).map_err(anyhow::Error::from)?.identity;
        let known = self.logs.iter().find(|(_, log)| log.identity == identity).map(|(path, _)| path.clone());
        if let Some(log) = known.and_then(|path| self.logs.remove(&path))
            && log.is_same().unwrap_or(false)
        {
            return Ok(Some(log));
        }
        let Some(mut log) = PublishedLog::open(file).map_err(anyhow::Error::from)? else { return Ok(None) };
        let base = log.generation.clone();
        let names = (0..MAX_ALIKE).map(|number| if number == 0 { base.clone() } else { format!("{base}-{number}") });
        // The name that it had before comes first: of two that begin alike the stream may hold both.
        let before = self.layout.logs.get(path).filter(|name| name.starts_with(&base)).cloned();
        for name in before.into_iter().chain(names) {
            let is_taken = |log: &PublishedLog| log.generation == name;
            if taken.values().any(is_taken) || self.logs.values().any(is_taken) {
                continue;
            }
            let last = last_place(&self.log_stream, &self.subjects.log(&name)).await?;
            let fits = match last {
                None => true,
                Some((_, sequence)) if self.is_before_removal(sequence) => {
                    log.sequence = sequence;
                    true
                }
                // No message of it can be read.
                Some((None, _)) => false,
                Some((Some(place), sequence)) => {
                    let text = self.settings.text;
                    blocking(|| log.resume(&place, sequence, text)).map_err(anyhow::Error::from)?
                }
            };
            if fits {
                log.generation = name;
                return Ok(Some(log));
            }
        }
        tracing::warn!("fleet: {path} is not published: {MAX_ALIKE} logs that begin alike are in the stream already");
        Ok(None)
    }
}
