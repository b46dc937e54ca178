//! Paths of the repository, the target folder and the tool cache.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The repository's root, taken from where this crate was compiled.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).to_path_buf()
}

/// Cargo's target folder: this program lies in `<target>/<profile>/`.
pub fn target() -> Result<PathBuf> {
    let exe = std::env::current_exe().context("where is this program?")?;
    let found = exe.ancestors().find(|dir| dir.join("CACHEDIR.TAG").is_file());
    Ok(found.map_or_else(|| root().join("target"), Path::to_path_buf))
}

/// `${XDG_CACHE_HOME:-~/.cache}/task-hub/tools`: build tools, one folder a version, shared by all checkouts.
pub fn tools() -> Result<PathBuf> {
    Ok(cache()?.join("tools"))
}

/// `${XDG_CACHE_HOME:-~/.cache}/task-hub`.
pub fn cache() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .context("neither XDG_CACHE_HOME nor HOME is set, so there is no place for the build tools")?;
    Ok(base.join("task-hub"))
}

/// A short name for a text, such as a lock file: FNV-1a in hexadecimal. Tells versions apart, protects nothing.
pub fn short_id(text: &[u8]) -> String {
    let hash = text
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// All files below `dir`, sorted, without following links; folders named in `skip` are left out.
pub fn files_below(dir: &Path, skip: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            let skipped = entry.file_name().to_str().is_some_and(|name| skip.contains(&name));
            if kind.is_dir() && !skipped {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
