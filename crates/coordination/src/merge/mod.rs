//! Conversion of transcript exchanges (messages and delegations between agents that OpenClaw's transcripts record) into
//! events of the coordination log's types, with `origin: "transcript"` (`contract/sessions.md` §3.1).
//!
//! [`TranscriptExchanges`] is built from the results of [`crate::transcript::exchanges`] and from OpenClaw's records of
//! delegated runs (`runs.rs`). [`group`] assigns each exchange to a work session and a thread. `hub::transcripts` then
//! matches the events with the log and adds only what the log truncated or omitted.

mod group;
pub(crate) mod log_events;
pub(crate) mod place;
mod runs;

pub use place::PREFIX;
pub(crate) use place::place_of;
pub use runs::{Job, is_job_name, read_job, with_jobs, with_runs};

use std::collections::BTreeMap;

use crate::store::StoreSnapshot;
use crate::transcript::exchanges::{ExchangeEvent, ExchangeEventKind, ExchangeScan, find};

/// One exchange, or one delegation: everything that belongs to its first message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TranscriptExchange {
    /// In order of time; never empty.
    pub(crate) events: Vec<ExchangeEvent>,
    /// The id of the hub's event of each of `events`.
    pub(crate) ids: Vec<String>,
    /// Its work session.
    pub(crate) session: String,
    /// Its thread.
    pub(crate) conversation: String,
}

/// The last moment that a date can name, in epoch milliseconds.
const LATEST_MS: i64 = 8_640_000_000_000_000;

/// Two agents, in order.
pub(crate) type AgentNamePair = (String, String);

/// All exchanges between sessions that transcripts and registries record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptExchanges {
    /// In order of their beginnings.
    pub(crate) exchanges: Vec<TranscriptExchange>,
    /// Indexes of the exchanges of each pair of agents.
    pub(crate) pairs: BTreeMap<AgentNamePair, Vec<usize>>,
}

impl TranscriptExchanges {
    /// Everything that the scans of transcripts, the stores and the job files record.
    #[must_use]
    pub fn from_scans<'a>(
        scans: impl IntoIterator<Item = &'a ExchangeScan>,
        stores: &StoreSnapshot,
        jobs: &[Job],
    ) -> Self {
        let mut events = find(scans);
        with_runs(&mut events, stores);
        with_jobs(&mut events, jobs);
        Self::new(events)
    }

    /// Builds the exchanges. The order of `events` does not matter.
    #[must_use]
    pub fn new(events: Vec<ExchangeEvent>) -> Self {
        let mut by_exchange: BTreeMap<String, Vec<ExchangeEvent>> = BTreeMap::new();
        for mut event in events {
            // A clock may give any time; it is limited to valid dates.
            event.at_ms = event.at_ms.clamp(0, LATEST_MS);
            by_exchange.entry(event.exchange.clone()).or_default().push(event);
        }
        let mut found: Vec<Vec<ExchangeEvent>> = by_exchange.into_values().collect();
        for events in &mut found {
            events.sort_by_key(|event| (event.at_ms, event.turn, event.kind));
        }
        let ids = place::ids(&found);
        let mut all: Vec<(Vec<ExchangeEvent>, Vec<String>)> = found.into_iter().zip(ids).collect();
        all.sort_by(|one, other| (one.0[0].at_ms, &one.1[0]).cmp(&(other.0[0].at_ms, &other.1[0])));
        let exchanges = group::grouped(all);
        let mut pairs: BTreeMap<AgentNamePair, Vec<usize>> = BTreeMap::new();
        for (at, exchange) in exchanges.iter().enumerate() {
            pairs.entry(exchange.pair()).or_default().push(at);
        }
        Self { exchanges, pairs }
    }

    /// Whether there are no exchanges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// Number of exchanges and delegations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Their events. Those of one exchange are in order, so that [`Self::new`] makes the same exchanges of them.
    pub fn events(&self) -> impl Iterator<Item = &ExchangeEvent> {
        self.exchanges.iter().flat_map(|exchange| &exchange.events)
    }

    pub(crate) fn of_pair(&self, pair: &AgentNamePair) -> Vec<&TranscriptExchange> {
        self.pairs.get(pair).into_iter().flatten().map(|at| &self.exchanges[*at]).collect()
    }
}

impl TranscriptExchange {
    pub(crate) fn pair(&self) -> AgentNamePair {
        let (one, other) = (self.events[0].from.agent.clone(), self.events[0].to.agent.clone());
        if one <= other { (one, other) } else { (other, one) }
    }

    pub(crate) fn start(&self) -> i64 {
        self.events[0].at_ms
    }

    pub(crate) fn end(&self) -> i64 {
        self.events.iter().map(|event| event.at_ms).max().unwrap_or_default()
    }

    /// The run that it began.
    pub(crate) fn run(&self) -> Option<&str> {
        self.events.iter().find_map(|event| event.run_id.as_deref())
    }
}

pub(crate) fn is_child(kind: ExchangeEventKind) -> bool {
    matches!(kind, ExchangeEventKind::Spawn | ExchangeEventKind::SpawnFailed | ExchangeEventKind::ChildResult)
}
