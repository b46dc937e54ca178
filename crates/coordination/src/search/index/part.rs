//! The words of one part of the events.

use super::words::{LONGEST, Words};
use super::{Found, Set, grow};
use crate::hangul;
use crate::search::{Class, Plan, has_initials, tokens};

/// Its dictionaries.
#[derive(Debug, Default)]
pub(super) struct PartIndex {
    /// Words of Hangul.
    hangul: Words,
    /// Their initial consonants; what stands for an event is the number of a word of `hangul`.
    initials: Words,
    /// Words of Latin letters and digits.
    latin: Words,
    /// Other words, and symbols.
    other: Words,
    /// Events with a word that is too long for a dictionary: what they hold is found by looking.
    long: Vec<u32>,
}

impl PartIndex {
    /// Takes in what stands in an event, folded. Events come in rising order. Nothing when there is no room.
    pub(super) fn note(&mut self, text: &str, event: u32) -> Option<()> {
        for (_, class, word) in tokens(text) {
            if word.len() > LONGEST {
                if self.long.last() != Some(&event) {
                    grow(&mut self.long);
                    self.long.push(event);
                }
                continue;
            }
            match class {
                Class::Hangul => {
                    let known = self.hangul.len();
                    self.hangul.note(word, event)?;
                    if self.hangul.len() > known {
                        self.initials.note(&hangul::initials(word), u32::try_from(known).ok()?)?;
                    }
                }
                Class::Latin => self.latin.note(word, event)?,
                Class::Other | Class::Symbol => self.other.note(word, event)?,
            }
        }
        Some(())
    }

    /// The events below `covered` that fit a plan.
    pub(super) fn find(&self, plan: &Plan, covered: u32) -> Found {
        match plan {
            Plan::Within(class, part) => {
                let mut set = Set::none(covered);
                let words = match class {
                    Class::Hangul => &self.hangul,
                    Class::Latin => &self.latin,
                    Class::Other | Class::Symbol => &self.other,
                };
                words.with(part, &mut set);
                self.or_long(set)
            }
            Plan::Initials(consonants) => {
                let mut words = Set::none(u32::try_from(self.hangul.len()).unwrap_or(u32::MAX));
                self.initials.fitting(|shape| has_initials(shape, consonants), &mut words);
                let mut set = Set::none(covered);
                self.hangul.of(&words, &mut set);
                self.or_long(set)
            }
            Plan::All(plans) => {
                let parts = plans.iter().map(|plan| self.find(plan, covered));
                let all = parts.reduce(|all, part| all.and(&part));
                all.unwrap_or_else(|| Found::all(covered)).unsure()
            }
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let words = [&self.hangul, &self.initials, &self.latin, &self.other].map(Words::bytes);
        words.iter().sum::<usize>() + self.long.capacity() * size_of::<u32>()
    }

    /// How many distinct words there are.
    pub(super) fn words(&self) -> usize {
        self.hangul.len() + self.latin.len() + self.other.len()
    }

    fn or_long(&self, sure: Set) -> Found {
        let mut maybe = Set::none(sure.bound());
        self.long.iter().for_each(|event| maybe.insert(*event));
        maybe.without(&sure);
        Found { sure, maybe }
    }
}
