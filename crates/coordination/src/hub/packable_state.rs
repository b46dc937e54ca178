//! State of a session in memory. It stays as it is while events of the session come; once other sessions are newer, it is
//! encoded and then packed, because a log has a hundred thousand sessions of which few are shown. A query that reads a
//! packed state decodes it; [`SessionTable::evict_unpacked`] drops decoded copies.
//!
//! [`SessionTable::evict_unpacked`]: super::session_table::SessionTable::evict_unpacked

use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::names::NameTable;
use super::send_summary::{PackedSend, SendSummary};
use super::session::FoldState;
use super::state_packing::StatePacking;
use super::thread::Thread;
use crate::api::Trouble;

/// The state, as it is or packed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PackableState {
    /// Absent while it is packed. Copies of the hub share it until one of them changes it.
    open: Option<Arc<FoldState>>,
    /// Without bytes while it is open.
    packed: PackedState,
}

/// Decoded copy of a packed state.
#[derive(Debug)]
pub(super) struct DecodedState(Box<FoldState>);

/// A packed state.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PackedState {
    #[serde(with = "super::saved::shared_bytes")]
    bytes: Arc<[u8]>,
    /// Number of bytes before they were packed; 0 when they are not.
    length: u32,
    summary: StateSummary,
    sends: Box<[PackedSend]>,
    /// Set with the packing of the hub.
    #[serde(skip)]
    packing: Option<Arc<StatePacking>>,
    /// Decoded, because a query read it.
    #[serde(skip)]
    unpacked: OnceLock<DecodedState>,
    /// Read since the last [`PackedState::evict`].
    #[serde(skip)]
    accessed: AtomicBool,
}

/// What queries over all sessions ask of a state, so that they decode none in vain.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct StateSummary {
    /// Time of the newest event, in epoch milliseconds.
    last: i64,
    /// Sends without a reply.
    no_reply: u32,
    /// Refused sends.
    blocked: u32,
    /// The last send of a thread was refused or not answered.
    has_failed: bool,
    /// It has delegated runs.
    has_runs: bool,
    /// Its events give no evidence for a category.
    is_silent: bool,
}

impl StateSummary {
    fn of(state: &FoldState) -> Self {
        let sum = |count: fn(&Thread) -> u32| state.threads.iter().map(count).sum();
        Self {
            last: state.last,
            no_reply: sum(|thread| thread.exchanges.no_reply),
            blocked: sum(|thread| thread.exchanges.blocked),
            has_failed: !state.failed.is_empty(),
            has_runs: !state.runs.list.is_empty(),
            is_silent: state.votes.is_silent(),
        }
    }
}

/// A copy shares the bytes, and has no decoded state.
impl Clone for PackedState {
    fn clone(&self) -> Self {
        let Self { bytes, length, summary, sends, packing, unpacked: _, accessed: _ } = self;
        let (bytes, sends, packing) = (Arc::clone(bytes), sends.clone(), packing.clone());
        Self { bytes, length: *length, summary: *summary, sends, packing, ..Self::default() }
    }
}

impl PackableState {
    pub(super) fn new() -> Self {
        Self { open: Some(Arc::default()), packed: PackedState::default() }
    }

    /// Time of the newest event, in epoch milliseconds.
    pub(crate) fn last(&self) -> i64 {
        self.open.as_deref().map_or(self.packed.summary.last, |state| state.last)
    }

    /// Whether its events give no evidence for a category.
    pub(crate) fn is_silent(&self) -> bool {
        self.open.as_deref().map_or(self.packed.summary.is_silent, |state| state.votes.is_silent())
    }

    /// Whether it has delegated runs.
    pub(crate) fn has_runs(&self) -> bool {
        self.open.as_deref().map_or(self.packed.summary.has_runs, |state| !state.runs.list.is_empty())
    }

    /// Sends in trouble at `now`, over all threads.
    pub(crate) fn trouble(&self, now: i64) -> Trouble {
        let Some(state) = self.open.as_deref() else {
            // No send of a packed state waits or is too old to.
            let StateSummary { no_reply, blocked, .. } = self.packed.summary;
            return Trouble { no_reply, blocked, ..Trouble::default() };
        };
        state.threads.iter().map(|thread| thread.trouble(now)).fold(Trouble::default(), |sum, one| Trouble {
            waiting: sum.waiting + one.waiting,
            no_reply: sum.no_reply + one.no_reply,
            blocked: sum.blocked + one.blocked,
            no_trace: sum.no_trace + one.no_trace,
        })
    }

