//! What finding words in up to a million messages costs with the index, each term beside a plain scan of all texts in
//! the same run (the control), and what the index costs: `make bench` prints it. Nothing passes or fails by a time; that
//! the index finds what the scan finds is asserted for every term.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss, reason = "a bench")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use coordination::event::{Event, parse_lines};
use coordination::search::index::{Candidates as _, Entry, Found, Index};
use coordination::search::{Part, Term, event_text, folded, tokens};
use memchr::memmem::Finder;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// Events made at a time.
const BATCH: usize = 10_000;

/// The same numbers on every machine.
struct Dice(u64);

impl Dice {
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
    let mut dice = Dice(number as u64 * 0x9E37_79B9 + 0x1234_5678_9ABC);
    dice.below(9);
    (0..2 + number % 3).map(|_| char::from_u32(0xAC00 + dice.below(600) as u32 * 18).unwrap()).collect()
}

fn english(number: usize) -> String {
    let mut dice = Dice(number as u64 * 0x85EB_CA6B + 0x0FED_CBA9_8765);
    dice.below(9);
    let syllable = |dice: &mut Dice| {
        [["b", "d", "k", "l", "m", "n", "p", "r", "s", "t"][dice.below(10)], ["a", "e", "i", "o", "u"][dice.below(5)]]
            .concat()
    };
    (0..2 + number % 3).map(|_| syllable(&mut dice)).collect()
}

/// A line of talk with a vocabulary that goes on growing, numbers, names out of code, ids and emoji.
fn varied(dice: &mut Dice, at: usize) -> String {
    let mut text = String::new();
    for _ in 0..8 + dice.below(14) {
        match dice.below(20) {
            0..11 => {
                text.push_str(&korean(dice.rank(300_000)));
                text.push_str(["", "", "을", "는", "에서", "으로", "했습니다", "합니다"][dice.below(8)]);
            }
            11..16 => text.push_str(&english(dice.rank(60_000))),
            16 => write!(text, "{}{}", english(dice.rank(2_000)), english(dice.rank(2_000)).to_uppercase()).unwrap(),
            17 => write!(text, "{:08x}", dice.below(1 << 31)).unwrap(),
            18 => write!(text, "{}", dice.below(100_000)).unwrap(),
            _ => text.push_str(["🚀", "crates/monitor/src", "work_session_id", "v2로", "(확인)"][dice.below(5)]),
        }
        text.push(' ');
    }
    format!(
        "{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{at},\"data\":{{\"fromAgent\":\"eden\",\"toAgent\":\"seum\",\
         \"message\":\"{text}\",\"eventRole\":\"conversation.main\",\"workSessionId\":\"ws_{}\",\"conversationId\":\"c{}\"}}}}\n",
        at / 100,
        at / 20,
    )
}

/// The lines of the rehearsal, over and over.
fn rehearsed() -> Vec<String> {
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/everything/logs");
    let mut files: Vec<_> = std::fs::read_dir(logs).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    text.lines().map(|line| format!("{line}\n")).filter(|line| line.contains("\"message\":\"")).collect()
}

/// All texts, folded, one after the other: what a scan goes through.
#[derive(Default)]
struct Texts {
    joined: String,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, event: &Event) {
        self.joined.push_str(&event_text(event).map(|text| folded(&text)).unwrap_or_default());
        self.joined.push('\n');
        self.ends.push(self.joined.len());
    }

    fn range(&self, event: usize) -> Range<usize> {
        (event.checked_sub(1).map_or(0, |before| self.ends[before]))..self.ends[event] - 1
    }

    fn get(&self, event: usize) -> &str {
        &self.joined[self.range(event)]
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
    index: Index,
    texts: Texts,
    folding: Duration,
    adding: Duration,
}

fn build(count: usize, is_varied: bool) -> Built {
    let mut built =
        Built { index: Index::new(), texts: Texts::default(), folding: Duration::ZERO, adding: Duration::ZERO };
    let (mut dice, told) = (Dice(88), rehearsed());
    for first in (0..count).step_by(BATCH) {
        let line =
            |at: usize, dice: &mut Dice| if is_varied { varied(dice, at) } else { told[at % told.len()].clone() };
        let lines: String = (first..count.min(first + BATCH)).map(|at| line(at, &mut dice)).collect();
        let events = parse_lines(lines.as_bytes(), "f", 0).0;
        let start = Instant::now();
        let entries: Vec<Entry> = events.iter().map(Entry::of).collect();
        built.folding += start.elapsed();
        let start = Instant::now();
        assert!(entries.iter().all(|entry| built.index.add(entry)));
        built.adding += start.elapsed();
        events.iter().for_each(|event| built.texts.push(event));
    }
    built
}

