//! Checks of file names and of texts: no `utils.rs`; in the page's code Hangul only in `src/i18n/`, and no English sentences
//! in pages or components; in the monitor's code Hangul only where it answers without the page.

use super::File;

/// Files of the monitor that hold words in Korean, each with the reason.
const MONITOR_WORDS: [(&str, &str); 4] = [
    ("crates/monitor/src/core/alerts/text.rs", "a chat, a mailbox or a phone shows what it is sent"),
    ("crates/monitor/src/core/alerts/text/recap.rs", "a chat, a mailbox or a phone shows what it is sent"),
    ("crates/monitor/src/web/connection_timeout/refuse.rs", "the page cannot be loaded with such cookies"),
    ("crates/monitor/src/web/openapi/generated/common.rs", "examples of what agents write"),
];

pub(super) fn check(file: &File) -> Vec<String> {
    let mut found = Vec::new();
    let name = file.path.rsplit('/').next().unwrap_or_default();
    if ["utils.rs", "helpers.rs", "util.rs", "helper.rs", "misc.rs"].contains(&name) {
        found.push(file.error(0, "a file is named after its idea, not after being useful"));
    }
    if file.path.starts_with("src/") && file.is_rust() && !file.is_test() {
        found.extend(words(file));
    }
    if file.path.starts_with("crates/monitor/src/") && file.is_rust() && !file.is_test() {
        found.extend(monitor_words(file));
    }
    found
}

/// The monitor emits codes; the page has the words.
fn monitor_words(file: &File) -> Vec<String> {
    if MONITOR_WORDS.iter().any(|(path, _)| file.path == *path) {
        return Vec::new();
    }
    let lines = before_tests(&file.text).enumerate();
    let korean = lines.filter(|(_, line)| without_comment(line).chars().any(is_hangul));
    korean.map(|(number, _)| file.error(number, "the monitor emits codes: words belong into src/i18n/")).collect()
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
