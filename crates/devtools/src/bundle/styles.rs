//! Merger of the page's style sheets into two minified files, in their order. The first one holds what the frame and
//! Home use, and the page links it. The second one holds all other sheets, and a script loads it with the first part of
//! the wasm. Only sheets at the top of the bundle are merged.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::integrity;
use super::scripted_sheets::ScriptedSheet;
use crate::shell;
use xtask::setup::BundleTools;

/// Name of the first merged sheet. The zeros are a placeholder: `super::names` renames the file after its content.
const SHEET: &str = "styles-0000000000000000.css";
/// Name of the second merged sheet, with the same placeholder.
const LATER_SHEET: &str = "pages-0000000000000000.css";
/// Sheets of the first file, by the name of their source. The others style lazy pages and dialogs.
const FIRST: [&str; 5] = ["tokens", "base", "shell", "ui", "home"];

/// Merges the sheets that `index.html` links and links the first merged one in their place. Returns the second one.
pub fn join(tools: &BundleTools, staged: &Path) -> Result<ScriptedSheet> {
    let index = staged.join("index.html");
    let html = std::fs::read_to_string(&index)?;
    let (html, sheets) = one_link(&html);
    let (first, later): (Vec<_>, Vec<_>) = sheets.into_iter().partition(|sheet| is_first(sheet));
    if first.len() != FIRST.len() {
        bail!("index.html must link {} sheets of the first load, it links {first:?}", FIRST.len());
    }
    merge(tools, staged, &first, SHEET)?;
    merge(tools, staged, &later, LATER_SHEET)?;
    std::fs::write(index, html).context("cannot write the page")?;
    let bytes = std::fs::read(staged.join(LATER_SHEET))?;
    Ok(ScriptedSheet { href: format!("./{LATER_SHEET}"), integrity: integrity::integrity_value(&bytes) })
}

/// True for `tokens.css` and, as Trunk names it, `tokens-0f3c9a1b22d4e6f8.css`.
fn is_first(sheet: &str) -> bool {
    FIRST.iter().any(|name| sheet.strip_prefix(name).is_some_and(|rest| rest.starts_with(['-', '.'])))
}

fn merge(tools: &BundleTools, staged: &Path, sheets: &[String], name: &str) -> Result<()> {
    let mut all = String::new();
    for sheet in sheets {
        let file = staged.join(sheet);
        all.push_str(&std::fs::read_to_string(&file).with_context(|| format!("the page links a missing {sheet}"))?);
        all.push('\n');
        std::fs::remove_file(file)?;
    }
    let file = staged.join(name);
    std::fs::write(&file, all)?;
    let mut minify = tools.command("esbuild")?;
    minify.arg(&file).args(["--minify", "--log-level=error", "--allow-overwrite"]);
    shell::run(minify.arg(format!("--outfile={}", file.display())))
}

/// The page with one link in place of all, and the files that were linked, in order.
fn one_link(html: &str) -> (String, Vec<String>) {
    let mut out = String::new();
    let mut sheets = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find("<link") {
        let Some(end) = rest[start..].find('>').map(|end| start + end + 1) else { break };
        let tag = &rest[start..end];
        out.push_str(&rest[..start]);
        match sheet(tag) {
            Some(name) => {
                if sheets.is_empty() {
                    out.push_str(&format!("<link rel=\"stylesheet\" href=\"./{SHEET}\">"));
                }
                sheets.push(name);
            }
            None => out.push_str(tag),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    (out, sheets)
}

/// The file at the top of the bundle that a tag links as a style sheet.
fn sheet(tag: &str) -> Option<String> {
    let href = tag.split("href=").nth(1)?.trim_start_matches('"');
    let file = href.split(['"', ' ', '>']).next()?.trim_end_matches('/').trim_start_matches("./");
    (tag.contains("stylesheet") && file.ends_with(".css") && !file.contains('/')).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{FIRST, SHEET, is_first, one_link};

    /// Sheets at the top of the bundle are merged in order. Icons and sheets in folders keep their links.
    #[test]
    fn top_level_sheets_become_one_link() {
        let page = [
            r#"<link rel="icon" href="a.svg"/>"#,
            r#"<link rel="stylesheet" href="./a-1.css"/>"#,
            "<link href=./b-2.css rel=stylesheet>",
            r#"<link rel="stylesheet" href="fonts/f.css">"#,
            "<body>",
        ];
        let (merged, sheets) = one_link(&page.concat());
        assert_eq!(sheets, ["a-1.css", "b-2.css"]);
        let link = format!(r#"<link rel="stylesheet" href="./{SHEET}">"#);
        assert_eq!(merged, [page[0], &link, page[3], page[4]].concat());
    }

    /// Every sheet of the first load is a file that the page links, before the others: their order is the cascade.
    #[test]
    fn first_sheets_are_linked_before_later_ones() {
        let page = include_str!("../../../../index.html").replace("data-trunk rel=\"css\"", "rel=\"stylesheet\"");
        let (_, sheets) = one_link(&page.replace("style/", ""));
        let (first, later) = sheets.split_at(FIRST.len());
        assert!(first.iter().all(|sheet| is_first(sheet)), "{first:?}");
        assert!(!later.is_empty() && !later.iter().any(|sheet| is_first(sheet)), "{later:?}");
        assert!(is_first("home-0f3c9a1b22d4e6f8.css") && !is_first("homes.css"));
    }
}
