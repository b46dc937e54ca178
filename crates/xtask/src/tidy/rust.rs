//! Checks of Rust files: module header, file size, component size, and lint exceptions without a reason. In the monitor
//! they also refuse child processes and comparisons of secrets that do not take constant time.

use super::File;

const MAX_LINES: usize = 400;
const MAX_COMPONENT: usize = 120;
const MAX_HEADER: usize = 3;

pub(super) fn check(file: &File) -> Vec<String> {
    if !file.is_rust() {
        return Vec::new();
    }
    let mut found = Vec::new();
    found.extend(header(file));
    found.extend(size(file));
    found.extend(components(file));
    found.extend(lines(file));
    found
}

fn header(file: &File) -> Option<String> {
    if !file.text.starts_with("//!") {
        return Some(file.error(0, "the file must begin with `//!`: what is this?"));
    }
    let paragraph = file.text.lines().take_while(|line| line.starts_with("//!") && line.trim() != "//!").count();
    (paragraph > MAX_HEADER).then(|| file.error(0, "the header's first paragraph is longer than 3 lines"))
}

fn size(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > MAX_LINES && !file.is_test())
        .then(|| file.error(MAX_LINES, &format!("{lines} lines, at most {MAX_LINES}: split the file by idea")))
}

/// A component from its attribute to the brace that closes it (rustfmt puts it at the attribute's indent).
fn components(file: &File) -> Vec<String> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        if line.trim() != "#[component]" {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end =
            lines.iter().skip(start).position(|line| *line == format!("{indent}}}")).unwrap_or(lines.len() - start);
        if end > MAX_COMPONENT {
            found.push(file.error(start, &format!("a component of {end} lines, at most {MAX_COMPONENT}: split it")));
        }
    }
    found
}

fn lines(file: &File) -> Vec<String> {
    let mut found = Vec::new();
    let lines: Vec<&str> = file.text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let allows = code.starts_with("#[allow(") || code.starts_with("#![allow(") || code.starts_with("#[expect(");
        // The reason may stand on a later line of a long attribute.
        let reasoned = lines[number..]
            .iter()
            .take(6)
            .take_while_inclusive(|line| !line.contains(")]"))
            .any(|line| line.contains("reason"));
        if allows && !reasoned {
            found.push(file.error(number, "an allowance without `reason = \"…\"`"));
        }
        let starts = code.contains("process::Command") && file.path.starts_with("crates/monitor/src/");
        if starts && !file.is_test() {
            found.push(file.error(number, "the monitor starts no program: it would inherit the token"));
        }
        let secret = code.contains("for_cookie(") || code.contains("expose(");
        let compared = [" == ", " != ", "_eq!(", "_ne!(", ".eq(", ".ne("].iter().any(|word| code.contains(word));
        if secret && compared && file.path.starts_with("crates/monitor/") {
            found
                .push(file.error(number, "a secret is compared by `is` only, which takes the same time for any guess"));
        }
    }
    found
}

/// `take_while` that keeps the line which ended it.
trait TakeWhileInclusive: Iterator + Sized {
    fn take_while_inclusive<P: FnMut(&Self::Item) -> bool>(self, mut keep: P) -> impl Iterator<Item = Self::Item> {
        let mut open = true;
        self.take_while(move |item| {
            let take = open;
            open = open && keep(item);
            take
        })
    }
}

impl<I: Iterator> TakeWhileInclusive for I {}
