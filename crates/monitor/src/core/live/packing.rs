//! Compression of old log lines in the hub with zstd at level 1, on worker threads. The hub writer (`core/ingest.rs`)
//! submits the lines and stores the results, and helps when the worker threads fall behind.

use std::cell::RefCell;
use std::collections::VecDeque;

use coordination::hub::{Packed, Packing};
use zstd::bulk::Decompressor;

use super::Live;
use crate::workers::{Deferred, WorkerPool};

/// The quickest level: the next ones take twice the time for a twentieth less.
const LEVEL: i32 = 1;
/// Blocks that are being packed at once, and so held in both forms.
const MAX_PACKED_AT_ONCE: usize = 24;
/// Of so many in progress these are awaited: more than a piece of a file holds, so that packing keeps up while there
/// are lines to read. Blocks left unpacked until the end cost three times as much memory, and it is never given
/// back.
const MAX_AWAITED: usize = 12;

/// Packs with zstd.
#[derive(Debug)]
pub(super) struct Zstd;

impl Packing for Zstd {
    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>> {
        zstd::bulk::compress(plain, LEVEL)
            .inspect_err(|error| tracing::error!(%error, "old lines could not be packed and stay unpacked"))
            .ok()
    }

    fn unpack(&self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        // Making a context costs half as much as unpacking a block with it.
        thread_local! {
            static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
        }
        let unpack = |decompressor: &mut Option<Decompressor<'_>>| match decompressor {
            Some(decompressor) => decompressor.decompress(packed, length),
            none => none.insert(Decompressor::new()?).decompress(packed, length),
        };
        DECOMPRESSOR
            .with_borrow_mut(unpack)
            .inspect_err(|error| tracing::error!(%error, "packed lines were damaged in memory"))
            .ok()
    }
}

/// Has old lines packed, block by block, and puts them in their place in order. Only the writer of the hub has one.
#[derive(Debug)]
pub(crate) struct Packer {
    workers: WorkerPool,
    /// Blocks under way, oldest first, each with how many events it holds.
    underway: VecDeque<(usize, Deferred<Option<Packed>>)>,
}

impl Packer {
    pub(crate) fn new(workers: WorkerPool) -> Self {
        Self { workers, underway: VecDeque::new() }
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
}
