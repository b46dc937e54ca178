//! Type `MachineRegistry`: the machines that the streams of a fleet know, and the removal of one of them.
//!
//! A removal is decided by one message: a hello that says so, and that the servers take only right after the one that was
//! looked at. What the streams have of the machine is purged after it. So a removal that stops half way is repeated.

use std::collections::BTreeSet;

use anyhow::Context as _;
use async_nats::HeaderMap;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{self};
use coordination::api::{FleetRetention, FleetSource};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::batch::PUBLISHER;
use super::is_source_id;
use super::messages::{Hello, Removal};
use super::publish::{PublishFault, last, publish_next};
use super::streams::{self, SourceSubjects};
use crate::clock::ServerClock;
use crate::config::FleetSettings;
use crate::random::random_hex;

/// A machine whose last message is not as old as this may be running.
const MIN_SILENCE_MS: i64 = 60_000;
/// Letters of a name that are shown.
const MAX_NAME_LETTERS: usize = 100;
/// Letters of an id behind the name of a machine that shares it.
const ID_LETTERS: usize = 6;

/// State of a machine as of its last hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KnownState {
    /// It says that it is there.
    Publishing,
    /// It was ended on purpose.
    Stopped,
    /// Nothing came for a while.
    Silent,
    /// It never said hello.
    Unnamed,
    /// It was removed, and the streams still have something of it.
    Removed,
}

impl KnownState {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Publishing => "publishing",
            Self::Stopped => "stopped",
            Self::Silent => "silent",
            Self::Unnamed => "unnamed",
            Self::Removed => "removed",
        }
    }
}

/// A machine of which the streams have something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownMachine {
    /// Name that it gives itself.
    pub(crate) name: Option<String>,
    /// Id of the source.
    pub(crate) id: String,
    /// State as of its last hello.
    pub(crate) state: KnownState,
    /// When that was, by the clock of the servers, epoch ms.
    pub(crate) last_hello: Option<i64>,
    /// Bytes of its logs that are published.
    pub(crate) bytes: u64,
    /// Sequence of the last hello.
    #[serde(skip)]
    hello_sequence: u64,
}

impl KnownMachine {
    fn new(id: String, hello: Option<(Hello, u64, i64)>, now: i64) -> Self {
        let Some((hello, hello_sequence, at)) = hello else {
            let (name, last_hello) = (None, None);
            return Self { name, id, state: KnownState::Unnamed, last_hello, bytes: 0, hello_sequence: 0 };
        };
        let state = if hello.removed.is_some() {
            KnownState::Removed
        } else if hello.stopped {
            KnownState::Stopped
        } else if now.saturating_sub(at) > FleetSource::SILENT_AFTER_MS {
            KnownState::Silent
        } else {
            KnownState::Publishing
        };
        let bytes = hello.logs.values().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        // It goes to terminals.
        let is_plain = |letter: &char| letter.is_alphanumeric() || letter.is_ascii_graphic() || *letter == ' ';
        let name = hello.name.chars().filter(is_plain).take(MAX_NAME_LETTERS).collect();
        Self { name: Some(name), id, state, last_hello: Some(at), bytes, hello_sequence }
    }

    /// The name, or the id where it never gave one.
    pub(crate) fn label(&self) -> &str {
        self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&self.id)
    }

    fn is_called(&self, word: &str) -> bool {
        self.name.as_deref().is_some_and(|name| {
            let with_id = || format!("{name}-{}", &self.id[..ID_LETTERS.min(self.id.len())]);
            name.eq_ignore_ascii_case(word) || with_id().eq_ignore_ascii_case(word)
        })
    }

    /// Why it must not be removed at `now`.
    fn refusal(&self, now: i64) -> Option<String> {
        let age_ms = now.saturating_sub(self.last_hello?);
        let may_run = matches!(self.state, KnownState::Publishing | KnownState::Silent) && age_ms < MIN_SILENCE_MS;
        may_run.then(|| {
            let (label, id) = (self.label(), &self.id);
            let seconds = age_ms.max(0) / 1_000;
            format!("{label} ({id}) published {seconds} s ago, so it is running: stop its publisher first")
        })
    }
}

