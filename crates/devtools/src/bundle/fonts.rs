//! Bundler of the Pretendard font (OFL), which its makers split into subsets. A page loads only the subsets whose
//! letters it shows.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell;

const SHEET: &str = "pretendardvariable-dynamic-subset.css";

/// Where `index.html` links the sheet; the source tree has no such file.
const PLACEHOLDER: &str = "fonts/pretendard/pretendardvariable-dynamic-subset.css";

/// Copies the fonts into the bundle and points the page's link at them.
/// Without them (no npm, no network) the link goes and the page shows the system's fonts: said, not fatal.
pub fn add(staged: &Path) -> Result<()> {
    let index = staged.join("index.html");
    let html = std::fs::read_to_string(&index)?;
    let package = match package() {
        Ok(package) => package,
        Err(error) => {
            shell::say(&format!("Pretendard could not be had, system fonts will be used ({error:#})"));
            std::fs::write(&index, unlinked(&html))?;
            return Ok(());
        }
    };
    // The folder carries the version, because the files in it keep their names.
    let folder = format!("fonts/pretendard-{}", version(&package)?);
    let place = staged.join(&folder);
    let source = package.join("dist/web/variable");
    let pieces = source.join("woff2-dynamic-subset");
    super::copy_dir(&pieces, &place.join("woff2-dynamic-subset"))
        .with_context(|| format!("the package has no {}", pieces.display()))?;
    let sheet = std::fs::read_to_string(source.join(SHEET)).context("the package has no style sheet")?;
    std::fs::write(place.join("pretendard.css"), minify(&sheet))?;
    let licence = ["LICENSE", "dist/LICENSE.txt"].iter().map(|name| package.join(name)).find(|file| file.is_file());
    std::fs::copy(licence.context("the package has no licence")?, place.join("LICENSE.txt"))?;
    std::fs::write(&index, linked(&html, &format!("{folder}/pretendard.css")))?;
    Ok(())
}

/// Points the placeholder's link at the sheet, or adds a link where the page has none.
fn linked(html: &str, href: &str) -> String {
    if html.contains(PLACEHOLDER) {
        return html.replacen(PLACEHOLDER, href, 1);
    }
    if html.contains(href) {
        return html.to_owned();
    }
    html.replacen("</head>", &format!("<link rel=\"stylesheet\" href=\"{href}\"></head>"), 1)
}

/// Takes the placeholder's whole `<link …>` out, so that no page asks for what is not there.
fn unlinked(html: &str) -> String {
    let Some(at) = html.find(PLACEHOLDER) else { return html.to_owned() };
    let (Some(start), Some(end)) = (html[..at].rfind('<'), html[at..].find('>')) else { return html.to_owned() };
    format!("{}{}", &html[..start], &html[at + end + 1..])
}

/// Comments and line ends out: two thirds of the sheet is `unicode-range`, the rest is air.
fn minify(sheet: &str) -> String {
    let mut out = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        rest = rest[start..].find("*/").map_or("", |end| &rest[start + end + 2..]);
    }
    out.push_str(rest);
    out.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("")
}

/// The package's folder, from the lock file in `tools/npm`.
fn package() -> Result<PathBuf> {
    let package = xtask::setup::npm_tools()?.join("node_modules/pretendard");
    let sheet = package.join("dist/web/variable").join(SHEET);
    if !sheet.is_file() {
        bail!("the package has no {}", sheet.display());
    }
    Ok(package)
}

/// The version in the package's own manifest.
fn version(package: &Path) -> Result<String> {
    let manifest = std::fs::read(package.join("package.json")).context("the package has no manifest")?;
    let manifest: serde_json::Value = serde_json::from_slice(&manifest)?;
    Ok(manifest["version"].as_str().context("the package has no version")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{PLACEHOLDER, linked, minify, unlinked};

    #[test]
    fn the_sheet_is_linked_once() {
        let once = linked("<head><title>x</title></head>", "fonts/p/pretendard.css");
        assert_eq!(once, "<head><title>x</title><link rel=\"stylesheet\" href=\"fonts/p/pretendard.css\"></head>");
        assert_eq!(linked(&once, "fonts/p/pretendard.css"), once);
    }

    #[test]
    fn page_link_points_at_sheet_or_is_removed() {
        let page = format!("<head><link rel=stylesheet href={PLACEHOLDER}><title>x</title></head>");
        assert_eq!(linked(&page, "f/p.css"), "<head><link rel=stylesheet href=f/p.css><title>x</title></head>");
        assert_eq!(unlinked(&page), "<head><title>x</title></head>");
    }

    #[test]
    fn comments_and_line_ends_leave_the_sheet() {
        assert_eq!(minify("/* a\n b */\n@font-face {\n  src: url(./x);\n}\n"), "@font-face {src: url(./x);}");
    }
}
