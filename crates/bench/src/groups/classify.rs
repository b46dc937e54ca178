//! Benchmark of each classifier's throughput on one core, over the records that the model is trained on.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use coordination::api::TextZone;
use coordination::classify::v1_words;
use coordination::classify::v2::{self, ScoreSum};
use coordination::role::Role;
use serde_json::Value;
use xtask::tree;

use crate::figure::{Bound, Figure, alternate};
use crate::setting::{ROUNDS, Setting};

/// Time of each classifier in a round.
const TIME: Duration = Duration::from_millis(500);

type Record = Vec<(TextZone, String)>;

/// `v2`, with `v1` as its control.
pub fn figures(_: &Setting) -> Result<Vec<Figure>> {
    let records = records()?;
    let by_v1 = |record: &Record| {
        let mut text = String::new();
        record.iter().for_each(|(_, part)| text.push_str(&part.to_lowercase()));
        black_box(v1_words(&text, Role::ConversationMain));
    };
    let by_v2 = |record: &Record| {
        let mut sum = ScoreSum::default();
        record.iter().for_each(|(zone, part)| sum.add(&v2::read(*zone, part)));
        black_box(sum.answer());
    };
    let rounds = alternate(ROUNDS, || Ok(rate(&records, by_v2)), || Ok(rate(&records, by_v1)))?;
    Ok(vec![Figure::middle("records classified by v2", "/s", &rounds, "v1").bound(Bound::AtLeast(100_000.0))])
}

/// Labelled records of `data/classifier`, each as its texts.
fn records() -> Result<Vec<Record>> {
    let mut all = Vec::new();
    let mut files = tree::files_below(&tree::root().join("data/classifier"), &[])?;
    files.retain(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("train-")));
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            all.push(texts(&serde_json::from_str(line).with_context(|| file.display().to_string())?));
        }
    }
    ensure!(!all.is_empty(), "no records");
    Ok(all)
}

fn texts(record: &Value) -> Record {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let label = record["label"].as_str().map(|label| (TextZone::Label, label.to_owned()));
    let messages = record["messages"].as_array().into_iter().flatten();
    let messages = messages.map(|message| (TextZone::of_type(&text(&message["type"])), text(&message["text"])));
    label.into_iter().chain(messages).collect()
}

/// Records a second.
fn rate(records: &[Record], classify: impl Fn(&Record)) -> f64 {
    records.iter().for_each(&classify);
    let start = Instant::now();
    let mut count = 0_u32;
    while start.elapsed() < TIME {
        records.iter().for_each(&classify);
        count += u32::try_from(records.len()).unwrap_or_default();
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}
