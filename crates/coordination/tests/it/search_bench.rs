//! Benchmark of the search index over up to a million messages. Each term is compared with a scan of all texts in the
//! same run (the control). No time passes or fails. Index and scan must find the same hits for
//! every term.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "a bench")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use coordination::api::SearchQuery;
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::query;
use coordination::search::index::{Candidates as _, IndexEntry, IndexMatches, SearchIndex};
use coordination::search::{EventTextPart, Term, event_text, folded, tokens};
use memchr::memmem::Finder;

const T: i64 = 1_771_651_020_000;
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// Events made at a time.
const BATCH: usize = 10_000;

/// The same numbers on every machine.
struct SearchRandom(u64);

impl SearchRandom {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % bound as u64).unwrap()
    }

    /// The smaller the more often, as words are (Zipf).
    fn rank(&mut self, bound: usize) -> usize {
        let share = self.below(1 << 30) as f64 / f64::from(1 << 30);
        ((bound as f64).powf(share) as usize).clamp(1, bound) - 1
    }
}

/// A Korean word of two to four syllables, always the same for its number.
fn korean(number: usize) -> String {
    let mut random = SearchRandom(number as u64 * 0x9E37_79B9 + 0x1234_5678_9ABC);
    random.below(9);
    (0..2 + number % 3).map(|_| char::from_u32(0xAC00 + random.below(600) as u32 * 18).unwrap()).collect()
}

fn english(number: usize) -> String {
    let mut random = SearchRandom(number as u64 * 0x85EB_CA6B + 0x0FED_CBA9_8765);
    random.below(9);
    let syllable = |random: &mut SearchRandom| {
        [
            ["b", "d", "k", "l", "m", "n", "p", "r", "s", "t"][random.below(10)],
            ["a", "e", "i", "o", "u"][random.below(5)],
        ]
        .concat()
    };
    (0..2 + number % 3).map(|_| syllable(&mut random)).collect()
}

/// A line of talk with a growing vocabulary, numbers, names out of code, ids and emoji.
fn varied(random: &mut SearchRandom) -> String {
    let mut text = String::new();
    for _ in 0..8 + random.below(14) {
        match random.below(20) {
            0..11 => {
                text.push_str(&korean(random.rank(300_000)));
                text.push_str(["", "", "을", "는", "에서", "으로", "했습니다", "합니다"][random.below(8)]);
            }
            11..16 => text.push_str(&english(random.rank(60_000))),
            16 => {
                write!(text, "{}{}", english(random.rank(2_000)), english(random.rank(2_000)).to_uppercase()).unwrap()
            }
            17 => write!(text, "{:08x}", random.below(1 << 31)).unwrap(),
            18 => write!(text, "{}", random.below(100_000)).unwrap(),
            _ => text.push_str(["🚀", "crates/monitor/src", "work_session_id", "v2로", "(확인)"][random.below(5)]),
        }
        text.push(' ');
    }
    text
}

/// What is said in the rehearsal's lines.
fn rehearsed() -> Vec<String> {
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/everything/logs");
    let mut files: Vec<_> = std::fs::read_dir(logs).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let lines = files.iter().flat_map(|file| parse_lines(&std::fs::read(file).unwrap(), "r", 0).0);
    lines
        .filter(|event| event.display_text().is_some())
        .filter_map(|event| event.message().map(str::to_owned))
        .collect()
}

/// The log line of a message. Each thousand messages belong to ten sessions, in turn.
fn line(number: usize, text: &str) -> String {
    let (from, to) = [("eden", "seum"), ("seum", "eden"), ("eden", "dajim")][number % 3];
    let at = T + number as i64 * 20_000;
    let (session, talk) = (number / 1_000 * 10 + number % 10, number / 200);
    serde_json::json!({"type": "a2a.send", "agentId": from, "ts": at, "data": {
        "fromAgent": from, "toAgent": to, "message": text, "eventRole": "conversation.main",
        "workSessionId": format!("ws_{session}"), "conversationId": format!("c{session}-{talk}"),
    }})
    .to_string()
}

/// All texts, folded, one after the other: what a scan goes through.
#[derive(Default)]
struct ScanTexts {
    joined: String,
    ends: Vec<usize>,
}

impl ScanTexts {
    fn push(&mut self, event: &Event) {
        self.joined.push_str(&event_text(event).map(|text| folded(&text)).unwrap_or_default());
        self.joined.push('\n');
        self.ends.push(self.joined.len());
    }

