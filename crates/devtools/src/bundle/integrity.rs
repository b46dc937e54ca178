//! Integrity hashes (`sha384-…`) of the bundle: a browser that checks them refuses a changed file. The page contains
//! the hash of every JavaScript file, style sheet and wasm file that it loads. Wasm parts that load later are checked
//! by hashes in the JavaScript (`split.rs`).
//!
//! The hash of a style sheet is in its link, the hash of a module in the import map, the hash of a wasm file in the
//! call of `fetch`. The import map needs Chromium 127, Safari 18 or Firefox 138; an older browser loads modules
//! unchecked. Fonts and pictures have no hashes.

use std::path::Path;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use sha2::{Digest as _, Sha384};

/// What a browser compares a file with.
pub fn integrity_value(bytes: &[u8]) -> String {
    format!("sha384-{}", base64::engine::general_purpose::STANDARD.encode(Sha384::digest(bytes)))
}

/// Puts the integrity of what it loads into the finished page.
pub fn in_page(staged: &Path) -> Result<()> {
    let index = staged.join("index.html");
    let html = std::fs::read_to_string(&index)?;
    let read = |name: &str| -> Result<String> {
        let file = staged.join(name.trim_start_matches("./"));
        Ok(integrity_value(&std::fs::read(&file).with_context(|| format!("the page names a missing {name}"))?))
    };
    std::fs::write(&index, checked(&html, &read)?).context("cannot write the page")
}

/// `read` tells the integrity of a file by its address in the page.
fn checked(html: &str, read: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    let (linked, mut module) = (links(html, read)?, None);
    let mut page = String::new();
    let mut rest = linked.as_str();
    while let Some(start) = rest.find("<script type=\"module\">") {
        let end = rest[start..].find("</script").map(|end| start + end).context("a script without an end")?;
        page.push_str(&rest[..start]);
        let script = &rest[start..end];
        let name = quoted(script, "from '").context("the start script imports nothing")?;
        let wasm = quoted(script, "module_or_path: '").context("the start script names no wasm")?;
        let map = format!("{{\"integrity\":{{\"{name}\":\"{}\"}}}}", read(name)?);
        page.push_str(&format!("<script type=\"importmap\">{map}</script>\n"));
        let fetched = format!("module_or_path: fetch('{wasm}', {{ integrity: '{}' }})", read(wasm)?);
        page.push_str(&script.replace(&format!("module_or_path: '{wasm}'"), &fetched));
        module = Some(name);
        rest = &rest[end..];
    }
    page.push_str(rest);
    if module.is_none() {
        bail!("the page has no start script: nothing of it would be checked");
    }
    Ok(page)
}

/// Every link that loads a file of the program says which.
fn links(html: &str, read: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    let mut out = String::new();
    let mut rest = html;
    while let Some(start) = rest.find("<link") {
        let Some(end) = rest[start..].find('>').map(|end| start + end) else { break };
        let tag = &rest[start..end];
        out.push_str(&rest[..start]);
        // What is preloaded for `fetch` cannot be checked there; the `fetch` itself checks it.
        let loads = ["\"stylesheet\"", "\"modulepreload\""].iter().any(|kind| tag.contains(kind));
        match quoted_by(tag, "href=\"", '"').filter(|_| loads) {
            Some(href) => {
                let inside = tag.trim_end_matches(['/', ' ']);
                out.push_str(&format!("{inside} integrity=\"{}\"", read(href)?));
            }
            None => out.push_str(tag),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    Ok(out)
}

fn quoted<'t>(text: &'t str, before: &str) -> Option<&'t str> {
    quoted_by(text, before, '\'')
}

fn quoted_by<'t>(text: &'t str, before: &str, quote: char) -> Option<&'t str> {
    text.split(before).nth(1)?.split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::{checked, integrity_value};

    #[test]
    fn empty_file_hash_equals_openssl() {
        // `printf '' | openssl dgst -sha384 -binary | base64`
        assert_eq!(integrity_value(b""), "sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb");
    }

    #[test]
    fn loaded_files_are_named_by_content() {
        let html = "<link rel=\"icon\" href=\"a.svg\"><link rel=\"stylesheet\" href=\"./s.css\" />\
                    <script type=\"module\">import init from './a.js';\ninit({ module_or_path: './a.wasm' });</script>\
                    <link rel=\"modulepreload\" href=\"./a.js\">";
        let page = checked(html, &|name| Ok(format!("hash of {name}"))).expect("page");
        assert_eq!(
            page,
            "<link rel=\"icon\" href=\"a.svg\"><link rel=\"stylesheet\" href=\"./s.css\" integrity=\"hash of ./s.css\">\
             <script type=\"importmap\">{\"integrity\":{\"./a.js\":\"hash of ./a.js\"}}</script>\n\
             <script type=\"module\">import init from './a.js';\ninit({ module_or_path: fetch('./a.wasm', { integrity: 'hash of ./a.wasm' }) });</script>\
             <link rel=\"modulepreload\" href=\"./a.js\" integrity=\"hash of ./a.js\">"
        );
    }

    #[test]
    fn unchecked_page_is_refused() {
        assert!(checked("<script type=\"module\">start()</script>", &|_| Ok(String::new())).is_err());
        assert!(checked("<p>nothing</p>", &|_| Ok(String::new())).is_err());
    }
}
