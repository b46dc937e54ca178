//! Results of the last run of each benchmark group, recorded in `bench/latest.json`, and generator of the summary and
//! tables in `docs/benchmarks.md`. A test fails if the document differs from the record.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use xtask::tree;

use crate::figure::{Figure, short};
use crate::goals;
use crate::groups::{self, GROUPS};

const RECORD: &str = "bench/latest.json";
const PAGE: &str = "docs/benchmarks.md";

/// All groups as they last ran.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Latest {
    pub groups: Vec<GroupRun>,
}

/// One group's run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GroupRun {
    pub name: String,
    /// Events of the log.
    pub events: u64,
    /// The tree that was measured; ends in `+` when it held changes.
    pub commit: String,
    pub machine: String,
    /// More foreign tasks than on a quiet machine: times were not judged.
    pub noisy: bool,
    pub figures: Vec<Figure>,
}

impl Latest {
    /// The recorded groups that still exist.
    pub fn read() -> Result<Self> {
        let text = std::fs::read_to_string(tree::root().join(RECORD)).context("cannot read bench/latest.json")?;
        let mut latest: Self = serde_json::from_str(&text).context("bench/latest.json has another format")?;
        latest.groups.retain(|group| groups::names().contains(&group.name.as_str()));
        Ok(latest)
    }

    /// Puts a group's run in the place of its last one.
    pub fn put(&mut self, run: GroupRun) {
        self.groups.retain(|group| group.name != run.name);
        self.groups.push(run);
        self.groups.sort_by_key(|group| groups::names().iter().position(|name| *name == group.name));
    }

    /// Writes the record and the generated parts of the page.
    pub fn write(&self) -> Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        std::fs::write(tree::root().join(RECORD), text).context("cannot write bench/latest.json")?;
        let before = std::fs::read_to_string(tree::root().join(PAGE)).context("cannot read docs/benchmarks.md")?;
        let after = self.filled_in(&before).context("docs/benchmarks.md lacks the marks of its generated parts")?;
        std::fs::write(tree::root().join(PAGE), after).context("cannot write docs/benchmarks.md")
    }

    /// The page with the summary and the tables of these groups between their marks.
    fn filled_in(&self, page: &str) -> Option<String> {
        let page = replaced(page, "summary", &self.summary())?;
        replaced(&page, "figures", &self.groups.iter().map(GroupRun::table).collect::<String>())
    }

    fn summary(&self) -> String {
        let value = |(group, name): (&str, &str)| {
            let figures = &self.groups.iter().find(|run| run.name == group)?.figures;
            figures.iter().find(|figure| figure.name == name).map(Figure::shown_value)
        };
        let shown = |figure| value(figure).unwrap_or_else(|| "(not measured yet)".to_owned());
        let parts = goals::named_figures(goals::SUMMARY);
        parts.map(|(plain, figure)| plain.to_owned() + &figure.map_or(String::new(), shown)).collect()
    }
}

/// Lines before and after a generated part of the page.
fn marks(name: &str) -> (String, String) {
    (format!("<!-- {name}: made by `make bench` of bench/latest.json -->\n"), format!("<!-- end of {name} -->\n"))
}

/// The page with another text between the marks of that name.
fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let (begin, end) = marks(name);
    let (head, rest) = page.split_once(&begin)?;
    let (_, tail) = rest.split_once(&end)?;
    Some(format!("{head}{begin}{text}{end}{tail}"))
}

impl GroupRun {
    /// Name, value, control, ratio, goal with verdict.
    fn cells(&self, figure: &Figure) -> [String; 5] {
        let judged = goals::bound_of(&self.name, &figure.name).map(|bound| {
            let verdict = match bound.is_met(figure) {
                _ if self.noisy && figure.depends_on_load() => "not judged",
                true => "met",
                false => "**not met**",
            };
            format!("{}: {verdict}", bound.words(&figure.unit))
        });
        let [name, value, control, ratio] = figure.cells();
        [name, value, control, ratio, judged.unwrap_or_default()]
    }

    /// Heading and table, as Markdown.
    pub fn table(&self) -> String {
        let noisy = if self.noisy { " Other work ran beside it: no time is judged." } else { "" };
        let Self { name, machine, commit, .. } = self;
        let about = GROUPS.iter().find(|group| group.name == name).map_or("", |group| group.about);
        let events = short(self.events as f64);
        let mut text = format!(
            "### `{name}`: {about}\n\nCommit `{commit}`, {events} events, {machine}.{noisy}\n\n\
             | what | measured (min–max) | control | ratio (min–max) | goal |\n|---|---|---|---|---|\n"
        );
        for figure in &self.figures {
            text.push_str(&format!("| {} |\n", self.cells(figure).map(|cell| cell.replace('|', "\\|")).join(" | ")));
        }
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupRun, Latest, PAGE, marks, tree};
    use crate::figure::Figure;

    fn run(name: &str) -> GroupRun {
        let size = Figure::new("first load, brotli", 300.0, "KB").control("a | b", 600.0);
        let start = Figure::new("start at 1,000,000 events without a store", 3.0, "s");
        let [name, commit, machine] = [name, "abc", "m"].map(ToOwned::to_owned);
        GroupRun { name, events: 1_000_000, commit, machine, noisy: true, figures: vec![size, start] }
    }

    #[test]
    fn the_page_shows_what_is_recorded() {
        let shown = std::fs::read_to_string(tree::root().join(PAGE)).expect("docs/benchmarks.md is there");
        let latest = Latest::read().expect("bench/latest.json is well");
        let made = latest.filled_in(&shown).expect("the page has its marks");
        assert!(shown == made, "not made of bench/latest.json: run `cargo run -p bench -- --page`");
    }

    #[test]
    fn rerun_group_replaces_its_figures() {
        let mut latest = Latest::default();
        ["cold", "size", "cold"].into_iter().for_each(|name| latest.put(run(name)));
        assert_eq!(latest.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["size", "cold"]);
        let [summary, figures] = ["summary", "figures"].map(marks);
        let page = latest.filled_in(&format!("{}old{}{}old{}", summary.0, summary.1, figures.0, figures.1));
        let page = page.expect("marks");
        let size = "| first load, brotli | 300 KB | a \\| b: 600 KB | 0.5 | ≤ 240 KB: **not met** |";
        for text in ["**First load**: 300 KB", "(not measured yet)", size, "≤ 1 × control: not judged"] {
            assert!(page.contains(text) && !page.contains("old<"), "{page}");
        }
        assert_eq!(latest.filled_in("no marks"), None);
    }
}
