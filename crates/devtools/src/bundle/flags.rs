//! Compiler flags of the bundle, and the check that the bundle names no path of the build machine.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::tree;

/// The split needs to know which bytes of the wasm are addresses. Views have their types erased: each view's type is
/// otherwise compiled again wherever it is nested, which makes the wasm several times larger and the build several
/// times slower (measured: docs/internals.md, "Build").
pub const RUSTFLAGS: [&str; 3] = ["--cfg", "erase_components", "-Clink-arg=--emit-relocs"];

/// For `CARGO_ENCODED_RUSTFLAGS`: the flags, and short names for the folders of this machine that panics would name.
pub fn encoded() -> Result<String> {
    let mut flags: Vec<String> = RUSTFLAGS.map(str::to_owned).to_vec();
    for folder in sources()? {
        flags.push(format!("--remap-path-prefix={}=", folder.display()));
    }
    Ok(flags.join("\u{1f}"))
}

/// Fails when a file of the bundle names a folder of this machine: a visitor of the page could read who built it.
pub fn is_silent(staged: &Path) -> Result<()> {
    let folders = [cargo_home()?, tree::root()].map(|folder| folder.display().to_string());
    for file in tree::files_below(staged, &[])? {
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        if let Some(folder) = folders.iter().find(|folder| holds(&bytes, folder.as_bytes())) {
            bail!("{} names {folder}, a folder of this machine", file.display());
        }
    }
    Ok(())
}

/// Where sources of crates and of the program lie.
fn sources() -> Result<Vec<PathBuf>> {
    let registries = cargo_home()?.join("registry/src");
    let mut folders = vec![tree::root()];
    if let Ok(entries) = std::fs::read_dir(registries) {
        folders.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    folders.sort();
    Ok(folders)
}

fn cargo_home() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CARGO_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cargo")))
        .context("neither CARGO_HOME nor HOME is set")
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::{cargo_home, encoded, is_silent};

    #[test]
    fn the_folders_of_this_machine_get_short_names() {
        let flags = encoded().expect("flags");
        assert!(flags.split('\u{1f}').any(|flag| flag.starts_with("--remap-path-prefix=") && flag.ends_with('=')));
    }

    #[test]
    fn bundle_naming_local_folder_is_refused() {
        let dir = std::env::temp_dir().join(format!("task-hub-silent-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("temporary folder");
        std::fs::write(dir.join("a.wasm"), b"panicked at src/lib.rs").expect("write");
        assert!(is_silent(&dir).is_ok());
        let text = format!("panicked at {}/registry/src/a/lib.rs", cargo_home().expect("home").display());
        std::fs::write(dir.join("b.wasm"), text).expect("write");
        assert!(is_silent(&dir).is_err());
        std::fs::remove_dir_all(&dir).expect("clean up");
    }
}