    fn get(&self, event: usize) -> &str {
        &self.joined[event.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[event] - 1]
    }

    /// How many texts hold it, by a plain search.
    fn scan(&self, finder: &Finder) -> usize {
        let (mut at, mut count) = (0, 0);
        while let Some(hit) = finder.find(&self.joined.as_bytes()[at..]) {
            count += 1;
            at = self.ends[self.ends.partition_point(|end| *end <= at + hit)];
        }
        count
    }
}

struct Built {
    hub: Hub,
    index: SearchIndex,
    texts: ScanTexts,
    folding: Duration,
    adding: Duration,
}

fn build(count: usize, is_varied: bool) -> Built {
    let (mut hub, mut index, mut texts) = (Hub::new(), SearchIndex::new(), ScanTexts::default());
    let (mut folding, mut adding) = (Duration::ZERO, Duration::ZERO);
    let (mut random, rehearsed_texts) = (SearchRandom(88), rehearsed());
    for first in (0..count).step_by(BATCH) {
        let mut lines = String::new();
        for number in first..count.min(first + BATCH) {
            let text =
                if is_varied { varied(&mut random) } else { rehearsed_texts[number % rehearsed_texts.len()].clone() };
            lines.push_str(&line(number, &text));
            lines.push('\n');
        }
        let events = parse_lines(lines.as_bytes(), "f", first as u64 * 100_000).0;
        let start = Instant::now();
        let entries: Vec<IndexEntry> = events.iter().map(IndexEntry::from_event).collect();
        folding += start.elapsed();
        let start = Instant::now();
        assert!(entries.iter().all(|entry| index.add(entry)));
        adding += start.elapsed();
        events.iter().for_each(|event| texts.push(event));
        hub.apply(events);
    }
    assert_eq!((hub.events().len(), index.covered() as usize), (count, count));
    Built { hub, index, texts, folding, adding }
}

/// At least 500 queries out of the texts, what people look for, and their terms.
fn terms(texts: &ScanTexts) -> Vec<(&'static str, String, Vec<Term>)> {
    let mut random = SearchRandom(77);
    let mut out = Vec::new();
    let pieces = |random: &mut SearchRandom, hangul: bool, length: usize| loop {
        let text = texts.get(random.below(texts.ends.len()));
        let letter = |c: char| if hangul { ('가'..='힣').contains(&c) } else { c.is_ascii_lowercase() };
        let fits = |word: &&str| word.chars().count() >= length && word.chars().all(letter);
        let words: Vec<&str> = tokens(text).map(|token| token.2).filter(fits).collect();
        if !words.is_empty() {
            let word = words[random.below(words.len())];
            let from = random.below(word.chars().count() - length + 1);
            return word.chars().skip(from).take(length).collect::<String>();
        }
    };
    let quoted = |text: &str| (format!("\"{text}\""), Term::phrase(text).unwrap());
    let word = |text: &str| (text.to_owned(), Term::word(text).unwrap());
    let one = |(q, term): (String, Term)| (q, vec![term]);
    let mut push = |kind: &'static str, (q, terms): (String, Vec<Term>)| out.push((kind, q, terms));
    for _ in 0..200 {
        push("two syllables", one(quoted(&pieces(&mut random, true, 2))));
    }
    for _ in 0..150 {
        push("three letters", one(quoted(&pieces(&mut random, false, 3))));
    }
    for _ in 0..25 {
        push("one syllable", one(word(&pieces(&mut random, true, 1))));
        push("initials", one(word(&coordination::hangul::initials(&pieces(&mut random, true, 2)))));
        let (a, b) = (quoted(&pieces(&mut random, true, 2)), quoted(&pieces(&mut random, false, 3)));
        push("two words", (format!("{} {}", a.0, b.0), vec![a.1, b.1]));
    }
    for _ in 0..50 {
        let text = texts.get(random.below(texts.ends.len()));
        let words: Vec<&str> = text.split_whitespace().filter(|word| !word.contains('"')).take(12).collect();
        if let Some(pair) = words.windows(2).nth(random.below(words.len().max(2))) {
            push("a phrase", one(quoted(&pair.join(" "))));
        }
        push("rare", one(word(&format!("x{:07x}", random.below(1 << 28)))));
    }
    out
}

