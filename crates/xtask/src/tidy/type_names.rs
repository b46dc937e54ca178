//! Check for duplicate names of types and components: no two structs, enums, traits, unions, type aliases or Leptos
//! components (`#[component] fn`) of the workspace have the same name. Fixtures and associated types do not count.

use std::collections::BTreeMap;

use super::File;
use super::source::tokens;

const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "union", "type"];

pub(super) fn check(files: &[File]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<(&File, usize)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_rust() && !file.path.starts_with("fixtures/")) {
        for (line, name) in declarations(&file.text) {
            places.entry(name).or_default().push((file, line));
        }
    }
    let mut found = Vec::new();
    for (name, places) in &places {
        let [(first, first_line), more @ ..] = places.as_slice() else { continue };
        for (file, line) in more {
            let first = format!("{}:{}", first.path, first_line + 1);
            found.push(file.error(*line, &format!("a second `{name}`, after {first}: give it a name of its own")));
        }
    }
    found
}

/// Declared names by line: types, and functions marked `#[component]`. A `type` inside braces of an `impl` or a `trait`
/// is an associated type and does not count.
fn declarations(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    // For each open brace: whether it belongs to an `impl` or a `trait`.
    let mut open: Vec<bool> = Vec::new();
    let mut opens_items = false;
    // Whether the next function is a component.
    let mut is_component = false;
    let mut keyword: Option<&str> = None;
    // The two tokens before this one.
    let mut before = ["", ""];
    for (line, token) in tokens(text) {
        let previous = before[1];
        match token {
            "{" => {
                open.push(std::mem::take(&mut opens_items));
            }
            "}" => drop(open.pop()),
            ";" => opens_items = false,
            "impl" | "trait" if is_item_start(previous) => opens_items = true,
            "component" if before == ["#", "["] => is_component = true,
            _ => {}
        }
        if let Some(keyword) = keyword.take() {
            let is_associated = keyword == "type" && open.last() == Some(&true);
            let is_name = token.starts_with(|c: char| c.is_alphabetic() || c == '_');
            if is_name && !is_associated {
                found.push((line, token));
            }
        }
        let declares = match token {
            "fn" => std::mem::take(&mut is_component),
            token => KEYWORDS.contains(&token) && is_item_start(previous),
        };
        keyword = declares.then_some(token);
        before = [previous, token];
    }
    found
}

/// Whether an item may begin after this token: `union` and `type` are names elsewhere, `impl` is a type.
fn is_item_start(previous: &str) -> bool {
    matches!(previous, "" | "{" | "}" | ";" | "]" | ")" | "pub" | "unsafe" | "auto")
}
