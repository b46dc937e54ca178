//! Installers of Trunk, wasm-bindgen and cargo-fuzz. Each returns the folder to add to `PATH`. Trunk and cargo-fuzz are
//! taken from `PATH` if their version fits, otherwise installed once into the tool cache. wasm-bindgen is built from
//! this workspace.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use super::version_of;
use crate::{clock, shell, tree};

const TRUNK: &str = "0.21.14";
/// Oldest Trunk on `PATH` that is used.
const TRUNK_MIN: (u32, u32) = (0, 21);
const CARGO_FUZZ: &str = "0.13.2";

/// Any fitting Trunk on `PATH`, else a prebuilt one where cargo-binstall is there, else one built from source.
pub(super) fn trunk() -> Result<PathBuf> {
    let on_path = shell::which("trunk").filter(|file| version_of(&version_line(file)) >= Some(TRUNK_MIN));
    if let Some(file) = on_path {
        return Ok(folder(&file));
    }
    cargo_tool("trunk", TRUNK, &["--locked", "--no-default-features", "--features", "rustls"])
}

/// `wasm-bindgen` of this workspace (`crates/page-build`): its version is the one in `Cargo.lock`.
pub(super) fn wasm_bindgen() -> Result<PathBuf> {
    shell::run(shell::cargo().args(["build", "--locked", "--quiet", "-p", "page-build", "--bin", "trunk-bindgen"]))?;
    // Not target/debug itself: everything else there would come before what is on PATH.
    let dir = tree::target()?.join("page/bin");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    std::fs::copy(tree::target()?.join("debug/trunk-bindgen"), dir.join("wasm-bindgen")).context("no wasm-bindgen")?;
    Ok(dir)
}

/// Runs the fuzz targets.
pub(super) fn cargo_fuzz() -> Result<PathBuf> {
    cargo_tool("cargo-fuzz", CARGO_FUZZ, &["--locked"])
}

fn cargo_tool(name: &str, version: &str, flags: &[&str]) -> Result<PathBuf> {
    if let Some(file) = shell::which(name).filter(|file| fits(file, version)) {
        return Ok(folder(&file));
    }
    let dir = tree::tools()?.join(format!("{name}-{version}"));
    let bin = dir.join("bin");
    if fits(&bin.join(name), version) {
        return Ok(bin);
    }
    let start = Instant::now();
    if shell::which("cargo-binstall").is_some()
        && binstall(name, version, &dir).is_ok()
        && fits(&bin.join(name), version)
    {
        return Ok(bin);
    }
    shell::say(&format!("building {name} {version} from source (once; 2 to 5 minutes on two cores)"));
    install(name, version, &dir, flags)?;
    if !fits(&bin.join(name), version) {
        bail!("{name} {version} was built, but {} does not run", bin.join(name).display());
    }
    shell::say(&format!("{name} {version} is there after {}", clock::words(start.elapsed())));
    Ok(bin)
}

/// Fetches a prebuilt program; where there is none, cargo-binstall is not to build it: `install` builds faster.
fn binstall(name: &str, version: &str, dir: &Path) -> Result<()> {
    shell::say(&format!("fetching {name} {version} with cargo-binstall"));
    let mut command = Command::new("cargo");
    command.args(["binstall", "--no-confirm", "--disable-strategies", "compile", "--root"]).arg(dir);
    shell::run(command.arg(format!("{name}@{version}")))
}

fn install(name: &str, version: &str, dir: &Path, flags: &[&str]) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(["install", &format!("{name}@{version}"), "--root"]).arg(dir).args(flags);
    // Build tools need not be fast: unoptimised they are there in a third of the time.
    command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_LTO", "off");
    command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256").env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO").env_remove("CARGO_BUILD_TARGET");
    // Its folder counts as on `PATH`, or cargo would advise to put it there.
    shell::prepend_path(&mut command, &[dir.join("bin")])?;
    // Away from the repository, so that its configuration has no say.
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    shell::run(command.current_dir(dir))
}

fn folder(file: &Path) -> PathBuf {
    file.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn version_line(file: &Path) -> String {
    shell::output(Command::new(file).arg("--version")).unwrap_or_default()
}

fn fits(file: &Path, version: &str) -> bool {
    version_line(file).split_whitespace().any(|word| word == version)
}
