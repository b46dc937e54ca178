//! Classifier of sessions, version `v2`: a linear model over words, word parts and word pairs, trained by `make train`.
//! It uses only integer sums and basic arithmetic, so every machine gives the same answer. The opening of a session is
//! some five to ten messages; all later texts together count at most half as much.

mod answer;
mod check;
mod features;
mod lexicon;
mod read;
mod replay;
mod shown;
mod stem;
mod table;
mod tags;
mod words;

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

pub use answer::{CategoryRanking, Evidence};
pub use check::checked_rules;
pub use features::{TextFeatures, text_features};
pub use lexicon::Learnt;
pub use lexicon::Lexicon;
pub use protocol::api::TextZone;
pub use read::read_part;
pub use replay::{ClassifierReplay, ReplayOutcome};
pub use table::{Table, TableParts};
pub use tags::of_words as sub_tags;

use read::ClauseReader;
use words::FeatureSink;

/// Number of categories.
const CATEGORIES: usize = 10;
/// Classifier version that each answer states.
pub const VERSION: &str = protocol::api::V2_VERSION;

/// Features of one text, summed: a score for each category and the squared length of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextScores {
    scores: [i16; CATEGORIES],
    norm: u32,
}

/// Sums of all texts of a record or session, oldest first. The opening shows what the work is; the text after it,
/// however long, counts at most half as much: talk of checks, pages and schedules is part of every kind of work.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScoreSum {
    opening: Total,
    /// Absent for most sessions.
    rest: Option<Box<Total>>,
}

/// Scores of texts, added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Total {
    scores: [i64; CATEGORIES],
    norm: u64,
}

impl Total {
    fn add(&mut self, reading: &TextScores) {
        for (sum, score) in self.scores.iter_mut().zip(reading.scores) {
            *sum += i64::from(score);
        }
        self.norm += u64::from(reading.norm);
    }

    /// From the smallest score to the greatest.
    fn spread(&self) -> i64 {
        let (least, most) = (self.scores.iter().min(), self.scores.iter().max());
        most.zip(least).map_or(0, |(most, least)| most - least)
    }
}

impl ScoreSum {
    /// Adds one text, which is newer than those before it.
    pub fn add(&mut self, reading: &TextScores) {
        if self.opening.norm < OPENING_NORM {
            self.opening.add(reading)
        } else {
            self.rest.get_or_insert_default().add(reading)
        }
    }

    fn rest(&self) -> Total {
        self.rest.as_deref().copied().unwrap_or_default()
    }

    /// Whether there is more than an opening: the beginning counts more.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.rest().norm > 0
    }

    /// Whether no word of these texts is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.opening.norm == 0
    }
}

/// Squared length at which the opening of a session ends, some five to ten messages. Nineteen of twenty records the
/// model was trained on are shorter, so they count as in training.
const OPENING_NORM: u64 = 1_200_000;
/// Maximum spread of the later scores relative to those of the opening. Spread, not length: the same word fifty times
/// is short and loud.
const MAX_REST_SHARE: f64 = 0.5;
/// Bits of a sum that are dropped in its stored form.
const SCORE_SHIFT_BITS: u32 = 6;

/// Reads one text.
#[must_use]
pub fn read(place: TextZone, text: &str) -> TextScores {
    SCRATCH.with_borrow_mut(|scratch| scratch.reading(Table::trained(), place, text))
}

