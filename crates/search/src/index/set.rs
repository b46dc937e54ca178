//! Bit set of small numbers, such as the events that an index lookup finds (events are numbered in order of arrival).
//! All members are below a bound. Union and intersection take time in proportion to the bound, not to the number of
//! members.

/// Some of the events `[0, bound)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    words: Vec<u64>,
    bound: u32,
}

impl Set {
    /// None of them.
    #[must_use]
    pub fn none(bound: u32) -> Self {
        Self { words: vec![0; (bound as usize).div_ceil(64)], bound }
    }

    /// All of them.
    #[must_use]
    pub fn all(bound: u32) -> Self {
        let mut all = Self { words: vec![u64::MAX; (bound as usize).div_ceil(64)], bound };
        all.trim();
        all
    }

    /// Events from here on are never in it.
    #[must_use]
    pub fn bound(&self) -> u32 {
        self.bound
    }

    /// Puts an event in; one beyond the bound is passed over.
    pub fn insert(&mut self, event: u32) {
        if event < self.bound {
            self.words[event as usize / 64] |= 1 << (event % 64);
        }
    }

    /// Takes an event out.
    pub fn remove(&mut self, event: u32) {
        if event < self.bound {
            self.words[event as usize / 64] &= !(1 << (event % 64));
        }
    }

    /// Whether the event is in it.
    #[must_use]
    pub fn contains(&self, event: u32) -> bool {
        event < self.bound && self.words[event as usize / 64] >> (event % 64) & 1 == 1
    }

    /// How many are in it.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether none is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Intersects with the other. The bound becomes the lower one.
    pub fn and(&mut self, other: &Self) {
        self.shorten(other.bound);
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// Adds the members of the other, up to this bound.
    pub fn or(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self.trim();
    }

    /// Removes the members of the other.
    pub fn without(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// In order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        let bound = self.bound.div_ceil(64);
        self.words.iter().zip(0..bound).flat_map(|(word, place)| Ones(*word).map(move |bit| place * 64 + bit))
    }

    fn shorten(&mut self, bound: u32) {
        if bound < self.bound {
            self.bound = bound;
            self.words.truncate((bound as usize).div_ceil(64));
            self.trim();
        }
    }

    /// No bit is set at or beyond the bound.
    fn trim(&mut self) {
        let over = self.bound % 64;
        if let Some(last) = self.words.last_mut().filter(|_| over > 0) {
            *last &= (1 << over) - 1;
        }
    }
}

/// The bits of a word that are set.
struct Ones(u64);

impl Iterator for Ones {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

impl DoubleEndedIterator for Ones {
    fn next_back(&mut self) -> Option<u32> {
        let bit = (self.0 != 0).then(|| 63 - self.0.leading_zeros())?;
        self.0 &= !(1 << bit);
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Set;

    fn set_of(bound: u32, events: &BTreeSet<u32>) -> Set {
        let mut set = Set::none(bound);
        events.iter().for_each(|event| set.insert(*event));
        set
    }

    fn events_below(bound: u32, events: &BTreeSet<u32>) -> BTreeSet<u32> {
        events.iter().copied().filter(|event| *event < bound).collect()
    }

    proptest! {
        /// Compared with the sets of the standard library.
        #[test]
        fn it_is_a_set(
            (a, b) in (0_u32..300, 0_u32..300),
            x in proptest::collection::btree_set(0_u32..320, 0..60),
            y in proptest::collection::btree_set(0_u32..320, 0..60),
        ) {
            let (one, two) = (set_of(a, &x), set_of(b, &y));
            let (x, y) = (events_below(a, &x), events_below(b, &y));
            prop_assert_eq!(one.iter().collect::<BTreeSet<_>>(), x.clone());
            prop_assert_eq!(one.iter().rev().collect::<Vec<_>>(), x.iter().rev().copied().collect::<Vec<_>>());
            prop_assert_eq!((one.len() as usize, one.is_empty()), (x.len(), x.is_empty()));
            prop_assert!((0..320).all(|event| one.contains(event) == x.contains(&event)));
            let mut both = one.clone();
            both.and(&two);
            prop_assert_eq!((both.iter().collect(), both.bound()), (x.intersection(&y).copied().collect::<BTreeSet<_>>(), a.min(b)));
            let mut either = one.clone();
            either.or(&two);
            prop_assert_eq!(either.iter().collect::<BTreeSet<_>>(), x.union(&events_below(a, &y)).copied().collect());
            let mut rest = one.clone();
            rest.without(&two);
            prop_assert_eq!(rest.iter().collect::<BTreeSet<_>>(), x.difference(&y).copied().collect());
            let mut other = Set::all(a);
            other.without(&one);
            prop_assert_eq!(other.len() + one.len(), a);
        }
    }
}
