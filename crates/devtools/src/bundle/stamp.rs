//! Up-to-date check of `dist/`: one digest over sources, compiler version and compiler flags, one over the output. It
//! compares contents, not times, because a checkout or a copy changes times.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use coordination::digest::hex;
use sha2::{Digest, Sha256};

use super::flags;
use crate::{shell, tree};
use xtask::setup::BundleTools;

/// What the bundle is made of, its own build included.
const SOURCES: [&str; 23] = [
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "crates/agent-events",
    "crates/classifier",
    "crates/coordination",
    "crates/coordination-log",
    "crates/devtools/src/bundle",
    "crates/devtools/src/bundle.rs",
    "crates/evidence-page",
    "crates/hangul",
    "crates/local-monitor",
    "crates/message-text",
    "crates/page-build",
    "crates/panic-isolation",
    "crates/protocol",
    "crates/safe-markdown",
    "crates/search",
    "crates/transcripts",
    "index.html",
    "public",
    "src",
    "style",
];

/// Digest of the sources, the compiler and its flags.
pub fn inputs(tools: &BundleTools) -> Result<String> {
    let mut digest = Sha256::new();
    for source in SOURCES {
        feed(&mut digest, &tree::root(), &tree::root().join(source))?;
    }
    let compiler = shell::output(tools.command("rustc")?.arg("-vV")).unwrap_or_default();
    for text in flags::RUSTFLAGS.into_iter().chain([compiler.as_str()]) {
        part(&mut digest, text.as_bytes());
    }
    Ok(hex(&digest.finalize()))
}

/// True when `dist` is what the last build left, and that build had these inputs.
pub fn holds(inputs: &str, dist: &Path) -> bool {
    let Ok(stamp) = file().and_then(|file| Ok(std::fs::read_to_string(file)?)) else { return false };
    output(dist).is_ok_and(|output| stamp == format!("{inputs} {output}\n"))
}

/// Notes what `dist` was made from.
pub fn set(inputs: &str, dist: &Path) -> Result<()> {
    let file = file()?;
    std::fs::write(&file, format!("{inputs} {}\n", output(dist)?))
        .with_context(|| format!("cannot write {}", file.display()))
}

fn file() -> Result<PathBuf> {
    Ok(tree::target()?.join("bundle.stamp"))
}

fn output(dist: &Path) -> Result<String> {
    let mut digest = Sha256::new();
    feed(&mut digest, dist, dist)?;
    Ok(hex(&digest.finalize()))
}

/// Names below `base` and contents of one file or of all files of a folder.
fn feed(digest: &mut Sha256, base: &Path, source: &Path) -> Result<()> {
    let files = if source.is_dir() { tree::files_below(source, &[])? } else { vec![source.to_path_buf()] };
    for file in files {
        part(digest, file.strip_prefix(base)?.as_os_str().as_encoded_bytes());
        part(digest, &std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?);
    }
    Ok(())
}

/// Each part with its length, so that no two lists of parts run together into the same bytes.
fn part(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::{SOURCES, output};
    use crate::shell;

    /// A bundle that is older than one of its crates would pass for a new one.
    #[test]
    fn sources_name_every_crate_of_the_page() {
        let mut tree = shell::cargo();
        tree.args(["tree", "--locked", "--offline", "-p", "task-hub", "-e", "normal", "--prefix", "none"]);
        let tree = shell::output(&mut tree).expect("cargo lists the crates");
        let crates = tree.lines().filter_map(|line| line.split_once("/crates/")?.1.split([')', ' ']).next());
        let missing = crates.filter(|name| !SOURCES.contains(&format!("crates/{name}").as_str()));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn folder_stamp_covers_names_and_contents() {
        let dir = std::env::temp_dir().join(format!("task-hub-stamp-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("temporary folder");
        let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("write");
        let digest = || output(&dir).expect("digest");
        write("a", "1");
        let first = digest();
        write("a", "2");
        assert_ne!(digest(), first, "other contents");
        write("a", "1");
        assert_eq!(digest(), first, "the same again");
        write("b", "");
        assert_ne!(digest(), first, "one file more");
        std::fs::remove_dir_all(&dir).expect("clean up");
    }
}
