//! Conversion of score sums into an answer: ranking, confidence and the most telling words.

use std::collections::BTreeMap;

use super::words::FeatureSink;
use super::{
    CATEGORIES, FeatureMaxima, Learnt, MAX_REST_SHARE, SCORE_SHIFT_BITS, SCRATCH, ScoreSum, Scratch, Table, TextZone,
    scaled,
};
use protocol::category::Category;

/// Probability from which another category is named beside the first.
const MIN_SECONDARY_PROBABILITY: f64 = 0.2;
/// Maximum number of words of evidence.
const MAX_WORDS: usize = 8;
/// Maximum number of sub-tags.
const MAX_TAGS: usize = 5;

/// The ranking of the categories.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryRanking {
    /// The category with the highest score.
    pub category: Category,
    /// Others with notable weight, heaviest first.
    pub secondary: Vec<Category>,
    /// How often such an answer is right, 0–1, two decimals.
    pub confidence: f64,
    /// The second, and how far it is behind (as a difference of scores).
    pub runner_up: (Category, f64),
    /// Scores of all ten categories, in seed order.
    pub scores: [f64; CATEGORIES],
}

/// The words behind an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// Words with their weight for the category, heaviest first, at most eight.
    pub matches: Vec<(String, f64)>,
    /// Domain terms among them, at most five.
    pub sub_tags: Vec<String>,
}

impl ScoreSum {
    /// The answer; `None` when no word is known.
    #[must_use]
    pub fn answer(&self) -> Option<CategoryRanking> {
        self.answer_by(Table::trained(), &Learnt::default())
    }

    /// The answer with taught rules; `None` when neither the model knows a word nor a taught word occurs.
    #[must_use]
    pub fn answer_with(&self, learnt: &Learnt) -> Option<CategoryRanking> {
        self.answer_by(Table::trained(), learnt)
    }

    /// The category alone, which costs less.
    #[must_use]
    pub fn best(&self) -> Option<Category> {
        let scores = self.scores(Table::trained())?;
        // Of equals the first, as in the ranking.
        Category::ALL.into_iter().rev().max_by(|a, b| scores[a.index()].total_cmp(&scores[b.index()]))
    }

    fn scores(&self, table: &Table) -> Option<[f64; CATEGORIES]> {
        let (rest, factor) = (self.rest_share(), self.factor(table));
        let beyond = self.rest();
        #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
        let sum = |at: usize| self.opening.scores[at] as f64 + beyond.scores[at] as f64 * rest;
        let score = |at: usize| table.bias[at] + sum(at) * f64::from(1_u32 << SCORE_SHIFT_BITS) * factor;
        (!self.is_empty()).then(|| std::array::from_fn(score))
    }

    /// Share of the text after the opening that counts, 0–1.
    #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
    fn rest_share(&self) -> f64 {
        let (most, spread) = (self.opening.spread() as f64 * MAX_REST_SHARE, self.rest().spread() as f64);
        if spread <= most { 1.0 } else { most / spread }
    }

    fn answer_by(&self, table: &Table, learnt: &Learnt) -> Option<CategoryRanking> {
        let known = self.scores(table).or_else(|| learnt.speaks_for().then_some(table.bias))?;
        let bonus = learnt.bonus();
        let scores: [f64; CATEGORIES] = std::array::from_fn(|at| known[at] + bonus[at]);
        let mut ranked = Category::ALL;
        ranked.sort_by(|a, b| scores[b.index()].total_cmp(&scores[a.index()]).then(a.cmp(b)));
        let best = scores[ranked[0].index()];
        let shares = scores.map(|score| exp((score - best) / table.temperature));
        let all: f64 = shares.iter().sum();
        let share = |category: Category| shares[category.index()] / all;
        let secondary =
            ranked[1..].iter().copied().filter(|category| share(*category) >= MIN_SECONDARY_PROBABILITY).collect();
        let gap = best - scores[ranked[1].index()];
        Some(CategoryRanking {
            category: ranked[0],
            secondary,
            confidence: (share(ranked[0]) * 100.0).round() / 100.0,
            runner_up: (ranked[1], (gap * 100.0).round() / 100.0),
            scores,
        })
    }

    /// A word's part of the sums as a part of the score.
    #[must_use]
    pub fn weight(&self, part: i32) -> f64 {
        let table = Table::trained();
        (f64::from(part) * f64::from(1_u32 << SCORE_SHIFT_BITS) * self.factor(table) * 100.0).round() / 100.0
    }

    #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
    fn factor(&self, table: &Table) -> f64 {
        let share = self.rest_share();
        let norm = self.opening.norm as f64 + self.rest().norm as f64 * share * share;
        table.unit / (norm + table.smooth as f64).sqrt()
    }

    /// The words of these texts that spoke for `category`. The texts are those that were added.
    #[must_use]
    pub fn evidence<'a>(&self, category: Category, texts: impl Iterator<Item = (TextZone, &'a str)>) -> Evidence {
        let table = Table::trained();
        let mut words: BTreeMap<String, i64> = BTreeMap::new();
        SCRATCH.with_borrow_mut(|Scratch { reader, seen, .. }| {
            for (place, text) in texts {
                seen.begin(table);
                let mut telling = EvidenceCollector { table, seen, category: category.index(), spans: BTreeMap::new() };
                reader.read(place, text, &mut telling);
                for ((from, to), weight) in telling.spans {
                    let word = text.get(from as usize..to as usize).unwrap_or_default();
                    *words.entry(super::shown::shown(word).into_owned()).or_default() += weight;
                }
            }
        });
        words.retain(|word, weight| *weight > 0 && word.chars().any(char::is_alphanumeric));
        let mut words: Vec<(String, i64)> = words.into_iter().collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let sub_tags = super::tags::of_words(words.iter().map(|(word, _)| word.as_str()), MAX_TAGS);
        let factor = self.factor(table);
        #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
        let weight = |weight: i64| (weight as f64 * factor * 100.0).round() / 100.0;
        let matches = words.into_iter().take(MAX_WORDS).map(|(word, sum)| (word, weight(sum)));
        Evidence { matches: matches.filter(|(_, weight)| *weight > 0.0).collect(), sub_tags }
    }
}

/// Sums by word for one category.
struct EvidenceCollector<'a> {
    table: &'a Table,
    seen: &'a mut FeatureMaxima,
    category: usize,
    spans: BTreeMap<(u32, u32), i64>,
}

impl FeatureSink for EvidenceCollector<'_> {
    fn feature(&mut self, key: u32, amount: i32, span: (u32, u32)) {
        let Some((at, feature)) = self.table.find(key) else { return };
        if let Some((before, now)) = self.seen.grown(at, amount) {
            let grown = scaled(now, feature.scale) - scaled(before, feature.scale);
            *self.spans.entry(span).or_default() += i64::from(grown * i32::from(feature.weights[self.category]));
        }
    }
}

/// e to the power of a number that is not above 0; only basic arithmetic, so that every machine gives the same result.
fn exp(x: f64) -> f64 {
    if x < -40.0 {
        return 0.0;
    }
    // e^x = (e^(x/64))^64, and the series of so small a number is short.
    let small = x / 64.0;
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..=12 {
        term *= small / f64::from(n);
        sum += term;
    }
    (0..6).fold(sum, |power, _| power * power)
}
