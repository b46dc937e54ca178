//! Findings of the log check, with a count and the first samples for each kind. The module also has the fingerprints of
//! recent lines, by which a line that was written twice is detected.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

use super::FileId;
use crate::event::sample;
use protocol::api::FindingKind;

/// Number of samples stored for each kind in a file, and reported for each kind of all files: the first ones.
pub(super) const MAX_SAMPLES: usize = 5;
/// Number of different lines that are searched for a byte-equal one; about 1.5 MB.
pub const RECENT_LINES: usize = 32 * 1024;

/// Position of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordPlace {
    pub(super) file: FileId,
    pub(super) offset: u64,
}

/// One finding with its position and text.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sample {
    /// Byte offset in the file.
    pub(super) offset: u64,
    /// What was found, such as the unknown type.
    pub(super) detail: String,
    /// Beginning of the line.
    pub(super) text: String,
}

/// Count and first samples of one kind in one file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FindingTally {
    pub(super) count: u64,
    pub(super) samples: Vec<Sample>,
}

impl FindingTally {
    pub(super) fn add(&mut self, kind: FindingKind, offset: u64, detail: &str, text: &str) {
        self.count += 1;
        if self.samples.len() >= MAX_SAMPLES {
            return;
        }
        let detail = sample(detail);
        if !repeats(kind, &detail, self.samples.iter().map(|sample| sample.detail.as_str())) {
            self.samples.push(Sample { offset, detail, text: sample(text) });
        }
    }
}

/// Whether the details `shown` make another sample needless: one strange type may occur a thousand times, and one
/// sample of each type is enough.
pub(super) fn repeats<'a>(kind: FindingKind, detail: &str, mut shown: impl Iterator<Item = &'a str>) -> bool {
    kind == FindingKind::UnknownType && shown.any(|known| known == detail)
}

/// Fingerprints of the last different lines, and where each occurred first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RecentLines {
    places: HashMap<u64, RecordPlace, BuildHasherDefault<AsIs>>,
    order: VecDeque<u64>,
}

impl RecentLines {
    /// Where a line with this [`fingerprint`] occurred before, if it did.
    pub(super) fn seen(&mut self, print: u64, place: RecordPlace) -> Option<RecordPlace> {
        match self.places.entry(print) {
            Entry::Occupied(first) => return Some(*first.get()),
            Entry::Vacant(free) => free.insert(place),
        };
        self.order.push_back(print);
        if self.order.len() > RECENT_LINES
            && let Some(oldest) = self.order.pop_front()
        {
            self.places.remove(&oldest);
        }
        None
    }
}

/// 64 bits of a line, eight bytes at a time. A chance collision among a million lines is one in ten million.
pub(super) fn fingerprint(line: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(FACTOR);
        #[allow(clippy::cast_possible_truncation, reason = "both halves are taken")]
        let folded = product as u64 ^ (product >> 64) as u64;
        folded.rotate_left(23).wrapping_add(word)
    };
    let mut words = line.chunks_exact(8);
    let mut state = line.len() as u64 ^ FACTOR;
    for word in &mut words {
        state = mix(state, word.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    mix(state, words.remainder().iter().fold(1, |word, byte| word << 8 | u64::from(*byte)))
}

/// Hasher that uses the fingerprint as the hash.
#[derive(Debug, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = fingerprint(bytes);
    }

    fn write_u64(&mut self, print: u64) {
        self.0 = print;
    }
}
