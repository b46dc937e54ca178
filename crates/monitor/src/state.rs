//! What every request handler can reach: settings, the hub to read, the live channel and the override store.

use std::sync::{Arc, Mutex, PoisonError, RwLockReadGuard, Weak};

use axum::extract::FromRef;
use coordination::api::{BadLine, StoreInfoRow, StoreList, StoreQuery, TranscriptReading, Unreadable};
use coordination::doctor::Doctor;
use coordination::event::Event;
use coordination::hub::Hub;
use coordination::roster::Roster;
use coordination::search::index::Index;
use coordination::store::{Sessions, StoredSession};
use tokio::sync::{broadcast, watch};

use crate::config::{PageSession, Settings};
use crate::home::Home;
use crate::http::{Made, Perimeter};
use crate::index;
use crate::ingest::{self, Ingest, Input};
use crate::live::Live;
use crate::overrides::Store;
use crate::speak::Speak;
use crate::store::{self, Spoken};
use crate::tail::{Chunk, Standing};
use crate::team::Team;
use crate::transcript::Briefs;
use crate::workspace::FileChange;

/// Bad lines kept as samples, newest last.
pub(crate) const BAD_LINE_SAMPLES: usize = 20;

/// Shared, cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

/// The one copy behind every [`AppState`].
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    live: Arc<Live>,
    pub(crate) notices: broadcast::Sender<Notice>,
    pub(crate) reading: Mutex<Reading>,
    pub(crate) ready: watch::Sender<bool>,
    ingest: Ingest,
    pub(crate) wake_index: index::Wake,
    overrides: Store,
    speak: Speak,
    team: Team,
    stores: Mutex<store::Reader>,
    briefs: Mutex<Briefs>,
    page_session: PageSession,
    perimeter: Perimeter,
    made: Made,
}

/// How reading stands, for `health`.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The log files.
    pub(crate) standing: Standing,
    /// Lines that could not be read since the start.
    pub(crate) bad_lines: u64,
    /// The newest of them, at most [`BAD_LINE_SAMPLES`].
    pub(crate) samples: Vec<BadLine>,
    /// What is wrong or worth knowing in the lines read so far.
    pub(crate) doctor: Doctor,
    /// Config files that could not be read.
    pub(crate) config_trouble: Vec<Unreadable>,
    /// Files in the agents' folders that could not be read.
    pub(crate) workspace_trouble: Vec<Unreadable>,
    /// Trouble with the override file.
    pub(crate) override_trouble: Vec<Unreadable>,
    /// Trouble with the file of taught words.
    pub(crate) taught_trouble: Vec<Unreadable>,
    /// Session stores, and how they stand.
    pub(crate) stores: Vec<StoreInfoRow>,
    /// How far their transcripts are read.
    pub(crate) transcripts: TranscriptReading,
    /// Stores and transcripts that could not be read.
    pub(crate) talk_trouble: Vec<Unreadable>,
    /// Trouble with what coding agents tell.
    pub(crate) team_trouble: Vec<Unreadable>,
}

impl Reading {
    /// Every file that could not be read.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = &Unreadable> {
        self.unreadable_outside_workspaces().chain(&self.workspace_trouble)
    }

    /// Logs, configuration and overrides that could not be read: of the agents' files the hub itself knows.
    pub(crate) fn unreadable_outside_workspaces(&self) -> impl Iterator<Item = &Unreadable> {
        let of_store = self
            .override_trouble
            .iter()
            .chain(&self.taught_trouble)
            .chain(&self.talk_trouble)
            .chain(&self.team_trouble);
        self.standing.unreadable.iter().chain(&self.config_trouble).chain(of_store)
    }

    /// Shows the doctor what was just read.
    pub(crate) fn examine(&mut self, chunk: &Chunk) {
        let doctor = &mut self.doctor;
        let file = doctor.file(&chunk.token, &chunk.name);
        for (event, signs) in chunk.events.iter().zip(&chunk.signs) {
            doctor.seen(file, event, signs);
        }
        for line in &chunk.bad {
            doctor.bad_line(file, line.offset, &line.reason, &line.sample);
        }
        for quirk in &chunk.quirks {
            doctor.quirk(file, *quirk);
        }
    }

    /// The doctor, who calls every file as it is called now.
    pub(crate) fn doctor(&mut self) -> &Doctor {
        for (token, name) in &self.standing.tokens {
            self.doctor.rename(token, name);
        }
        &self.doctor
    }
}

/// Something the 1.x stream tells its clients (`contract/monitor-api.md` §8).
#[derive(Debug, Clone)]
pub enum Notice {
    /// New events, in log order.
    Events(Arc<Vec<Event>>),
    /// Files in the agents' folders that came, changed or went.
    Files(Arc<Vec<FileChange>>),
}

