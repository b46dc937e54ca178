//! Index for searches by initial consonants (초성, such as `ㅂㅍ` for 배포). It stores one byte for each character of the
//! words of events (`words.rs`) or of short texts (`substring_index.rs`).

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::words::each_hit;
use crate::has_initials;

/// Bytes of a block.
const BLOCK_BYTES: usize = 1 << 16;
/// Byte of a character that is no consonant.
const NO_CONSONANT: u8 = 0xFE;
/// Separator of words.
const WORD_SEPARATOR: u8 = 0xFF;

/// Initial consonants of words that are numbered from 0.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct InitialsIndex {
    blocks: Vec<InitialsBlock>,
    /// Words with a letter that represents two consonants: few, and tested one by one.
    pairs: Vec<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct InitialsBlock {
    /// Number of the first word.
    first: u32,
    /// A byte for each syllable, words apart by [`WORD_SEPARATOR`].
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    /// Where each word begins.
    starts: Vec<u16>,
}

impl InitialsIndex {
    /// Takes in the next word.
    pub(crate) fn push(&mut self, number: u32, word: &str) {
        let is_full = |block: &InitialsBlock| block.bytes.len() + word.len() > BLOCK_BYTES;
        if self.blocks.last().is_none_or(is_full) {
            self.blocks.push(InitialsBlock {
                first: number,
                bytes: Vec::with_capacity(BLOCK_BYTES),
                starts: Vec::new(),
            });
        }
        let Some(block) = self.blocks.last_mut() else { return };
        super::grow(&mut block.starts);
        block.starts.push(u16::try_from(block.bytes.len()).unwrap_or(u16::MAX));
        block.bytes.extend(hangul::initials(word).chars().map(byte));
        block.bytes.push(WORD_SEPARATOR);
        let mut letters = word.chars().filter(|c| ('ㄱ'..='ㅎ').contains(c));
        if letters.any(|c| hangul::consonants(c.encode_utf8(&mut [0; 4])).is_some_and(|parts| parts.len() > 1)) {
            self.pairs.push(number);
        }
    }

    /// The numbers of the words that contain these consonants in sequence; a word may be listed twice.
    pub(crate) fn words_with<'a>(&self, consonants: &[char], letters: impl Fn(u32) -> Option<&'a str>) -> Vec<u32> {
        let wanted: Vec<u8> = consonants.iter().copied().map(byte).collect();
        let finder = Finder::new(&wanted);
        let mut out: Vec<u32> = Vec::new();
        for block in &self.blocks {
            each_hit(
                &finder,
                &block.bytes,
                block.starts.len(),
                |word| usize::from(block.starts[word]),
                |word| out.push(block.first + u32::try_from(word).unwrap_or_default()),
            );
        }
        let pairs = self.pairs.iter().copied();
        out.extend(pairs.filter(|word| letters(*word).is_some_and(|word| has_initials(word, consonants))));
        out
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let blocks =
            self.blocks.iter().map(|block| block.bytes.capacity() + block.starts.capacity() * size_of::<u16>());
        blocks.sum::<usize>() + self.pairs.capacity() * size_of::<u32>()
    }
}

/// A consonant as its place among the letters of Hangul.
fn byte(c: char) -> u8 {
    let place = u32::from(c).checked_sub(u32::from('ㄱ')).filter(|place| *place <= u32::from('ㅎ') - u32::from('ㄱ'));
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(NO_CONSONANT)
}