    /// Threads whose last send was refused or not answered, in their order.
    pub(crate) fn failed_threads(&self) -> impl Iterator<Item = &Thread> {
        let has_none = self.open.is_none() && !self.packed.summary.has_failed;
        let state = if has_none { None } else { Some(&**self) };
        state.into_iter().flat_map(FoldState::failed_threads)
    }

    /// The state unless it is packed. The delivery states of a packed one do not depend on the time.
    pub(crate) fn open(&self) -> Option<&FoldState> {
        self.open.as_deref()
    }

    /// Calls `look` with the state and keeps no decoded copy: for queries over many sessions.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&FoldState) -> T) -> T {
        match self.open.as_deref().or(self.packed.unpacked.get().map(|copy| &*copy.0)) {
            Some(state) => look(state),
            None => look(&self.packed.decoded()),
        }
    }

    /// The sends of all threads, with their delivery states at `now`.
    pub(crate) fn sends<'a>(&'a self, people: &'a NameTable, now: i64) -> impl Iterator<Item = SendSummary<'a>> {
        let open = self.open.as_deref().into_iter().flat_map(move |state| SendSummary::of_state(state, now));
        open.chain(self.packed.sends.iter().map(|send| SendSummary::unpacked(send, people)))
    }

    /// Encodes the state, unless a send waits: then it has to be looked at as time passes.
    pub(super) fn encode(&mut self, packing: &Arc<StatePacking>, people: &NameTable) {
        let Some(state) = self.open.as_deref().filter(|state| state.waiting.is_empty()) else { return };
        let sends: Option<_> = SendSummary::of_state(state, 0).map(|send| PackedSend::new(&send, people)).collect();
        if let (Some(sends), Some(bytes)) = (sends, packing.encode(state)) {
            let (summary, packing) = (StateSummary::of(state), Some(Arc::clone(packing)));
            self.packed = PackedState { bytes: bytes.into(), summary, sends, packing, ..PackedState::default() };
            self.open = None;
        }
    }

    /// The bytes of an encoded state that is not packed.
    pub(super) fn encoded(&self) -> Option<&[u8]> {
        (self.open.is_none() && self.packed.length == 0).then_some(&*self.packed.bytes)
    }

    /// Packs an encoded state, unless it changed since.
    pub(super) fn put_packed(&mut self, plain: &[u8], packed: Vec<u8>) {
        if self.encoded() == Some(plain) {
            self.packed.length = super::count(plain.len());
            self.packed.bytes = packed.into();
        }
    }

    /// Drops the decoded copy, unless it was read since the last time; with `all` in any case.
    pub(super) fn evict(&mut self, all: bool) -> Option<DecodedState> {
        self.packed.evict(all)
    }

    /// Sets the packing of a state that was saved.
    pub(super) fn set_packing(&mut self, packing: &Arc<StatePacking>) {
        if self.open.is_none() {
            self.packed.packing = Some(Arc::clone(packing));
        }
    }
}

impl PackedState {
    fn decoded(&self) -> FoldState {
        // The bytes are those that this process encoded, or those of a cache file with the right checksum.
        let decoded = self.packing.as_ref().and_then(|packing| packing.unpack(&self.bytes, self.length));
        debug_assert!(decoded.is_some(), "a packed state can be decoded");
        decoded.unwrap_or_default()
    }

    fn unpacked(&self) -> &FoldState {
        self.accessed.store(true, Relaxed);
        let copy = self.unpacked.get_or_init(|| {
            if let Some(packing) = &self.packing {
                packing.unpacked.fetch_add(1, Relaxed);
            }
            DecodedState(Box::new(self.decoded()))
        });
        &copy.0
    }

    fn evict(&mut self, all: bool) -> Option<DecodedState> {
        let accessed = std::mem::take(self.accessed.get_mut());
        let state = if accessed && !all { None } else { self.unpacked.take() };
        if let (Some(_), Some(packing)) = (&state, &self.packing) {
            packing.unpacked.fetch_sub(1, Relaxed);
        }
        state
    }

    fn take(&mut self) -> Arc<FoldState> {
        let state = self.evict(true).map_or_else(|| self.decoded(), |copy| *copy.0);
        *self = Self::default();
        Arc::new(state)
    }
}

impl Deref for PackableState {
    type Target = FoldState;

    fn deref(&self) -> &FoldState {
        self.open.as_deref().unwrap_or_else(|| self.packed.unpacked())
    }
}

/// A packed state is unpacked.
impl DerefMut for PackableState {
    fn deref_mut(&mut self) -> &mut FoldState {
        Arc::make_mut(self.open.get_or_insert_with(|| self.packed.take()))
    }
}
