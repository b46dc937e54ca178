//! Codec of session states ([`super::packable_state`]). A state is encoded at once, and packed later on another thread,
//! because packing takes longer than the rest of what an event costs.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::packed::Packing;
use super::sampled_packing::SampledPacking;
use super::session::FoldState;

/// Encoded states, about to be packed: slot and bytes.
#[derive(Debug)]
pub struct EncodedStates {
    packing: Arc<StatePacking>,
    states: Vec<(u32, Box<[u8]>)>,
}

/// Packed states: slot, bytes before and after.
#[derive(Debug)]
pub struct PackedStates(Vec<(u32, Box<[u8]>, Vec<u8>)>);

impl EncodedStates {
    pub(super) fn new(packing: Arc<StatePacking>, states: Vec<(u32, Box<[u8]>)>) -> Self {
        Self { packing, states }
    }

    /// Packs them. The expensive part: it needs no access to the hub.
    #[must_use]
    pub fn pack(&self) -> PackedStates {
        let Some(packing) = self.packing.packing.by_samples() else { return PackedStates(Vec::new()) };
        let pack = |(slot, plain): &(u32, Box<[u8]>)| Some((*slot, plain.clone(), packing.pack(plain)?));
        PackedStates(self.states.iter().filter_map(pack).collect())
    }
}

impl PackedStates {
    pub(super) fn into_states(self) -> Vec<(u32, Box<[u8]>, Vec<u8>)> {
        self.0
    }
}

/// Codec of session states, and the number of decoded copies. A page in a browser packs nothing and has none, so the
/// codec is not part of it.
#[derive(Debug)]
pub(crate) struct StatePacking {
    encode: fn(&FoldState) -> Option<Vec<u8>>,
    decode: fn(&[u8]) -> Option<FoldState>,
    packing: SampledPacking,
    /// Decoded copies in memory.
    pub(super) unpacked: AtomicUsize,
}

impl StatePacking {
    /// With the samples that were saved.
    pub(super) fn new(packing: Arc<dyn Packing>, samples: Vec<u8>) -> Self {
        Self {
            encode: |state| postcard::to_allocvec(state).ok(),
            decode: |bytes| postcard::from_bytes(bytes).ok(),
            packing: SampledPacking::new(packing, samples),
            unpacked: AtomicUsize::new(0),
        }
    }

    /// The same codec without decoded copies.
    pub(super) fn detached(&self) -> Self {
        let Self { encode, decode, packing, unpacked: _ } = self;
        Self { encode: *encode, decode: *decode, packing: packing.clone(), unpacked: AtomicUsize::new(0) }
    }

    /// The samples so far.
    pub(super) fn samples(&self) -> Vec<u8> {
        self.packing.samples()
    }

    /// Decoded copies in memory.
    pub(super) fn unpacked(&self) -> usize {
        self.unpacked.load(Relaxed)
    }

    /// Encodes a state; the first ones become the samples.
    pub(super) fn encode(&self, state: &FoldState) -> Option<Box<[u8]>> {
        let plain = (self.encode)(state)?;
        self.packing.add(&plain);
        Some(plain.into_boxed_slice())
    }

    pub(super) fn unpack(&self, bytes: &[u8], length: u32) -> Option<FoldState> {
        if length == 0 {
            return (self.decode)(bytes);
        }
        (self.decode)(&self.packing.by_samples()?.unpack(bytes, length as usize)?)
    }
}
