//! Dictionary of the distinct words with their posting lists. The words are stored side by side in blocks of 64 KiB, so
//! one search per block finds all words that contain a substring.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use memchr::memchr;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::postings::{Pool, PostingList};
use super::word_index::DEAD;
use super::{Set, grow};

/// Bytes of a block of letters; a word lies within one.
const BLOCK_BYTES: usize = 1 << 16;
/// Separator before and after every word; no letter has such a byte.
const WORD_SEPARATOR: u8 = 0xFF;
/// Longest word of a dictionary, in bytes. Longer ones are hardly words and would be stored twice for nothing.
pub(super) const MAX_WORD_BYTES: usize = 256;
/// Words whose events are read at once.
const WORDS_PER_BATCH: usize = 64;

/// Words and their posting lists. Never shrinks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "SavedDictionary")]
pub(super) struct Dictionary {
    /// Blocks of words. Each block and each word begins and ends with [`WORD_SEPARATOR`].
    letters: Vec<ByteBuf>,
    /// Number of the first word of each block.
    firsts: Vec<u32>,
    /// By word number.
    words: Vec<DictionaryWord>,
    /// Part of a word's hash, and its number.
    #[serde(skip)]
    by_letters: HashTable<(u32, u32)>,
    /// Random keys of the hash, so that no sender of messages can construct collisions.
    #[serde(skip)]
    keys: RandomState,
    /// Storage of the posting lists.
    pool: Pool,
}

/// Saved fields of a [`Dictionary`]. The table of hashes is made again, with other keys.
#[derive(Deserialize)]
struct SavedDictionary {
    letters: Vec<ByteBuf>,
    firsts: Vec<u32>,
    words: Vec<DictionaryWord>,
    pool: Pool,
}

impl From<SavedDictionary> for Dictionary {
    fn from(saved: SavedDictionary) -> Self {
        let SavedDictionary { letters, firsts, words, pool } = saved;
        let mut dictionary = Self { letters, firsts, words, pool, ..Self::default() };
        dictionary.by_letters.reserve(dictionary.words.len(), |(hash, _)| spread(*hash));
        for (number, word) in (0..).zip(&dictionary.words) {
            let hash = hash(&dictionary.keys, word_at(&dictionary.letters, word.start).unwrap_or_default());
            dictionary.by_letters.insert_unique(spread(hash), (hash, number), |(hash, _)| spread(*hash));
        }
        dictionary
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct DictionaryWord {
    start: u32,
    events: PostingList,
}

impl Dictionary {
    /// Notes that the event has the word, and returns the number of a new word. Nothing when there is no room.
    pub(super) fn note(&mut self, letters: &str, event: u32) -> Option<Option<u32>> {
        let hash = hash(&self.keys, letters.as_bytes());
        let found = self.by_letters.entry(
            spread(hash),
            |(other, word)| *other == hash && is_at(&self.letters, self.words[*word as usize].start, letters),
            |(other, _)| spread(*other),
        );
        match found {
            Entry::Occupied(found) => {
                let word = found.get().1 as usize;
                self.pool.note(&mut self.words[word].events, event).map(|()| None)
            }
            Entry::Vacant(empty) => {
                let word = u32::try_from(self.words.len()).ok()?;
                let start = place(&mut self.letters, &mut self.firsts, word, letters)?;
                grow(&mut self.words);
                self.words.push(DictionaryWord { start, events: PostingList::new(event) });
                empty.insert((hash, word));
                Some(Some(word))
            }
        }
    }

    /// Puts the events of all words with this part into the set.
    pub(super) fn add_containing(&self, part: &str, set: &mut Set) {
        let finder = Finder::new(part);
        let mut held = WordBatch { pool: &self.pool, words: Vec::with_capacity(WORDS_PER_BATCH), set };
        for (block, letters) in self.letters.iter().enumerate() {
            let words = self.of_block(block);
            each_hit(
                &finder,
                letters,
                words.len(),
                |word| words[word].start as usize % BLOCK_BYTES,
                |word| held.push(&words[word]),
            );
        }
        held.read();
    }

    /// Puts the events of these words into the set.
    pub(super) fn add_events(&self, numbers: impl Iterator<Item = u32>, set: &mut Set) {
        let mut held = WordBatch { pool: &self.pool, words: Vec::with_capacity(WORDS_PER_BATCH), set };
        numbers.filter_map(|number| self.words.get(number as usize)).for_each(|word| held.push(word));
        held.read();
    }

    /// Gives each event its new number by the old one, or removes it. Nothing when there is no room.
    pub(super) fn renumber(&mut self, moved: &[u32]) -> Option<()> {
        let mut pool = Pool::default();
        for word in &mut self.words {
            let mut events = PostingList::EMPTY;
            let numbers = self.pool.events(&word.events).filter_map(|event| moved.get(event as usize).copied());
            numbers.filter(|event| *event != DEAD).try_for_each(|event| pool.note(&mut events, event))?;
            word.events = events;
        }
        self.pool = pool;
        Some(())
    }

    /// The letters of a word.
    pub(super) fn letters(&self, number: u32) -> Option<&str> {
        std::str::from_utf8(word_at(&self.letters, self.words.get(number as usize)?.start)?).ok()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.letters.len() * BLOCK_BYTES
            + self.firsts.capacity() * size_of::<u32>()
            + self.words.capacity() * size_of::<DictionaryWord>()
            + self.by_letters.allocation_size()
            + self.pool.bytes()
    }

    fn of_block(&self, block: usize) -> &[DictionaryWord] {
        let end = self.firsts.get(block + 1).map_or(self.words.len(), |first| *first as usize);
        &self.words[self.firsts[block] as usize..end]
    }
}

/// Words whose events are read together.
struct WordBatch<'a> {
    pool: &'a Pool,
    words: Vec<PostingList>,
    set: &'a mut Set,
}

impl WordBatch<'_> {
    fn push(&mut self, word: &DictionaryWord) {
        self.words.push(word.events);
        if self.words.len() == WORDS_PER_BATCH {
            self.read();
        }
    }

