//! Reader and writer of `bench/latest.json`, and generator of the table on `docs/benchmarks.md`. A test compares file
//! and table, so they cannot differ.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::figure::{Figure, short};
use crate::tree;

const BEGIN: &str = "<!-- figures: made by `make bench` of bench/latest.json -->";
const END: &str = "<!-- end of figures -->";

/// All groups as they last ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Latest {
    pub groups: Vec<Ran>,
}

/// One group's run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// Name of the group.
    pub name: String,
    /// What it measures, in a sentence.
    pub about: String,
    /// Events of the log.
    pub events: u64,
    /// The tree that was measured; ends in `+` when it held changes.
    pub commit: String,
    pub machine: String,
    /// The monitor was another build than that tree's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_build: bool,
    /// Load average of the last minute before and after, our own work included.
    pub load: [f64; 2],
    /// Foreign tasks that ran or waited, before and after.
    pub foreign: [f64; 2],
    /// More than that is no quiet machine: nothing was judged.
    pub noisy: bool,
    pub seconds: f64,
    pub figures: Vec<Figure>,
}

pub fn file() -> PathBuf {
    tree::root().join("bench/latest.json")
}

pub fn page() -> PathBuf {
    tree::root().join("docs/benchmarks.md")
}

/// What is recorded; nothing when there is no record yet.
pub fn read() -> Result<Latest> {
    match std::fs::read_to_string(file()) {
        Ok(text) => serde_json::from_str(&text).context("bench/latest.json is not what is written there"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Latest::default()),
        Err(error) => Err(error).context("cannot read bench/latest.json"),
    }
}

impl Latest {
    /// Takes a group's run in, in the place of its last one; `order` names all groups.
    pub fn take(&mut self, ran: Ran, order: &[&str]) {
        self.groups.retain(|group| group.name != ran.name && order.contains(&group.name.as_str()));
        self.groups.push(ran);
        let place = |group: &Ran| order.iter().position(|name| *name == group.name);
        self.groups.sort_by_key(place);
    }

    /// Writes the record and the page's tables.
    pub fn write(&self) -> Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        std::fs::write(file(), text).context("cannot write bench/latest.json")?;
        let before = std::fs::read_to_string(page()).context("cannot read docs/benchmarks.md")?;
        let after = self.filled_in(&before).context("docs/benchmarks.md lacks the marks of its figures")?;
        std::fs::write(page(), after).context("cannot write docs/benchmarks.md")
    }

    /// The page with these figures between its marks.
    pub fn filled_in(&self, page: &str) -> Option<String> {
        let (head, rest) = page.split_once(BEGIN)?;
        let (_, tail) = rest.split_once(END)?;
        Some(format!("{head}{BEGIN}\n{}\n{END}{tail}", self.tables()))
    }

    fn tables(&self) -> String {
        let mut text = self.goals();
        for group in &self.groups {
            text.push_str(&group.table());
        }
        text
    }

    /// Every figure that a goal binds, in the order of the goals.
    fn goals(&self) -> String {
        let mut rows: Vec<(u32, &Ran, &Figure)> = Vec::new();
        for group in &self.groups {
            for figure in group.figures.iter().filter(|figure| figure.bound.is_some()) {
                let Some(goal) = &figure.goal else { continue };
                // `G12` comes after `G2`; a goal without a number comes last.
                rows.push((goal.trim_start_matches('G').parse().unwrap_or(u32::MAX), group, figure));
            }
        }
        rows.sort_by_key(|(goal, ..)| *goal);
        let mut text = "\n### The goals\n\n| goal | what | figure | wanted | |\n|---|---|---|---|---|\n".to_owned();
        for (_, group, figure) in rows {
            let goal = figure.goal.clone().unwrap_or_default();
            let held = figure.verdict(group.noisy).to_owned();
            text.push_str(&row(&[goal, figure.name.clone(), figure.shown(), figure.wanted(), held]));
        }
        text
    }
}

/// A row of a table.
fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

