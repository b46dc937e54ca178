//! Inverted index of one part of the events (texts, or other fields).

use super::initials::Initials;
use super::long::Long;
use super::words::{LONGEST, Words};
use super::{Found, Set, grow};
use crate::{Class, Plan, tokens};

/// Its dictionaries.
#[derive(Debug, Default)]
pub(super) struct PartIndex {
    /// Words of Hangul.
    hangul: Words,
    /// Their initial consonants.
    initials: Initials,
    /// Words of Latin letters and digits.
    latin: Words,
    /// Other words, and symbols.
    other: Words,
    /// Words that are too long for a dictionary: what their events hold is found by looking.
    long: Vec<Long>,
}

impl PartIndex {
    /// Takes in the folded text of an event. Events come in rising order. Nothing when there is no room.
    pub(super) fn note(&mut self, text: &str, event: u32) -> Option<()> {
        for (_, class, word) in tokens(text) {
            if word.len() > LONGEST {
                grow(&mut self.long);
                self.long.push(Long::of(word, event));
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
                self.or_long(set, |long| long.may_hold(part))
            }
            Plan::Initials(consonants) => {
                let words = self.initials.with(consonants, |word| self.hangul.letters(word));
                let mut set = Set::none(covered);
                self.hangul.of(words.into_iter(), &mut set);
                self.or_long(set, |_| true)
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
        let words = [&self.hangul, &self.latin, &self.other].map(Words::bytes);
        let long = self.long.capacity() * size_of::<Long>() + self.long.iter().map(Long::bytes).sum::<usize>();
        words.iter().sum::<usize>() + self.initials.bytes() + long
    }

    /// How many distinct words there are.
    pub(super) fn words(&self) -> usize {
        self.hangul.len() + self.latin.len() + self.other.len()
    }

    fn or_long(&self, sure: Set, may: impl Fn(&Long) -> bool) -> Found {
        let mut maybe = Set::none(sure.bound());
        self.long.iter().filter(|long| may(long)).for_each(|long| maybe.insert(long.event));
        maybe.without(&sure);
        Found { sure, maybe }
    }
}
