//! How lines of old events are kept: zstd at its quickest level.

use coordination::hub::Packing;

/// The quickest level: the next ones take twice the time for a twentieth less.
const LEVEL: i32 = 1;

/// Packs with zstd.
#[derive(Debug)]
pub(super) struct Zstd;

impl Packing for Zstd {
    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>> {
        zstd::bulk::compress(plain, LEVEL)
            .inspect_err(|error| tracing::error!(%error, "old lines could not be packed and stay as they are"))
            .ok()
    }

    fn unpack(&self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        zstd::bulk::decompress(packed, length)
            .inspect_err(|error| tracing::error!(%error, "packed lines were damaged in memory"))
            .ok()
    }
}
