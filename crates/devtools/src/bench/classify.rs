//! Benchmark of each classifier's throughput on one core, with and without evidence.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use coordination::classify::v1_words;
use coordination::classify::v2::{self, ScoreSum};
use coordination::role::Role;

use super::figure::{Bound, Figure, PairedRounds};
use super::setting::Setting;
use crate::records::LabelledRecord;
use crate::train;

/// How long each is run a round.
const TIME: Duration = Duration::from_millis(500);

/// Rounds of each, in turn.
const ROUNDS: usize = 5;

/// `v2`, with `v1` as its control.
pub fn figures(_: &Setting) -> Result<Vec<Figure>> {
    let records = train::written()?;
    let first = || {
        Ok(rate(&records, |record| {
            let mut haystack = String::new();
            record.texts().for_each(|(_, text)| haystack.push_str(&text.to_lowercase()));
            black_box(v1_words(&haystack, Role::ConversationMain));
        }))
    };
    let second = || {
        Ok(rate(&records, |record| {
            let mut sum = ScoreSum::default();
            record.texts().for_each(|(place, text)| sum.add(&v2::read(place, text)));
            black_box(sum.answer());
        }))
    };
    let rounds = PairedRounds::run(ROUNDS, second, first)?;
    let figure = Figure::middle("records classified by v2", "/s", &rounds, "v1");
    Ok(vec![figure.goal("", Bound::AtLeast(100_000.0))])
}

fn rate(records: &[LabelledRecord], decide: impl Fn(&LabelledRecord)) -> f64 {
    records.iter().for_each(&decide);
    let start = Instant::now();
    let mut count = 0_u32;
    while start.elapsed() < TIME {
        records.iter().for_each(&decide);
        count += u32::try_from(records.len()).unwrap_or_default();
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}
