//! Page around an evidence file: one HTML file with the dashboard inside, which shows the lines from a disk, without a
//! server or a network.
//!
//! It is made of the files of the bundle: the script becomes an element of the page, and style sheets and the parts of the
//! wasm lie in it packed (`pack.rs`). `start.js` takes the place of the server. A released bundle has the page ready as
//! the file [`PAGE_FILE`](coordination::evidence::PAGE_FILE).

mod pack;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use anyhow::{Context as _, bail};
use base64::Engine as _;
use coordination::evidence::PageParts;
use sha2::{Digest as _, Sha256};

pub use self::pack::PagePacking;

const START: &str = include_str!("start.js");

/// Chunks of the program that such a page does not load: the live link, the reader of old monitors, and the pages that
/// `pages/lazy.rs` does not open on it.
const LEFT_OUT: [&str; 3] = ["live", "compat", "work"];
/// File of the bundle that says which chunks load each part; a bundle of one wasm file has none.
const PARTS_INDEX: &str = "parts.json";

/// Elements of the program and the start, in this order behind the lines.
struct Elements {
    /// Scripts that run before the program.
    scripts: Vec<String>,
    program: String,
    /// Style sheets and parts of the program, by name.
    files: Vec<(String, Vec<u8>)>,
}

/// Makes the page of a bundle, whose files `read` returns by name.
///
/// # Errors
/// When there is no bundle, or it is written in another way than expected.
pub fn page(read: &dyn Fn(&str) -> io::Result<Vec<u8>>, packing: PagePacking) -> anyhow::Result<PageParts> {
    let file = |name: &str| read(name).with_context(|| format!("the dashboard's {name} cannot be read"));
    let text = |name: &str| -> anyhow::Result<String> { Ok(String::from_utf8(file(name)?)?) };
    let index = text("index.html").context("there is no dashboard to put into the file")?;
    // An import map names files that are none here.
    let scripts = inline_scripts(&index).filter(|script| !script.trim_start().starts_with('{'));
    let (start, others): (Vec<&str>, Vec<&str>) = scripts.partition(|script| script.contains("module_or_path"));
    let start = start.first().context("the dashboard's page starts no program")?;
    let script = names(start, ".js").next().context("the dashboard's page names no script")?;
    let wasm = names(start, ".wasm").next().context("the dashboard's page names no program")?;
    let program = text(script)?;
    let sheets = style_sheets(&index).chain(names(&program, ".css"));
    // Fonts would be larger than all else; the system has some.
    let is_system_font = |name: &str| name.starts_with("fonts/");
    let left_out = left_out(read)?;
    let parts = std::iter::once(wasm).chain(names(&program, ".wasm")).filter(|name| !left_out.contains(*name));
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for name in sheets.chain(parts) {
        if !files.iter().any(|(known, _)| known == name) {
            files.push((name.to_owned(), if is_system_font(name) { Vec::new() } else { file(name)? }));
        }
    }
    let mut scripts: Vec<String> = others.into_iter().map(str::to_owned).collect();
    scripts.push(START.to_owned());
    Elements { scripts, program: started(&program, wasm)?, files }.page(packing)
}

/// Names of the parts that only left out chunks load.
fn left_out(read: &dyn Fn(&str) -> io::Result<Vec<u8>>) -> anyhow::Result<BTreeSet<String>> {
    let index: BTreeMap<String, BTreeSet<String>> = match read(PARTS_INDEX) {
        Ok(bytes) => serde_json::from_slice(&bytes).with_context(|| format!("the dashboard's {PARTS_INDEX}"))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => return Err(error).with_context(|| format!("the dashboard's {PARTS_INDEX} cannot be read")),
    };
    let is_needed = |users: &BTreeSet<String>| users.iter().any(|user| !LEFT_OUT.contains(&user.as_str()));
    Ok(index.into_iter().filter(|(_, users)| !is_needed(users)).map(|(name, _)| name).collect())
}

/// The script, made to start the program and to take its address from `start.js`.
fn started(script: &str, wasm: &str) -> anyhow::Result<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let (before, _) = script.split_once(" as default").context("the dashboard's script has no default export")?;
    let init = &before[before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1)..];
    if script.lines().any(|line| line.starts_with("import ") || line.starts_with("import{")) {
        bail!("the dashboard's script needs other scripts");
    }
    Ok(format!(
        "{}\n{init}({{ module_or_path: new URL(\"{wasm}\", document.baseURI) }}).then((wasm) =>\n\
         dispatchEvent(new CustomEvent(\"TrunkApplicationStarted\", {{ detail: {{ wasm }} }})));\n",
        script.replace(".location", ".pageLocation")
    ))
}

