//! Build script of feature `embed`: puts the files of a built dashboard and the OpenAPI document into the program.
//! `TASK_HUB_BUNDLE` names the folder, as `make bundle` leaves it; without it, `dist` of the workspace is taken.
//!
//! A file with a variant packed by brotli is embedded in that variant only, because it is downloaded with the program. For
//! the rare client that does not accept it, the file is unpacked. The part of the page that reads a 1.x monitor is left
//! out: the page inside the program talks to this program.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=TASK_HUB_BUNDLE");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let code = match env::var_os("CARGO_FEATURE_EMBED") {
        Some(_) => {
            tables_of_bundle().map_err(|cause| io::Error::new(cause.kind(), format!("feature embed: {cause}")))?
        }
        None => tables(&[], &[], 0),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    if env::var_os("CARGO_FEATURE_EMBED").is_some() {
        pack_openapi(&out.join("openapi.json.br"))?;
    }
    fs::write(out.join("bundle_files.rs"), code)
}

/// The committed description, packed for `web/openapi/embedded.rs`.
fn pack_openapi(packed: &Path) -> io::Result<()> {
    let document = manifest_folder().join("openapi.json");
    println!("cargo::rerun-if-changed={}", document.display());
    let text = fs::read(&document)
        .map_err(|cause| io::Error::new(cause.kind(), format!("{}: {cause}", document.display())))?;
    let params = brotli::enc::BrotliEncoderParams { size_hint: text.len(), ..Default::default() };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &text[..], &mut out, &params)?;
    fs::write(packed, out)
}

fn manifest_folder() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
}

fn tables_of_bundle() -> io::Result<String> {
    let named = env::var_os("TASK_HUB_BUNDLE").map_or_else(|| manifest_folder().join("../../dist"), PathBuf::from);
    let root = named.canonicalize().map_err(|cause| {
        io::Error::new(cause.kind(), format!("{}: no built dashboard there; make bundle builds it", named.display()))
    })?;
    println!("cargo::rerun-if-changed={}", root.display());
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let named = format!("content={version}");
    let page = fs::read_to_string(root.join("index.html"))?.replace('"', "");
    if !page
        .split('<')
        .any(|tag| tag.contains("task-hub:version") && tag.split([' ', '/', '>', '\n']).any(|word| word == named))
    {
        let what = format!("{}: not a dashboard of version {version}; make bundle builds it", root.display());
        return Err(io::Error::other(what));
    }
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let (mut embedded, mut packed) = (Vec::new(), Vec::new());
    for file in files {
        let name = file.strip_prefix(&root).map_err(io::Error::other)?.to_string_lossy().into_owned();
        match form(&file) {
            EmbeddedForm::AsItIs => embedded.push((name, file)),
            EmbeddedForm::Packed => packed.push((name, fs::metadata(&file)?.len())),
            EmbeddedForm::LeftOut => {}
        }
    }
    Ok(tables(&embedded, &packed, modified(&root.join("index.html"))?))
}

/// Source of the tables that `web/bundle/embedded.rs` includes.
fn tables(embedded: &[(String, PathBuf)], packed: &[(String, u64)], modified_seconds: u64) -> String {
    let rows = |rows: Vec<String>| rows.join("");
    let embedded = embedded.iter().map(|(name, file)| format!("    ({name:?}, include_bytes!({file:?})),\n")).collect();
    let packed = packed.iter().map(|(name, bytes)| format!("    ({name:?}, {bytes}),\n")).collect();
    format!(
        "static FILES: &[(&str, &[u8])] = &[\n{}];\n\
         /// Files that are embedded only packed, and their length unpacked.\n\
         static PACKED: &[(&str, u64)] = &[\n{}];\n\
         const MODIFIED_SECONDS: u64 = {modified_seconds};\n",
        rows(embedded),
        rows(packed)
    )
}

/// Seconds since 1970, for `Last-Modified` and the tags of the files: `SOURCE_DATE_EPOCH` where the same source has to
/// give the same program, the time of the page otherwise.
fn modified(page: &Path) -> io::Result<u64> {
    let fixed = env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let written = || fs::metadata(page)?.modified()?.duration_since(UNIX_EPOCH).map_err(io::Error::other);
    fixed.map_or_else(|| written().map(|time| time.as_secs()), Ok)
}

/// How a file of the bundle gets into the program.
enum EmbeddedForm {
    AsItIs,
    /// Only its variant packed by brotli.
    Packed,
    LeftOut,
}

fn form(file: &Path) -> EmbeddedForm {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let has_packed = || file.with_file_name(format!("{name}.br")).exists();
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("zst" | "gz") => EmbeddedForm::LeftOut,
        _ if name.starts_with("part-compat-") => EmbeddedForm::LeftOut,
        // The page is filled in at run time.
        Some("br") if name == "index.html.br" => EmbeddedForm::LeftOut,
        _ if name != "index.html" && has_packed() => EmbeddedForm::Packed,
        _ => EmbeddedForm::AsItIs,
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
