//! State of the running monitor that all routes share: the hub, the writable stores and the threads that read files.
//! [`AppState::start`] builds and starts them.
//!
//! The threads end when the last clone of the state is dropped. Inside the crate, `web` and `fleet` import this module.

use std::sync::{Arc, RwLockReadGuard, mpsc};

use coordination::api::{Health, PastMoment, SourceState, StoreList, StoreQuery, TranscriptReading};
use coordination::hub::Hub;
use coordination::roster::Roster;
use coordination::search::index::SearchIndex;
use coordination::store::{StoreSnapshot, StoredSession};
use tokio::sync::{broadcast, watch};

use crate::config::Settings;
use crate::core::Core;
use crate::core::alerts::AlertService;
use crate::core::hub_cache::{self, CacheHandle, CacheStatus};
use crate::core::ingest::{self, HubInput};
pub(crate) use crate::core::live::HubMemory;
use crate::core::live::Live;
use crate::core::overrides::OverrideStore;
use crate::core::past::PastHubs;
use crate::core::search_index;
use crate::core::status::{ReadStatus, V1Notice};
use crate::core::visits::VisitStore;
use crate::gateway::MessageSender;
use crate::home::HomeDir;
use crate::inputs::{InputReader, LookReport, WrittenInputs};
use crate::permissions::{ApprovalBroker, PermissionBroker};
use crate::random::random_hex;
use crate::sink::ValueSink;
use crate::sources::agent_events::AgentEvents;
use crate::sources::store::SessionStores;
use crate::sources::transcripts::{TranscriptFeed, TranscriptGate, TranscriptUpdate};

/// Shared, cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<AppShared>);

/// The one copy behind every [`AppState`].
struct AppShared {
    core: Arc<Core>,
    overrides: OverrideStore,
    alerts: AlertService,
    visits: VisitStore,
    speak: MessageSender,
    agent_events: AgentEvents,
    permissions: PermissionBroker,
    approvals: ApprovalBroker,
    stores: Arc<SessionStores>,
    /// What is published of transcripts and stores, where this monitor publishes its home.
    feed: Option<TranscriptFeed>,
    past: Arc<PastHubs>,
    cache: CacheHandle,
}

