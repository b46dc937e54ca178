//! Checks of the repository's structure and style: headers, imports, names, words, colours, links, citations, proofs
//! and more. `cargo test` runs them over the whole tree.

mod arrows;
mod citations;
mod contrast;
mod documents;
mod glossary;
mod headers;
mod manifests;
mod places;
mod promises;
pub mod proofs;
mod rust;
mod sinks;
mod source;
mod style;
#[cfg(test)]
mod tests;
mod text;
mod type_names;
mod words;

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{shell, tree};

/// The crates that server and page share: bytes and a given `now` in, values out.
const PURE: [&str; 10] = [
    "agent-events",
    "classifier",
    "coordination",
    "coordination-log",
    "hangul",
    "message-text",
    "protocol",
    "safe-markdown",
    "search",
    "transcripts",
];

/// A file of the repository, as the rules see it.
pub struct File {
    /// Path relative to the root, with `/`.
    pub path: String,
    pub text: String,
}

impl File {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Test code: integration tests, `tests.rs`, `*_tests.rs`, anything below a `tests/` folder.
    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        self.path.contains("/tests/") || name == "tests.rs" || name.ends_with("_tests.rs")
    }

    fn error(&self, line: usize, what: &str) -> String {
        format!("{}:{}: {what}", self.path, line + 1)
    }
}

/// Prints every violation.
pub fn run() -> Result<()> {
    let found = violations(&tree::root())?;
    for violation in &found {
        println!("{violation}");
    }
    if found.is_empty() {
        shell::say("tidy: nothing to complain about");
        return Ok(());
    }
    bail!("tidy: {} violation(s)", found.len())
}

/// All violations of all rules in the repository at `root`.
pub fn violations(root: &Path) -> Result<Vec<String>> {
    let files = files(root)?;
    let mut found = Vec::new();
    for file in &files {
        found.extend(rust::check(file));
        found.extend(headers::check(file));
        found.extend(places::check(file));
        found.extend(text::check(file));
        found.extend(sinks::check(file));
        found.extend(style::check(file));
        found.extend(manifests::check(file));
        found.extend(words::check(file));
    }
    found.extend(arrows::check(&files));
    found.extend(manifests::crates_inherit_lints(&files));
    found.extend(promises::check(&files));
    found.extend(promises::check_soaks(&files));
    found.extend(proofs::check(&files));
    found.extend(citations::check(&files));
    found.extend(documents::check(&files));
    found.extend(glossary::check(&files));
    found.extend(contrast::check(&files));
    found.extend(type_names::check(&files));
    Ok(found)
}

/// What git would take, read from disk; pictures and other binaries are left out.
fn files(root: &Path) -> Result<Vec<File>> {
    let skip = ["target", "dist", "node_modules", ".git", ".next", "tmp", "dist.old", "dist.new", ".work"];
    let endings = [
        "rs", "toml", "css", "html", "md", "mjs", "js", "jsx", "ts", "tsx", "json", "sh", "yml", "yaml", "run", "lock",
    ];
    let mut files = Vec::new();
    for path in tree::files_below(root, &skip)? {
        let relative = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        // The Next.js host's copy of the built bundle.
        if relative.starts_with("e2e/next-host/public/") {
            continue;
        }
        let ending = relative.rsplit(['.', '/']).next().unwrap_or_default();
        if endings.contains(&ending) || relative == "Makefile" || relative.ends_with(".npmrc") {
            let text = std::fs::read_to_string(&path).with_context(|| format!("{relative} is not UTF-8"))?;
            files.push(File { path: relative, text });
        }
    }
    Ok(files)
}
