//! Benchmark of search over words of the log (goal G12 of `docs/benchmarks.md`). Each word is searched by the monitor
//! and by a scan of all bytes (memmem), in turn. Other tests prove that results are complete, against a brute-force
//! search.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::figure::{Bound, Figure, PairedRounds, spread};
use super::http::{KeepAlive, uncached_path};
use super::server::BenchServer;
use super::setting::{Setting, logs};
use super::{ms, percentile};
use crate::shell;

/// Of each kind; so few that the scans of a gigabyte end.
const TERMS_PER_KIND: usize = 40;
const ROUNDS: usize = 3;
const READ_TIMEOUT: Duration = Duration::from_secs(600);

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events)?;
    let (files, _) = logs(&home)?;
    let server = BenchServer::start_on(&setting.monitor()?, &home, Some("0"), &[])?;
    server.wait_until_read(READ_TIMEOUT)?;
    server.wait_until_indexed(READ_TIMEOUT)?;
    let bound = Bound::AtMost(10.0);
    let mut figures = Vec::new();
    for (kind, terms) in terms(&files)? {
        let title = format!("search for {} {kind}, p95", terms.len());
        if KeepAlive::open(server.port)?.get(&path(&terms[0]), "")?.status == 404 {
            figures.push(Figure::missing(&title, "ms", "the monitor has no search").goal("G12", bound));
            continue;
        }
        shell::say(&format!("{} {kind}, {ROUNDS} times, and as many scans", terms.len()));
        let (mut own, mut scans, mut hits) = (Vec::new(), Vec::new(), 0);
        let rounds = PairedRounds::run(
            ROUNDS,
            || {
                // A connection a round: the scans take longer than an idle one is kept.
                let mut times = search_times(&mut KeepAlive::open(server.port)?, &terms, &mut hits)?;
                own.extend(times.iter().copied());
                Ok(ms(percentile(&mut times, 95)))
            },
            || {
                let mut times = scanned(setting, &files, &terms)?;
                scans.extend(times.iter().copied());
                Ok(ms(percentile(&mut times, 95)))
            },
        )?;
        let middles =
            Figure::new(&format!("search for {} {kind}, p50", terms.len()), ms(percentile(&mut own, 50)), "ms")
                .with_control("memmem over all bytes", ms(percentile(&mut scans, 50)));
        figures.push(
            middles.with_goal_name("G12").noted(&format!("{} hits a term", hits / (terms.len() * ROUNDS) as u64)),
        );
        let mut late = Figure::middle(&title, "ms", &rounds, "memmem over all bytes");
        late.spread = Some(spread(rounds.0.iter().map(|pair| pair.0)));
        figures.push(late.goal("G12", bound));
    }
    Ok(figures)
}

fn search_times(client: &mut KeepAlive, terms: &[String], hits: &mut u64) -> Result<Vec<Duration>> {
    terms
        .iter()
        .map(|term| {
            let start = Instant::now();
            let answer = client.get(&uncached_path(&path(term)), "")?;
            let took = start.elapsed();
            if answer.status != 200 {
                bail!("the search for {term:?} answered {}", answer.status);
            }
            let page: Value = serde_json::from_slice(&answer.body).context("the search's answer is not JSON")?;
            *hits += page["total"].as_u64().context("the search tells no total")?;
            Ok(took)
        })
        .collect()
}

fn scanned(setting: &Setting, files: &[PathBuf], terms: &[String]) -> Result<Vec<Duration>> {
    let lines = setting.pass(&["find"], files, terms)?;
    lines
        .iter()
        .map(|line| line["seconds"].as_f64().map(Duration::from_secs_f64).context("a line without seconds"))
        .collect()
}

fn path(term: &str) -> String {
    let encoded: String = term.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("/api/v2/search?q={encoded}")
}

/// Words that stand in messages of the log, spread over all of it: Korean ones, their beginnings of two syllables, and
/// Latin ones of three letters at least; and some that stand nowhere.
fn terms(files: &[PathBuf]) -> Result<Vec<(&'static str, Vec<String>)>> {
    let mut all = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
    for file in files {
        let text = std::fs::read(file)?;
        // A line now and then says enough.
        for line in text.split(|byte| *byte == b'\n').step_by(101) {
            let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
            take(value["data"]["message"].as_str().unwrap_or_default(), &mut all);
        }
    }
    let [korean, short, latin] = all.map(spread_out);
    let nowhere = (0..TERMS_PER_KIND).map(|number| format!("zq{number}xjv")).collect();
    let kinds = [
        ("Korean words", korean),
        ("pairs of syllables", short),
        ("Latin words", latin),
        ("words that stand nowhere", nowhere),
    ];
    let kinds: Vec<_> = kinds.into_iter().filter(|(_, terms): &(_, Vec<String>)| !terms.is_empty()).collect();
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
        let mut all = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
        take("배포를 확인, nginx를 Deploy ab 1234 (각)", &mut all);
        assert_eq!(all[0].iter().collect::<Vec<_>>(), ["배포를", "확인"]);
        assert_eq!(all[1].iter().collect::<Vec<_>>(), ["배포", "확인"]);
        assert_eq!(all[2].iter().collect::<Vec<_>>(), ["deploy"]);
        assert_eq!(path("각 "), "/api/v2/search?q=%EA%B0%81%20");
        let many = (0..95).map(|number| format!("{number:02}")).collect();
        assert_eq!(spread_out(many).len(), 32);
    }
}
