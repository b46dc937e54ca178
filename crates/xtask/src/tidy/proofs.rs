//! Generator of `docs/PROOFS.md`: one row per claim, with its file and the command that runs it. A claim is a paragraph
//! `Proves (group): …` in the header comment of a test. Each soak of `crates/devtools/src/soak.rs` is a claim too.
//!
//! A claim may end with "See also: `path`, …." and "Long form: `command`.". The check compares the file with the
//! generator's output. It also reports groups, paths and soaks that do not exist.

use std::path::Path;

use anyhow::{Context, Result};

use super::File;

const PAGE: &str = "docs/PROOFS.md";
const SOAKS: &str = "crates/devtools/src/soak.rs";
const SOAK: &str = "make soak ARGS=";

/// Tag of each group and its heading, in the order of the page.
const GROUPS: [(&str, &str); 21] = [
    ("log", "Log reading"),
    ("transcripts", "Stored sessions and transcripts"),
    ("claude-code", "Claude Code, Codex and the event schema"),
    ("delivery", "Delivery"),
    ("work", "Home, agents, tasks and delegations"),
    ("categories", "Categories"),
    ("shared", "Notes, resolved marks and views for everybody"),
    ("search", "Search and filters"),
    ("live", "Live updates"),
    ("reading", "Threads, sessions and the flow"),
    ("past", "Past moments"),
    ("local", "Files opened on the page"),
    ("evidence", "Evidence files"),
    ("page", "Navigation, keyboard and layout"),
    ("text", "Texts"),
    ("api", "REST API and compatibility"),
    ("gateway", "Messages to agents"),
    ("fleet", "Fleets of machines"),
    ("security", "Security"),
    ("speed", "Size and speed"),
    ("build", "Build and repository"),
];

const INTRO: &str = "\
<!-- Made by `cargo run -p xtask -- proofs` from the `Proves` paragraphs of the tests. Edit those. -->

# Proofs

Each row is a claim, the test that proves it, and the command that runs the test. The claims are in the headers of the
tests. Security promises and their commands are in [SECURITY.md](../SECURITY.md), measured figures in
[benchmarks.md](benchmarks.md).

`make test` runs all native tests and one or two browser tests per capability. `make test-full` runs every browser test.
";

/// One claim as its file states it.
struct Claim<'a> {
    file: &'a File,
    line: usize,
    group: &'a str,
    text: String,
    see_also: Vec<String>,
    long_forms: Vec<String>,
}

/// Writes the page.
pub fn write(root: &Path) -> Result<()> {
    let files = super::files(root)?;
    std::fs::write(root.join(PAGE), page(&files)).with_context(|| format!("cannot write {PAGE}"))
}

pub(super) fn check(files: &[File]) -> Vec<String> {
    let Some(written) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let mut found = Vec::new();
    let soaks: Vec<String> = soaks(files).into_iter().map(|(name, _)| format!("{SOAK}{name}")).collect();
    for claim in files.iter().flat_map(claims) {
        let mut error = |what: &str| found.push(claim.file.error(claim.line, what));
        if !GROUPS.iter().any(|(tag, _)| *tag == claim.group) {
            error(&format!("a claim of no known group: `{}` (xtask, tidy/proofs.rs)", claim.group));
        }
        if claim.text.is_empty() || !claim.text.ends_with('.') {
            error("a claim is one or more whole sentences");
        }
        for path in claim.see_also.iter().filter(|path| !exists(path, files)) {
            error(&format!("no such proof: `{path}`"));
        }
        for command in claim.long_forms.iter().filter(|command| command.starts_with(SOAK) && !soaks.contains(command)) {
            error(&format!("no such soak: `{command}`"));
        }
    }
    for spec in files.iter().filter(|file| file.path.starts_with("e2e/specs/") && claims(file).is_empty()) {
        found.push(spec.error(0, "a spec without a claim: a paragraph `// Proves (group): …` in its header"));
    }
    if written.text != page(files) {
        found.push(written.error(0, "not what the tests claim: cargo run -p xtask -- proofs"));
    }
    found
}

pub(super) fn page(files: &[File]) -> String {
    let claims: Vec<Claim> = files.iter().flat_map(claims).collect();
    let mut page = INTRO.to_owned();
    for (tag, heading) in GROUPS {
        let rows: Vec<&Claim> = claims.iter().filter(|claim| claim.group == tag).collect();
        if rows.is_empty() {
            continue;
        }
        page.push_str(&format!("\n## {heading}\n\n| claim | proof | command |\n|---|---|---|\n"));
        for claim in rows {
            let links: Vec<String> =
                std::iter::once(&claim.file.path).chain(&claim.see_also).map(|path| link(path)).collect();
            let commands: Vec<String> = command(&claim.file.path)
                .into_iter()
                .chain(claim.long_forms.iter().cloned())
                .map(|command| format!("`{command}`"))
                .collect();
            let text = claim.text.replace('|', "\\|");
            page.push_str(&format!("| {text} | {} | {} |\n", links.join(", "), commands.join(", ")));
        }
    }
    page.push_str("\n## Long runs\n\n| claim | command |\n|---|---|\n");
    for (name, claim) in soaks(files) {
        page.push_str(&format!("| {} | `{SOAK}{name}` |\n", sentence(claim)));
    }
    page
}