impl AppState {
    /// State over one home, with everything that reads it already under way.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(settings: Settings) -> std::io::Result<Self> {
        Self::start_over(settings, None, &HubMemory::default())
    }

    /// The same over a mirrored home, which this process writes. `memory`: of the hubs of all mirrors.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start_mirror(
        settings: Settings,
        written: &WrittenInputs,
        memory: &HubMemory,
    ) -> std::io::Result<Self> {
        Self::start_over(settings, Some(written), memory)
    }

    fn start_over(settings: Settings, written: Option<&WrittenInputs>, memory: &HubMemory) -> std::io::Result<Self> {
        let (cache, cache_loader, cache_thread) = hub_cache::open(&settings);
        let (ingest, inputs) = ingest::channel(cache.clone());
        let (home, clock, watched) = (settings.home.clone(), settings.clock, settings.watcher);
        let epoch = random_hex::<8>();
        let sender = ingest.clone();
        let looked = ValueSink::new(move |looked| sender.send(HubInput::Looked(looked)));
        let report = |reader| {
            written
                .as_ref()
                .map_or_else(LookReport::default, |written| LookReport::new(reader, written, looked.clone()))
        };
        let sender = ingest.clone();
        let changed = ValueSink::new(move |update| sender.send(HubInput::Overrides(update)));
        let overrides = OverrideStore::start(&settings, changed, report(InputReader::Decisions))?;
        let (sender, writer) = (ingest.clone(), overrides.clone());
        let changed = ValueSink::new(move |change| sender.send(HubInput::AgentEvents(Box::new(change))));
        let agent_events = AgentEvents::start(
            &settings,
            &epoch,
            changed,
            move || writer.may_write(),
            report(InputReader::AgentEvents),
        )?;
        let speak = MessageSender::new(&settings);
        let sender = ingest.clone();
        let open = ValueSink::new(move |open| sender.send(HubInput::Permissions(open)));
        let permissions = PermissionBroker::new(&settings, open);
        let approvals = ApprovalBroker::new(&settings);
        let stores = Arc::new(SessionStores::new(home.clone()));
        let feed = transcript_feed(&settings);
        let core = Arc::new(Core::new(settings, epoch, memory));
        if let Some(written) = written {
            core.live().follow_inputs(written.clone());
        }
        let writer = overrides.clone();
        let alerts = AlertService::start(core.settings(), Arc::downgrade(&core), move || writer.may_write())?;
        let writer = overrides.clone();
        let visits = VisitStore::new(&home, move || writer.may_write());
        let wake_index = search_index::spawn(Arc::downgrade(&core))?;
        let (started, follower) = mpsc::channel();
        let wakes = (wake_index, alerts.waker());
        ingest::spawn(Arc::downgrade(&core), inputs, wakes, cache_loader, started)?;
        cache_thread.spawn(Arc::downgrade(&core))?;
        let sender = ingest.clone();
        let sink = move |update| sender.send(HubInput::Files(Box::new(update)));
        crate::sources::workspace::spawn(home.clone(), sink, report(InputReader::Files))?;
        let start = move || follower.recv().ok();
        crate::sources::tail::spawn(home, clock, watched, start, ingest.clone(), report(InputReader::Log))?;
        let gate = Arc::downgrade(&core);
        let gate = move || match gate.upgrade() {
            None => TranscriptGate::Closed,
            Some(core) if core.is_ready() => TranscriptGate::Open(Box::new(core.hub().roster().clone())),
            Some(_) => TranscriptGate::Waiting,
        };
        let fed = feed.clone();
        let transcripts = ValueSink::new(move |update: TranscriptUpdate| {
            // The own page comes first.
            let copy = fed.as_ref().map(|feed| (feed, update.clone()));
            let is_open = ingest.send(HubInput::Transcripts(Box::new(update)));
            if let Some((feed, update)) = copy {
                feed.set_update(&update);
            }
            is_open
        });
        let report = report(InputReader::Transcripts);
        crate::sources::transcripts::spawn(gate, Arc::clone(&stores), watched, transcripts, report)?;
        let shared = AppShared {
            core,
            overrides,
            alerts,
            visits,
            speak,
            agent_events,
            permissions,
            approvals,
            stores,
            feed,
            past: Arc::default(),
            cache,
        };
        Ok(Self(Arc::new(shared)))
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.0.core.settings()
    }

    /// UTC epoch milliseconds by the configured clock.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.0.core.live().now()
    }

    /// The hub, for short synchronous reads. Never hold it across an await.
    pub fn hub(&self) -> RwLockReadGuard<'_, Hub> {
        self.0.core.live().hub()
    }

    /// Runs a query on the hub off the async threads, at the configured `now`.
    pub async fn run_query<T: Send + 'static>(&self, query: impl FnOnce(&Hub, i64) -> T + Send + 'static) -> T {
        self.0.core.live().run_query(query).await
    }

    /// The same for a query that also needs the search index.
    pub async fn run_indexed_query<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Hub, &SearchIndex, i64) -> T + Send + 'static,
    ) -> T {
        self.0.core.live().run_indexed_query(query).await
    }

    /// Runs a query on the hub of a past moment, at that moment, off the async threads.
    ///
    /// # Errors
    /// When the record of category changes cannot be read.
    pub(crate) async fn run_past_query<T: Send + 'static>(
        &self,
        moment: PastMoment,
        query: impl FnOnce(&Hub, i64) -> T + Send + 'static,
    ) -> std::io::Result<T> {
        let state = self.clone();
        let overrides = move || Ok(state.overrides().record()?.overrides_at(moment.at));
        self.0.past.run_query(Arc::clone(self.live()), moment, overrides, query).await
    }

    /// Waits until the history is read.
    pub async fn ready(&self) {
        self.0.core.ready().await;
    }

    /// True once the history is read.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.core.is_ready()
    }

    /// The only writer of manual categories.
    #[must_use]
    pub fn overrides(&self) -> &OverrideStore {
        &self.0.overrides
    }

    /// Alerts that are sent to sinks.
    pub(crate) fn alerts(&self) -> &AlertService {
        &self.0.alerts
    }

    /// Last visits of people.
    pub(crate) fn visits(&self) -> &VisitStore {
        &self.0.visits
    }

    /// The way to the gateway.
    pub(crate) fn speak(&self) -> &MessageSender {
        &self.0.speak
    }

    /// Permission requests of coding agents.
    pub(crate) fn permissions(&self) -> &PermissionBroker {
        &self.0.permissions
    }

    /// Approvals that wait in OpenClaw's gateway.
    pub(crate) fn approvals(&self) -> &ApprovalBroker {
        &self.0.approvals
    }

    /// Events of coding agents.
    pub(crate) fn agent_events(&self) -> &AgentEvents {
        &self.0.agent_events
    }

    /// What OpenClaw's own session stores hold now, with what it takes to look into them further. It looks at each of
    /// them and reads what changed, so it blocks: for threads that may.
    pub(crate) fn stores(&self) -> (Arc<StoreSnapshot>, HomeDir, Roster) {
        let roster = self.hub().roster().clone();
        (self.0.stores.sessions(&roster), self.0.stores.home().clone(), roster)
    }

    /// What the publisher of this home sends of transcripts and stores; `None` where it is not published.
    pub(crate) fn transcript_feed(&self) -> Option<TranscriptFeed> {
        self.0.feed.clone()
    }

    /// A list of those sessions. When the query wants titles, messages or paths, it also looks for transcripts.
    #[must_use]
    pub(crate) fn store_list(&self, query: &StoreQuery) -> StoreList {
        let roster = self.hub().roster().clone();
        self.0.stores.list(&roster, query, self.now())
    }

    /// A stored session by its key, in any case, or by its id, with what is needed to look into its transcript.
    #[must_use]
    pub(crate) fn stored(&self, key: &str) -> Option<(HomeDir, Roster, StoredSession)> {
        let (held, home, roster) = self.stores();
        let session = held.find(key, &roster.key_rules())?.clone();
        Some((home, roster, session))
    }

    /// What live clients are served from.
    pub(crate) fn live(&self) -> &Arc<Live> {
        self.0.core.live()
    }

    /// Messages of the 1.x stream; subscribe before reading the hub.
    #[must_use]
    pub fn notices(&self) -> &broadcast::Sender<V1Notice> {
        self.0.core.notices()
    }

    /// Ends the open streams.
    pub fn close(&self) {
        self.0.core.live().close();
    }

    /// Saves the hub for the next start. It blocks: for threads that may.
    pub fn save_cache(&self) {
        self.0.cache.close();
    }

    /// Removes what was saved of the hub; nothing is saved afterwards. It blocks: for threads that may.
    pub(crate) fn remove_cache(&self) {
        self.0.cache.remove();
    }

    /// State of the cache of the hub; `None` when it is off.
    pub(crate) fn cache_status(&self) -> Option<CacheStatus> {
        self.0.cache.status()
    }

    /// Turns true when the server is shutting down.
    #[must_use]
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.0.core.live().closing()
    }

    /// State of the files, the override store, the live clients and the search index.
    pub(crate) fn health(&self) -> Health {
        let hub = self.hub();
        let mut reading = self.status();
        let check = reading.doctor().summary();
        let unreadable: Vec<_> = reading.unreadable().cloned().collect();
        let source = hub.source().clone();
        let now = self.now();
        let clock_fits = source.events_ahead_ms(now).is_none();
        let alerts = self.alerts().health();
        let alerts_fine = alerts.as_ref().is_none_or(|it| it.failing.is_empty() && it.trouble.is_none());
        let fine = matches!(source.state, SourceState::Ok) && unreadable.is_empty() && clock_fits && alerts_fine;
        let counts = hub.transcript_counts();
        let transcripts = TranscriptReading {
            talks: counts.exchanges as u64,
            events: counts.events as u64,
            ..reading.transcripts.clone()
        };
        Health {
            machine: None,
            status: if fine { "ok" } else { "degraded" }.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            lag_bytes: reading.log_status.lag_bytes,
            pending_bytes: reading.log_status.pending_bytes,
            bad_lines: reading.bad_lines,
            bad_line_samples: reading.samples.clone(),
            events: hub.event_count() as u64,
            sessions: hub.session_count() as u64,
            unreadable,
            following: Some(reading.log_status.following.clone()),
            overrides: Some(self.overrides().info()),
            live: Some(self.live().clients().info()),
            check: Some(check),
            writes: Some(self.settings().writes()),
            user: None,
            index: Some(self.live().index_info()),
            stores: reading.stores.clone(),
            transcripts: Some(transcripts),
            ingest: Some(self.agent_events().info()),
            alerts,
            cursor: hub.cursor(),
            now,
            source,
        }
    }

    /// State of every input that is read.
    pub(crate) fn status(&self) -> std::sync::MutexGuard<'_, ReadStatus> {
        self.0.core.status()
    }
}

/// The feed of a monitor that publishes its home. Its approvals are answered over the fleet where that is so of permission
/// requests.
fn transcript_feed(settings: &Settings) -> Option<TranscriptFeed> {
    let fleet = settings.fleet.as_ref().filter(|fleet| fleet.ship)?;
    Some(TranscriptFeed::new(settings.gateway.is_some() && fleet.reads && fleet.writes))
}