/// The features of a text with their amounts (256 = a full one), as training needs them.
#[must_use]
pub fn features(place: TextZone, text: &str) -> std::collections::BTreeMap<u32, i32> {
    struct All(std::collections::BTreeMap<u32, i32>);
    impl FeatureSink for All {
        fn feature(&mut self, key: u32, amount: i32, _: (u32, u32)) {
            let most = self.0.entry(key).or_default();
            *most = amount.max(*most);
        }
    }
    let mut all = All(std::collections::BTreeMap::new());
    ClauseReader::default().read(place, text, &mut all);
    all.0
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Buffers reused from one text to the next.
#[derive(Debug, Default)]
struct Scratch {
    reader: ClauseReader,
    seen: FeatureMaxima,
    words: Vec<((u32, u32), [i32; CATEGORIES])>,
}

/// The greatest amount of each feature in the current text: a repeated word counts once.
#[derive(Debug, Default)]
struct FeatureMaxima {
    /// Number of the text, and the amount.
    slots: Vec<(u32, i32)>,
    text: u32,
}

impl FeatureMaxima {
    fn begin(&mut self, table: &Table) {
        self.text = self.text.wrapping_add(1);
        if self.slots.len() != table.len() || self.text == 0 {
            self.slots = vec![(0, 0); table.len()];
            self.text = 1;
        }
    }

    /// The amounts of this feature before and now, when now is more.
    fn grown(&mut self, at: usize, amount: i32) -> Option<(i32, i32)> {
        let slot = self.slots.get_mut(at)?;
        let before = if slot.0 == self.text { slot.1 } else { 0 };
        if amount <= before {
            return None;
        }
        *slot = (self.text, amount);
        Some((before, amount))
    }
}

impl Scratch {
    fn reading(&mut self, table: &Table, place: TextZone, text: &str) -> TextScores {
        self.seen.begin(table);
        let mut adding = AddingSink { table, seen: &mut self.seen, lanes: LaneSums::default(), norm: 0 };
        self.reader.read(place, text, &mut adding);
        condensed(adding.lanes.total(), adding.norm)
    }
}

/// Adds up the features of a text.
struct AddingSink<'a> {
    table: &'a Table,
    seen: &'a mut FeatureMaxima,
    lanes: LaneSums,
    norm: i64,
}

impl FeatureSink for AddingSink<'_> {
    fn feature(&mut self, key: u32, amount: i32, _: (u32, u32)) {
        let Some((at, feature)) = self.table.find(key) else { return };
        let Some((before, now)) = self.seen.grown(at, amount) else { return };
        let (before, now) = (scaled(before, feature.scale), scaled(now, feature.scale));
        self.lanes.add(now - before, &feature.weights);
        self.norm += i64::from(now) * i64::from(now) - i64::from(before) * i64::from(before);
    }
}

/// Sums by category in 32 bits, which a processor adds several at a time. They move to 64 bits before they can overflow.
#[derive(Default)]
struct LaneSums {
    lanes: [i32; CATEGORIES],
    /// Features in `lanes`.
    count: u32,
    sums: [i64; CATEGORIES],
}

impl LaneSums {
    /// The greatest amount is below 2^13 and a weight below 2^7, so a feature adds less than 2^20.
    const MAX_COUNT: u32 = 1 << 10;

    fn add(&mut self, amount: i32, weights: &[i8; CATEGORIES]) {
        for (lane, weight) in self.lanes.iter_mut().zip(weights) {
            *lane += amount * i32::from(*weight);
        }
        self.count += 1;
        if self.count == Self::MAX_COUNT {
            *self = Self { sums: self.total(), ..Self::default() };
        }
    }

    fn total(&self) -> [i64; CATEGORIES] {
        std::array::from_fn(|at| self.sums[at] + i64::from(self.lanes[at]))
    }
}

/// An amount by how informative its feature is: below 2^13, because no amount exceeds 25 × [`ONE`](words::ONE).
fn scaled(amount: i32, scale: u8) -> i32 {
    amount * i32::from(scale) / 16
}

/// A sum in 24 bytes. A sum too large for that is scaled down together with its length, which preserves its meaning.
#[allow(clippy::cast_possible_truncation, reason = "brought below the greatest before")]
fn condensed(scores: [i64; CATEGORIES], norm: i64) -> TextScores {
    let half = 1_i64 << (SCORE_SHIFT_BITS - 1);
    let mut scores = scores.map(|score| (score + half) >> SCORE_SHIFT_BITS);
    let mut norm = u64::try_from(norm).unwrap_or(0);
    while norm > u64::from(u32::MAX) || scores.iter().any(|score| score.unsigned_abs() > i16::MAX.unsigned_abs().into())
    {
        scores = scores.map(|score| score / 2);
        norm /= 4;
    }
    TextScores { scores: scores.map(|score| score as i16), norm: norm as u32 }
}
