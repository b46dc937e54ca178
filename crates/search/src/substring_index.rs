//! Substring search over many short texts, which lie in one buffer of at most 4 GiB and are searched in one pass.
//! Results are exact.

use std::ops::Range;

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::index::InitialsIndex;
use super::term::{Term, TermPlan};

/// Separator of two texts. A match across it does not count.
const SEPARATOR: char = '\0';
/// Removed texts of up to this many bytes are not worth a compaction.
const MAX_REMOVED_BYTES: usize = 64 * 1024;

/// One text.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct SubstringSpan {
    start: u32,
    end: u32,
    owner: u32,
}

impl SubstringSpan {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Folded texts, at most one for each owner. Grows with them; replaced texts are removed when they are most of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SubstringIndex {
    /// All texts, each followed by [`SEPARATOR`].
    text: String,
    /// Range of each text, in order of `text`. Ranges of removed texts are empty until the next compaction.
    places: Vec<SubstringSpan>,
    /// By owner: position in `places` plus one; 0 for an owner without a text.
    place_numbers: Vec<u32>,
    /// Initial consonants of the texts that are not ASCII, numbered by first appearance.
    initials: InitialsIndex,
    /// By that number: position in `places`.
    initials_places: Vec<u32>,
    /// Bytes of removed texts that are still in `text`.
    removed_bytes: usize,
}

impl SubstringIndex {
    /// Gives an owner its text, folded ([`super::fold`]); an empty one for none. False when it has that already.
    pub fn set(&mut self, owner: u32, text: &str) -> bool {
        let place = owner as usize;
        if self.place_numbers.len() <= place {
            self.place_numbers.resize(place + 1, 0);
        }
        if let Some(old) = self.place_numbers[place].checked_sub(1) {
            let held = self.places[old as usize].range();
            if self.text.get(held.clone()) == Some(text) {
                return false;
            }
            self.removed_bytes += held.len();
            self.text.replace_range(held.clone(), &SEPARATOR.to_string().repeat(held.len()));
            self.places[old as usize].end = self.places[old as usize].start;
            self.place_numbers[place] = 0;
        } else if text.is_empty() {
            return false;
        }
        // More of them than numbers, or four gigabytes: never met, and then they are not found.
        let number = u32::try_from(self.places.len() + 1);
        let ends = u32::try_from(self.text.len()).ok().zip(u32::try_from(self.text.len() + text.len()).ok());
        if let (Ok(number), Some((start, end)), false) = (number, ends, text.is_empty()) {
            self.text.push_str(text);
            self.places.push(SubstringSpan { start, end, owner });
            self.text.push(SEPARATOR);
            self.place_numbers[place] = number;
            self.push_initials(number - 1, text);
        }
        if self.removed_bytes > MAX_REMOVED_BYTES.max(self.text.len() / 2) {
            self.compact();
        }
        true
    }

    fn push_initials(&mut self, place: u32, text: &str) {
        if !text.is_ascii()
            && let Ok(number) = u32::try_from(self.initials_places.len())
        {
            self.initials.push(number, text);
            self.initials_places.push(place);
        }
    }

    fn compact(&mut self) {
        let mut text = String::with_capacity(self.text.len() - self.removed_bytes);
        self.places.retain_mut(|place| {
            let Some(live_text) = self.text.get(place.range()).filter(|live_text| !live_text.is_empty()) else {
                return false;
            };
            // No text moves to a later position.
            let start = u32::try_from(text.len()).unwrap_or(place.start);
            (place.start, place.end) = (start, start + (place.end - place.start));
            text.push_str(live_text);
            text.push(SEPARATOR);
            true
        });
        for (number, place) in (1..).zip(&self.places) {
            self.place_numbers[place.owner as usize] = number;
        }
        (self.text, self.removed_bytes) = (text, 0);
        (self.initials, self.initials_places) = (InitialsIndex::default(), Vec::new());
        for number in 0..self.places.len() {
            let text = self.text.get(self.places[number].range()).unwrap_or_default().to_owned();
            self.push_initials(u32::try_from(number).unwrap_or(u32::MAX), &text);
        }
    }

