//! Compression of old log lines and states of old sessions in the hub with zstd. Lines are packed on worker threads: the
//! hub writer (`core/ingest.rs`) submits them and stores the results, and helps when the worker threads fall behind.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, io};

use coordination::hub::{Packed, PackedStates, Packing};
use zstd::bulk::{Compressor, Decompressor};

use super::Live;
use crate::workers::{Deferred, WorkerPool};

/// The quickest level: the next ones take twice the time for a twentieth less.
const LEVEL: i32 = 1;
/// Blocks that are being packed at once, and so held in both forms.
const MAX_PACKED_AT_ONCE: usize = 96;
/// Of so many in progress these are awaited: more than a piece of a file holds, so that packing keeps up while there
/// are lines to read. Blocks left unpacked until the end cost three times as much memory, and it is never given
/// back.
const MAX_AWAITED: usize = 48;

/// States that one job packs, and jobs under way before the oldest is awaited.
const STATES_PER_JOB: usize = 256;
const MAX_STATE_JOBS: usize = 4;
/// Contexts of zstd that are kept for the next piece.
const MAX_IDLE_CONTEXTS: usize = 8;

/// Newest events and open sessions that stay unpacked, in all hubs that share their memory.
const NEWEST_EVENTS: usize = 2 * 1024;
const OPEN_SESSIONS: usize = 4 * 1024;
/// A hub keeps this part of them however many hubs there are.
const MIN_SHARE: usize = 16;

/// Hubs of one process that share the memory for what is not packed: the machines of a fleet. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct HubMemory(Arc<AtomicUsize>);

/// The part of one hub, while it is there.
#[derive(Debug)]
struct HubShare(HubMemory);

impl HubMemory {
    fn share(&self) -> HubShare {
        self.0.fetch_add(1, Relaxed);
        HubShare(self.clone())
    }
}

impl HubShare {
    /// This hub's part of so many.
    fn of(&self, all: usize) -> usize {
        all / self.0.0.load(Relaxed).clamp(1, MIN_SHARE)
    }
}

impl Drop for HubShare {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// Packs with zstd.
#[derive(Debug)]
pub(in crate::core) struct Zstd {
    share: HubShare,
}

impl Zstd {
    pub(in crate::core) fn new(memory: &HubMemory) -> Self {
        Self { share: memory.share() }
    }
}

impl Packing for Zstd {
    fn newest(&self) -> usize {
        self.share.of(NEWEST_EVENTS)
    }

    fn open_sessions(&self) -> usize {
        self.share.of(OPEN_SESSIONS)
    }

    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>> {
        zstd::bulk::compress(plain, LEVEL)
            .inspect_err(|error| tracing::error!(%error, "old lines could not be packed and stay unpacked"))
            .ok()
    }

    fn unpack(&self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        zstd::bulk::decompress(packed, length)
            .inspect_err(|error| tracing::error!(%error, "packed lines were damaged in memory"))
            .ok()
    }

    fn with_samples(&self, samples: &[u8]) -> Option<Arc<dyn Packing>> {
        Some(Arc::new(ZstdWithSamples {
            samples: samples.to_vec(),
            compressors: ContextPool::default(),
            decompressors: ContextPool::default(),
        }))
    }
}

/// Packs short pieces with samples of them.
struct ZstdWithSamples {
    samples: Vec<u8>,
    compressors: ContextPool<Compressor<'static>>,
    decompressors: ContextPool<Decompressor<'static>>,
}

/// Contexts that are not in use: making one costs more than to pack or unpack a piece with it.
struct ContextPool<T>(Mutex<Vec<T>>);

impl<T> Default for ContextPool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> ContextPool<T> {
    /// Runs `work` with a context, of which no other thread has it meanwhile.
    fn with<R>(
        &self,
        make: impl FnOnce() -> io::Result<T>,
        work: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let idle = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = idle().pop();
        let mut context = match held {
            Some(context) => context,
            None => make()?,
        };
        let result = work(&mut context);
        let mut idle = idle();
        if idle.len() < MAX_IDLE_CONTEXTS {
            idle.push(context);
        }
        result
    }
}

impl fmt::Debug for ZstdWithSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZstdWithSamples").finish_non_exhaustive()
    }
}

impl Packing for ZstdWithSamples {
    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let make = || Compressor::with_dictionary(LEVEL, &self.samples);
        let packed = self.compressors.with(make, |compressor| compressor.compress(plain));
        packed.inspect_err(|error| tracing::error!(%error, "old lines or states could not be packed")).ok()
    }

    fn unpack(&self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        let make = || Decompressor::with_dictionary(&self.samples);
        let plain = self.decompressors.with(make, |decompressor| decompressor.decompress(packed, length));
        plain.inspect_err(|error| tracing::error!(%error, "packed lines or states were damaged in memory")).ok()
    }
}

