//! Generator of `THIRD-PARTY-NOTICES.md`: crates, font and libraries in the shipped monitor and page, with version,
//! licence expression and licence text. The crates come from `cargo tree`, their texts mostly from their sources in the
//! cargo home.
//!
//! Build scripts, macros and tests are left out, because they are not shipped. The monitor's list is the union over the
//! platforms of [`NATIVE`], so that every platform writes the same file. `check` compares the tables, not the texts.

mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use self::texts::LicenceTexts;
use crate::{shell, tree};

const FILE: &str = "THIRD-PARTY-NOTICES.md";
const COMMAND: &str = "cargo run -p xtask -- notices";
/// Platforms that the monitor is built for.
const NATIVE: [&str; 4] =
    ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin"];
const WASM: &str = "wasm32-unknown-unknown";

const FONT_LICENCE: &str = include_str!("notices/pretendard.txt");
/// npm packages that the page takes files from are pinned here.
const NPM_MANIFEST: &str = "tools/npm/package.json";

/// A crate in what ships.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// Name in the registry.
    pub name: String,
    /// Version.
    pub version: String,
    /// SPDX expression, as the manifest has it.
    pub licence: String,
}

/// Which of the two products contain a package.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ContainingProducts {
    monitor: bool,
    page: bool,
}

impl ContainingProducts {
    fn names(self) -> &'static str {
        match (self.monitor, self.page) {
            (true, true) => "monitor, page",
            (true, false) => "monitor",
            (false, _) => "page",
        }
    }
}

type Packages = BTreeMap<Package, ContainingProducts>;

/// Third-party crates of the monitor and of the page.
pub fn shipped_crates() -> Result<Vec<Package>> {
    Ok(packages()?.into_keys().collect())
}

/// Writes the file, or compares its list of packages with the lock file's.
pub fn run(check_only: bool) -> Result<()> {
    if check_only { check() } else { write() }
}

/// Fails when the file lists other packages than what ships contains.
pub fn check() -> Result<()> {
    let file = tree::root().join(FILE);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {FILE}: run `{COMMAND}`"))?;
    let wanted = rows(&packages()?).into_iter().chain(other_rows()?).collect();
    let differences = differences(&listed(&text), &wanted);
    if differences.is_empty() {
        return Ok(());
    }
    bail!("{FILE} is stale, run `{COMMAND}`:\n{}", differences.join("\n"))
}

fn write() -> Result<()> {
    let packages = packages()?;
    let text = render(&packages, &registry_sources()?)?;
    std::fs::write(tree::root().join(FILE), text).with_context(|| format!("cannot write {FILE}"))?;
    shell::say(&format!("{FILE}: {} crates", packages.len()));
    Ok(())
}

/// Crates of the monitor and of the page. Cargo fetches sources that are missing.
fn packages() -> Result<Packages> {
    let mut all = Packages::new();
    let monitor: Vec<&str> = NATIVE.iter().flat_map(|target| ["--target", target]).collect();
    for package in shipped(&[&["-p", "task-monitor"], monitor.as_slice()].concat())? {
        all.entry(package).or_default().monitor = true;
    }
    for package in shipped(&["-p", "task-hub", "--features", "split", "--target", WASM])? {
        all.entry(package).or_default().page = true;
    }
    Ok(all)
}

fn shipped(selection: &[&str]) -> Result<BTreeSet<Package>> {
    let mut cargo = shell::cargo();
    cargo.args(["tree", "--locked", "--quiet", "-e", "normal,no-proc-macro", "--prefix", "none"]);
    cargo.args(["--format", "{p}\t{l}"]).args(selection);
    let output = shell::output(&mut cargo).with_context(|| format!("`cargo tree {}` failed", selection.join(" ")))?;
    let mut packages = BTreeSet::new();
    for line in output.lines().filter(|line| !line.is_empty()) {
        packages.extend(parse(line)?);
    }
    if packages.is_empty() {
        bail!("`cargo tree {}` lists no crate", selection.join(" "));
    }
    Ok(packages)
}

/// `name v1.2.3<tab>MIT (*)`; `None` for a crate of this workspace, which has a path in parentheses.
fn parse(line: &str) -> Result<Option<Package>> {
    let (package, licence) = line.split_once('\t').with_context(|| format!("cargo tree wrote {line:?}"))?;
    let licence = licence.trim_end_matches("(*)").trim();
    let mut words = package.split(' ');
    let (Some(name), Some(version)) = (words.next(), words.next().and_then(|word| word.strip_prefix('v'))) else {
        bail!("cargo tree wrote {line:?}");
    };
    match words.next() {
        Some(source) if source.contains("://") => bail!("{name} is not from the registry: {source}"),
        Some(_) => Ok(None),
        None if licence.is_empty() => bail!("{name} {version} has no licence expression"),
        None => Ok(Some(Package { name: name.to_owned(), version: version.to_owned(), licence: licence.to_owned() })),
    }
}

/// The first four cells of every crate's row.
fn rows(packages: &Packages) -> Vec<String> {
    let row = |(package, users): (&Package, &ContainingProducts)| {
        format!("| {} | {} | {} | {} |", package.name, package.version, package.licence, users.names())
    };
    packages.iter().map(row).collect()
}