    /// Shows every text that holds the term, with its owner, in no order that means anything.
    pub fn find(&self, term: &Term, mut hit: impl FnMut(u32, &str)) {
        if let TermPlan::Initials(consonants) = term.plan() {
            self.find_initials(&consonants, hit);
            return;
        }
        if self.initials_places.is_empty() && !term.is_ascii() {
            // All texts are ASCII.
            return;
        }
        let mut places = self.places.iter().peekable();
        let mut from = 0;
        let finder = term.finder();
        while let Some(found) = finder.find(&self.text, from) {
            while places.next_if(|place| place.end as usize <= found.start).is_some() {}
            let Some(place) = places.peek() else { return };
            let held = place.range();
            if found.start >= held.start && found.end <= held.end {
                from = held.end;
                hit(place.owner, self.text.get(held).unwrap_or_default());
            } else {
                // Across two of them: a match that begins later may still be within one.
                from = found.start
                    + self.text.get(found.start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            }
        }
    }

    fn find_initials(&self, consonants: &[char], mut hit: impl FnMut(u32, &str)) {
        let place = |number: u32| self.places.get(*self.initials_places.get(number as usize)? as usize);
        let text = |number: u32| self.text.get(place(number)?.range());
        let mut numbers = self.initials.words_with(consonants, text);
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            if let (Some(place), Some(text)) = (place(number), text(number).filter(|text| !text.is_empty())) {
                hit(place.owner, text);
            }
        }
    }

    /// Owners whose whole text is this one.
    pub fn equal_to(&self, text: &str) -> Vec<u32> {
        let (finder, mut from, mut owners) = (Finder::new(text), 0, Vec::new());
        while let Some(hit) = self.text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
            let start = from + hit;
            let place = self.places.partition_point(|place| (place.end as usize) <= start);
            let same = self.places.get(place).filter(|place| place.range() == (start..start + text.len()));
            owners.extend(same.map(|place| place.owner));
            // A text may hold separators, so that the next match overlaps this one.
            from = start + 1;
        }
        owners
    }

    /// Gives back room that it would grow into.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.places.shrink_to_fit();
        self.place_numbers.shrink_to_fit();
        self.initials_places.shrink_to_fit();
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::SubstringIndex;
    use crate::{Term, folded};

    proptest! {
        #[test]
        fn term_is_found_in_exactly_matching_texts(
            steps in prop::collection::vec((0_u32..6, "[ab가배포ㅂ_ .-]{0,6}|work ?session|배포|a\u{0}a"), 0..24),
            word in "[ab가배포ㅂㅍ_.-]{1,4}|workSession|work_session|a\u{0}a|aa",
            phrase in any::<bool>(),
        ) {
            let (mut substring_index, mut texts) = (SubstringIndex::default(), BTreeMap::new());
            for (owner, text) in steps {
                let text = folded(&text);
                substring_index.set(owner, &text);
                texts.insert(owner, text);
            }
            let term = if phrase { Term::phrase(&word) } else { Term::word(&word) };
            if let Some(term) = term {
                let held: BTreeSet<u32> =
                    texts.iter().filter(|(_, text)| term.matches(text).is_some()).map(|(owner, _)| *owner).collect();
                let mut found = Vec::new();
                substring_index.find(&term, |owner, text| {
                    assert_eq!(texts.get(&owner).map(String::as_str), Some(text));
                    found.push(owner);
                });
                prop_assert_eq!(found.len(), held.len(), "each once");
                prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), held);
            }
            for wanted in texts.values().chain([&word]) {
                let equal: BTreeSet<u32> =
                    texts.iter().filter(|(_, text)| *text == wanted && !text.is_empty()).map(|(owner, _)| *owner).collect();
                prop_assert_eq!(substring_index.equal_to(wanted).into_iter().collect::<BTreeSet<_>>(), equal);
            }
        }
    }

    #[test]
    fn what_was_replaced_is_cleared_away() {
        let mut substring_index = SubstringIndex::default();
        for round in 0..100 {
            for owner in 0..100_u32 {
                substring_index.set(owner, &format!("{round} {}", "x".repeat(100)));
            }
        }
        assert!(substring_index.bytes() < 200_000, "{}", substring_index.bytes());
        let mut found = 0;
        if let Some(term) = Term::word("99") {
            substring_index.find(&term, |_, _| found += 1);
        }
        assert_eq!(found, 100);
    }
}
