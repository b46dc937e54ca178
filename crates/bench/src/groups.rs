//! Table of the benchmark groups (results that are measured together) in the order in which they run, with their shared
//! set-up. The functions of most groups are in files below `groups/`. The groups that measure the bundle or drive a
//! browser have theirs in this file.

mod alerts;
mod answers;
mod classify;
mod cold;
mod evidence;
mod fanout;
mod files;
mod fleet;
mod hook;
mod past;
mod search;
mod waits;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use bench::home;
use serde::Deserialize;
use xtask::{browser_tests, setup, shell};

use crate::figure::Figure;

/// Figures that are measured together.
pub struct BenchGroup {
    pub name: &'static str,
    pub about: &'static str,
    pub work: fn(&Setting) -> Result<Vec<Figure>>,
}

const fn group(name: &'static str, about: &'static str, work: fn(&Setting) -> Result<Vec<Figure>>) -> BenchGroup {
    BenchGroup { name, about, work }
}

pub const GROUPS: &[BenchGroup] = &[
    group("size", "bytes of the first load", first_load),
    group("cold", "from the start of the process to every view's answer, and memory after it", cold::start),
    group("idle", "a monitor with a tenth of the events and one live client", cold::idle),
    group("api", "answers beside a file of the same size from the same server", answers::api),
    group("rest1", "lists of REST 1.x, with a tenth of the events but for the longest", answers::rest1),
    group("classify", "records a second through both classifiers, on one core", classify::figures),
    group("search", "every class of term beside a scan of all bytes", search::figures),
    group("waits", "who waits for whom, on one core", waits::figures),
    group("past", "home at moments of a history of a tenth of the events", past::figures),
    group("evidence", "an evidence file of a long session", evidence::figures),
    group("hook", "the command that an agent waits for", hook::figures),
    group("alerts", "from a line in the log to a webhook", alerts::figures),
    group("fanout", "a thousand sockets at a hundred lines a second", fanout::figures),
    group("fleet", "machines behind an aggregator, over one NATS server", fleet::figures),
    group("pixel", "from a line in the log to the screen", |it| in_browser(it, "pixel")),
    group("scrub", "the slider of the past over a flow", |it| in_browser(it, "scrub")),
    group("inp", "from a press to the next frame on a processor four times slower", |it| in_browser(it, "inp")),
    group("files", "logs that are dropped onto a page without a monitor, on one core", files::figures),
];

pub fn names() -> Vec<&'static str> {
    GROUPS.iter().map(|group| group.name).collect()
}

/// One run of `make bench`.
pub struct Setting {
    /// Events of the large log.
    pub events: u64,
    pub monitor: PathBuf,
    homes: RefCell<BTreeMap<u64, PathBuf>>,
}

impl Setting {
    pub fn new(events: u64) -> Result<Self> {
        Ok(Self { events, monitor: home::release_monitor()?, homes: RefCell::default() })
    }

    /// A home of so many events, which no group appends to.
    fn home(&self, events: u64) -> Result<PathBuf> {
        if let Some(home) = self.homes.borrow().get(&events) {
            return Ok(home.clone());
        }
        let home = home::rehearsed(&self.monitor, events, &events.to_string())?;
        self.homes.borrow_mut().insert(events, home.clone());
        Ok(home)
    }
}

fn devtools(words: &[&str]) -> Command {
    let mut cargo = shell::cargo();
    cargo.args(["run", "-q", "-p", "devtools", "--"]).args(words);
    cargo
}

fn bundle() -> Result<()> {
    shell::run(&mut devtools(&["bundle", "--unmeasured"]))
}

/// Total of the sizes that `devtools size` prints.
fn first_load(_: &Setting) -> Result<Vec<Figure>> {
    bundle()?;
    let sizes = shell::output(&mut devtools(&["size"])).context("the bundle's size is unknown")?;
    let total = sizes.lines().find_map(|line| line.strip_prefix("total ")).unwrap_or_default();
    let bytes: Vec<f64> = total.split_whitespace().take(2).map_while(|word| word.parse().ok()).collect();
    let [raw, packed] = bytes[..] else { bail!("`devtools size` prints no total") };
    Ok(vec![Figure::new("first load, brotli", packed / 1e3, "KB").control("raw", raw / 1e3)])
}

/// What a script of `e2e/bench/` prints: rounds in milliseconds, each with its control.
#[derive(Deserialize)]
struct BrowserRounds {
    name: String,
    rounds: Vec<(f64, f64)>,
    control: String,
    note: Option<String>,
}

/// Brings a browser, and the bundle as it ships.
fn prepare_browser() -> Result<()> {
    setup::for_browser()?;
    bundle()
}

/// Figures of a script of `e2e/bench/`, which drives a real Chromium and prints lines of JSON.
fn in_browser(setting: &Setting, name: &str) -> Result<Vec<Figure>> {
    prepare_browser()?;
    let text = browser_tests::bench(name, &setting.monitor, setting.events, &[])?;
    let figure = |line| {
        let printed: BrowserRounds = serde_json::from_str(line).with_context(|| format!("{name} printed {line:?}"))?;
        let figure = Figure::of_rounds(&printed.name, "ms", &printed.rounds, &printed.control);
        Ok(Figure { note: printed.note, ..figure })
    };
    text.lines().map(figure).collect()
}
