//! Checks of documents: `README.md` and `ARCHITECTURE.md` do not exceed a word limit, and local links lead to existing
//! targets.

use super::File;

/// Most words of a document.
const MAX_WORDS: [(&str, usize); 2] = [("README.md", 700), ("ARCHITECTURE.md", 2_500)];

pub(super) fn check(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md") && !file.path.starts_with("fixtures/")) {
        let words = file.text.split_whitespace().count();
        if let Some((_, most)) = MAX_WORDS.iter().find(|(path, most)| *path == file.path && words > *most) {
            found.push(file.error(0, &format!("{words} words; at most {most} here, the rest belongs into docs/")));
        }
        for (number, line) in file.text.lines().enumerate() {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
            for target in targets.filter(|target| is_local_text(target)) {
                let path = resolved(&file.path, target);
                if !files.iter().any(|other| other.path == path || other.path.starts_with(&format!("{path}/"))) {
                    found.push(file.error(number, &format!("a link leads to nothing: `{path}`")));
                }
            }
        }
    }
    found
}

/// A file or folder of this repository whose text the rules see: no address elsewhere, no picture.
fn is_local_text(target: &str) -> bool {
    let seen = [".md", ".rs", ".mjs", ".json", "/"].iter().any(|end| target.ends_with(end));
    seen && !target.contains([':', '%', ' ', '`', '<'])
}

/// The path that a link of a document names.
fn resolved(document: &str, target: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
