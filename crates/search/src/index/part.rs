//! Inverted index of one kind of searchable text. The search index has two: one of the texts of all indexed events, one
//! of their other searchable fields. Each has a dictionary for words of Hangul, of Latin letters and of other letters,
//! an index of Hangul initial consonants, and filters for very long words.

use serde::{Deserialize, Serialize};

use super::initials::InitialsIndex;
use super::long::LongWord;
use super::word_index::DEAD;
use super::words::{Dictionary, MAX_WORD_BYTES};
use super::{IndexMatches, Set, grow};
use crate::{Class, TermPlan, tokens};

/// Its dictionaries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PartIndex {
    /// Words of Hangul.
    hangul: Dictionary,
    /// Their initial consonants.
    initials: InitialsIndex,
    /// Words of Latin letters and digits.
    latin: Dictionary,
    /// Other words, and symbols.
    other: Dictionary,
    /// Words that are too long for a dictionary: what their events hold is found by looking.
    long: Vec<LongWord>,
}

impl PartIndex {
    /// Takes in the folded text of an event. Events come in rising order. Nothing when there is no room.
    pub(super) fn note(&mut self, text: &str, event: u32) -> Option<()> {
        for (_, class, word) in tokens(text) {
            if word.len() > MAX_WORD_BYTES {
                grow(&mut self.long);
                self.long.push(LongWord::new(class, word, event));
                continue;
            }
            match class {
                Class::Hangul => {
                    if let Some(new) = self.hangul.note(word, event)? {
                        self.initials.push(new, word);
                    }
                }
                Class::Latin => _ = self.latin.note(word, event)?,
                Class::Other | Class::Symbol => _ = self.other.note(word, event)?,
            }
        }
        Some(())
    }

    /// The events below `covered` that fit a plan.
    pub(super) fn find(&self, plan: &TermPlan, covered: u32) -> IndexMatches {
        match plan {
            TermPlan::Within(class, part) => {
                let mut set = Set::none(covered);
                let words = match class {
                    Class::Hangul => &self.hangul,
                    Class::Latin => &self.latin,
                    Class::Other | Class::Symbol => &self.other,
                };
                words.add_containing(part, &mut set);
                self.or_long(set, |long| long.class == *class && long.may_hold(part))
            }
            TermPlan::Initials(consonants) => {
                let words = self.initials.words_with(consonants, |word| self.hangul.letters(word));
                let mut set = Set::none(covered);
                self.hangul.add_events(words.into_iter(), &mut set);
                self.or_long(set, |long| long.class == Class::Hangul)
            }
            TermPlan::All(plans) => {
                let parts = plans.iter().map(|plan| self.find(plan, covered));
                let all = parts.reduce(|all, part| all.and(&part));
                all.unwrap_or_else(|| IndexMatches::all(covered)).unsure()
            }
        }
    }

    /// Gives each event its new number by the old one, or removes it ([`DEAD`]). The order stays. Nothing when there is
    /// no room.
    pub(super) fn renumber(&mut self, moved: &[u32]) -> Option<()> {
        self.long.retain_mut(|long| {
            long.event = moved.get(long.event as usize).copied().unwrap_or(DEAD);
            long.event != DEAD
        });
        [&mut self.hangul, &mut self.latin, &mut self.other].into_iter().try_for_each(|words| words.renumber(moved))
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let words = [&self.hangul, &self.latin, &self.other].map(Dictionary::bytes);
        let long = self.long.capacity() * size_of::<LongWord>() + self.long.iter().map(LongWord::bytes).sum::<usize>();
        words.iter().sum::<usize>() + self.initials.bytes() + long
    }

    /// How many distinct words there are.
    pub(super) fn words(&self) -> usize {
        self.hangul.len() + self.latin.len() + self.other.len()
    }

    fn or_long(&self, sure: Set, may: impl Fn(&LongWord) -> bool) -> IndexMatches {
        let mut maybe = Set::none(sure.bound());
        self.long.iter().filter(|long| may(long)).for_each(|long| maybe.insert(long.event));
        maybe.without(&sure);
        IndexMatches { sure, maybe }
    }
}