impl Ran {
    fn table(&self) -> String {
        let noisy = if self.noisy { " **Noisy: other work ran beside it, nothing is judged.**" } else { "" };
        let other = if self.other_build { " with another build of the monitor" } else { "" };
        let mut text = format!(
            "\n### `{}`: {}\n\nAt {} events, {}, commit `{}`{other}, load {} → {}, foreign {} → {}.{noisy}\n\n\
             | goal | what | measured (min–max) | control | ratio (min–max) | wanted | |\n|---|---|---|---|---|---|---|\n",
            self.name,
            self.about,
            short(self.events as f64),
            self.machine,
            self.commit,
            short(self.load[0]),
            short(self.load[1]),
            short(self.foreign[0]),
            short(self.foreign[1]),
        );
        for figure in &self.figures {
            let note = figure.note.as_ref().map_or(String::new(), |note| format!("; {note}"));
            let cells = [
                figure.goal.clone().unwrap_or_default(),
                format!("{}{note}", figure.name),
                figure.measured(),
                figure.held_against(),
                figure.times(),
                figure.wanted(),
                figure.verdict(self.noisy).to_owned(),
            ];
            text.push_str(&row(&cells));
        }
        text
    }

    /// The same for a terminal.
    pub fn print(&self) {
        let noisy = if self.noisy { "; NOISY, nothing is judged" } else { "" };
        println!(
            "\n{} at {} events: {} (load {} → {}, foreign {} → {}{noisy}, {:.0} s)",
            self.name,
            short(self.events as f64),
            self.about,
            short(self.load[0]),
            short(self.load[1]),
            short(self.foreign[0]),
            short(self.foreign[1]),
            self.seconds
        );
        for figure in &self.figures {
            println!(
                "{:<4} {:<58} {:>26}  {:<40} {:<20} {:<18} {}",
                figure.goal.as_deref().unwrap_or_default(),
                figure.name,
                figure.measured(),
                figure.held_against(),
                figure.times(),
                figure.wanted(),
                figure.verdict(self.noisy).trim_matches('*')
            );
            if let Some(note) = &figure.note {
                println!("       {note}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Latest, Ran, page, read};
    use crate::bench::figure::{Bound, Figure};

    fn ran(name: &str, noisy: bool) -> Ran {
        let figure = Figure::new("a | b", 3.0, "ms").with_control("c", 1.0).goal("G3", Bound::AtMost(5.0));
        Ran {
            name: name.to_owned(),
            about: "what".to_owned(),
            events: 1_000_000,
            commit: "abc".to_owned(),
            machine: "m".to_owned(),
            other_build: false,
            load: [0.1, 1.0],
            foreign: [0.0, 0.25],
            noisy,
            seconds: 2.0,
            figures: vec![figure],
        }
    }

    #[test]
    fn the_page_shows_what_is_recorded() {
        let shown = std::fs::read_to_string(page()).expect("docs/benchmarks.md is there");
        let made = read().expect("bench/latest.json is well").filled_in(&shown).expect("the page has its marks");
        assert!(
            shown == made,
            "docs/benchmarks.md is not made of bench/latest.json: run `cargo run -p devtools -- bench --page`"
        );
    }

    #[test]
    fn rerun_group_replaces_its_figures() {
        let mut latest = Latest::default();
        for name in ["b", "a", "gone", "b"] {
            latest.take(ran(name, name == "b"), &["a", "b"]);
        }
        let names: Vec<&str> = latest.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let page = latest
            .filled_in("x <!-- figures: made by `make bench` of bench/latest.json -->old<!-- end of figures --> y");
        let page = page.expect("marks");
        assert!(page.starts_with("x ") && page.ends_with(" y") && !page.contains("old"), "{page}");
        assert!(page.contains("| G3 | a \\| b | 3 ms | c: 1 ms | 3 | ≤ 5 ms | met |"), "{page}");
        assert!(page.contains("| G3 | a \\| b | 3 ms | ≤ 5 ms | not judged (noisy) |"), "{page}");
        assert_eq!(latest.filled_in("no marks"), None);
        assert_eq!(latest.filled_in(&page).as_deref(), Some(page.as_str()), "filling in twice changes nothing");
    }
}
