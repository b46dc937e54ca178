//! Check against browser APIs that turn text into markup or code, such as `innerHTML` or `eval`. It covers the page,
//! its scripts and all crates except tests. It also reads string literals, because a build program may write them into
//! a script.

use super::File;

/// Names that turn a string into markup, in Rust's and in JavaScript's spelling.
const MARKUP: [&str; 16] = [
    "inner_html",
    "innerHTML",
    "outer_html",
    "outerHTML",
    "insert_adjacent_html",
    "insertAdjacentHTML",
    "set_html",
    "setHTML",
    "srcdoc",
    "document.write",
    "DomParser",
    "DOMParser",
    "create_contextual_fragment",
    "createContextualFragment",
    "parseHTMLUnsafe",
    "execCommand",
];

/// Names that turn a string into a program. Calls only: `eval` is a word of other crafts too.
const PROGRAM: [&str; 8] = [
    "js_sys::eval",
    "Function::new",
    "new Function(",
    "setTimeout(\"",
    "setTimeout('",
    "setTimeout(`",
    "javascript:",
    "set_timeout_with_str",
];

pub(super) fn check(file: &File) -> Vec<String> {
    if !is_served(file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in before_tests(&file.text).enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        if let Some(word) = MARKUP.iter().find(|word| line.contains(**word)) {
            found.push(file.error(number, &format!("`{word}`: HTML strings are banned, build views")));
        }
        let program = PROGRAM.iter().find(|word| line.contains(**word)).copied();
        if let Some(word) = program.or_else(|| calls_eval(line).then_some("eval(")) {
            found.push(file.error(number, &format!("`{word}`: no text becomes a program")));
        }
    }
    found
}

/// The page, the crates it is made of and built by, its scripts and its shell. Tests may name what they forbid.
fn is_served(file: &File) -> bool {
    let ours = ["src/", "crates/", "public/"].iter().any(|place| file.path.starts_with(place));
    let code = [".rs", ".js", ".html"].iter().any(|ending| file.path.ends_with(ending));
    let in_tests = file.is_test() || file.path.starts_with("crates/xtask/src/tidy");
    (file.path == "index.html" || (ours && code)) && !in_tests
}

/// A file's own unit tests stand at its end; where they are a file of their own, only their name is there.
fn before_tests(text: &str) -> impl Iterator<Item = &str> {
    let own = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..own].lines()
}

/// `eval(…)` as a call of its own, not the end of another name and not a function of that name in Rust.
fn calls_eval(line: &str) -> bool {
    line.match_indices("eval(").any(|(at, _)| {
        let before = &line[..at];
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-') && !before.trim_end().ends_with("fn")
    })
}