impl AppState {
    /// State over one home, with everything that reads it already under way.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(settings: Settings) -> std::io::Result<Self> {
        let (ingest, inputs) = ingest::channel();
        let (wake_index, woken) = index::channel();
        let overrides = Store::start(&settings, ingest.clone())?;
        let (home, clock, watched) = (settings.home.clone(), settings.clock, settings.watcher);
        let speak = Speak::new(&settings);
        let epoch = epoch();
        let team = Team::start(&settings, &epoch, ingest.clone(), overrides.clone())?;
        let live = Arc::new(Live::new(epoch, clock));
        live.write(|hub| hub.set_classifier(settings.classifier));
        let state = Self(Arc::new(Shared {
            settings,
            live,
            notices: broadcast::channel(1024).0,
            reading: Mutex::default(),
            ready: watch::channel(false).0,
            ingest: ingest.clone(),
            wake_index,
            overrides,
            speak,
            team,
            stores: Mutex::new(store::Reader::new(home.clone())),
            briefs: Mutex::default(),
            page_session: PageSession::fresh(),
            perimeter: Perimeter::default(),
            made: Made::default(),
        }));
        ingest::spawn(Arc::downgrade(&state.0), inputs)?;
        index::spawn(Arc::downgrade(&state.0), woken)?;
        let files = ingest.clone();
        crate::workspace::spawn(home.clone(), move |update| files.send(Input::Files(Box::new(update))))?;
        crate::tail::spawn(home, clock, watched, ingest)?;
        crate::talk::spawn(Arc::downgrade(&state.0), watched)?;
        Ok(state)
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// UTC epoch milliseconds by the configured clock.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.0.live.now()
    }

    /// The hub, for short synchronous reads. Never hold it across an await.
    pub fn hub(&self) -> RwLockReadGuard<'_, Hub> {
        self.0.live.hub()
    }

    /// Asks the hub something off the async threads, at the configured `now`.
    pub async fn ask<T: Send + 'static>(&self, question: impl FnOnce(&Hub, i64) -> T + Send + 'static) -> T {
        self.0.live.ask(question).await
    }

    /// Asks the hub something that the index of a search helps with, likewise.
    pub async fn ask_index<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Hub, &Index, i64) -> T + Send + 'static,
    ) -> T {
        self.0.live.ask_index(question).await
    }

    /// Waits until the history is read.
    pub async fn ready(&self) {
        let mut ready = self.0.ready.subscribe();
        // The sender lives in this very state, so waiting cannot fail.
        drop(ready.wait_for(|ready| *ready).await);
    }

    /// True once the history is read.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        *self.0.ready.borrow()
    }

    /// Where readers of files send what they found.
    #[must_use]
    pub fn ingest(&self) -> &Ingest {
        &self.0.ingest
    }

    /// The only writer of manual categories.
    #[must_use]
    pub fn overrides(&self) -> &Store {
        &self.0.overrides
    }

    /// The way to the gateway.
    pub(crate) fn speak(&self) -> &Speak {
        &self.0.speak
    }

    /// What comes in from coding agents.
    pub(crate) fn team(&self) -> &Team {
        &self.0.team
    }

    /// What OpenClaw's own session stores hold now, with what it takes to look into them further. It looks at each of
    /// them and reads what changed, so it blocks: for threads that may.
    pub(crate) fn stores(&self) -> (Arc<Sessions>, Home, Roster) {
        let roster = self.hub().roster().clone();
        let mut reader = self.0.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match reader.look(&roster) {
            Some(now) => now,
            None => reader.held().map(Arc::clone).unwrap_or_default(),
        };
        (now, reader.home().clone(), roster)
    }

    /// A list of those sessions. With titles, messages or paths asked for, it also looks for transcripts.
    #[must_use]
    pub(crate) fn store_list(&self, query: &StoreQuery) -> StoreList {
        let (held, home, roster) = self.stores();
        let now = self.now();
        if !query.needs_transcripts() {
            return coordination::store::list(&held, &roster, query, now, &mut ());
        }
        let mut briefs = self.0.briefs.lock().unwrap_or_else(PoisonError::into_inner);
        coordination::store::list(&held, &roster, query, now, &mut Spoken::new(&home, &roster, &mut briefs))
    }

    /// A stored session by its key, in any case, or by its id, with what is needed to look into its transcript.
    #[must_use]
    pub(crate) fn stored(&self, key: &str) -> Option<(Home, Roster, StoredSession)> {
        let (held, home, roster) = self.stores();
        let session = held.find(key, &roster.key_rules())?.clone();
        Some((home, roster, session))
    }

    /// What live clients are served from.
    pub(crate) fn live(&self) -> &Arc<Live> {
        &self.0.live
    }

    /// What the 1.x stream sends on; subscribe before reading the hub.
    #[must_use]
    pub fn notices(&self) -> &broadcast::Sender<Notice> {
        &self.0.notices
    }

    /// Secret that a page of ours carries as a cookie; new with every run.
    pub(crate) fn page_session(&self) -> &PageSession {
        &self.0.page_session
    }

    /// Answers of this moment.
    pub(crate) fn made(&self) -> &Made {
        &self.0.made
    }

    /// What is remembered of callers who were refused.
    pub(crate) fn perimeter(&self) -> &Perimeter {
        &self.0.perimeter
    }

    /// Tells open streams to end.
    pub fn close(&self) {
        self.0.live.close();
    }

    /// Turns true when the server is shutting down.
    #[must_use]
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.0.live.closing()
    }

    /// How reading stands.
    pub(crate) fn reading(&self) -> std::sync::MutexGuard<'_, Reading> {
        self.0.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    pub(crate) fn upgrade(weak: &Weak<Shared>) -> Option<Self> {
        weak.upgrade().map(Self)
    }
}

impl FromRef<AppState> for Arc<Live> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(state.live())
    }
}

/// Names one run of the process, so that a cursor of another run is recognised.
fn epoch() -> String {
    random_hex::<8>()
}

/// `N` random bytes as hexadecimal text.
pub(crate) fn random_hex<const N: usize>() -> String {
    let mut bytes = [0_u8; N];
    if getrandom::fill(&mut bytes).is_err() {
        // Without a source of randomness the process must not hand out guessable session secrets.
        std::process::abort();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
