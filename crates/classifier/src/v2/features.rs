//! Compact result of the `v2` classifier for one text, in about 40 bytes: its score for each category, and the words
//! (three at most) that count most for its best category.

use std::borrow::Cow;

use super::words::FeatureSink;
use super::{
    CATEGORIES, FeatureMaxima, SCORE_SHIFT_BITS, SCRATCH, Scratch, Table, TextScores, TextZone, condensed, scaled,
    shown,
};
use protocol::category::Category;

/// Number of words stored for one text.
const MAX_TEXT_WORDS: usize = 3;

/// Features of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextFeatures {
    /// Its sums.
    pub reading: TextScores,
    /// The words that said most for the category the text alone would have.
    words: [WordSpan; MAX_TEXT_WORDS],
    /// Index of that category.
    category: u8,
}

/// A word of a text: its position, and its part of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WordSpan {
    at: u16,
    length: u8,
    weight: i16,
}

impl TextFeatures {
    /// The words of `text`, the text these features were computed from, with their part of the sum for the category.
    pub fn words<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (Cow<'a, str>, i32)> + use<'a> {
        let spans = self.words.iter().filter(|word| word.length > 0);
        spans.filter_map(move |word| {
            let from = usize::from(word.at);
            let written = text.get(from..from + usize::from(word.length))?;
            Some((shown::shown(written), i32::from(word.weight)))
        })
    }

    /// What these words spoke for.
    #[must_use]
    pub fn category(&self) -> Category {
        Category::ALL.get(usize::from(self.category)).copied().unwrap_or(Category::EngineeringBuild)
    }
}

/// Reads a text and keeps its most telling words.
#[must_use]
pub fn text_features(place: TextZone, text: &str) -> TextFeatures {
    SCRATCH.with_borrow_mut(|scratch| scratch.text_features(Table::trained(), place, text))
}

/// A word's sums, while its text is read.
type WordSums = ((u32, u32), [i32; CATEGORIES]);

struct FeatureCollector<'a> {
    table: &'a Table,
    seen: &'a mut FeatureMaxima,
    scores: [i64; CATEGORIES],
    norm: i64,
    /// The features of a word come together.
    words: &'a mut Vec<WordSums>,
}

impl FeatureSink for FeatureCollector<'_> {
    fn feature(&mut self, key: u32, amount: i32, span: (u32, u32)) {
        let Some((at, feature)) = self.table.find(key) else { return };
        let Some((before, now)) = self.seen.grown(at, amount) else { return };
        let (before, now) = (scaled(before, feature.scale), scaled(now, feature.scale));
        if self.words.last().is_none_or(|(last, _)| *last != span) {
            self.words.push((span, [0; CATEGORIES]));
        }
        if let Some((_, sums)) = self.words.last_mut() {
            for (sum, weight) in sums.iter_mut().zip(feature.weights) {
                *sum += (now - before) * i32::from(weight);
            }
        }
        self.norm += i64::from(now) * i64::from(now) - i64::from(before) * i64::from(before);
    }
}

impl Scratch {
    fn text_features(&mut self, table: &Table, place: TextZone, text: &str) -> TextFeatures {
        self.seen.begin(table);
        self.words.clear();
        let mut listening =
            FeatureCollector { table, seen: &mut self.seen, scores: [0; CATEGORIES], norm: 0, words: &mut self.words };
        self.reader.read(place, text, &mut listening);
        for (_, sums) in listening.words.iter() {
            for (score, sum) in listening.scores.iter_mut().zip(sums) {
                *score += i64::from(*sum);
            }
        }
        let (scores, norm) = (listening.scores, listening.norm);
        let best = (0..CATEGORIES).rev().max_by_key(|at| scores[*at]).unwrap_or(0);
        TextFeatures {
            reading: condensed(scores, norm),
            words: telling(&self.words, best, text),
            category: small(best),
        }
    }
}

/// The useful words with the most weight for a category.
fn telling(words: &[WordSums], category: usize, text: &str) -> [WordSpan; MAX_TEXT_WORDS] {
    let mut spans = [WordSpan::default(); MAX_TEXT_WORDS];
    for ((from, to), sums) in words {
        let weight = i16::try_from(sums[category] >> SCORE_SHIFT_BITS).unwrap_or(i16::MAX);
        let least = spans.iter().enumerate().min_by_key(|(_, known)| known.weight).map_or(0, |(at, _)| at);
        if weight <= spans[least].weight {
            continue;
        }
        let span = (u16::try_from(*from), u8::try_from(to - from));
        let written = text.get(*from as usize..*to as usize).unwrap_or_default();
        if let ((Ok(at), Ok(length)), true) = (span, shown::is_useful(&shown::shown(written))) {
            spans[least] = WordSpan { at, length, weight };
        }
    }
    spans.sort_by_key(|word| std::cmp::Reverse(word.weight));
    spans
}

#[allow(clippy::cast_possible_truncation, reason = "one of ten")]
fn small(number: usize) -> u8 {
    number as u8
}