    fn read(&mut self) {
        self.pool.read(&self.words, self.set);
        self.words.clear();
    }
}

/// Calls back once for each of `count` words that has a match; the words begin at rising positions.
pub(super) fn each_hit(
    finder: &Finder,
    bytes: &[u8],
    count: usize,
    begins: impl Fn(usize) -> usize,
    mut then: impl FnMut(usize),
) {
    let (mut at, mut next) = (0, 0);
    while let Some(hit) = bytes.get(at..).and_then(|rest| finder.find(rest)) {
        at += hit;
        // The last word that begins at or before it. Near ones first: hits lie close together.
        let mut reach = 1;
        while next + reach < count && begins(next + reach) <= at {
            reach *= 2;
        }
        let (mut low, mut high) = (next + reach / 2, (next + reach).min(count));
        while low < high {
            let middle = low.midpoint(high);
            if begins(middle) <= at { low = middle + 1 } else { high = middle }
        }
        let Some(word) = low.checked_sub(1).filter(|word| *word >= next) else { return };
        then(word);
        // The rest of the word is the same word.
        next = word + 1;
        if next >= count {
            return;
        }
        at = begins(next);
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a part of the hash is enough")]
fn hash(keys: &RandomState, letters: &[u8]) -> u32 {
    keys.hash_one(letters) as u32
}

/// The word that begins here.
fn word_at(letters: &[ByteBuf], start: u32) -> Option<&[u8]> {
    let rest = letters.get(start as usize / BLOCK_BYTES)?.get(start as usize % BLOCK_BYTES..)?;
    rest.get(..memchr(WORD_SEPARATOR, rest)?)
}

fn is_at(letters: &[ByteBuf], start: u32, word: &str) -> bool {
    let rest = letters.get(start as usize / BLOCK_BYTES).and_then(|block| block.get(start as usize % BLOCK_BYTES..));
    rest.and_then(|rest| rest.strip_prefix(word.as_bytes())).is_some_and(|rest| rest.first() == Some(&WORD_SEPARATOR))
}

/// Stores the letters of a word and returns where they begin.
fn place(blocks: &mut Vec<ByteBuf>, firsts: &mut Vec<u32>, word: u32, letters: &str) -> Option<u32> {
    if blocks.last().is_none_or(|block| block.len() + letters.len() + 1 > BLOCK_BYTES) {
        u32::try_from((blocks.len() + 1) * BLOCK_BYTES).ok()?;
        let mut block = Vec::with_capacity(BLOCK_BYTES);
        block.push(WORD_SEPARATOR);
        blocks.push(block.into());
        firsts.push(word);
    }
    let base = (blocks.len() - 1) * BLOCK_BYTES;
    let block = blocks.last_mut()?;
    let start = u32::try_from(base + block.len()).ok()?;
    block.extend_from_slice(letters.as_bytes());
    block.push(WORD_SEPARATOR);
    Some(start)
}

/// A whole hash of the part that is stored, so that a growing table need not look at the letters.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Dictionary, Set};

    proptest! {
        /// A part is found in the events of the words that hold it, and in no others.
        #[test]
        fn substring_is_found_at_its_position(
            noted in proptest::collection::vec(proptest::collection::vec("[abㄱ가]{1,6}", 0..5), 1..60),
            parts in proptest::collection::vec("[abㄱ가]{1,3}", 1..20),
        ) {
            let mut words = Dictionary::default();
            for (event, texts) in (0_u32..).zip(&noted) {
                assert!(texts.iter().all(|word| words.note(word, event).is_some()));
            }
            for part in parts {
                let mut set = Set::none(noted.len() as u32);
                words.add_containing(&part, &mut set);
                let naive: Vec<u32> = (0..).zip(&noted).filter(|(_, texts)| texts.iter().any(|word| word.contains(&part))).map(|(event, _)| event).collect();
                prop_assert_eq!(set.iter().collect::<Vec<_>>(), naive, "{}", part);
            }
            prop_assert_eq!(words.len(), noted.iter().flatten().collect::<BTreeSet<_>>().len());
        }
    }

    #[test]
    fn words_of_many_blocks_are_found() {
        let mut words = Dictionary::default();
        for event in 0..60_000 {
            words.note(&format!("{event:x}z{}", "가".repeat(event as usize % 7)), event).unwrap();
        }
        for part in ["fz", "z가가", "abz", "e", "00z", "ea5fz"] {
            let mut set = Set::none(60_000);
            words.add_containing(part, &mut set);
            let naive: Vec<u32> = (0..60_000_u32)
                .filter(|event| format!("{event:x}z{}", "가".repeat(*event as usize % 7)).contains(part))
                .collect();
            assert!(!naive.is_empty());
            assert_eq!(set.iter().collect::<Vec<_>>(), naive, "{part}");
        }
    }
}