/// The same for what is not a crate.
fn other_rows() -> Result<Vec<String>> {
    let font = pinned("pretendard")?;
    Ok(vec![
        format!("| Pretendard (font) | {font} | OFL-1.1 | page |"),
        "| Rust standard library | of the compiler | MIT OR Apache-2.0 | monitor, page |".to_owned(),
        "| SQLite | in libsqlite3-sys | public domain | monitor |".to_owned(),
    ])
}

/// The version of an npm package, which the manifest pins exactly.
fn pinned(package: &str) -> Result<String> {
    let text = std::fs::read_to_string(tree::root().join(NPM_MANIFEST))
        .with_context(|| format!("cannot read {NPM_MANIFEST}"))?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix(&format!("\"{package}\": \"")));
    let version = line.and_then(|rest| rest.split('"').next());
    version.map(str::to_owned).with_context(|| format!("{NPM_MANIFEST} does not name {package}"))
}

/// The rows of the file's tables, without the column that refers to texts.
fn listed(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| name "));
    rows.filter_map(|line| Some(format!("{} |", line.strip_suffix(" |")?.rsplit_once(" | ")?.0))).collect()
}

/// What to add to the file and what to take out, one line each.
fn differences(listed: &BTreeSet<String>, wanted: &BTreeSet<String>) -> Vec<String> {
    let added = wanted.difference(listed).map(|row| format!("  missing: {row}"));
    let removed = listed.difference(wanted).map(|row| format!("  too much: {row}"));
    added.chain(removed).collect()
}

fn render(packages: &Packages, sources: &[PathBuf]) -> Result<String> {
    let mut texts = LicenceTexts::default();
    let mut table = String::new();
    for (row, package) in rows(packages).iter().zip(packages.keys()) {
        let found = texts::of_crate(package, sources)?;
        let numbers: Vec<String> = found
            .iter()
            .map(|text| texts.number(text, &format!("{} {}", package.name, package.version)))
            .map(|number| format!("[{number}](#text-{number})"))
            .collect();
        table.push_str(&format!("{row} {} |\n", numbers.join(", ")));
    }
    let others = other_rows()?;
    let [font, runtime, sqlite] = others.as_slice() else { bail!("three other parts are known") };
    let font_text = texts.number(FONT_LICENCE, "Pretendard");
    let runtime_text = texts.number(&texts::mit("The Rust Project contributors"), "Rust standard library");
    let mut out = format!(
        "# Third-party notices\n\n\
         What `task-monitor` and the page contain besides their own code. Written by `{COMMAND}`; do not edit.\n\
         Where a licence can be chosen and MIT is among the choices, MIT is taken.\n\n\
         ## Crates\n\n| name | version | licence | part of | text |\n|---|---|---|---|---|\n{table}\n\
         ## Other parts\n\n| name | version | licence | part of | text |\n|---|---|---|---|---|\n\
         {font} [{font_text}](#text-{font_text}) |\n{runtime} [{runtime_text}](#text-{runtime_text}) |\n{sqlite} none needed |\n\n\
         Zstandard is part of zstd-sys, and its licence is listed there.\n\n## Texts\n"
    );
    out.push_str(&texts.render());
    Ok(out)
}

/// Folders that hold the sources of crates, `<cargo home>/registry/src/*`.
fn registry_sources() -> Result<Vec<PathBuf>> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("CARGO_HOME").or_else(|| set("HOME").map(|home| home.join(".cargo")));
    let folder = home.context("neither CARGO_HOME nor HOME is set")?.join("registry/src");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut sources = Vec::new();
    for entry in entries {
        sources.push(entry?.path());
    }
    sources.sort();
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ContainingProducts, Packages, differences, listed, parse, rows};

    #[test]
    fn cargo_tree_lines_are_packages() {
        let package = parse("serde_json v1.0.154\tMIT OR Apache-2.0 (*)").expect("a line").expect("a crate");
        assert_eq!((package.name.as_str(), package.version.as_str()), ("serde_json", "1.0.154"));
        assert_eq!(package.licence, "MIT OR Apache-2.0");
        assert_eq!(parse("task-hub v0.1.0 (/a/b)\tMIT").expect("a line"), None);
        assert!(parse("a v1.0.0 (https://x.example/a?rev=1#1)\tMIT").is_err());
        assert!(parse("a v1.0.0\t").is_err(), "no licence");
        assert!(parse("a").is_err());
    }

    #[test]
    fn stale_list_names_what_changed() {
        let package = parse("a v1.0.0\tMIT").expect("a line").expect("a crate");
        let packages = Packages::from([(package, ContainingProducts { monitor: true, page: true })]);
        let wanted: BTreeSet<String> = rows(&packages).into_iter().collect();
        let file = "| name | version | licence | part of | text |\n|---|---|---|---|---|\n\
                    | a | 1.0.0 | MIT | monitor, page | [1](#text-1), [2](#text-2) |\n";
        assert!(differences(&listed(file), &wanted).is_empty());
        let old = file.replace("1.0.0", "0.9.0");
        assert_eq!(
            differences(&listed(&old), &wanted),
            ["  missing: | a | 1.0.0 | MIT | monitor, page |", "  too much: | a | 0.9.0 | MIT | monitor, page |"]
        );
        assert_eq!(differences(&listed("nothing"), &wanted).len(), 1);
    }
}
