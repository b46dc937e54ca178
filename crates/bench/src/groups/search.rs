//! Benchmark of search over words of the log (goal G12 of `docs/benchmarks.md`). Each word is searched by the monitor
//! and by a scan of all bytes (memmem), in turn. Other tests prove that results are complete, against a brute-force
//! search.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bench::home::logs;
use bench::http::{KeepAlive, uncached_path};
use bench::server::BenchServer;
use serde_json::Value;
use xtask::shell;

use crate::figure::{Bound, Figure, alternate, percentile, percentiles};
use crate::setting::Setting;

/// Of each kind; so few that the scans of a gigabyte end.
const TERMS_PER_KIND: usize = 40;
const ROUNDS: usize = 3;
/// A line now and then says enough.
const SAMPLED_LINES: usize = 101;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events)?;
    let (files, _) = logs(&home)?;
    let server = BenchServer::start(&setting.monitor, &home, Some("0"), &[])?;
    server.wait_until_indexed()?;
    let mut figures = Vec::new();
    for (kind, terms) in terms(&files)? {
        shell::say(&format!("{} {kind}, {ROUNDS} times, and as many scans", terms.len()));
        let mut hits = 0;
        let rounds =
            alternate(ROUNDS, || search_times(server.port, &terms, &mut hits), || scan_times(setting, &files, &terms))?;
        let (own, scans): (Vec<_>, Vec<_>) = rounds.iter().cloned().unzip();
        let [own, scans] = [own, scans].map(|times| percentile(&times.concat(), 50));
        let name = |percent: usize| format!("search for {} {kind}, p{percent}", terms.len());
        figures.push(
            Figure::new(&name(50), own, "ms")
                .with_control("memmem over all bytes", scans)
                .goal("G12")
                .noted(&format!("{} hits a term", hits / (terms.len() * ROUNDS) as u64)),
        );
        let late = Figure::middle(&name(95), "ms", &percentiles(&rounds, 95), "memmem over all bytes");
        figures.push(late.goal("G12").bound(Bound::AtMost(10.0)));
    }
    Ok(figures)
}

/// On a connection of its own: the scans take longer than an idle one is kept.
fn search_times(port: u16, terms: &[String], hits: &mut u64) -> Result<Vec<Duration>> {
    let mut client = KeepAlive::open(port)?;
    let mut search = |term: &String| {
        let start = Instant::now();
        let answer = client.get(&uncached_path(&path(term)), "")?;
        let took = start.elapsed();
        let page = answer.json().with_context(|| format!("search for {term:?}"))?;
        *hits += page["total"].as_u64().context("the search tells no total")?;
        Ok(took)
    };
    terms.iter().map(&mut search).collect()
}

fn scan_times(setting: &Setting, files: &[PathBuf], terms: &[String]) -> Result<Vec<Duration>> {
    let seconds = |line: &Value| line["seconds"].as_f64().context("a line without seconds");
    setting.pass("find", files, terms)?.iter().map(|line| seconds(line).map(Duration::from_secs_f64)).collect()
}

fn path(term: &str) -> String {
    let encoded: String = term.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("/api/v2/search?q={encoded}")
}

/// Words that stand in messages of the log, spread over all of it: Korean ones, their beginnings of two syllables, and
/// Latin ones of three letters at least; and some that stand nowhere.
fn terms(files: &[PathBuf]) -> Result<Vec<(&'static str, Vec<String>)>> {
    let mut all = [const { BTreeSet::new() }; 3];
    for file in files {
        for line in std::fs::read(file)?.split(|byte| *byte == b'\n').step_by(SAMPLED_LINES) {
            let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
            take(value["data"]["message"].as_str().unwrap_or_default(), &mut all);
        }
    }
    let [korean, short, latin] = all.map(spread_out);
    let nowhere = (0..TERMS_PER_KIND).map(|number| format!("zq{number}xjv")).collect();
    let mut kinds = vec![
        ("Korean words", korean),
        ("pairs of syllables", short),
        ("Latin words", latin),
        ("words that stand nowhere", nowhere),
    ];
    kinds.retain(|(_, terms)| !terms.is_empty());
    Ok(kinds)
}

fn take(message: &str, [korean, short, latin]: &mut [BTreeSet<String>; 3]) {
    for word in message.split(|letter: char| !letter.is_alphanumeric()) {
        let syllables: Vec<char> = word.chars().collect();
        if syllables.len() >= 2 && syllables.iter().all(|letter| ('가'..='힣').contains(letter)) {
            korean.insert(word.to_owned());
            short.insert(syllables[..2].iter().collect());
        } else if word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            latin.insert(word.to_lowercase());
        }
    }
}

/// Some of all, evenly.
fn spread_out(words: BTreeSet<String>) -> Vec<String> {
    let step = words.len().div_ceil(TERMS_PER_KIND).max(1);
    words.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{path, spread_out, take};

    #[test]
    fn terms_are_words_of_the_messages() {
        let mut all = [const { BTreeSet::new() }; 3];
        take("배포를 확인, nginx를 Deploy ab 1234 (각)", &mut all);
        let words = all.map(|words| words.into_iter().collect::<Vec<_>>().join(" "));
        assert_eq!(words, ["배포를 확인", "배포 확인", "deploy"]);
        assert_eq!(path("각 "), "/api/v2/search?q=%EA%B0%81%20");
        let many = (0..95).map(|number| format!("{number:02}")).collect();
        assert_eq!(spread_out(many).len(), 32);
    }
}