/// The machine of this name or id.
///
/// # Errors
/// When none or several have it; the error names those that there are.
pub(crate) fn find_machine<'a>(machines: &'a [KnownMachine], word: &str) -> anyhow::Result<&'a KnownMachine> {
    let shown = |machines: &mut dyn Iterator<Item = &KnownMachine>| {
        let words: Vec<String> = machines.map(|machine| format!("{} ({})", machine.label(), machine.id)).collect();
        words.join(", ")
    };
    // A name may be any word, also the id of another machine.
    if let Some(machine) = machines.iter().find(|machine| machine.id.eq_ignore_ascii_case(word)) {
        return Ok(machine);
    }
    let named: Vec<&KnownMachine> = machines.iter().filter(|machine| machine.is_called(word)).collect();
    match named.as_slice() {
        [machine] => Ok(machine),
        [] if machines.is_empty() => anyhow::bail!("no machine {word}: the streams of this fleet know none"),
        [] => anyhow::bail!("no machine {word} in this fleet; there are {}", shown(&mut machines.iter())),
        _ => anyhow::bail!("{word} is not one machine: name the id; {}", shown(&mut named.iter().copied())),
    }
}

/// What a removal took out of the streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PurgedMessages {
    /// Batches of lines.
    pub(crate) batches: u64,
    /// Files, layout and conflict.
    pub(crate) states: u64,
}

/// A connection to the streams of a fleet, for what is known of its machines.
pub(crate) struct MachineRegistry {
    fleet: String,
    context: jetstream::Context,
    clock: ServerClock,
    log: Stream,
    state: Stream,
}

/// The part of an answer about a stream that older servers lack.
#[derive(Deserialize)]
struct StreamTime {
    ts: Option<String>,
}

impl MachineRegistry {
    /// Connects to the servers of a fleet.
    ///
    /// # Errors
    /// When they do not answer, or have no streams of this fleet.
    pub(crate) async fn connect(settings: &FleetSettings, clock: ServerClock) -> anyhow::Result<Self> {
        let mut context = jetstream::new(streams::connect(settings).await?);
        context.set_timeout(streams::REQUEST_TIMEOUT);
        let log = streams::existing(&context, &streams::log_stream(&settings.name)).await?;
        let state = streams::existing(&context, &streams::state_stream(&settings.name)).await?;
        Ok(Self { fleet: settings.name.clone(), context, clock, log, state })
    }

    /// Limits of the stream of logs, and what it held when this connected.
    pub(crate) fn retention(&self) -> FleetRetention {
        streams::retention(self.log.cached_info())
    }

    /// All machines of which the streams have something, by name.
    ///
    /// # Errors
    /// When the servers do not answer.
    pub(crate) async fn machines(&self) -> anyhow::Result<Vec<KnownMachine>> {
        let now = self.now().await?;
        let mut machines = Vec::new();
        for id in self.ids().await? {
            let machine = KnownMachine::new(id.clone(), self.hello(&id).await?, now);
            // Its last message stays.
            if machine.state != KnownState::Removed || self.has_leftovers(&id).await? {
                machines.push(machine);
            }
        }
        machines.sort_by(|one, other| (one.label(), &one.id).cmp(&(other.label(), &other.id)));
        Ok(machines)
    }

    /// Why a machine must not be removed now.
    ///
    /// # Errors
    /// When the servers do not answer.
    pub(crate) async fn refusal(&self, machine: &KnownMachine) -> anyhow::Result<Option<String>> {
        Ok(machine.refusal(self.now().await?))
    }

