//! Rule for `docs/GLOSSARY.md`: each path exists, and each type named with a path is in that file.

use super::File;

const PAGE: &str = "docs/GLOSSARY.md";
const CRATES: &str = "crates/";

/// Checks the last column of every row: `` `Type`, `Other` in `path` ``, or a path alone.
pub(super) fn check(files: &[File]) -> Vec<String> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let mut found = Vec::new();
    let mut rows = 0;
    for (number, line) in page.text.lines().enumerate().filter(|(_, line)| line.starts_with("| ")) {
        let cell = line.trim_end_matches(['|', ' ']).rsplit(" | ").next().unwrap_or_default();
        let quoted: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        rows += usize::from(!quoted.is_empty());
        let is_path = |word: &&&str| word.ends_with(".rs") || word.ends_with('/');
        let Some(path) = quoted.iter().find(is_path) else { continue };
        let path = if path.starts_with("src/") { (*path).to_owned() } else { format!("{CRATES}{path}") };
        let mut texts = files.iter().filter(|file| file.path.starts_with(&path)).peekable();
        if texts.peek().is_none() {
            found.push(page.error(number, &format!("no such path: `{path}`")));
        }
        let texts: Vec<&str> = texts.map(|file| file.text.as_str()).collect();
        let names = quoted.iter().filter(|word| !is_path(word)).map(|word| word.split("::").next().unwrap_or(word));
        for name in names.filter(|name| !declares(&texts, name)) {
            found.push(page.error(number, &format!("`{path}` has no type `{name}`")));
        }
    }
    if rows == 0 {
        found.push(page.error(0, "no row with a type: is the table written differently?"));
    }
    found
}

fn declares(texts: &[&str], name: &str) -> bool {
    let starts = [format!("pub struct {name}"), format!("pub enum {name}")];
    let whole = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    texts.iter().any(|text| {
        starts.iter().any(|start| text.match_indices(start.as_str()).any(|(at, _)| whole(&text[at + start.len()..])))
    })
}
