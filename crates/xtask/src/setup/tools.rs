//! Trunk, wasm-bindgen, wasm-opt and esbuild: from `PATH` when the version fits, else built or fetched once into the cache.
//! Each function answers with the folder to put on `PATH`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::node;
use crate::{clock, shell, tree};

const TRUNK: &str = "0.21.14";
const BINARYEN: &str = "132";
const ESBUILD: &str = "0.28.2";
const CARGO_FUZZ: &str = "0.13.2";

pub fn trunk() -> Result<PathBuf> {
    cargo_tool("trunk", "trunk", TRUNK, &["--locked", "--no-default-features", "--features", "rustls"], &[])
}

/// The version must equal the library's in `Cargo.lock`: the two speak a private format.
pub fn wasm_bindgen() -> Result<PathBuf> {
    let version = locked_version("wasm-bindgen")?;
    // Its own lock file can name crate versions that a registry mirror does not serve: it is only the second try.
    cargo_tool("wasm-bindgen", "wasm-bindgen-cli", &version, &[], &["--locked"])
}

pub fn wasm_opt() -> Result<PathBuf> {
    let fits =
        |says: &str| says.contains(&format!("version_{BINARYEN}")) || says.contains(&format!("version {BINARYEN}"));
    npm_tool("wasm-opt", "binaryen", BINARYEN, fits)
}

/// Joins and minifies scripts and style sheets.
pub fn esbuild() -> Result<PathBuf> {
    npm_tool("esbuild", "esbuild", ESBUILD, |says| says == ESBUILD)
}

/// Runs the fuzz targets.
pub fn cargo_fuzz() -> Result<PathBuf> {
    cargo_tool("cargo-fuzz", "cargo-fuzz", CARGO_FUZZ, &["--locked"], &[])
}

fn npm_tool(program: &str, package: &str, version: &str, fits: impl Fn(&str) -> bool) -> Result<PathBuf> {
    let folder = |file: &Path| file.parent().map(Path::to_path_buf).unwrap_or_default();
    if let Some(file) = shell::which(program) {
        let says = shell::output(Command::new(&file).arg("--version")).unwrap_or_default();
        if fits(&says) {
            return Ok(folder(&file));
        }
    }
    let dir = tree::tools()?.join(format!("{package}-{version}"));
    let bin = dir.join("node_modules/.bin");
    if !bin.join(program).exists() {
        shell::say(&format!("fetching {program} ({package} {version})"));
        node::install_into(&dir, &format!("{package}@{version}"))?;
    }
    if !bin.join(program).exists() {
        bail!("npm brought {package} {version}, but no {program} is in {}", bin.display());
    }
    Ok(bin)
}

fn cargo_tool(program: &str, package: &str, version: &str, first: &[&str], second: &[&str]) -> Result<PathBuf> {
    if let Some(file) = shell::which(program).filter(|file| fits(file, version)) {
        return Ok(file.parent().map(Path::to_path_buf).unwrap_or_default());
    }
    let name = package.strip_suffix("-cli").unwrap_or(package);
    let dir = tree::tools()?.join(format!("{name}-{version}"));
    let bin = dir.join("bin");
    if fits(&bin.join(program), version) {
        return Ok(bin);
    }
    let start = Instant::now();
    shell::say(&format!("building {package} {version} (once; 2 to 5 minutes on two cores)"));
    if install(package, version, &dir, first).is_err() {
        shell::say(&format!("building {package} {version} again, the other way round"));
        install(package, version, &dir, second)?;
    }
    if !fits(&bin.join(program), version) {
        bail!("{package} {version} was built, but {} does not run", bin.join(program).display());
    }
    shell::say(&format!("{package} {version} is there after {}", clock::words(start.elapsed())));
    Ok(bin)
}

fn install(package: &str, version: &str, dir: &Path, flags: &[&str]) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(["install", &format!("{package}@{version}"), "--root"]).arg(dir).args(flags);
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

fn fits(file: &Path, version: &str) -> bool {
    let says = shell::output(Command::new(file).arg("--version")).unwrap_or_default();
    says.split_whitespace().any(|word| word == version)
}

/// The version of a package in `Cargo.lock`.
fn locked_version(package: &str) -> Result<String> {
    let lock = std::fs::read_to_string(tree::root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    version_in(&lock, package).with_context(|| format!("Cargo.lock does not hold {package}"))
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn the_locked_version_is_that_of_exactly_this_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.9\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in(lock, "trunk"), None);
    }
}
