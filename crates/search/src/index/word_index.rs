//! Inverted index of short texts that can be replaced, such as session titles. Each owner (a session) has at most one
//! text. A lookup returns owners that certainly match, and owners whose texts the caller has to check. Entries of
//! replaced texts are removed once they are many and outnumber the current ones.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use serde::{Deserialize, Serialize};

use super::part::PartIndex;
use super::{IndexMatches, Set};
use crate::TermPlan;

/// Number of an entry whose text was replaced.
pub(super) const DEAD: u32 = u32::MAX;
/// So many dead entries are not worth a compaction.
const MIN_DEAD_ENTRIES: usize = 16 * 1024;

/// Words of folded texts by owner. Grows with the live texts and with the distinct words of all texts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WordIndex {
    /// Words by entry.
    words: PartIndex,
    /// By entry: its owner, or [`DEAD`].
    owners: Vec<u32>,
    /// By owner.
    entries: Vec<OwnedEntry>,
    /// Number of live entries.
    live: usize,
    /// Random keys of the hash, so that no sender of messages can construct collisions. They are not saved: after a
    /// load, each text that is set again counts as another one once.
    #[serde(skip)]
    keys: RandomState,
    /// The index has reached its size limit: nothing is certain any more.
    full: bool,
}

/// The text of an owner.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct OwnedEntry {
    /// Its number, or [`DEAD`] for an owner without a text.
    number: u32,
    /// Hash of the text: another text has the same one with a chance of one in 2⁶⁴.
    hash: u64,
}

impl WordIndex {
    /// Gives an owner its text, folded ([`crate::fold()`]); an empty one for none. Owners are small numbers. False when
    /// it has that text already.
    pub fn set(&mut self, owner: u32, text: &str) -> bool {
        let place = owner as usize;
        if self.entries.len() <= place {
            if text.is_empty() {
                return false;
            }
            super::reserve(&mut self.entries, place + 1);
            self.entries.resize(place + 1, OwnedEntry { number: DEAD, hash: 0 });
        }
        let old = self.entries[place];
        let hash = self.keys.hash_one(text);
        if if old.number == DEAD { text.is_empty() } else { old.hash == hash && !text.is_empty() } {
            return false;
        }
        if old.number != DEAD {
            self.owners[old.number as usize] = DEAD;
            self.live -= 1;
        }
        self.entries[place] = OwnedEntry { number: DEAD, hash };
        if !text.is_empty() {
            self.push(owner, text);
        }
        if self.owners.len() - self.live > MIN_DEAD_ENTRIES.max(self.live) {
            self.compact();
        }
        true
    }

    fn push(&mut self, owner: u32, text: &str) {
        let number = u32::try_from(self.owners.len()).ok().filter(|number| *number != DEAD);
        let noted = number.filter(|number| self.words.note(text, *number).is_some());
        let Some(number) = noted else {
            self.full = true;
            return;
        };
        super::grow(&mut self.owners);
        self.owners.push(owner);
        self.entries[owner as usize].number = number;
        self.live += 1;
    }

    /// The owners below `bound` whose texts fit a plan.
    #[must_use]
    pub fn find(&self, plan: &TermPlan, bound: u32) -> IndexMatches {
        if self.full {
            return IndexMatches::all(bound).unsure();
        }
        let found = self.words.find(plan, super::count(self.owners.len()));
        let owners = |entries: &Set| {
            let mut owners = Set::none(bound);
            entries.iter().for_each(|entry| owners.insert(self.owners[entry as usize]));
            owners
        };
        IndexMatches { sure: owners(&found.sure), maybe: owners(&found.maybe) }
    }

    /// Removes dead entries. Costs the length of the posting lists, and reads no text.
    fn compact(&mut self) {
        let mut moved = Vec::with_capacity(self.owners.len());
        let mut next = 0;
        for owner in &self.owners {
            moved.push(if *owner == DEAD { DEAD } else { next });
            next += u32::from(*owner != DEAD);
        }
        if self.words.renumber(&moved).is_none() {
            self.full = true;
            return;
        }
        self.owners.retain(|owner| *owner != DEAD);
        for (number, owner) in (0..).zip(&self.owners) {
            self.entries[*owner as usize].number = number;
        }
    }

    /// Bytes that it holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.words.bytes()
            + self.owners.capacity() * size_of::<u32>()
            + self.entries.capacity() * size_of::<OwnedEntry>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{MIN_DEAD_ENTRIES, WordIndex};
    use crate::{Term, folded};

    /// Owners that an index finds, once the possible ones are checked, and those that hold the term.
    fn check(index: &WordIndex, texts: &BTreeMap<u32, String>, term: &Term) -> Result<(), TestCaseError> {
        let found = index.find(&term.plan(), 8);
        for owner in 0..8 {
            let holds = texts.get(&owner).is_some_and(|text| term.matches(text).is_some());
            prop_assert!(!found.sure.contains(owner) || holds, "{term:?} is not in {owner}");
            prop_assert!(!holds || found.possible().contains(owner), "{term:?} is lost in {owner}");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn terms_are_found_in_current_texts(
            steps in prop::collection::vec((0_u32..8, "[ab가배포ㅂ_ .-]{0,6}|work ?session|배포|가나{90}"), 0..40),
            words in prop::collection::vec("[ab가배포ㅂㅍ_.-]{1,4}|workSession|work_session", 1..4),
            compacted in any::<bool>(),
        ) {
            let (mut index, mut texts) = (WordIndex::default(), BTreeMap::new());
            for (number, (owner, text)) in steps.into_iter().enumerate() {
                let text = folded(&text);
                let known = texts.insert(owner, text.clone()).unwrap_or_default();
                prop_assert_eq!(index.set(owner, &text), known != text);
                if compacted && number % 5 == 4 {
                    index.compact();
                }
            }
            for term in words.iter().filter_map(|word| Term::word(word)) {
                check(&index, &texts, &term)?;
                prop_assert!(index.owners.len() >= index.live);
            }
            let saved = postcard::to_allocvec(&index).expect("saved");
            let mut loaded: WordIndex = postcard::from_bytes(&saved).expect("loaded");
            for round in 0..2 {
                for term in words.iter().filter_map(|word| Term::word(word)) {
                    check(&loaded, &texts, &term)?;
                }
                for (owner, text) in &texts {
                    prop_assert!(!loaded.set(*owner, text) || round == 0, "the text is known");
                }
                prop_assert_eq!(loaded.words.words(), index.words.words(), "its words are known");
            }
        }
    }

    #[test]
    fn replaced_texts_are_removed() {
        let mut index = WordIndex::default();
        for round in 0..40 {
            for owner in 0..1_000 {
                index.set(owner, &format!("{} 배포 {owner}", round % 7));
            }
        }
        assert!(index.owners.len() <= 1_000 + MIN_DEAD_ENTRIES + 1, "{}", index.owners.len());
        let found = |word: &str| Term::word(word).map(|term| index.find(&term.plan(), 1_000).sure.len());
        assert_eq!((found("배포"), found("999"), found("없음")), (Some(1_000), Some(1), Some(0)));
    }
}
