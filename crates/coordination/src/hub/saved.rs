//! Saved form of the hub: everything that follows from the events read so far, in named sections that can be decoded on
//! several threads. The monitor writes the sections to a file and reads them when it starts.
//!
//! Not saved: the agents' folders, the exchanges of transcripts and the states of agents. After [`Hub::from_saved`],
//! the monitor delivers them again. The hub then corrects only those saved events that no longer match.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::agent_events::AgentEventsOverlay;
use super::inputs::Inputs;
use super::packed::Packing;
use super::rules::ClassifierConfig;
use super::session::Session;
use super::session_table::SessionTable;
use super::state_packing::StatePacking;
use super::transcripts::TranscriptOverlay;
use super::{EventStore, Hub, Indexes, SessionStore};
use crate::api::{ManualOverride, Taught};
use crate::classify::Classifier;
use crate::classify::v2::Lexicon;
use crate::ids::SessionId;
use crate::roster::Roster;

/// Sessions of one section.
const SESSIONS_PER_SECTION: usize = 4096;

/// Receiver of the sections of a hub that is saved.
pub trait SectionSink {
    /// Why saving ended early.
    type Error;

    /// Takes the next section; names are unique.
    ///
    /// # Errors
    /// Ends [`Hub::save`].
    fn section<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Self::Error>;
}

/// A part of the work of [`Hub::from_saved`], independent of the others.
pub type SectionJob<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Provider of the sections of a saved hub.
pub trait SectionSource: Sync {
    /// The value of a section; `None` when there is no such section, or it is not of this type.
    fn section<T: DeserializeOwned>(&self, name: &str) -> Option<T>;

    /// Runs all jobs, in any order, on as many threads as are useful.
    fn run(&self, jobs: Vec<SectionJob<'_>>);
}

/// Saved inputs, borrowed.
#[derive(Serialize)]
struct SavedInputsRef<'a> {
    roster: &'a Roster,
    classifier: Classifier,
    #[serde(with = "json")]
    rules: &'a Taught,
    #[serde(with = "json")]
    overrides: &'a BTreeMap<SessionId, ManualOverride>,
    transcripts: &'a TranscriptOverlay,
    agent_events: &'a AgentEventsOverlay,
}

/// Inputs that the saved state depends on.
#[derive(Deserialize)]
struct SavedInputs {
    roster: Roster,
    classifier: Classifier,
    #[serde(with = "json")]
    rules: Taught,
    #[serde(with = "json")]
    overrides: BTreeMap<SessionId, ManualOverride>,
    transcripts: TranscriptOverlay,
    agent_events: AgentEventsOverlay,
}