impl Elements {
    fn page(&self, packing: PagePacking) -> anyhow::Result<PageParts> {
        let mut scripts = self.scripts.iter().chain([&self.program]);
        if scripts.clone().any(|text| text.contains("</script") || text.contains("<!--")) {
            bail!("a script of the dashboard would end its element");
        }
        let mut sheets = Vec::new();
        for (name, bytes) in self.files.iter().filter(|(name, _)| name.ends_with(".css")) {
            sheets.push(std::str::from_utf8(bytes).with_context(|| format!("the dashboard's {name} is no text"))?);
        }
        let hashes = |texts: &mut dyn Iterator<Item = &str>| -> String {
            texts.map(|text| format!(" '{}'", policy_hash(text))).collect()
        };
        let policy = format!(
            "default-src 'none'; script-src 'wasm-unsafe-eval'{}; style-src{}; img-src data:; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types default",
            hashes(&mut scripts.by_ref().map(String::as_str)),
            hashes(&mut sheets.into_iter()),
        );
        let before = format!(
            "<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<base href=\"/\">\n\
             <meta name=\"task-hub:files\" content=\"\">\n<meta name=\"task-hub:version\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>Task Hub Conversations</title>\n\
             </head>\n<body>\n<noscript>This page needs JavaScript and WebAssembly.</noscript>\n",
            env!("CARGO_PKG_VERSION")
        );
        let index: Vec<(&str, usize)> = self.files.iter().map(|(name, bytes)| (name.as_str(), bytes.len())).collect();
        let index = serde_json::to_string(&index)?.replace('"', "&quot;");
        let files: Vec<&[u8]> = self.files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
        let stream = packing.pack(&files)?;
        let (name, bytes, text) = (packing.as_str(), stream.len(), pack::text_of(&stream));
        let mut after = format!(
            "\n<script type=\"text/plain\" id=\"program\" data-packing=\"{name}\" data-bytes=\"{bytes}\" \
             data-files=\"{index}\">{text}</script>\n"
        );
        for script in &self.scripts {
            after.extend(["<script>", script, "</script>\n"]);
        }
        after.extend(["<script type=\"module\">", &self.program, "</script>\n</body>\n</html>\n"]);
        Ok(PageParts { before, after })
    }
}

/// The text of every script of a page without an address.
pub fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script").skip(1).filter_map(|script| {
        let (tag, rest) = script.split_once('>')?;
        rest.split("</script").next().filter(|_| !tag.contains("src="))
    })
}

/// How a content security policy names an element with this text.
#[must_use]
pub fn policy_hash(text: &str) -> String {
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text)))
}

/// Names of a page's style sheets.
fn style_sheets(html: &str) -> impl Iterator<Item = &str> {
    let links = html.split("<link").skip(1).filter_map(|link| link.split('>').next());
    links.filter(|link| link.contains("stylesheet")).flat_map(|link| names(link, ".css"))
}

/// Names of files with this ending, as texts name them: `./name`.
fn names<'a>(text: &'a str, ending: &'a str) -> impl Iterator<Item = &'a str> {
    text.split("./").skip(1).filter_map(move |rest| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let name = rest.split(|c| !is_part(c)).next().unwrap_or_default();
        (name.ends_with(ending) && !name.contains("..")).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn bundle(program: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write(
            "index.html",
            "<link rel=\"stylesheet\" href=\"./a.css\"><link rel=icon href=./b.svg><script type=importmap>{\"integrity\":{}}</script><script>policy()</script>\
             <script type=\"module\">import init from './hub.js'; init({ module_or_path: './hub_bg.wasm' });</script>",
        );
        write("a.css", "p{}");
        write("late.css", "q{}");
        write("hub.js", program);
        write("hub_bg.wasm", "main");
        write("part-talk.wasm", "talk");
        write("part-both.wasm", "both");
        write(
            "parts.json",
            "{\"part-talk.wasm\":[\"talk\"],\"part-both.wasm\":[\"talk\",\"work\"],\"part-work.wasm\":[\"live\",\"work\"]}",
        );
        folder
    }

    fn page_of(folder: &Path, packing: PagePacking) -> anyhow::Result<PageParts> {
        page(&|name| std::fs::read(folder.join(name)), packing)
    }

    #[test]
    fn page_holds_what_it_can_load() {
        let folder = bundle(
            "function a(b){return b.location}fetch(\"./part-talk.wasm\",{});add(\"./late.css\");\
             add(\"./fonts/f.css\");fetch(\"./part-work.wasm\");fetch(\"./part-both.wasm\");export{a as other,x1 as default};",
        );
        let PageParts { before, after } = page_of(folder.path(), PagePacking::Gzip).expect("a page");
        let (index, rest) = after.split_once("data-files=\"").expect("files").1.split_once("\">").expect("an end");
        let index: Vec<(String, usize)> = serde_json::from_str(&index.replace("&quot;", "\"")).expect("an index");
        let names: Vec<&str> = index.iter().map(|(name, _)| name.as_str()).collect();
        let expected = ["a.css", "late.css", "fonts/f.css", "hub_bg.wasm", "part-talk.wasm", "part-both.wasm"];
        assert_eq!(names, expected, "and no part of other pages");
        let text = rest.split('<').next().unwrap_or_default();
        let size = index.iter().map(|(_, size)| size).sum();
        let files = pack::tests::unpacked(text, PagePacking::Gzip, size);
        assert_eq!(files, b"p{}q{}maintalkboth");
        for sheet in ["p{}", "q{}", ""] {
            assert!(before.contains(&policy_hash(sheet)), "{before}");
        }
        assert!(!after.contains("integrity"), "{after}");
        assert!(after.contains("return b.pageLocation}") && after.contains("\nx1({"), "{after}");
        let policy = before.split("content=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a policy");
        let scripts = inline_scripts(&after).filter(|script| script.contains('('));
        for script in scripts {
            assert!(policy.contains(&policy_hash(script)), "{script}");
        }
    }

    #[test]
    fn inline_scripts_are_hashed_and_others_are_not() {
        let html = "<script src=\"a.js\"></script><script type=module>hello()</script>";
        // From `printf 'hello()' | openssl dgst -sha256 -binary | base64`.
        let hashes: Vec<String> = inline_scripts(html).map(policy_hash).collect();
        assert_eq!(hashes, ["sha256-mTytrf2QssaOZNGNRT1WCtMRd3ocH8LJxQQu5qMUanU="]);
    }

    #[test]
    fn bundle_that_is_written_differently_is_refused() {
        for program in
            ["export{a}", "import {x} from './b.js';\nexport{a as default}", "'</script'; export{a as default}"]
        {
            assert!(page_of(bundle(program).path(), PagePacking::Gzip).is_err(), "{program}");
        }
        assert!(page_of(Path::new("/nowhere"), PagePacking::Gzip).is_err());
    }
}
