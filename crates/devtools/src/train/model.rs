//! Training of the classifier's model: selection of features from labelled records, fitting of their weights, and
//! rounding of each weight to one byte of the model table that the classifier contains.

use std::collections::BTreeMap;

use coordination::classify::v2::{TableParts, features};

use super::fit::{self, CATEGORY_COUNT, TrainingExample, Weights};
use crate::records::LabelledRecord;

/// What training may choose. Tuned on the written records only, never on a set whose figures are reported.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSettings {
    /// Pull of every weight towards 0.
    pub penalty: f64,
    /// Added to the squared length of a text, in full features.
    pub smooth: f64,
    /// Share of the wish that goes to the categories also accepted.
    pub accepted: f64,
    /// Records a feature must stand in.
    pub least: u32,
    /// Features kept.
    pub most: usize,
    /// Weight of an entry of the lexicon beside a record.
    pub lexicon: f64,
    /// How much rare features count beside common ones.
    pub rarity: f64,
}

pub const TRAINING_SETTINGS: TrainingSettings =
    TrainingSettings { penalty: 0.3, smooth: 4.0, accepted: 0.1, least: 2, most: 8700, lexicon: 0.2, rarity: 1.0 };

/// The texts of one record as features, each text apart.
pub struct RecordFeatures {
    texts: Vec<BTreeMap<u32, i32>>,
    pub target: [f64; CATEGORY_COUNT],
    pub weight: f64,
}

impl RecordFeatures {
    pub fn new(record: &LabelledRecord, settings: &TrainingSettings) -> Self {
        let texts = record.texts().map(|(place, text)| features(place, text)).collect();
        let mut target = [0.0; CATEGORY_COUNT];
        let others = record.acceptable.len();
        target[record.category.index()] = if others == 0 { 1.0 } else { 1.0 - settings.accepted };
        for other in &record.acceptable {
            #[allow(clippy::cast_precision_loss, reason = "at most two")]
            let share = settings.accepted / others as f64;
            target[other.index()] += share;
        }
        let weight = if record.difficulty == "lexicon" { settings.lexicon } else { 1.0 };
        Self { texts, target, weight }
    }
}

/// A model before it is cut to bytes.
pub struct Model {
    /// Features in order: name → place and scale of 16.
    features: BTreeMap<u32, (usize, u8)>,
    smooth: f64,
    weights: Weights,
}

impl Model {
    pub fn train(reads: &[&RecordFeatures], settings: &TrainingSettings) -> Self {
        let mut record_counts: BTreeMap<u32, u32> = BTreeMap::new();
        for read in reads {
            let mut all: Vec<u32> = read.texts.iter().flat_map(|text| text.keys().copied()).collect();
            all.sort_unstable();
            all.dedup();
            for key in all {
                *record_counts.entry(key).or_default() += 1;
            }
        }
        let frequent = record_counts.into_iter().filter(|(_, count)| *count >= settings.least);
        let known: Vec<(u32, u8)> =
            frequent.map(|(key, count)| (key, scale(count, reads.len(), settings.rarity))).collect();
        let first = Self::fit(reads, &known, settings, if known.len() > settings.most { 30 } else { 80 });
        if known.len() <= settings.most {
            return first;
        }
        let mut ranked: Vec<(u32, u8, f64)> = known
            .iter()
            .map(|(key, scale)| {
                let row = first.weights[first.features[key].0];
                (*key, *scale, f64::from(*scale) * row.iter().map(|weight| weight * weight).sum::<f64>().sqrt())
            })
            .collect();
        ranked.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        ranked.truncate(settings.most);
        let mut known: Vec<(u32, u8)> = ranked.into_iter().map(|(key, scale, _)| (key, scale)).collect();
        known.sort_unstable();
        Self::fit(reads, &known, settings, 80)
    }

    fn fit(reads: &[&RecordFeatures], known: &[(u32, u8)], settings: &TrainingSettings, rounds: usize) -> Self {
        let features = known.iter().enumerate().map(|(at, (key, scale))| (*key, (at, *scale))).collect();
        let mut model = Self { features, smooth: settings.smooth, weights: Vec::new() };
        let examples: Vec<TrainingExample> = reads
            .iter()
            .map(|read| TrainingExample { features: model.vector(read), target: read.target, weight: read.weight })
            .collect();
        model.weights = fit::fit(&examples, known.len(), settings.penalty, rounds);
        model
    }

    /// A record as the table's own arithmetic sees it.
    fn vector(&self, read: &RecordFeatures) -> Vec<(usize, f64)> {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        let mut square = self.smooth;
        for text in &read.texts {
            for (key, amount) in text {
                if let Some((at, scale)) = self.features.get(key) {
                    let amount = f64::from(*amount) * f64::from(*scale) / 4096.0;
                    *sums.entry(*at).or_default() += amount;
                    square += amount * amount;
                }
            }
        }
        let length = square.sqrt();
        sums.into_iter().map(|(at, amount)| (at, amount / length)).collect()
    }

    pub fn scores(&self, read: &RecordFeatures) -> [f64; CATEGORY_COUNT] {
        fit::scores(&self.weights, &self.vector(read))
    }

    /// As the table's bytes hold it.
    #[allow(clippy::cast_possible_truncation, reason = "rounded into the range first")]
    #[allow(clippy::cast_sign_loss, reason = "never below 0")]
    pub fn parts(&self, temperature: f64) -> TableParts {
        let most = self.weights[..self.features.len()].iter().flatten().fold(0.0_f64, |most, w| most.max(w.abs()));
        let step = (most / 100.0).max(1e-9);
        let quantised =
            |row: &[f64; CATEGORY_COUNT]| row.map(|weight| (weight / step).round().clamp(-127.0, 127.0) as i8);
        let rows = self.features.iter().map(|(key, (at, scale))| (*key, *scale, quantised(&self.weights[*at])));
        TableParts {
            // A full feature is 256 in the texts' arithmetic and 1 here; the length is measured likewise.
            unit: step as f32,
            smooth: (self.smooth * 65536.0).round() as u32,
            temperature: temperature as f32,
            bias: self.weights.last().copied().unwrap_or_default().map(|bias| bias as f32),
            rows: rows.filter(|(_, _, weights)| weights.iter().any(|weight| *weight != 0)).collect(),
        }
    }
}

/// Rare features tell more: 16 for the rarest.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 16")]
#[allow(clippy::cast_precision_loss, reason = "counts of records")]
fn scale(count: u32, all: usize, rarity: f64) -> u8 {
    let rare = ((all as f64 + 1.0) / (f64::from(count) + 1.0)).ln() / ((all as f64 + 1.0) / 3.0).ln();
    (16.0 * rare.clamp(0.0, 1.0).powf(rarity)).round().clamp(1.0, 16.0) as u8
}
