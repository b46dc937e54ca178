//! Bloom filter for a word that is too long for the dictionary (`words.rs`), for example in pasted data. It contains
//! the word's byte pairs and triples. It shows for most search terms that the word does not contain them, so the
//! event's text is rarely scanned.

use serde::{Deserialize, Serialize};

use crate::Class;

/// Bits of a filter at least and at most.
const MIN_FILTER_BITS: usize = 64;
const MAX_FILTER_BITS: usize = 1 << 14;

/// Filter of one long word.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LongWord {
    pub(super) event: u32,
    /// Its class: no part of another class is in it.
    pub(super) class: Class,
    /// Bits of its pairs and triples; a power of two of them.
    bits: Box<[u64]>,
}

impl LongWord {
    pub(super) fn new(class: Class, word: &str, event: u32) -> Self {
        let mut bits = vec![0_u64; (word.len() * 4).next_power_of_two().clamp(MIN_FILTER_BITS, MAX_FILTER_BITS) / 64];
        for length in [2, 3] {
            for some in word.as_bytes().windows(length) {
                let (at, bit) = place(some, bits.len());
                bits[at] |= bit;
            }
        }
        Self { event, class, bits: bits.into_boxed_slice() }
    }

    /// False when the part is surely not in the word.
    pub(super) fn may_hold(&self, part: &str) -> bool {
        part.as_bytes().windows(part.len().clamp(2, 3)).all(|some| {
            let (at, bit) = place(some, self.bits.len());
            self.bits[at] & bit != 0
        })
    }

    /// Bytes that it holds besides itself.
    pub(super) fn bytes(&self) -> usize {
        self.bits.len() * size_of::<u64>()
    }
}

/// Position of the bit of some bytes among so many words of bits, a power of two of them.
fn place(some: &[u8], words: usize) -> (usize, u64) {
    let number = some.iter().fold(some.len() as u64, |number, byte| number << 8 | u64::from(*byte));
    let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    ((hash >> 6) as usize & (words - 1), 1 << (hash & 63))
}

#[cfg(test)]
mod tests {
    use super::LongWord;
    use crate::Class;

    #[test]
    fn filter_accepts_parts_and_rejects_most_others() {
        let word: String =
            (0..400_u32).map(|number| char::from(b'a' + (number * number % 23) as u8)).collect::<String>() + "가나다";
        let long = LongWord::new(Class::Latin, &word, 7);
        let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
        for (n, start) in starts.iter().enumerate() {
            for end in starts[n..].iter().take(9).skip(1) {
                assert!(long.may_hold(&word[*start..*end]));
            }
        }
        assert!(
            !LongWord::new(Class::Latin, &"x".repeat(10_000), 0).may_hold("xy")
                && !long.may_hold("zzzz")
                && !long.may_hold("라")
        );
    }
}
