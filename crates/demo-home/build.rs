//! Build script that embeds the files of the demo home into the crate: the fixtures `everything` and `demo`, and the
//! hooks of a Claude Code team. A built program can therefore write the demo home without the `fixtures/` folder. The
//! texts are packed together by brotli, an eighth of their size, because they are downloaded with the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // Links to the fixtures of the checkout; a packaged crate has the files themselves.
    let fixtures = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("fixtures");
    let (mut code, mut texts) = (String::new(), Vec::new());
    for (name, below) in [("FILES", "everything"), ("ADDED", "demo"), ("TEAM", "claude-code/team.ndjson")] {
        let root = fixtures.join(below).canonicalize()?;
        println!("cargo::rerun-if-changed={}", root.display());
        let mut files = Vec::new();
        collect(&root, &mut files)?;
        files.sort();
        writeln!(code, "const {name}: &[(&str, usize)] = &[").map_err(io::Error::other)?;
        for path in files {
            let below = path.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().into_owned();
            let text = fs::read_to_string(&path)?;
            writeln!(code, "    ({below:?}, {}),", text.len()).map_err(io::Error::other)?;
            texts.extend(text.into_bytes());
        }
        code.push_str("];\n");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("demo_files.rs"), code)?;
    let params = brotli::enc::BrotliEncoderParams { lgwin: 22, size_hint: texts.len(), ..Default::default() };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &texts[..], &mut packed, &params)?;
    fs::write(out.join("demo_files.br"), packed)
}

/// The files below a folder, or the one file.
fn collect(place: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if place.is_file() {
        files.push(place.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(place)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}
