//! Build script of feature `embed`: puts the files of a built dashboard into the program. `TASK_HUB_BUNDLE` names the
//! folder, as `make bundle` leaves it; without it, `dist` of the workspace is taken.
//!
//! A file with a variant packed by brotli is embedded in that variant only, because it is downloaded with the program. For
//! the rare client that does not accept it, the file is unpacked.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=TASK_HUB_BUNDLE");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    if env::var_os("CARGO_FEATURE_EMBED").is_none() {
        return Ok(());
    }
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let named = env::var_os("TASK_HUB_BUNDLE").map_or_else(|| manifest.join("../../dist"), PathBuf::from);
    let root = named.canonicalize().map_err(|cause| {
        io::Error::new(cause.kind(), format!("{}: no built dashboard there; make bundle builds it", named.display()))
    })?;
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut code = String::from("static FILES: &[(&str, &[u8])] = &[\n");
    for path in files.iter().filter(|path| is_embedded(path)) {
        let below = path.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy();
        writeln!(code, "    ({below:?}, include_bytes!({:?})),", path.to_string_lossy()).map_err(io::Error::other)?;
    }
    code.push_str(
        "];\n/// Files that are embedded only packed, and their length unpacked.\nstatic PACKED: &[(&str, u64)] = &[\n",
    );
    for path in
        files.iter().filter(|path| !is_embedded(path) && path.extension().is_none_or(|it| it != "zst" && it != "gz"))
    {
        let below = path.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy();
        writeln!(code, "    ({below:?}, {}),", fs::metadata(path)?.len()).map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let modified = modified(&root.join("index.html"))?;
    writeln!(code, "const MODIFIED_SECONDS: u64 = {modified};").map_err(io::Error::other)?;
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("bundle_files.rs"), code)
}

/// Seconds since 1970, for `Last-Modified` and the tags of the files: `SOURCE_DATE_EPOCH` where the same source has to
/// give the same program, the time of the page otherwise.
fn modified(page: &Path) -> io::Result<u64> {
    let fixed = env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let written = || fs::metadata(page)?.modified()?.duration_since(UNIX_EPOCH).map_err(io::Error::other);
    fixed.map_or_else(|| written().map(|time| time.as_secs()), Ok)
}

/// The page itself is filled in at run time, so it is embedded as it is.
fn is_embedded(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = |ending: &str| path.with_file_name(format!("{name}{ending}")).exists();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("zst" | "gz") => false,
        Some("br") => name != "index.html.br",
        _ => name == "index.html" || !packed(".br"),
    }
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
