//! Merger of the page's style sheets into one minified file, in their order. One file compresses better than many.
//! Sheets in folders of the bundle are not merged.

use std::path::Path;

use anyhow::{Context, Result};

use crate::shell;
use xtask::setup::BundleTools;

/// Name of the merged sheet. The zeros are a placeholder: `super::names` renames the file after its content.
const SHEET: &str = "styles-0000000000000000.css";

/// Joins the sheets `index.html` links into one and links that one.
pub fn join(tools: &BundleTools, staged: &Path) -> Result<()> {
    let index = staged.join("index.html");
    let html = std::fs::read_to_string(&index)?;
    let (html, sheets) = one_link(&html);
    let mut all = String::new();
    for sheet in &sheets {
        let file = staged.join(sheet);
        all.push_str(&std::fs::read_to_string(&file).with_context(|| format!("the page links a missing {sheet}"))?);
        all.push('\n');
        std::fs::remove_file(file)?;
    }
    let file = staged.join(SHEET);
    std::fs::write(&file, all)?;
    let mut minify = tools.command("esbuild")?;
    minify.arg(&file).args(["--minify", "--log-level=error", "--allow-overwrite"]);
    shell::run(minify.arg(format!("--outfile={}", file.display())))?;
    std::fs::write(index, html).context("cannot write the page")
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
    use super::{SHEET, one_link};

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
}
