//! Build script that embeds the files of the demo home into the crate: the fixtures `everything` and `demo`. A built
//! program can therefore write the demo home without the `fixtures/` folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut code = String::new();
    for (name, folder) in [("FILES", "everything"), ("ADDED", "demo")] {
        let root = manifest.join("../../fixtures").join(folder).canonicalize()?;
        println!("cargo::rerun-if-changed={}", root.display());
        let mut files = Vec::new();
        collect(&root, &mut files)?;
        files.sort();
        writeln!(code, "pub(super) static {name}: &[(&str, &str)] = &[").map_err(io::Error::other)?;
        for path in files {
            let below = path.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().into_owned();
            writeln!(code, "    ({below:?}, include_str!({:?})),", path.to_string_lossy()).map_err(io::Error::other)?;
        }
        code.push_str("];\n");
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("demo_files.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
