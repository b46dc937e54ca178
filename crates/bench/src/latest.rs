//! Record of all groups in `bench/latest.json`, and the tables of `docs/benchmarks.md` made of it. A test compares file
//! and tables, so they cannot differ.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use xtask::tree;

use crate::figure::{Figure, short};

const BEGIN: &str = "<!-- figures: made by `make bench` of bench/latest.json -->";
const END: &str = "<!-- end of figures -->";

/// All groups as they last ran.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Latest {
    pub groups: Vec<GroupRun>,
}

/// One group's run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupRun {
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
    /// More foreign tasks than on a quiet machine: nothing was judged.
    pub noisy: bool,
    pub seconds: f64,
    pub figures: Vec<Figure>,
}

fn file() -> PathBuf {
    tree::root().join("bench/latest.json")
}

fn page() -> PathBuf {
    tree::root().join("docs/benchmarks.md")
}

impl Latest {
    /// The recorded groups of these names; none when there is no record yet.
    pub fn read(names: &[&str]) -> Result<Self> {
        let text = match std::fs::read_to_string(file()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text.context("cannot read bench/latest.json")?,
        };
        let mut latest: Self = serde_json::from_str(&text).context("bench/latest.json is not what is written there")?;
        latest.groups.retain(|group| names.contains(&group.name.as_str()));
        Ok(latest)
    }

    /// Takes a group's run in, in the place of its last one; `names` is the order of all groups.
    pub fn take(&mut self, run: GroupRun, names: &[&str]) {
        self.groups.retain(|group| group.name != run.name);
        self.groups.push(run);
        self.groups.sort_by_key(|group| names.iter().position(|name| *name == group.name));
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
    fn filled_in(&self, page: &str) -> Option<String> {
        let (head, rest) = page.split_once(BEGIN)?;
        let (_, tail) = rest.split_once(END)?;
        let groups: String = self.groups.iter().map(GroupRun::table).collect();
        Some(format!("{head}{BEGIN}\n{}{groups}\n{END}{tail}", self.goals()))
    }

    /// Every figure that a goal binds, in the order of the goals.
    fn goals(&self) -> String {
        let mut rows = Vec::new();
        for group in &self.groups {
            for figure in group.figures.iter().filter(|figure| figure.goal.is_some() && figure.bound.is_some()) {
                let [goal, name, _, _, _, wanted, verdict] = figure.cells(group.noisy);
                // `G12` comes after `G2`; a goal without a number comes last.
                let place = goal.trim_start_matches('G').parse().unwrap_or(u32::MAX);
                rows.push((place, row(&[goal, name, figure.judged_value(), wanted, verdict])));
            }
        }
        rows.sort_by_key(|(place, _)| *place);
        let rows: String = rows.into_iter().map(|(_, row)| row).collect();
        format!("\n### The goals\n\n| goal | what | figure | wanted | |\n|---|---|---|---|---|\n{rows}")
    }
}

/// A row of a table.
fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

impl GroupRun {
    fn table(&self) -> String {
        let noisy = if self.noisy { " **Noisy: other work ran beside it, nothing is judged.**" } else { "" };
        let other = if self.other_build { " with another build of the monitor" } else { "" };
        let mut text = format!(
            "\n### `{}`: {}\n\nAt {} events, {}, commit `{}`{other}, {}.{noisy}\n\n\
             | goal | what | measured (min–max) | control | ratio (min–max) | wanted | |\n|---|---|---|---|---|---|---|\n",
            self.name,
            self.about,
            short(self.events as f64),
            self.machine,
            self.commit,
            self.loads(),
        );
        for figure in &self.figures {
            let mut cells = figure.cells(self.noisy);
            cells[1].extend(figure.note.iter().map(|note| format!("; {note}")));
            text.push_str(&row(&cells));
        }
        text
    }

    fn loads(&self) -> String {
        let [before, after] = self.load.map(short);
        let [foreign_before, foreign_after] = self.foreign.map(short);
        format!("load {before} → {after}, foreign {foreign_before} → {foreign_after}")
    }

    /// The same for a terminal.
    pub fn print(&self) {
        let noisy = if self.noisy { "; NOISY, nothing is judged" } else { "" };
        let (events, loads) = (short(self.events as f64), self.loads());
        println!("\n{} at {events} events: {} ({loads}{noisy}, {:.0} s)", self.name, self.about, self.seconds);
        for figure in &self.figures {
            let [goal, name, value, control, ratio, wanted, verdict] = figure.cells(self.noisy);
            let verdict = verdict.trim_matches('*');
            println!("{goal:<4} {name:<58} {value:>26}  {control:<40} {ratio:<20} {wanted:<18} {verdict}");
            if let Some(note) = &figure.note {
                println!("       {note}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupRun, Latest, page};
    use crate::figure::{Bound, Figure};
    use crate::groups;

    fn run(name: &str, noisy: bool) -> GroupRun {
        let figure = Figure::new("a | b", 3.0, "ms").with_control("c", 1.0).goal("G3").bound(Bound::AtMost(5.0));
        GroupRun {
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
        let latest = Latest::read(&groups::names()).expect("bench/latest.json is well");
        let made = latest.filled_in(&shown).expect("the page has its marks");
        assert!(shown == made, "not made of bench/latest.json: run `cargo run -p bench -- --page`");
    }

    #[test]
    fn rerun_group_replaces_its_figures() {
        let mut latest = Latest::default();
        for name in ["b", "a", "b"] {
            latest.take(run(name, name == "b"), &["a", "b"]);
        }
        let names: Vec<&str> = latest.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let page = latest
            .filled_in("x <!-- figures: made by `make bench` of bench/latest.json -->old<!-- end of figures --> y");
        let page = page.expect("marks");
        assert!(page.starts_with("x ") && page.ends_with(" y") && !page.contains("old"), "{page}");
        assert!(page.contains("| G3 | a \\| b | 3 ms | c: 1 ms | 3 | ≤ 5 ms | met |"), "{page}");
        assert!(page.contains("| G3 | a \\| b | 3 ms | ≤ 5 ms | not judged (noisy) |"), "{page}");
        assert!(latest.filled_in("no marks").is_none());
        assert_eq!(latest.filled_in(&page).as_deref(), Some(page.as_str()), "filling in twice changes nothing");
    }
}
