//! Rules for the location of content: file names, Hangul, English sentences and HTML.

use super::File;

pub(super) fn check(file: &File) -> Vec<String> {
    let mut found = Vec::new();
    let name = file.path.rsplit('/').next().unwrap_or_default();
    if ["utils.rs", "helpers.rs", "util.rs", "helper.rs", "misc.rs"].contains(&name) {
        found.push(file.error(0, "a file is named after its idea, not after being useful"));
    }
    if file.path.starts_with("src/") && file.is_rust() && !file.is_test() {
        found.extend(words(file));
    }
    found
}

/// Hangul only in `i18n/`, and no quoted English sentences in pages and components: all words come from i18n.
fn words(file: &File) -> Vec<String> {
    let in_i18n = file.path.starts_with("src/i18n/") || file.path == "src/i18n.rs";
    let shows_words = ["src/pages", "src/components", "src/ui"].iter().any(|place| file.path.starts_with(place));
    let mut found = Vec::new();
    for (number, line) in before_tests(&file.text).enumerate() {
        let code = without_comment(line);
        if !in_i18n && code.chars().any(is_hangul) {
            found.push(file.error(number, "Hangul belongs into src/i18n/"));
        }
        if shows_words && !is_attribute(code) && !recognises(code) && quoted(code).any(is_sentence) {
            found.push(file.error(number, "an English sentence: words belong into src/i18n/"));
        }
    }
    found
}

/// A file's own unit tests stand at its end.
fn before_tests(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| line.trim() != "#[cfg(test)]")
}

fn is_attribute(code: &str) -> bool {
    let code = code.trim_start();
    code.starts_with("#[") || code.starts_with("#![") || code.contains("reason = \"")
}

/// What agents wrote is recognised by its words: a pattern of a `match`, or a comparison. Nothing of it is shown.
fn recognises(code: &str) -> bool {
    let compares = ["starts_with(\"", "ends_with(\"", "contains(\"", "strip_prefix(\"", "strip_suffix(\"", "== \""];
    code.contains("\" =>") || compares.iter().any(|word| code.contains(word))
}

/// Cuts `// …`, but not inside a string (`"https://…"`).
fn without_comment(line: &str) -> &str {
    let mut inside = false;
    let bytes = line.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'"' if at == 0 || bytes[at - 1] != b'\\' => inside = !inside,
            b'/' if !inside && bytes.get(at + 1) == Some(&b'/') => return &line[..at],
            _ => {}
        }
    }
    line
}

fn quoted(code: &str) -> impl Iterator<Item = &str> {
    code.split('"').skip(1).step_by(2)
}

/// A capital, then at least two blanks between real words: `Could not load this`. Path data (`M4 6 h16`) is no match.
fn is_sentence(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let is_word =
        |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic() || ".,:;!?'".contains(c)) && !word.is_empty();
    let long = words.iter().filter(|word| word.len() > 2).count();
    words.len() >= 3 && long >= 2 && words.iter().all(is_word) && text.starts_with(|c: char| c.is_ascii_uppercase())
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}')
}
