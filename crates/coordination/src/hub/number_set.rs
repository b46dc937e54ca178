//! Set of numbers of events or slots, as bits: an eighth of a byte for each number up to the greatest.

use serde::{Deserialize, Serialize};

/// Set of numbers of events or slots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NumberSet {
    /// The last word is not empty, so that equal sets are equal values.
    words: Vec<u64>,
    len: usize,
}

impl NumberSet {
    pub(crate) fn from_numbers(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::default();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }

    pub(crate) fn insert(&mut self, number: u32) {
        let (word, bit) = place(number);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.len += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    pub(crate) fn remove(&mut self, number: u32) {
        let (word, bit) = place(number);
        if let Some(held) = self.words.get_mut(word).filter(|held| **held & bit != 0) {
            *held &= !bit;
            self.len -= 1;
            self.trim();
        }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.words.get(word).is_some_and(|held| held & bit != 0)
    }

    /// How many they are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// In ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let words = (0..).step_by(64).zip(&self.words);
        words.flat_map(|(first, word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
            let rests = std::iter::successors(Some(*word).filter(|word| *word != 0), next);
            rests.map(move |rest| first + rest.trailing_zeros())
        })
    }

    /// Those that are not in the other set.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let rest = other.words.iter().copied().chain(std::iter::repeat(0));
        let words: Vec<u64> = self.words.iter().zip(rest).map(|(word, other)| word & !other).collect();
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        let mut set = Self { words, len };
        set.trim();
        set
    }

    /// Adds those of the other set.
    pub(crate) fn extend(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self.len = self.words.iter().map(|word| word.count_ones() as usize).sum();
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

fn place(number: u32) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::NumberSet;

    #[test]
    fn set_counts_lists_and_subtracts() {
        let all = NumberSet::from_numbers([3, 64, 127, 3]);
        assert_eq!((all.len(), all.iter().collect::<Vec<_>>()), (3, vec![3, 64, 127]));
        assert!(all.contains(127) && !all.contains(126) && !all.contains(4096));
        let some = NumberSet::from_numbers([64, 500]);
        assert_eq!(all.without(&some), NumberSet::from_numbers([3, 127]));
        assert_eq!(some.without(&all).iter().collect::<Vec<_>>(), [500]);
        let mut both = all.clone();
        both.extend(&some);
        assert_eq!(both, NumberSet::from_numbers([3, 64, 127, 500]));
        both.remove(500);
        both.remove(500);
        assert_eq!(both, all, "no word stays behind");
        assert!(!both.is_empty() && all.without(&all).is_empty());
    }
}
