//! Page around an evidence file: one HTML file with the dashboard inside, which shows the lines from a disk, without a
//! server or a network.
//!
//! It is made of the files of the bundle: style sheets and the script become elements of the page, and the parts of the
//! wasm lie in it packed. `start.js` takes the place of the server.

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coordination::evidence::PageParts;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::bundle::{self, inline_scripts, policy_hash};

const START: &str = include_str!("evidence_page/start.js");

/// Parts of the program that only a monitor needs: its live link, and the reader of old ones.
const PARTS_OF_LINKS: [&str; 2] = ["part-live-", "part-compat-"];

/// Elements of the program and the start, in this order behind the lines.
struct Elements {
    styles: Vec<(String, String)>,
    /// Scripts that run before the program.
    scripts: Vec<String>,
    program: String,
    /// Names and packed bytes.
    parts: Vec<(String, String)>,
}

/// The page of the bundle in this folder, or of the one inside the program.
///
/// # Errors
/// When there is no bundle, or it is written in another way than expected.
pub(crate) fn page(folder: Option<&Path>) -> anyhow::Result<PageParts> {
    let text = |name: &str| -> anyhow::Result<String> {
        let bytes = bundle::read(folder, name).with_context(|| format!("the dashboard's {name} cannot be read"))?;
        Ok(String::from_utf8(bytes)?)
    };
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
    let sheet = |name: &str| if name.starts_with("fonts/") { Ok(String::new()) } else { text(name) };
    let styles = sheets.map(|name| Ok((format!("./{name}"), sheet(name)?))).collect::<anyhow::Result<_>>()?;
    let mut parts = Vec::new();
    let is_needed = |name: &&str| !PARTS_OF_LINKS.iter().any(|part| name.starts_with(part));
    for name in std::iter::once(wasm).chain(names(&program, ".wasm")).filter(is_needed) {
        if !parts.iter().any(|(known, _)| known == name) {
            let bytes = bundle::read(folder, name).with_context(|| format!("the dashboard's {name} cannot be read"))?;
            parts.push((name.to_owned(), packed(&bytes)?));
        }
    }
    let mut scripts: Vec<String> = others.into_iter().map(str::to_owned).collect();
    scripts.push(START.to_owned());
    let elements = Elements { styles, scripts, program: started(&program, wasm)?, parts };
    elements.page()
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
    fn page(&self) -> anyhow::Result<PageParts> {
        let texts = self.scripts.iter().chain([&self.program]).chain(self.styles.iter().map(|(_, text)| text));
        if texts.clone().any(|text| text.contains("</script") || text.contains("<!--") || text.contains("</style")) {
            bail!("a script or style sheet of the dashboard would end its element");
        }
        let hashes = |texts: &mut dyn Iterator<Item = &String>| -> String {
            texts.map(|text| format!(" '{}'", policy_hash(text))).collect()
        };
        let policy = format!(
            "default-src 'none'; script-src 'wasm-unsafe-eval'{}; style-src{}; img-src data:; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types default",
            hashes(&mut self.scripts.iter().chain([&self.program])),
            hashes(&mut self.styles.iter().map(|(_, text)| text)),
        );
        let mut before = format!(
            "<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<base href=\"/\">\n\
             <meta name=\"task-hub:files\" content=\"\">\n<meta name=\"task-hub:version\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>Task Hub Conversations</title>\n",
            env!("CARGO_PKG_VERSION")
        );
        for (name, text) in &self.styles {
            before.extend([&format!("<style data-href=\"{name}\">"), text.as_str(), "</style>\n"]);
        }
        before.push_str("</head>\n<body>\n<noscript>This page needs JavaScript and WebAssembly.</noscript>\n");
        let mut after = "\n".to_owned();
        for (name, packed) in &self.parts {
            after.extend([&format!("<script type=\"text/plain\" id=\"part:{name}\">"), packed.as_str(), "</script>\n"]);
        }
        for script in &self.scripts {
            after.extend(["<script>", script, "</script>\n"]);
        }
        after.extend(["<script type=\"module\">", &self.program, "</script>\n</body>\n</html>\n"]);
        Ok(PageParts { before, after })
    }
}

fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
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
        folder
    }

    #[test]
    fn page_holds_the_whole_bundle() {
        let folder = bundle(
            "function a(b){return b.location}fetch(\"./part-talk.wasm\",{});add(\"./late.css\");\
             add(\"./fonts/f.css\");fetch(\"./part-compat-0.wasm\");export{a as other,x1 as default};",
        );
        let PageParts { before, after } = page(Some(folder.path())).expect("a page");
        for style in ["data-href=\"./a.css\">p{}<", "data-href=\"./late.css\">q{}<", "data-href=\"./fonts/f.css\"><"] {
            assert!(before.contains(style), "{before}");
        }
        for part in ["hub_bg.wasm", "part-talk.wasm"] {
            assert_eq!(after.matches(&format!("id=\"part:{part}\">")).count(), 1, "{after}");
        }
        assert!(!after.contains("integrity"), "{after}");
        assert!(!after.contains("part:part-compat"), "there is no monitor");
        assert!(after.contains("return b.pageLocation}") && after.contains("\nx1({"), "{after}");
        let policy = before.split("content=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a policy");
        let scripts = inline_scripts(&after).filter(|script| script.contains('('));
        for script in scripts {
            assert!(policy.contains(&policy_hash(script)), "{script}");
        }
    }

    #[test]
    fn bundle_that_is_written_differently_is_refused() {
        for program in
            ["export{a}", "import {x} from './b.js';\nexport{a as default}", "'</script'; export{a as default}"]
        {
            assert!(page(Some(bundle(program).path())).is_err(), "{program}");
        }
        assert!(page(Some(Path::new("/nowhere"))).is_err());
    }
}
