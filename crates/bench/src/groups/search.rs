//! Benchmark of searches for words of the log, for each kind of term (Korean words, syllables, Latin words, phrases …),
//! and of the session list filtered by the same terms. The times are compared with a byte scan (memmem) of the log for
//! one word.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bench::home::logs;
use bench::http::{KeepAlive, uncached_path};
use bench::server::BenchServer;
use coordination::hangul::initials;
use memchr::memmem;
use serde_json::Value;

use super::Setting;
use crate::figure::{Figure, alternate, percentile};

const TERMS_PER_CLASS: usize = 40;
const ROUNDS: usize = 3;
/// A line now and then has words enough.
const SAMPLED_LINES: usize = 101;
const SEARCH: &str = "/api/v2/search?q=";
const FILTER: &str = "/api/v2/sessions?limit=50&q=";
const CONTROL: &str = "memmem over all bytes for one word";

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events)?;
    let log = logs(&home)?.0.iter().map(std::fs::read).collect::<std::io::Result<Vec<_>>>()?.concat();
    let classes = classes(&log);
    let server = BenchServer::start(&setting.monitor, &home, &[])?;
    server.wait_until_indexed()?;
    let all: Vec<String> = classes.iter().flat_map(|class| class.1.clone()).collect();
    let searches = classes.into_iter().map(|(class, terms)| (class, SEARCH, terms));
    let requests = searches.chain([("sessions filtered by all of these", FILTER, all)]);
    requests.map(|(name, route, terms)| class_figure(server.port, name, route, &terms, &log)).collect()
}

fn class_figure(port: u16, name: &str, route: &str, terms: &[String], log: &[u8]) -> Result<Figure> {
    let (mut all, mut hits) = (Vec::new(), 0);
    let own = || {
        let times = request_times(port, route, terms, &mut hits)?;
        all.extend_from_slice(&times);
        Ok(percentile(&times, 95))
    };
    let scan = |term: &String| {
        let start = Instant::now();
        black_box(memmem::find_iter(log, term).count());
        start.elapsed()
    };
    let scans = || Ok(percentile(&terms.iter().take(10).map(scan).collect::<Vec<_>>(), 50));
    let rounds = alternate(ROUNDS, own, scans)?;
    let hits = hits / (terms.len() * ROUNDS) as u64;
    let note = format!("{} terms, p50 {:.1} ms, {hits} hits a term", terms.len(), percentile(&all, 50));
    Ok(Figure::of_rounds(&format!("{name}, p95"), "ms", &rounds, CONTROL).noted(&note))
}

/// On a connection of its own: the scans take longer than an idle one stays open.
fn request_times(port: u16, route: &str, terms: &[String], hits: &mut u64) -> Result<Vec<Duration>> {
    let mut client = KeepAlive::open(port)?;
    let mut request = |term: &String| {
        let encoded: String = term.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = client.get(&uncached_path(&format!("{route}{encoded}")), "")?;
        let page = answer.json().with_context(|| format!("a request with {term:?}"))?;
        *hits += page["total"].as_u64().context("the answer has no total")?;
        Ok(answer.took)
    };
    terms.iter().map(&mut request).collect()
}

/// Name and terms of each class, from words of a log's messages.
fn classes(log: &[u8]) -> Vec<(&'static str, Vec<String>)> {
    let (mut counts, mut pairs) = (BTreeMap::<String, u32>::new(), BTreeSet::new());
    for line in log.split(|byte| *byte == b'\n').step_by(SAMPLED_LINES) {
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        let message = value["data"]["message"].as_str().unwrap_or_default();
        let words =
            message.split(|letter: char| !letter.is_alphanumeric()).filter(|word| is_korean(word) || is_latin(word));
        words.for_each(|word| *counts.entry(word.to_lowercase()).or_default() += 1);
        let parts: Vec<&str> = message.split(' ').collect();
        let pair = parts.windows(2).find(|pair| pair.iter().all(|word| is_korean(word) || is_latin(word)));
        pairs.extend(pair.map(|pair| pair.join(" ")));
    }
    let words = |is_one: fn(&str) -> bool| counts.keys().filter(move |word| is_one(word)).cloned();
    let beginnings = |count| words(is_korean).map(move |word| word.chars().take(count).collect::<String>());
    let mut frequent: Vec<&String> = counts.keys().collect();
    frequent.sort_by_key(|word| std::cmp::Reverse(counts[*word]));
    vec![
        ("Korean words", spread_out(words(is_korean))),
        ("pairs of syllables", spread_out(beginnings(2))),
        ("single syllables", spread_out(beginnings(1))),
        ("initial consonants", spread_out(beginnings(2).map(|pair| initials(&pair)))),
        ("Latin words", spread_out(words(is_latin))),
        ("very frequent words", frequent.into_iter().take(TERMS_PER_CLASS).cloned().collect()),
        ("pairs of words", spread_out(pairs.iter().cloned())),
        ("phrases", spread_out(pairs.iter().map(|pair| format!("\"{pair}\"")))),
        ("words that occur nowhere", (0..TERMS_PER_CLASS).map(|number| format!("zq{number}xjv")).collect()),
    ]
}

/// Two syllables at least.
fn is_korean(word: &str) -> bool {
    word.chars().count() >= 2 && word.chars().all(|letter| ('가'..='힣').contains(&letter))
}

/// Three letters at least.
fn is_latin(word: &str) -> bool {
    word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// At most [`TERMS_PER_CLASS`] of all different words, evenly.
fn spread_out(words: impl Iterator<Item = String>) -> Vec<String> {
    let words: BTreeSet<String> = words.collect();
    let step = words.len().div_ceil(TERMS_PER_CLASS).max(1);
    words.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use super::{classes, spread_out};

    #[test]
    fn terms_are_words_of_the_messages() {
        let log = r#"{"data":{"message":"배포를, nginx 확인 Deploy ab 1234 (각) 배포를"}}"#;
        let classes = classes(log.as_bytes()).into_iter().map(|(class, terms)| format!("{class}: {}", terms.join("|")));
        let expected = [
            "Korean words: 배포를|확인",
            "pairs of syllables: 배포|확인",
            "single syllables: 배|확",
            "initial consonants: ㅂㅍ|ㅎㅇ",
            "Latin words: deploy|nginx",
            "very frequent words: 배포를|deploy|nginx|확인",
            "pairs of words: nginx 확인",
            "phrases: \"nginx 확인\"",
        ];
        assert_eq!(classes.take(expected.len()).collect::<Vec<_>>(), expected);
        assert_eq!(spread_out((0..95).map(|number| number.to_string())).len(), 32);
    }
}
