//! Words that count much for a session's category: the first 24 in its texts. Its sub-tags and its evidence are chosen
//! from them. All words are in one string, because one string for each word would take several times the memory.

use serde::{Deserialize, Serialize};

use crate::category::Category;

/// Words stored for a session, for its sub-tags and its evidence.
const MAX_STORED_WORDS: usize = 24;

/// The first words with much weight, in order of appearance, each with its category and its part of the sum.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct EvidenceWords {
    /// The words, one after the other.
    text: Box<str>,
    list: Box<[WeighedWord]>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct WeighedWord {
    /// End of the word in the text, in bytes; it starts where the one before it ends.
    end: u16,
    category: Category,
    part: i32,
}

impl EvidenceWords {
    /// Adds to the part of a word, or takes it up while there is room. A word speaks for one category in one text and
    /// for another in the next, so both are stored.
    pub(super) fn add(&mut self, word: &str, category: Category, part: i32) {
        let mut start = 0;
        for known in &mut self.list {
            let end = usize::from(known.end);
            if known.category == category && self.text.get(start..end) == Some(word) {
                known.part = known.part.saturating_add(part);
                return;
            }
            start = end;
        }
        if let (Ok(end), true) = (u16::try_from(start + word.len()), self.list.len() < MAX_STORED_WORDS) {
            // Exactly as long as needed: a session gets its few words once.
            self.text = [&*self.text, word].concat().into_boxed_str();
            self.list = [&*self.list, &[WeighedWord { end, category, part }]].concat().into_boxed_slice();
        }
    }

    /// The words of a category, heaviest first, with their part of the sum.
    pub(super) fn of(&self, wanted: Category) -> Vec<(&str, i32)> {
        let mut words = Vec::new();
        let mut start = 0;
        for word in &self.list {
            let end = usize::from(word.end);
            if word.category == wanted {
                words.push((self.text.get(start..end).unwrap_or_default(), word.part));
            }
            start = end;
        }
        words.sort_by_key(|(_, part)| std::cmp::Reverse(*part));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::{EvidenceWords, MAX_STORED_WORDS};
    use crate::category::Category;

    #[test]
    fn equal_words_of_one_category_are_summed() {
        let (build, legal) = (Category::ALL[0], Category::ALL[1]);
        let mut words = EvidenceWords::default();
        for (word, category, part) in
            [("배포", build, 3), ("api", build, 5), ("배포", legal, 7), ("배포", build, 4), ("배포api", build, 1)]
        {
            words.add(word, category, part);
        }
        assert_eq!(words.of(build), [("배포", 7), ("api", 5), ("배포api", 1)]);
        assert_eq!(words.of(legal), [("배포", 7)]);
    }

    #[test]
    fn only_first_words_are_stored() {
        let mut words = EvidenceWords::default();
        for number in 0..2 * MAX_STORED_WORDS {
            words.add(&number.to_string(), Category::ALL[0], 1);
        }
        words.add("0", Category::ALL[0], i32::MAX);
        let stored = words.of(Category::ALL[0]);
        assert_eq!(stored.len(), MAX_STORED_WORDS);
        assert_eq!((stored[0], stored[1]), (("0", i32::MAX), ("1", 1)));
    }
}
