//! Writer of the page's output folder: script and wasm, `index.html`, the files that its `data-trunk` links name, and
//! the web font. Each `data-trunk` link is replaced with the markup that Trunk would write.
//!
//! The supported links are those of this page: `rel="css"`, `copy-file`, `copy-dir` and `rust`. Any other `data-trunk`
//! link is an error, so that a new kind is noticed.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::bind::{self, BindOptions, BindTarget};

/// Stem of the page's script and wasm.
pub const NAME: &str = "task-hub";

/// Style sheet of the web font, as `public/fonts` would have to hold it.
const FONT_SHEET: &str = "pretendardvariable-dynamic-subset.css";

/// What to stage.
#[derive(Debug)]
pub struct PageSources<'a> {
    /// Folder with `index.html`, `style/` and `public/`.
    pub source: &'a Path,
    /// Cargo's wasm.
    pub wasm: &'a Path,
    /// Folder of the web font's package (`dist/web/variable` of Pretendard); without it the page uses system fonts.
    pub fonts: Option<&'a Path>,
}

/// Writes the page into `out`, which is emptied first.
pub fn stage(page: &PageSources<'_>, out: &Path) -> Result<()> {
    if out.exists() {
        std::fs::remove_dir_all(out).with_context(|| format!("cannot clear {}", out.display()))?;
    }
    std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    bind::bind(page.wasm, out, NAME, BindTarget::Web, BindOptions::default())?;
    let index = page.source.join("index.html");
    let html = std::fs::read_to_string(&index).with_context(|| format!("cannot read {}", index.display()))?;
    let mut html = replace_links(&html, &mut |link| link.stage(page.source, out))?;
    if let Some(fonts) = page.fonts {
        copy_dir(fonts, &out.join("fonts"))?;
        html = html.replacen("</head>", &format!("{}</head>", style_link(&format!("fonts/{FONT_SHEET}"))), 1);
    }
    std::fs::write(out.join("index.html"), html).context("cannot write the page")
}

/// A `<link data-trunk …>` of the page.
#[derive(Debug, PartialEq, Eq)]
struct TrunkLink {
    rel: String,
    href: String,
}

impl TrunkLink {
    fn parse(tag: &str) -> Result<Self> {
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            Some(rest.split('"').next().unwrap_or_default().to_owned())
        };
        let rel = attribute("rel").with_context(|| format!("no rel in {tag}"))?;
        Ok(Self { rel, href: attribute("href").unwrap_or_default() })
    }

    /// Copies what the link names, and returns its replacement.
    fn stage(&self, source: &Path, out: &Path) -> Result<String> {
        let from = source.join(&self.href);
        let name = from.file_name().map(PathBuf::from).unwrap_or_default();
        match self.rel.as_str() {
            "css" => {
                copy(&from, &out.join(&name))?;
                Ok(style_link(&name.to_string_lossy()))
            }
            "copy-file" => copy(&from, &out.join(name)).map(|()| String::new()),
            "copy-dir" => copy_dir(&from, &out.join(name)).map(|()| String::new()),
            "rust" => Ok(start_script()),
            other => bail!("index.html has a data-trunk link of rel=\"{other}\", which page-build does not know"),
        }
    }
}

/// Replaces each `data-trunk` link by what `stage` returns for it.
fn replace_links(html: &str, stage: &mut dyn FnMut(&TrunkLink) -> Result<String>) -> Result<String> {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find("<link") {
        let end = rest[start..].find('>').map(|end| start + end + 1).context("a link without an end")?;
        let tag = rest[start..end].replace('\n', " ");
        out.push_str(&rest[..start]);
        if tag.contains(" data-trunk") {
            out.push_str(&stage(&TrunkLink::parse(&tag)?)?);
        } else {
            out.push_str(&rest[start..end]);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    Ok(out)
}

fn style_link(href: &str) -> String {
    format!("<link rel=\"stylesheet\" href=\"./{href}\">")
}

/// The start script that Trunk writes: its event signals to tests and hosts that the program runs.
fn start_script() -> String {
    format!(
        "<script type=\"module\">\nimport init, * as bindings from './{NAME}.js';\n\
         const wasm = await init({{ module_or_path: './{NAME}_bg.wasm' }});\n\
         window.wasmBindings = bindings;\n\
         dispatchEvent(new CustomEvent(\"TrunkApplicationStarted\", {{ detail: {{ wasm }} }}));\n</script>"
    )
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).with_context(|| format!("cannot copy {}", from.display()))
}

/// Copies a folder with everything in it.
fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    let entries = std::fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_dir(&entry.path(), &place)?;
        } else {
            copy(&entry.path(), &place)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{TrunkLink, replace_links};

    #[test]
    fn only_trunk_links_are_replaced() {
        let html = "<link rel=\"icon\" href=\"a.svg\" /><link data-trunk rel=\"css\" href=\"style/a.css\" />\n\
                    <link\n  data-trunk\n  rel=\"rust\"\n/><body>";
        let mut seen = Vec::new();
        let out = replace_links(html, &mut |link| {
            seen.push(format!("{} {}", link.rel, link.href));
            Ok("X".to_owned())
        });
        assert_eq!(out.expect("replaced"), "<link rel=\"icon\" href=\"a.svg\" />X\nX<body>");
        assert_eq!(seen, ["css style/a.css", "rust "]);
    }

    #[test]
    fn unknown_link_is_an_error() {
        let link = TrunkLink { rel: "sass".to_owned(), href: "a.scss".to_owned() };
        let error = link.stage("".as_ref(), "".as_ref()).expect_err("unknown");
        assert!(error.to_string().contains("sass"), "{error}");
    }

    #[test]
    fn every_link_of_the_page_is_known() {
        let html = include_str!("../../../index.html");
        let known = replace_links(html, &mut |link| {
            assert!(["css", "copy-file", "copy-dir", "rust"].contains(&link.rel.as_str()), "{link:?}");
            Ok(String::new())
        });
        assert!(!known.expect("parsed").contains("data-trunk"));
    }
}
