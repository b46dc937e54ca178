//! Checks of text files for to-do comments without an owner (code only), paths of a developer's machine, and host names
//! of package registries.

use super::File;

pub(super) fn check(file: &File) -> Vec<String> {
    // This rule's own words would be caught by it.
    if file.path.starts_with("crates/xtask/src/tidy/") || file.path == "Cargo.lock" {
        return Vec::new();
    }
    let hosts = registry_hosts();
    let paths = machine_paths();
    let mut found = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        if let Some(host) = hosts.iter().find(|host| line.contains(host.as_str())) {
            found.push(file.error(number, &format!("names a registry host ({host})")));
        }
        if let Some(path) = paths.iter().find(|path| line.contains(path.as_str())) {
            found.push(file.error(number, &format!("names a path of one machine ({path})")));
        }
        if is_code(&file.path) && (loose(line, "TODO") || loose(line, "FIXME") || loose(line, "XXX")) {
            found.push(file.error(number, "a loose end: `TODO(name): …` or an issue number"));
        }
    }
    found
}

fn is_code(path: &str) -> bool {
    [".rs", ".css", ".mjs", ".js", ".html"].iter().any(|ending| path.ends_with(ending))
}

/// The word in a comment, without an owner in parentheses.
fn loose(line: &str, word: &str) -> bool {
    let comment = line.find("//").or_else(|| line.find("/*")).or_else(|| line.find("<!--"));
    let Some(comment) = comment else { return false };
    line[comment..].find(word).is_some_and(|at| !line[comment + at + word.len()..].starts_with('('))
}

/// Put together here so that the names stand nowhere.
pub(super) fn registry_hosts() -> Vec<String> {
    [["registry", "npmjs"], ["registry", "yarnpkg"], ["index", "crates"], ["static", "crates"], ["pypi", "org"]]
        .iter()
        .map(|parts| parts.join("."))
        .collect()
}

pub(super) fn machine_paths() -> Vec<String> {
    [["", "work", "wt"], ["", "work", "main"], ["", "work", "shared"], ["", "tmp", "brief"], ["", "root", ".cache"]]
        .iter()
        .map(|parts| parts.join("/"))
        .collect()
}