/// Exactly how many texts hold all terms, and the thirty newest.
fn ask(index: &SearchIndex, texts: &ScanTexts, terms: &[Term]) -> (usize, Vec<u32>) {
    let found = terms.iter().map(|term| index.find(EventTextPart::Text, &term.plan())).reduce(|all, one| all.and(&one));
    let IndexMatches { mut sure, maybe } = found.unwrap();
    for event in maybe.iter() {
        if terms.iter().all(|term| term.matches(texts.get(event as usize)).is_some()) {
            sure.insert(event);
        }
    }
    (sure.len() as usize, sure.iter().rev().take(30).collect())
}

/// The same by looking at every text.
fn look(texts: &ScanTexts, terms: &[Term]) -> usize {
    if let [term] = terms
        && let coordination::search::TermPlan::Within(_, part) = term.plan()
    {
        return texts.scan(&Finder::new(&part));
    }
    (0..texts.ends.len()).filter(|event| terms.iter().all(|term| term.matches(texts.get(*event)).is_some())).count()
}

/// One term's times: of the whole answer, of the index alone, of the scan; and its hits.
struct TermTimes {
    kind: &'static str,
    times: [Duration; 3],
    hits: usize,
}

fn timed<T>(ask: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let answer = black_box(ask());
    (answer, start.elapsed())
}

/// p50, p95 and maximum in milliseconds.
fn spread(rows: &[&TermTimes], which: usize) -> [f64; 3] {
    let mut times: Vec<Duration> = rows.iter().map(|row| row.times[which]).collect();
    times.sort_unstable();
    [0.5, 0.95, 1.0].map(|share| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3)
}

/// p95 of the whole answer.
fn measure(count: usize, is_varied: bool) -> f64 {
    let Built { hub, index, texts, folding, adding } = build(count, is_varied);
    let what = if is_varied { "varied" } else { "rehearsed" };
    let each = |time: Duration| time.as_secs_f64() * 1e6 / count as f64;
    println!(
        "bench\tindex of {count} {what} messages\tfold {:.2} µs + add {:.2} µs a message, {:.1} B a message ({:.0} B of text), {} words",
        each(folding),
        each(adding),
        index.bytes() as f64 / count as f64,
        texts.joined.len() as f64 / count as f64,
        index.words(),
    );
    let mut rows = Vec::new();
    for (kind, q, terms) in terms(&texts) {
        let query = SearchQuery { q, ..SearchQuery::default() };
        let (page, whole) = timed(|| query::search(&hub, &index, T, &query));
        let ((total, newest), alone) = timed(|| ask(&index, &texts, &terms));
        let (looked, scan) = timed(|| look(&texts, &terms));
        assert_eq!((total, newest.len()), (looked, looked.min(30)), "{terms:?}");
        // All of them are bubbles, found by their texts alone.
        assert_eq!(page.map(|page| (page.counts.messages + page.counts.events) as usize), Ok(looked), "{}", query.q);
        rows.push(TermTimes { kind, times: [whole, alone, scan], hits: looked });
    }
    let mut kinds: Vec<&str> = rows.iter().map(|row| row.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds.into_iter().map(Some).chain([None]) {
        let rows: Vec<&TermTimes> = rows.iter().filter(|row| kind.is_none_or(|kind| row.kind == kind)).collect();
        let [whole, alone, scan] =
            [0, 1, 2].map(|which| spread(&rows, which).map(|time| format!("{time:.2}")).join("/"));
        println!(
            "bench\t{}, {count} {what} messages, {} terms\tp50/p95/max: answer {whole} ms, index {alone} ms, scan {scan} ms; hits up to {}",
            kind.unwrap_or("any term"),
            rows.len(),
            rows.iter().map(|row| row.hits).max().unwrap_or_default(),
        );
    }
    spread(&rows.iter().collect::<Vec<_>>(), 0)[1]
}

#[test]
#[ignore = "a bench: cargo test --release -p coordination --test it search_bench -- --ignored --nocapture"]
fn words_in_a_million_messages() {
    for is_varied in [false, true] {
        let ends = SIZES.map(|count| measure(count, is_varied));
        let growth = (ends[2] / ends[0].max(1e-3)).log10() / 2.0;
        println!(
            "bench\tgrowth of p95 from 10,000 to 1,000,000 messages\t{} ms, exponent {growth:.2}",
            ends.map(|end| format!("{end:.2}")).join(" → ")
        );
    }
}