/// At least 500 terms out of the texts: what people look for.
fn terms(texts: &Texts) -> Vec<(&'static str, Vec<Term>)> {
    let mut dice = Dice(77);
    let mut out: Vec<(&'static str, Vec<Term>)> = Vec::new();
    let pieces = |dice: &mut Dice, hangul: bool, length: usize| loop {
        let text = texts.get(dice.below(texts.ends.len()));
        let fits = |word: &str| {
            word.chars().count() >= length
                && word.chars().all(|c| if hangul { ('가'..='힣').contains(&c) } else { c.is_ascii_lowercase() })
        };
        let words: Vec<&str> = tokens(text).map(|token| token.2).filter(|word| fits(word)).collect();
        if words.is_empty() {
            continue;
        }
        let word = words[dice.below(words.len())];
        let from = dice.below(word.chars().count() - length + 1);
        return word.chars().skip(from).take(length).collect::<String>();
    };
    for _ in 0..200 {
        out.push(("two syllables", vec![Term::phrase(&pieces(&mut dice, true, 2)).unwrap()]));
    }
    for _ in 0..150 {
        out.push(("three letters", vec![Term::phrase(&pieces(&mut dice, false, 3)).unwrap()]));
    }
    for _ in 0..25 {
        out.push(("one syllable", vec![Term::word(&pieces(&mut dice, true, 1)).unwrap()]));
        let initials = coordination::hangul::initials(&pieces(&mut dice, true, 2));
        out.push(("initials", vec![Term::word(&initials).unwrap()]));
        out.push((
            "two words",
            vec![Term::word(&pieces(&mut dice, true, 2)).unwrap(), Term::word(&pieces(&mut dice, false, 3)).unwrap()],
        ));
    }
    for _ in 0..50 {
        let text = texts.get(dice.below(texts.ends.len()));
        let words: Vec<&str> = text.split_whitespace().take(12).collect();
        if let Some(pair) =
            words.windows(2).nth(dice.below(words.len().max(2))).and_then(|pair| Term::phrase(&pair.join(" ")))
        {
            out.push(("a phrase", vec![pair]));
        }
        out.push(("rare", vec![Term::word(&format!("{:07x}", dice.below(1 << 28))).unwrap()]));
    }
    out
}

/// Exactly how many texts hold all terms, and the thirty newest.
fn ask(index: &Index, texts: &Texts, terms: &[Term]) -> (usize, Vec<u32>) {
    let found = terms.iter().map(|term| index.find(Part::Text, &term.plan())).reduce(|all, one| all.and(&one));
    let Found { mut sure, maybe } = found.unwrap();
    for event in maybe.iter() {
        if terms.iter().all(|term| term.matches(texts.get(event as usize)).is_some()) {
            sure.insert(event);
        }
    }
    (sure.len() as usize, sure.iter().rev().take(30).collect())
}

/// The same by looking at every text.
fn look(texts: &Texts, terms: &[Term]) -> usize {
    if let [term] = terms
        && let coordination::search::Plan::Within(_, part) = term.plan()
    {
        return texts.scan(&Finder::new(&part));
    }
    (0..texts.ends.len()).filter(|event| terms.iter().all(|term| term.matches(texts.get(*event)).is_some())).count()
}

fn of(sorted: &[Duration], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3
}

fn measure(count: usize, is_varied: bool) -> f64 {
    let Built { index, texts, folding, adding } = build(count, is_varied);
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
    let mut all: Vec<(&str, Duration, Duration, usize)> = Vec::new();
    for (kind, terms) in terms(&texts) {
        let start = Instant::now();
        let (total, newest) = black_box(ask(&index, &texts, &terms));
        let with = start.elapsed();
        let start = Instant::now();
        let looked = black_box(look(&texts, &terms));
        all.push((kind, with, start.elapsed(), total));
        assert_eq!((total, newest.len()), (looked, looked.min(30)), "{terms:?}");
    }
    let mut kinds: Vec<&str> = all.iter().map(|row| row.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds.into_iter().map(Some).chain([None]) {
        let rows: Vec<_> = all.iter().filter(|row| kind.is_none_or(|kind| row.0 == kind)).collect();
        let sorted = |of: fn(&(&str, Duration, Duration, usize)) -> Duration| {
            let mut times: Vec<Duration> = rows.iter().map(|row| of(row)).collect();
            times.sort_unstable();
            times
        };
        let (with, scan) = (sorted(|row| row.1), sorted(|row| row.2));
        println!(
            "bench\t{}, {count} {what} messages, {} terms\tp50 {:.2} p95 {:.2} max {:.2} ms; scan p50 {:.2} p95 {:.2} ms; hits up to {}",
            kind.unwrap_or("any term"),
            rows.len(),
            of(&with, 0.5),
            of(&with, 0.95),
            of(&with, 1.0),
            of(&scan, 0.5),
            of(&scan, 0.95),
            rows.iter().map(|row| row.3).max().unwrap_or_default(),
        );
        if kind.is_none() {
            return of(&with, 0.95);
        }
    }
    unreachable!()
}

#[test]
#[ignore = "a bench: make bench"]
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