/// The claims in a file's header comment.
fn claims(file: &File) -> Vec<Claim<'_>> {
    let mark = match file.path.rsplit('.').next() {
        Some("rs") => "//!",
        Some("mjs") => "//",
        _ => return Vec::new(),
    };
    let header: Vec<&str> = file.text.lines().map_while(|line| line.strip_prefix(mark)).map(str::trim).collect();
    let mut claims = Vec::new();
    for (line, begin) in header.iter().enumerate() {
        let Some((group, first)) = begin.strip_prefix("Proves (").and_then(|rest| rest.split_once("):")) else {
            continue;
        };
        let more = header[line + 1..].iter().take_while(|more| !more.is_empty() && !more.starts_with("Proves ("));
        let text: Vec<&str> = std::iter::once(first.trim()).chain(more.copied()).collect();
        let text = text.join(" ");
        let (text, long_forms) = split_list(&text, "Long form:");
        let (text, see_also) = split_list(text, "See also:");
        claims.push(Claim { file, line, group, text: text.to_owned(), see_also, long_forms });
    }
    claims
}

/// The text before `label`, and what is in backticks after it.
fn split_list<'a>(text: &'a str, label: &str) -> (&'a str, Vec<String>) {
    let (text, list) = text.split_once(label).unwrap_or((text, ""));
    (text.trim(), list.split('`').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Names and claims of the soaks, as their table has them.
fn soaks(files: &[File]) -> Vec<(&str, &str)> {
    let Some(file) = files.iter().find(|file| file.path == SOAKS) else { return Vec::new() };
    let quoted = |proof: &'_ str, field: &str| -> Option<std::ops::Range<usize>> {
        let start = proof.find(field)? + field.len();
        Some(start..start + proof[start..].find('"')?)
    };
    let proofs = file.text.split("Proof {").skip(1);
    proofs.filter_map(|proof| Some((&proof[quoted(proof, "name: \"")?], &proof[quoted(proof, "claim: \"")?]))).collect()
}

fn sentence(claim: &str) -> String {
    let mut letters = claim.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn link(path: &str) -> String {
    let name = match path.strip_prefix("e2e/specs/") {
        Some(spec) => spec,
        None => path.strip_prefix("crates/").unwrap_or(path),
    };
    format!("[{name}](../{path})")
}

fn exists(path: &str, files: &[File]) -> bool {
    let folder = format!("{}/", path.trim_end_matches('/'));
    files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
}

/// The command that runs the tests of one file.
pub(super) fn command(path: &str) -> Option<String> {
    if let Some(spec) = path.strip_prefix("e2e/specs/") {
        return Some(format!("make e2e ARGS={}", spec.strip_suffix(".spec.mjs")?));
    }
    for (folder, command) in [
        ("e2e/openclaw/", "make test-openclaw"),
        ("e2e/claude-code/", "make test-claude-code"),
        ("e2e/codex/", "make test-codex"),
        ("e2e/engines/", "make test-full"),
        ("e2e/soak/nginx", "make soak ARGS=nginx"),
        ("crates/bench/src/main.rs", "make bench"),
    ] {
        if path.starts_with(folder) {
            return Some(command.to_owned());
        }
    }
    let (folder, file) = match path.strip_prefix("crates/") {
        Some(rest) => rest.split_once('/')?,
        None => ("task-hub", path),
    };
    let package = match folder {
        "monitor" => "task-monitor".to_owned(),
        // The plain names belong to others on crates.io.
        "classifier" | "hangul" | "protocol" => format!("task-hub-{folder}"),
        _ => folder.to_owned(),
    };
    let file = file.strip_suffix(".rs")?;
    if folder == "devtools" {
        // A soak below `soak/` has its long form only.
        let command = file.strip_prefix("src/").filter(|command| !command.contains('/'))?;
        return Some(format!("cargo run -p devtools -- {command}"));
    }
    let module = |file: &str| file.trim_end_matches("/mod").replace('/', "::");
    if let Some(test) = file.strip_prefix("tests/it/") {
        return Some(match test {
            "main" => format!("cargo test -p {package} --test it"),
            test => format!("cargo test -p {package} --test it {}", module(test)),
        });
    }
    if let Some(test) = file.strip_prefix("tests/") {
        return Some(format!("cargo test -p {package} --test {test}"));
    }
    let lib = if matches!(folder, "task-hub" | "page-build") { "" } else { " --lib" };
    file.strip_prefix("src/").map(|file| format!("cargo test -p {package}{lib} {}", module(file)))
}
