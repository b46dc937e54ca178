//! How many records a second each classifier decides on one core, with and without telling why.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use coordination::classify::v1_words;
use coordination::classify::v2::{self, Sum};
use coordination::role::Role;

use super::row;
use crate::records::Record;
use crate::train;

/// How long each is run.
const TIME: Duration = Duration::from_secs(2);

/// Only these rows.
pub fn run() -> Result<()> {
    for [name, measured, goal] in rows()? {
        println!("{name:<34} {measured:>28}   {goal}");
    }
    Ok(())
}

/// Rows of the table: `v1`, then `v2` beside it.
pub fn rows() -> Result<[[String; 3]; 2]> {
    let records = train::written()?;
    let first = rate(&records, |record| {
        let mut haystack = String::new();
        record.texts().for_each(|(_, text)| haystack.push_str(&text.to_lowercase()));
        black_box(v1_words(&haystack, Role::ConversationMain));
    });
    let second = rate(&records, |record| {
        let mut sum = Sum::default();
        record.texts().for_each(|(place, text)| sum.add(&v2::read(place, text)));
        black_box(sum.answer());
    });
    let times = format!("{second:.0}/s ({:.2} × v1)", second / first);
    Ok([
        row("records classified by v1", &format!("{first:.0}/s"), ""),
        row("records classified by v2", &times, "≥ 100000/s"),
    ])
}

fn rate(records: &[Record], decide: impl Fn(&Record)) -> f64 {
    records.iter().for_each(&decide);
    let start = Instant::now();
    let mut count = 0_u32;
    while start.elapsed() < TIME {
        records.iter().for_each(&decide);
        count += u32::try_from(records.len()).unwrap_or_default();
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}
