//! Check of words: identifiers and comments of Rust files contain none of the refused words ([`IN_NAMES`],
//! [`IN_COMMENTS`]), which have plainer terms. String literals are not checked, so UI texts and wire values are exempt.

use std::collections::BTreeSet;

use super::File;
use super::source::{Kind, pieces};

/// Refused parts of an identifier, which is split at `_` and at capitals.
const IN_NAMES: [&str; 12] =
    ["told", "anew", "heard", "whoever", "beneath", "owed", "owes", "kept", "stands", "asked", "retell", "retold"];

/// Refused words and phrases of a comment.
const IN_COMMENTS: [&str; 9] =
    ["told", "anew", "whoever", "beneath", "owes", "stands", "is none", "put away", "goes on"];

/// Identifiers that may hold a refused word, each with its place (a file, the path before it, or everywhere) and the
/// reason.
const ALLOWED: [(&str, &str, &str); 4] = [
    ("", "BENEATH", "flag of `openat2`, as rustix and the kernel name it"),
    ("", "asked_at", "wire word of the flow: time of the request"),
    ("crates/monitor/src/gateway/", "asked_by", "word of the record on disk: the HTTP request behind a message"),
    ("", "kept_aside", "wire word of health: where an unusable override file was copied"),
];

pub(super) fn check(file: &File) -> Vec<String> {
    if !file.is_rust() || file.path.starts_with("fixtures/") {
        return Vec::new();
    }
    let mut found = Vec::new();
    // Each identifier is looked at once per file.
    let mut seen = BTreeSet::new();
    // The last word of the comment line above, for phrases over the end of a line.
    let mut above = (0, "");
    for piece in pieces(&file.text) {
        let line = piece.line;
        match piece.kind {
            Kind::Code => {
                for (before, name) in identifiers(piece.text) {
                    if is_allowed(file, before, name) || !seen.insert(name) {
                        continue;
                    }
                    if let Some(word) = parts(name).into_iter().find(|part| IN_NAMES.contains(&part.as_str())) {
                        found.push(file.error(line, &format!("`{name}` holds \"{word}\": use the field's term")));
                    }
                }
            }
            Kind::Comment => {
                let before = if above.0 + 1 == line { above.1 } else { "" };
                for phrase in phrases(before, piece.text) {
                    found.push(file.error(line, &format!("a comment says \"{phrase}\": use plain words")));
                }
                above = (line, piece.text.split_whitespace().last().unwrap_or_default());
            }
            Kind::Literal => {}
        }
    }
    found
}

/// Each identifier with the code before it on its line.
fn identifiers(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let names = code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
    names.map(|name| (&code[..name.as_ptr().addr() - code.as_ptr().addr()], name))
}

fn is_allowed(file: &File, before: &str, name: &str) -> bool {
    ALLOWED
        .iter()
        .any(|(place, allowed, _)| *allowed == name && (file.path.starts_with(place) || before.ends_with(place)))
}

/// The words of an identifier, in lower case: `askedAt` and `ASKED_AT` hold the same two.
fn parts(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let after_lower = at > 0 && letters[at - 1].is_lowercase();
        let before_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if *letter == '_' || (letter.is_uppercase() && (after_lower || before_lower)) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| *letter != '_') {
            part.extend(letter.to_lowercase());
        }
    }
    parts
}

/// Refused phrases of a comment that end in it; what is in backticks is code.
fn phrases(before: &str, comment: &str) -> Vec<&'static str> {
    let prose: Vec<&str> = comment.split('`').step_by(2).collect();
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'');
        split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (above, own) = (words(before), words(&prose.join(" ` ")));
    let all: Vec<&str> = above.iter().chain(&own).map(String::as_str).collect();
    let is_said = |phrase: &&&str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        all.windows(phrase.len()).enumerate().any(|(at, seen)| {
            // "There is none" is plain.
            let is_plain = phrase == ["is", "none"] && at > 0 && all[at - 1] == "there";
            seen == phrase && !is_plain && at + phrase.len() > above.len()
        })
    };
    IN_COMMENTS.iter().filter(is_said).copied().collect()
}
