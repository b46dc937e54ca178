//! The distinct words of one kind and where each stands. Their letters lie one after the other, so that a part of a
//! word is looked for in all of them by one plain search.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use memchr::memmem::Finder;

use super::Set;
use super::postings::{Events, Pool};

/// Bytes of a block of letters; a word lies within one.
const BLOCK: usize = 1 << 16;
/// Stands before and after every word; no letter has such a byte.
const MARK: u8 = 0xFF;
/// A word of more bytes has no place here: what is that long is no word and would be kept twice for nothing.
pub(super) const LONGEST: usize = 256;

/// A dictionary.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Each begins and ends with [`MARK`]; so does every word.
    letters: Vec<Vec<u8>>,
    /// The number of the first word of each block.
    firsts: Vec<u32>,
    /// Where each word begins and stands, in order of its letters.
    words: Vec<Word>,
    /// Finds a word by its letters: part of its hash, and its number.
    by_letters: HashTable<(u32, u32)>,
    /// With keys of this run, so that no sender of messages can make words fall together.
    keys: RandomState,
    pool: Pool,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    start: u32,
    events: Events,
}

impl Words {
    /// Notes that the event has the word. Nothing when there is no room for it.
    pub(super) fn note(&mut self, letters: &str, event: u32) -> Option<()> {
        #[allow(clippy::cast_possible_truncation, reason = "a part of the hash is enough")]
        let hash = self.keys.hash_one(letters.as_bytes()) as u32;
        let found = self.by_letters.entry(
            spread(hash),
            |(other, word)| *other == hash && is_at(&self.letters, self.words[*word as usize].start, letters),
            |(other, _)| spread(*other),
        );
        match found {
            Entry::Occupied(found) => {
                let word = found.get().1 as usize;
                self.pool.note(&mut self.words[word].events, event)
            }
            Entry::Vacant(empty) => {
                let word = u32::try_from(self.words.len()).ok()?;
                let start = place(&mut self.letters, &mut self.firsts, word, letters)?;
                super::grow(&mut self.words);
                self.words.push(Word { start, events: Events::of(event) });
                empty.insert((hash, word));
                Some(())
            }
        }
    }

    /// Puts the events of all words with this part into the set.
    pub(super) fn with(&self, part: &str, set: &mut Set) {
        if part.is_empty() {
            return self.words.iter().for_each(|word| self.pool.read(word.events, set));
        }
        let finder = Finder::new(part);
        for (block, letters) in self.letters.iter().enumerate() {
            let mut words = self.of_block(block);
            let mut at = 0;
            while let Some(hit) = letters.get(at..).and_then(|rest| finder.find(rest)) {
                at += hit;
                let Some(word) = up_to(words, at) else { break };
                self.pool.read(words[word].events, set);
                words = &words[word + 1..];
                // The rest of the word is the same word.
                at = words.first().map_or(BLOCK, |next| next.start as usize % BLOCK);
            }
        }
    }

    /// Puts the events of all words that fit into the set.
    pub(super) fn fitting(&self, fits: impl Fn(&str) -> bool, set: &mut Set) {
        for (block, letters) in self.letters.iter().enumerate() {
            let texts = letters.split(|byte| *byte == MARK).filter(|text| !text.is_empty());
            for (word, text) in self.of_block(block).iter().zip(texts) {
                if std::str::from_utf8(text).is_ok_and(&fits) {
                    self.pool.read(word.events, set);
                }
            }
        }
    }

    /// Puts the events of these words into the set.
    pub(super) fn of(&self, numbers: &Set, set: &mut Set) {
        let words = numbers.iter().filter_map(|number| self.words.get(number as usize));
        words.for_each(|word| self.pool.read(word.events, set));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.letters.len() * BLOCK
            + self.firsts.capacity() * size_of::<u32>()
            + self.words.capacity() * size_of::<Word>()
            + self.by_letters.allocation_size()
            + self.pool.bytes()
    }

    fn of_block(&self, block: usize) -> &[Word] {
        let end = self.firsts.get(block + 1).map_or(self.words.len(), |first| *first as usize);
        &self.words[self.firsts[block] as usize..end]
    }
}

/// The last word that begins at or before a place of its block. Looks near first: hits lie close together.
fn up_to(words: &[Word], at: usize) -> Option<usize> {
    let is_before = |word: &Word| word.start as usize % BLOCK <= at;
    let mut reach = 1;
    while words.get(reach).is_some_and(is_before) {
        reach *= 2;
    }
    words[..reach.min(words.len())].partition_point(is_before).checked_sub(1)
}

fn is_at(letters: &[Vec<u8>], start: u32, word: &str) -> bool {
    let rest = letters.get(start as usize / BLOCK).and_then(|block| block.get(start as usize % BLOCK..));
    rest.and_then(|rest| rest.strip_prefix(word.as_bytes())).is_some_and(|rest| rest.first() == Some(&MARK))
}

/// Puts the letters of a word down and tells where they begin.
fn place(blocks: &mut Vec<Vec<u8>>, firsts: &mut Vec<u32>, word: u32, letters: &str) -> Option<u32> {
    if blocks.last().is_none_or(|block| block.len() + letters.len() + 1 > BLOCK) {
        u32::try_from((blocks.len() + 1) * BLOCK).ok()?;
        let mut block = Vec::with_capacity(BLOCK);
        block.push(MARK);
        blocks.push(block);
        firsts.push(word);
    }
    let base = (blocks.len() - 1) * BLOCK;
    let block = blocks.last_mut()?;
    let start = u32::try_from(base + block.len()).ok()?;
    block.extend_from_slice(letters.as_bytes());
    block.push(MARK);
    Some(start)
}

/// A whole hash of the part that is kept, so that a growing table need not look at the letters.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Set, Words};

    proptest! {
        /// A part is found in the events of the words that hold it, and in no others.
        #[test]
        fn a_part_is_found_where_it_stands(
            noted in proptest::collection::vec(proptest::collection::vec("[abㄱ가]{1,6}", 0..5), 1..60),
            parts in proptest::collection::vec("[abㄱ가]{0,3}", 1..20),
        ) {
            let mut words = Words::default();
            for (event, texts) in (0_u32..).zip(&noted) {
                texts.iter().for_each(|word| words.note(word, event).unwrap());
            }
            for part in parts {
                let mut set = Set::none(noted.len() as u32);
                words.with(&part, &mut set);
                let naive: Vec<u32> = (0..).zip(&noted).filter(|(_, texts)| texts.iter().any(|word| word.contains(&part))).map(|(event, _)| event).collect();
                prop_assert_eq!(set.iter().collect::<Vec<_>>(), naive, "{}", part);
            }
            prop_assert_eq!(words.len(), noted.iter().flatten().collect::<BTreeSet<_>>().len());
        }
    }

    #[test]
    fn words_of_many_blocks_are_found() {
        let mut words = Words::default();
        for event in 0..60_000 {
            words.note(&format!("{event:x}z{}", "가".repeat(event as usize % 7)), event).unwrap();
        }
        for part in ["fz", "z가가", "abz", "e", "00z", "ea5fz"] {
            let mut set = Set::none(60_000);
            words.with(part, &mut set);
            let naive: Vec<u32> = (0..60_000_u32)
                .filter(|event| format!("{event:x}z{}", "가".repeat(*event as usize % 7)).contains(part))
                .collect();
            assert!(!naive.is_empty());
            assert_eq!(set.iter().collect::<Vec<_>>(), naive, "{part}");
        }
    }
}
