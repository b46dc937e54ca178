//! Dependency arrows between the dashboard's layers (ARCHITECTURE.md, "Arrows"): who may name whom.

use super::File;

/// Layer → layers it may name besides itself. What is not listed here (`app`, `main`) may name everything.
const ALLOWED: [(&str, &[&str]); 10] = [
    ("parts", &[]),
    ("ui", &[]),
    ("routes", &[]),
    ("i18n", &["routes"]),
    ("source", &["i18n", "routes", "parts"]),
    ("state", &["i18n", "routes", "source"]),
    ("live", &["state", "source"]),
    ("hooks", &["i18n", "routes", "state", "source", "live"]),
    ("components", &["ui", "i18n", "routes", "state", "hooks"]),
    ("pages", &["ui", "i18n", "routes", "state", "hooks", "source", "components", "parts"]),
];

/// What a pure crate must never name (no IO, clock, async, Leptos or axum).
const IMPURE: [&str; 12] = [
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "tokio::",
    "axum::",
    "leptos::",
    "web_sys::",
    "js_sys::",
    "async fn",
];

pub(super) fn check(file: &File) -> Vec<String> {
    if file.path.starts_with("crates/coordination/src/") && file.is_rust() {
        return pure(file);
    }
    let Some(layer) = layer_of(&file.path) else { return Vec::new() };
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == layer) else { return Vec::new() };
    let mut found = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        for named in named_layers(line) {
            let known = ALLOWED.iter().any(|(name, _)| *name == named) || named == "app";
            if known && named != layer && !allowed.contains(&named.as_str()) {
                found.push(file.error(number, &format!("`{layer}` must not name `{named}`")));
            }
        }
    }
    found
}

fn pure(file: &File) -> Vec<String> {
    let code = file.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter_map(|(number, line)| {
        let word = IMPURE.iter().find(|word| line.contains(**word))?;
        Some(file.error(number, &format!("`coordination` is pure: no `{word}`")))
    })
    .collect()
}

/// `src/pages/home.rs` and `src/pages.rs` belong to `pages`.
fn layer_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("src/")?;
    let first = rest.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

/// Layers named by `crate::x` or by `crate::{x::…, y}` on one line.
fn named_layers(line: &str) -> Vec<String> {
    if line.trim_start().starts_with("//") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let rest = &line[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(top_level_names(list)),
            None => found.extend(first_word(rest)),
        }
    }
    found
}

fn top_level_names(list: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut names = Vec::new();
    let mut start = true;
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            ' ' => {}
            _ if start && depth == 0 => {
                names.extend(first_word(&list[at..]));
                start = false;
            }
            _ => {}
        }
    }
    names
}

fn first_word(text: &str) -> Option<String> {
    let word: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}
