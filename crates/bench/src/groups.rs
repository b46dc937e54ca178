//! Table of the benchmark groups: figures that are taken together, in the order in which they run. Groups that need a
//! browser or the bundle only are here; each other group has a file below `groups/`.

mod api;
mod classify;
mod cold;
mod crowd;
mod fanout;
// Waits for the log with inotify.
#[cfg(target_os = "linux")]
mod frames;
mod growth;
mod hook;
mod ingest;
mod rest1;
mod search;
mod threads;

use anyhow::{Context as _, Result, bail};
use bench::MAX_FIRST_LOAD_BYTES;
use xtask::{browser_tests, setup, shell};

use crate::figure::{Bound, Figure};
use crate::setting::{Setting, devtools};

/// Figures that are taken together.
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
    group("cold", "a start on a long history, to every view's answer", cold::figures),
    group("growth", "what grows with the log, and how fast", growth::figures),
    group("ingest", "events that arrive as fast as they are taken in", ingest::figures),
    #[cfg(target_os = "linux")]
    group("frames", "from a line in the log to its frame on a socket", frames::figures),
    group("api", "answers beside a file of the same size from the same server", api::figures),
    group("rest1", "lists of REST 1.x beside a file of the same size and a pass over the log", rest1::figures),
    group("classify", "records a second through both classifiers", classify::figures),
    group("search", "every term beside a scan of all bytes", search::figures),
    group("hook", "the command that an agent waits for, beside a program that does nothing", hook::figures),
    group("fanout", "a thousand sockets beside a bare broadcast", fanout::figures),
    group("crowd", "many clients at many events a second, and frozen ones among them", crowd::figures),
    group("pixel", "from a line in the log to the screen", |it| in_browser(it, "pixel")),
    group("inp", "from a press to the next picture on a processor four times slower", |it| in_browser(it, "inp")),
    group("thread", "a thread of 100,000 messages: opening, wheel, nodes", |it| in_browser(it, "thread")),
];

pub fn names() -> Vec<&'static str> {
    GROUPS.iter().map(|group| group.name).collect()
}

/// Total of the sizes that `devtools size` prints.
fn first_load(setting: &Setting) -> Result<Vec<Figure>> {
    setting.bundle()?;
    let sizes = shell::output(devtools().arg("size")).context("the bundle's size is unknown")?;
    let total = sizes.lines().find_map(|line| line.strip_prefix("total ")).unwrap_or_default();
    let bytes: Vec<f64> = total.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [raw, packed] = bytes[..] else { bail!("`devtools size` prints no total") };
    let (raw, packed) = (raw / 1e3, packed / 1e3);
    let size = Figure::new("first load, brotli", packed, "KB").with_control("raw", raw);
    let wished = Figure::new("the same against what is wished for", packed, "KB").noted("wished for beyond the goal");
    Ok(vec![
        size.goal("G5").bound(Bound::AtMost(MAX_FIRST_LOAD_BYTES as f64 / 1e3)).exact(),
        wished.goal("G5").bound(Bound::AtMost(230.0)).exact(),
    ])
}

/// Figures of a script of `e2e/bench/`, which drives a real Chromium and prints each as a line of JSON.
fn in_browser(setting: &Setting, name: &str) -> Result<Vec<Figure>> {
    setup::for_browser()?;
    setting.bundle()?;
    let text = browser_tests::bench(name, &setting.monitor, setting.events)?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("figure\t"));
    let figures: Vec<Figure> = lines
        .map(|json| browser_figure(json).with_context(|| format!("e2e/bench/{name}.mjs printed {json:?}")))
        .collect::<Result<_>>()?;
    if figures.is_empty() {
        bail!("e2e/bench/{name}.mjs printed no figure");
    }
    Ok(figures)
}

fn browser_figure(json: &str) -> Result<Figure> {
    Ok(serde_json::from_str::<Figure>(json)?.judged())
}

#[cfg(test)]
mod tests {
    use super::browser_figure;

    #[test]
    fn a_figure_of_the_browser_is_judged_here() {
        let text = r#"{"goal":"G4","name":"a","value":30.5,"unit":"ms","bound":{"atMost":33}}"#;
        assert_eq!(browser_figure(text).expect("a whole figure").met, Some(true));
        assert!(browser_figure(r#"{"name":"a"}"#).is_err());
    }
}
