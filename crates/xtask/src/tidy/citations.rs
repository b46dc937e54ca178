//! Rule for citations of contracts (`contract/….md` §n): each cited file is in `docs/contract/` and has the section or
//! rule.

use std::collections::{BTreeMap, BTreeSet};

use super::File;

/// Folder of the contracts.
const FOLDER: &str = "docs/contract/";
/// How a citation begins.
const CITED: &str = "contract/";
/// So much behind the name of a document may name sections.
const MAX_SECTION_DISTANCE_BYTES: usize = 160;

/// Checks every citation of the tree: a contract's name in backticks, and the sections behind it (§A.4, §4.2, D20).
pub(super) fn check(files: &[File]) -> Vec<String> {
    let contracts: BTreeMap<&str, BTreeSet<String>> =
        files.iter().filter_map(|file| Some((file.path.strip_prefix(FOLDER)?, anchors(&file.text)))).collect();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.path.starts_with(FOLDER) && !file.path.ends_with("tidy/tests.rs")) {
        for (at, _) in file.text.match_indices(CITED) {
            let behind = &file.text[at + CITED.len()..];
            let Some(name) = behind.find(".md").map(|end| &behind[..end + 3]).filter(|name| is_name(name)) else {
                continue;
            };
            let line = file.text[..at].matches('\n').count();
            let Some(anchors) = contracts.get(name) else {
                found.push(file.error(line, &format!("no such contract: `{FOLDER}{name}`")));
                continue;
            };
            for section in sections(&behind[name.len()..]) {
                if !anchors.contains(&section) {
                    found.push(file.error(line, &format!("`{FOLDER}{name}` has no {section}")));
                }
            }
        }
    }
    found
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Numbers of the sections (`4.2`, `A.4`), of the entries of numbered lists in them (`4.1`), and of the rules in tables
/// (`D20`).
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut section = "";
    for line in text.lines() {
        let (begins, rest) = match line.strip_prefix('#') {
            Some(rest) => (true, rest.trim_start_matches('#').trim_start()),
            None => (false, line.strip_prefix("| ").unwrap_or(line)),
        };
        let word = rest.split(' ').next().unwrap_or_default().trim_matches('*');
        let number = word.trim_end_matches('.');
        if begins {
            section = number;
        }
        let is_entry = !begins && word.len() > number.len() && number.bytes().all(|byte| byte.is_ascii_digit());
        anchors.insert(if is_entry { format!("{section}.{number}") } else { number.to_owned() });
    }
    anchors
}

/// The sections that follow the name of a document, over the ends of comment lines.
fn sections(behind: &str) -> Vec<String> {
    let most =
        behind.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_SECTION_DISTANCE_BYTES).last().unwrap_or(0);
    let joined: Vec<&str> =
        behind[..most].lines().map(|line| line.trim().trim_start_matches(['/', '!', '*', '#'])).collect();
    let joined = joined.join(" ");
    let mut rest = joined.trim_start_matches('`');
    let mut sections = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', ',', ';', '–', '-']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
        let is_rule = rest.strip_prefix('D').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
        let named = match rest.strip_prefix('§') {
            Some(named) => named,
            None if is_rule => rest,
            None => return sections,
        };
        let end = named.find(|next: char| !next.is_ascii_alphanumeric() && next != '.').unwrap_or(named.len());
        let number = named[..end].trim_end_matches('.');
        if number.is_empty() {
            return sections;
        }
        sections.push(number.to_owned());
        rest = &named[end..];
    }
}