impl Hub {
    /// Passes the saved form to `sink`, section by section.
    ///
    /// # Errors
    /// The first error of the sink.
    pub fn save<S: SectionSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        let EventStore { log, meta, timeline, positions } = &self.events;
        let Indexes { tally, by_agent, task_log, alarms, kinds, people, titles, v1: _ } = &self.indexes;
        // `newest` is made of the sessions.
        let SessionStore { table, newest: _, overview, resumed, assigner } = &self.sessions;
        let Inputs { roster, classifier, rules, overrides, transcripts, agent_events, .. } = &self.inputs;
        sink.section("log", log)?;
        sink.section("meta", meta)?;
        sink.section("event lists", &(timeline, positions, by_agent))?;
        sink.section("titles", titles)?;
        sink.section("tally", tally)?;
        sink.section("tasks", task_log)?;
        sink.section("names", &(alarms, kinds, people))?;
        sink.section("assigner", assigner)?;
        sink.section("overview", &(overview, resumed))?;
        let ClassifierConfig { classifier, .. } = *classifier;
        sink.section("inputs", &SavedInputsRef { roster, classifier, rules, overrides, transcripts, agent_events })?;
        sink.section("sessions", &(table.slots.len(), table.samples()))?;
        let mut parts = table.slots.chunks(SESSIONS_PER_SECTION).enumerate();
        parts.try_for_each(|(number, part)| sink.section(&part_name(number), part))
    }

    /// The hub that was saved; `packing` is that of the saved one. `None` when a section is missing or does not fit the
    /// others.
    #[must_use]
    pub fn from_saved<S: SectionSource>(source: &S, packing: Arc<dyn Packing>) -> Option<Self> {
        let mut hub = Self::default();
        let (sessions, samples): (usize, Vec<u8>) = source.section("sessions")?;
        let states = Arc::new(StatePacking::new(Arc::clone(&packing), samples));
        let mut parts: Vec<Option<Vec<Session>>> = Vec::new();
        parts.resize_with(sessions.div_ceil(SESSIONS_PER_SECTION), || None);
        let complete = Mutex::new(true);
        {
            let note = |done: Option<()>| {
                *complete.lock().unwrap_or_else(PoisonError::into_inner) &= done.is_some();
            };
            let EventStore { log, meta, timeline, positions } = &mut hub.events;
            let Indexes { tally, by_agent, task_log, alarms, kinds, people, titles, v1: _ } = &mut hub.indexes;
            let SessionStore { table: _, newest: _, overview, resumed, assigner } = &mut hub.sessions;
            let inputs = &mut hub.inputs;
            // The longest ones first, so that the threads end together.
            let mut jobs: Vec<SectionJob<'_>> = Vec::new();
            jobs.push(Box::new(|| note(fill(source, "log", log))));
            for (number, part) in parts.iter_mut().enumerate() {
                jobs.push(Box::new(move || note(source.section(&part_name(number)).map(|read| *part = Some(read)))));
            }
            jobs.push(Box::new(|| note(fill(source, "titles", titles))));
            jobs.push(Box::new(|| note(fill(source, "assigner", assigner))));
            jobs.push(Box::new(|| note(fill(source, "meta", meta))));
            jobs.push(Box::new(|| {
                note(source.section("event lists").map(|read| (*timeline, *positions, *by_agent) = read));
            }));
            jobs.push(Box::new(|| note(fill(source, "tasks", task_log))));
            jobs.push(Box::new(|| note(fill(source, "tally", tally))));
            jobs.push(Box::new(|| {
                note(source.section("names").map(|read| (*alarms, *kinds, *people) = read));
            }));
            jobs.push(Box::new(|| {
                note(source.section("overview").map(|read| (*overview, *resumed) = read));
            }));
            jobs.push(Box::new(|| note(source.section("inputs").map(|read| put_inputs(read, inputs)))));
            source.run(jobs);
        }
        if !complete.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return None;
        }
        let mut slots: Vec<Session> = parts.into_iter().flatten().flatten().collect();
        slots.iter_mut().for_each(|session| session.state.set_packing(&states));
        let newest = (0..).zip(&slots).filter(|(_, session)| !session.events.is_empty());
        let newest = newest.map(|(slot, session)| ((Reverse(session.state.last()), Arc::clone(&session.id)), slot));
        hub.sessions.newest = newest.collect();
        let whole = slots.len() == sessions && hub.events.log.is_whole();
        hub.sessions.table = SessionTable::from_saved(slots, states);
        hub.set_packing(packing);
        (whole && hub.events.meta.len() == hub.events.log.len()).then_some(hub)
    }

    /// Ids of the normalised events of hooks that have events in the hub and are not among `current`: of a saved hub,
    /// those that are gone since.
    #[must_use]
    pub fn stale_agent_events(&self, current: &HashSet<&str>) -> Vec<String> {
        self.inputs.agent_events.ids().filter(|id| !current.contains(id)).map(str::to_owned).collect()
    }
}

fn part_name(number: usize) -> String {
    format!("sessions {number}")
}

fn fill<T: DeserializeOwned>(source: &impl SectionSource, name: &str, place: &mut T) -> Option<()> {
    *place = source.section(name)?;
    Some(())
}

fn put_inputs(saved: SavedInputs, inputs: &mut Inputs) {
    let SavedInputs { roster, classifier, rules, overrides, mut transcripts, agent_events } = saved;
    transcripts.expect_all_pairs();
    inputs.classifier = ClassifierConfig { classifier, lexicon: Lexicon::new(&rules) };
    (inputs.roster, inputs.rules, inputs.overrides) = (roster, rules, overrides);
    (inputs.transcripts, inputs.agent_events) = (transcripts, agent_events);
}

/// A value saved as JSON, because its type leaves fields out.
pub(crate) mod json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
    }

    pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Bytes that copies of a hub share.
pub(crate) mod shared_bytes {
    use std::sync::Arc;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        Ok(<&serde_bytes::Bytes>::deserialize(deserializer)?.as_ref().into())
    }
}

/// A column of numbers saved as little-endian bytes in one piece.
pub(crate) mod column {
    use serde::de::Error;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use serde_bytes::ByteBuf;

    /// A number of eight bytes.
    pub(crate) trait ColumnNumber: Copy {
        fn to_bytes(self) -> [u8; 8];
        fn from_bytes(bytes: [u8; 8]) -> Self;
    }

    impl ColumnNumber for i64 {
        fn to_bytes(self) -> [u8; 8] {
            self.to_le_bytes()
        }

        fn from_bytes(bytes: [u8; 8]) -> Self {
            Self::from_le_bytes(bytes)
        }
    }

    impl ColumnNumber for u64 {
        fn to_bytes(self) -> [u8; 8] {
            self.to_le_bytes()
        }

        fn from_bytes(bytes: [u8; 8]) -> Self {
            Self::from_le_bytes(bytes)
        }
    }

    pub(crate) fn serialize<T: ColumnNumber, S: Serializer>(numbers: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }

    pub(crate) fn deserialize<'de, T: ColumnNumber, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        let bytes = ByteBuf::deserialize(deserializer)?;
        let (numbers, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(D::Error::custom("bytes of another length"));
        }
        Ok(numbers.iter().map(|number| T::from_bytes(*number)).collect())
    }
}