    /// Removes a machine: first the message that says so, then what the streams have of it.
    ///
    /// # Errors
    /// When it may be running, or the servers refuse.
    pub(crate) async fn forget(&self, machine: &KnownMachine) -> anyhow::Result<PurgedMessages> {
        let now = self.now().await?;
        if let Some(refusal) = machine.refusal(now) {
            anyhow::bail!(refusal);
        }
        let subjects = SourceSubjects::new(&self.fleet, &machine.id);
        let info = self.log.get_info().await.context("the servers do not answer for the stream of logs")?;
        let log_sequence = info.state.last_sequence;
        let removal = Removal { log_created: info.created.to_string(), log_sequence };
        let hello = Hello {
            name: machine.name.clone().unwrap_or_default(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            at: now,
            // For processes that do not know removals.
            stopped: true,
            removed: Some(removal),
            ..Hello::default()
        };
        let mut headers = HeaderMap::new();
        headers.insert(PUBLISHER, random_hex::<8>());
        let message = (headers, hello.payload()?);
        let sent = publish_next(&self.context, &self.state, &subjects.hello(), message, machine.hello_sequence).await;
        let hello_sequence = sent.map_err(|fault| match fault {
            PublishFault::Unavailable(error) => error,
            _ => anyhow::anyhow!("{} publishes again: stop its publisher first; nothing was removed", machine.label()),
        })?;
        let half = "the machine is removed, and the streams still have lines or files of it: repeat the command";
        // A publisher that has begun again in between keeps what it sent.
        let batches = self.log.purge().filter(subjects.logs()).sequence(log_sequence + 1).await.context(half)?.purged;
        let states = self.state.purge().filter(subjects.all()).sequence(hello_sequence).await.context(half)?.purged;
        Ok(PurgedMessages { batches, states })
    }

    /// Ids of all sources that have a subject.
    async fn ids(&self) -> anyhow::Result<BTreeSet<String>> {
        let mut ids = BTreeSet::new();
        for stream in [&self.state, &self.log] {
            let mut subjects = stream.info_with_subjects(streams::all_subjects(&self.fleet)).await?;
            while let Some((subject, _)) = subjects.try_next().await? {
                let source = streams::topic(&self.fleet, &subject).map(|(source, _)| source.to_owned());
                ids.extend(source.filter(|source| is_source_id(source)));
            }
        }
        Ok(ids)
    }

    /// Whether the streams have more of a source than its hello.
    async fn has_leftovers(&self, id: &str) -> anyhow::Result<bool> {
        let subjects = SourceSubjects::new(&self.fleet, id);
        let mut lines = self.log.info_with_subjects(subjects.logs()).await?;
        if lines.try_next().await?.is_some() {
            return Ok(true);
        }
        let mut states = self.state.info_with_subjects(subjects.all()).await?;
        while let Some((subject, _)) = states.try_next().await? {
            if subject != subjects.hello() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The last hello of a source, with its sequence and time.
    async fn hello(&self, id: &str) -> anyhow::Result<Option<(Hello, u64, i64)>> {
        let subject = SourceSubjects::new(&self.fleet, id).hello();
        let Some(message) = last(&self.state, &subject).await? else { return Ok(None) };
        let at = i64::try_from(message.time.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX);
        // A damaged one is replaced like any other.
        Ok(Some((Hello::read(&message.payload).unwrap_or_default(), message.sequence, at)))
    }

    /// Now by the clock of the servers; by this machine's own where they are too old to say it.
    async fn now(&self) -> anyhow::Result<i64> {
        let subject = format!("STREAM.INFO.{}", streams::state_stream(&self.fleet));
        let answer: StreamTime = self.context.request(subject, &serde_json::json!({})).await?;
        let shown = answer.ts.and_then(|time| coordination::time::parse_iso(&time));
        Ok(shown.unwrap_or_else(|| self.clock.now_ms()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_771_651_020_000;
    const ONE: &str = "11111111111111111111111111111111";
    const TWO: &str = "22222222222222222222222222222222";

    fn machine(id: &str, name: &str, age_ms: i64, stopped: bool) -> KnownMachine {
        let logs = [("a".to_owned(), 3), ("b".to_owned(), 4)].into();
        let hello = Hello { name: name.to_owned(), stopped, logs, ..Hello::default() };
        KnownMachine::new(id.to_owned(), Some((hello, 5, NOW - age_ms)), NOW)
    }

    #[test]
    fn machine_is_found_by_name_and_id() {
        let machines = [
            machine(ONE, "seum-mac", 0, false),
            machine(TWO, "seum-mac", 0, false),
            machine("3", "p\u{1b}c\u{202e}", 0, false),
        ];
        assert_eq!(find_machine(&machines, "PC").expect("a name").id, "3");
        for word in [ONE, "seum-mac-111111"] {
            assert_eq!(find_machine(&machines, word).expect("an id").id, ONE, "{word}");
        }
        let called_by_id = [machine(ONE, "seum-mac", 0, false), machine(TWO, ONE, 0, false)];
        assert_eq!(find_machine(&called_by_id, ONE).expect("an id").id, ONE, "another one has the id as its name");
        let several = find_machine(&machines, "seum-mac").expect_err("two").to_string();
        assert!(several.contains(ONE) && several.contains(TWO) && !several.contains("pc"), "{several}");
        let unknown = find_machine(&machines, "x").expect_err("none").to_string();
        assert!(unknown.contains("seum-mac") && unknown.contains("pc (3)"), "{unknown}");
        assert!(find_machine(&[], "x").expect_err("none").to_string().contains("know none"));
    }

    #[test]
    fn running_machine_is_not_removed() {
        for (age_ms, stopped, state, is_refused) in [
            (-5_000, false, KnownState::Publishing, true),
            (9_000, false, KnownState::Publishing, true),
            (59_000, false, KnownState::Silent, true),
            (60_000, false, KnownState::Silent, false),
            (1_000, true, KnownState::Stopped, false),
        ] {
            let known = machine(ONE, "pc", age_ms, stopped);
            assert_eq!((known.state, known.bytes), (state, 7), "{age_ms}");
            assert_eq!(known.refusal(NOW).is_some(), is_refused, "{age_ms}");
        }
        let unnamed = KnownMachine::new(ONE.to_owned(), None, NOW);
        assert_eq!((unnamed.label(), unnamed.refusal(NOW)), (ONE, None));
    }
}
