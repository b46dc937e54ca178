//! Renamer of the bundle's files by content: each gets a hash of its final content in its name, and references to it
//! are rewritten. Trunk computes its hashes earlier, before wasm-bindgen, the minifier and wasm-opt change the files. A
//! changed file could therefore have an old name, and browsers cache files by these names forever.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use coordination::digest::hex;
use sha2::{Digest, Sha256};

use crate::tree;

/// Renames what Trunk named by hash, leaves first (wasm and styles, then the scripts that name them), and rewrites
/// every mention.
pub fn by_content(staged: &Path) -> Result<()> {
    for ending in ["wasm", "css", "js"] {
        for file in hashed_files(staged, ending)? {
            rename(staged, &file)?;
        }
    }
    Ok(())
}

/// Files at the top of the bundle whose name carries one of Trunk's hashes.
fn hashed_files(staged: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(staged)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_file() && path.extension().is_some_and(|end| end == ending) && hash_in(name).is_some() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The 8 to 16 hex digits between `-` and `.` or `_`: `app-0f3c…_bg.wasm`.
fn hash_in(name: &str) -> Option<&str> {
    name.split(['-', '.', '_'])
        .find(|part| (8..=16).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn rename(staged: &Path, file: &Path) -> Result<()> {
    let name = file.file_name().and_then(|name| name.to_str()).context("a file name is not text")?;
    let Some(old) = hash_in(name) else { return Ok(()) };
    let digest = Sha256::digest(std::fs::read(file)?);
    let new = hex(&digest[..8]);
    let renamed = name.replacen(old, &new, 1);
    std::fs::rename(file, file.with_file_name(&renamed)).with_context(|| format!("cannot rename {name}"))?;
    for mention in tree::files_below(staged, &[])? {
        if mention.extension().is_some_and(|end| ["html", "js", "css", "json", "webmanifest"].iter().any(|e| end == *e))
        {
            let text = std::fs::read_to_string(&mention)?;
            if text.contains(name) {
                std::fs::write(&mention, text.replace(name, &renamed))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{by_content, hash_in};

    #[test]
    fn only_hashes_are_taken_for_hashes() {
        assert_eq!(hash_in("task-hub-0f3c9a1b22d4e6f8_bg.wasm"), Some("0f3c9a1b22d4e6f8"));
        assert_eq!(hash_in("base-1234567890abcdef.css"), Some("1234567890abcdef"));
        assert_eq!(hash_in("manifest.webmanifest"), None);
    }

    #[test]
    fn renamed_files_rename_script_and_page() {
        let dir = std::env::temp_dir().join(format!("task-hub-names-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("temporary folder");
        let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("write");
        write("a-0000000000000001_bg.wasm", "wasm");
        write("a-0000000000000001.js", "load('a-0000000000000001_bg.wasm')");
        write("index.html", "a-0000000000000001.js a-0000000000000001_bg.wasm");
        by_content(&dir).expect("rename");
        let html = std::fs::read_to_string(dir.join("index.html")).expect("page");
        let names: Vec<&str> = html.split(' ').collect();
        let script = std::fs::read_to_string(dir.join(names[0])).expect("the page names the script");
        assert_eq!(script, format!("load('{}')", names[1]));
        assert_ne!(names[0], "a-0000000000000001.js");
        assert!(dir.join(names[1]).is_file());
        std::fs::remove_dir_all(&dir).expect("clean up");
    }
}