/// Has old lines and states packed, and puts them in their place: blocks of lines in order. Only the writer of the hub has
/// one.
#[derive(Debug)]
pub(crate) struct Packer {
    workers: WorkerPool,
    /// Blocks under way, oldest first, each with how many events it holds.
    underway: VecDeque<(usize, Deferred<Option<Packed>>)>,
    /// States under way, oldest first.
    states: VecDeque<Deferred<PackedStates>>,
}

impl Packer {
    pub(crate) fn new(workers: WorkerPool) -> Self {
        Self { workers, underway: VecDeque::new(), states: VecDeque::new() }
    }

    /// Stores the packed blocks and hands out new ones; true when there may be more. Unpacked copies are dropped
    /// without a lock on the hub.
    pub(crate) fn pack_step(&mut self, live: &Live) -> bool {
        let skip = self.underway.iter().map(|(events, _)| events).sum();
        let uncompressed = live.hub().uncompressed(skip, MAX_PACKED_AT_ONCE - self.underway.len());
        for block in uncompressed {
            self.underway.push_back((block.len(), self.workers.submit(move || block.pack())));
        }
        let full = self.underway.len() == MAX_PACKED_AT_ONCE;
        let mut packed = Vec::new();
        // Blocks to take even if no worker has finished them: `take` then compresses on this thread.
        let mut wait = match (self.workers.has_threads(), full) {
            (false, _) => MAX_PACKED_AT_ONCE,
            (true, true) => MAX_AWAITED,
            (true, false) => 0,
        };
        while let Some((events, block)) = self.underway.pop_front() {
            if wait == 0 && !block.is_done() {
                self.underway.push_front((events, block));
                break;
            }
            wait = wait.saturating_sub(1);
            match block.take() {
                Some(block) => packed.push(block),
                // Those behind it would have no place: all stay as they are, and are tried again.
                None => {
                    self.underway.clear();
                    break;
                }
            }
        }
        let some = !packed.is_empty();
        if some {
            self.workers.drop_in_background(live.write(|hub| hub.put_packed(packed)));
        }
        full && some
    }

    /// The same for states of old sessions. They stay encoded while there are lines to read, because the start waits for
    /// both cores then.
    pub(crate) fn pack_states(&mut self, live: &Live) -> bool {
        let has_encoded = live.hub().has_encoded_states();
        let awaited = if has_encoded && self.states.len() < MAX_STATE_JOBS { None } else { self.states.pop_front() };
        if awaited.is_none() && !has_encoded {
            return false;
        }
        let packed = awaited.map(Deferred::take);
        // Not through `write`: no answer changes.
        let mut hub = live.lock_hub();
        packed.into_iter().for_each(|states| hub.put_packed_states(states));
        while self.states.len() < MAX_STATE_JOBS
            && let Some(states) = hub.take_encoded_states(STATES_PER_JOB)
        {
            self.states.push_back(self.workers.submit(move || states.pack()));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_make_short_pieces_small_and_unpack_them_again() {
        let piece = |number: usize| {
            format!("session {number} of eden and seum: 배포 확인 부탁, 리뷰 부탁, work {}", number * 7919)
        };
        let samples: String = (0..400).map(piece).collect();
        let with_samples = || Zstd::new(&HubMemory::default()).with_samples(samples.as_bytes()).expect("a packing");
        let (packing, again) = (with_samples(), with_samples());
        for number in 400..420 {
            let plain = piece(number).into_bytes();
            let packed = packing.pack(&plain).expect("a packed piece");
            assert!(packed.len() * 2 < plain.len(), "{} of {} bytes", packed.len(), plain.len());
            assert_eq!(again.unpack(&packed, plain.len()).as_ref(), Some(&plain));
            assert_eq!(again.unpack(&packed[1..], plain.len()), None);
        }
    }

    #[test]
    fn hubs_share_what_stays_unpacked() {
        let memory = HubMemory::default();
        let first = Zstd::new(&memory);
        assert_eq!((first.newest(), first.open_sessions()), (2_048, 4_096));
        let others: Vec<_> = (0..3).map(|_| Zstd::new(&memory)).collect();
        assert_eq!((first.newest(), others[2].open_sessions()), (512, 1_024));
        let many: Vec<_> = (0..100).map(|_| Zstd::new(&memory)).collect();
        assert_eq!((first.newest(), many[99].open_sessions()), (128, 256));
        drop((others, many));
        assert_eq!(first.newest(), 2_048);
    }
}
