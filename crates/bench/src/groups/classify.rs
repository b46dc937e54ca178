//! Benchmark of the `v2` classifier on one thread, in classified records per second. A record is the message texts of
//! one training example (`data/classifier`). The control is the `v1` classifier.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use coordination::api::TextZone;
use coordination::classify::v1_words;
use coordination::classify::v2::{self, ScoreSum};
use coordination::role::Role;
use serde_json::Value;
use xtask::tree;

use super::Setting;
use crate::figure::{Figure, alternate};

const ROUNDS: usize = 9;
/// Time of each classifier in a round.
const TIME: Duration = Duration::from_millis(500);

type LabelledTexts = Vec<(TextZone, String)>;

pub fn figures(_: &Setting) -> Result<Vec<Figure>> {
    let records = records()?;
    let by_v1 = |record: &LabelledTexts| {
        let mut text = String::new();
        record.iter().for_each(|(_, part)| text.push_str(&part.to_lowercase()));
        black_box(v1_words(&text, Role::ConversationMain));
    };
    let by_v2 = |record: &LabelledTexts| {
        let mut sum = ScoreSum::default();
        record.iter().for_each(|(zone, part)| sum.add(&v2::read(*zone, part)));
        black_box(sum.answer());
    };
    let rounds = alternate(ROUNDS, || Ok(rate(&records, by_v2)), || Ok(rate(&records, by_v1)))?;
    Ok(vec![Figure::of_rounds("records classified by v2", "/s", &rounds, "v1")])
}

/// Labelled records of `data/classifier`, each as its texts.
fn records() -> Result<Vec<LabelledTexts>> {
    let mut all = Vec::new();
    for file in tree::files_below(&tree::root().join("data/classifier"), &[])? {
        let is_one = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("train-"));
        let text = if is_one { std::fs::read_to_string(&file)? } else { continue };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let record: Value = serde_json::from_str(line).with_context(|| file.display().to_string())?;
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let label = record["label"].as_str().map(|label| (TextZone::Label, label.to_owned()));
            let messages = record["messages"].as_array().into_iter().flatten();
            let messages = messages.map(|message| (TextZone::of_type(&text(&message["type"])), text(&message["text"])));
            all.push(label.into_iter().chain(messages).collect());
        }
    }
    Ok(all)
}

/// Records a second.
fn rate(records: &[LabelledTexts], classify: impl Fn(&LabelledTexts)) -> f64 {
    records.iter().for_each(&classify);
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < TIME {
        records.iter().for_each(&classify);
        count += records.len();
    }
    count as f64 / start.elapsed().as_secs_f64()
}
