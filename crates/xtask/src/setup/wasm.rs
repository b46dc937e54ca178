//! Set-up of a Rust compiler for wasm32: the installed one, rustup's download of the target, or the distribution's
//! package (on Debian `rustc-web`). The result is the environment variables that select the compiler. The list is empty
//! if the `rustc` on `PATH` supports the target.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::packages::{self, Need, as_root};
use crate::{shell, tree};

const TARGET: &str = "wasm32-unknown-unknown";
const DEBIAN: &str = "debian-web";
const LINKER: &str = "wasm-ld-22";
const NO_COMPILER: &str = "no compiler for wasm32-unknown-unknown: rustup could not add the target, nor could the \
                           distribution's package manager";

pub(super) fn ensure() -> Result<Vec<(&'static str, String)>> {
    if has_std(&mut Command::new("rustc")) {
        return Ok(Vec::new());
    }
    if debian_is_ready() {
        return Ok(debian_env());
    }
    if shell::which("rustup").is_some() {
        shell::say("adding the wasm target (rustup, at most 60 s)");
        let limit = Duration::from_secs(60);
        let added = shell::run_within(Command::new("rustup").args(["target", "add", TARGET]), limit);
        if added.is_ok() && has_std(&mut Command::new("rustc")) {
            return Ok(Vec::new());
        }
        shell::say("rustup could not bring the wasm target; taking Debian's compiler for wasm instead");
    }
    if !packages::is_debian() {
        // The distribution's own compiler, with the target as a package of its own.
        packages::install(&[Need::WasmCompiler]).context(NO_COMPILER)?;
        if has_std(&mut Command::new("rustc")) {
            return Ok(Vec::new());
        }
        bail!("{NO_COMPILER}: the package is installed, but the `rustc` on PATH has no such target");
    }
    bring_debian().context(NO_COMPILER)?;
    if !debian_is_ready() {
        bail!("Debian's rustc-web is installed, but it has no standard library for wasm32");
    }
    Ok(debian_env())
}

/// True when this compiler has a `core` for the target.
fn has_std(rustc: &mut Command) -> bool {
    let Some(dir) = shell::output(rustc.args(["--print", "target-libdir", "--target", TARGET])) else { return false };
    holds_core(Path::new(&dir))
}

fn holds_core(dir: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(dir) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

fn debian_is_ready() -> bool {
    let linked = !rustup_exists() || has_std(Command::new("rustc").env("RUSTUP_TOOLCHAIN", DEBIAN));
    shell::which(LINKER).is_some() && linked && has_std(&mut Command::new("/usr/bin/rustc"))
}

fn rustup_exists() -> bool {
    shell::which("rustup").is_some()
}

fn debian_env() -> Vec<(&'static str, String)> {
    let mut env = vec![("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", LINKER.to_owned())];
    if rustup_exists() {
        env.push(("RUSTUP_TOOLCHAIN", DEBIAN.to_owned()));
    } else {
        env.push(("RUSTC", "/usr/bin/rustc".to_owned()));
    }
    env
}

/// Installs Debian's compiler, builds the standard library from its source, and links the toolchain for rustup.
fn bring_debian() -> Result<()> {
    if !Path::new("/usr/bin/rustc").exists() || shell::which(LINKER).is_none() || rust_source().is_none() {
        packages::install(&[Need::WasmCompiler])?;
    }
    if !has_std(&mut Command::new("/usr/bin/rustc")) {
        build_std()?;
    }
    if rustup_exists() {
        shell::run(Command::new("rustup").args(["toolchain", "link", DEBIAN, "/usr"]))?;
    }
    Ok(())
}

fn rust_source() -> Option<PathBuf> {
    let sysroot = shell::output(Command::new("/usr/bin/rustc").args(["--print", "sysroot"]))?;
    let source = Path::new(&sysroot).join("lib/rustlib/src/rust/library");
    source.exists().then_some(source)
}

fn build_std() -> Result<()> {
    shell::say("building the standard library for wasm32 (about a minute)");
    let dir = tree::tools()?.join("wasm-std");
    std::fs::create_dir_all(dir.join("src"))?;
    let manifest = "[package]\nname = \"wasm-std\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\ncrate-type = [\"cdylib\"]\n\n[workspace]\n";
    std::fs::write(dir.join("Cargo.toml"), manifest)?;
    std::fs::write(dir.join("src/lib.rs"), "")?;
    let mut cargo = Command::new("/usr/bin/cargo");
    cargo.current_dir(&dir).args(["build", "--release", "-Zbuild-std=std,panic_abort", "--target", TARGET]);
    // Without embedded bitcode every build with link-time optimisation fails later.
    cargo.env("RUSTFLAGS", "-Cembed-bitcode=yes").env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", LINKER);
    cargo.env("CARGO_TARGET_DIR", dir.join("target")).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    shell::run(&mut cargo)?;
    let built = dir.join("target").join(TARGET).join("release/deps");
    let lib = format!("/usr/lib/rustlib/{TARGET}/lib");
    let rlibs: Vec<PathBuf> = std::fs::read_dir(&built)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "rlib"))
        .collect();
    shell::run(as_root("mkdir").args(["-p", &lib]))?;
    shell::run(as_root("cp").args(&rlibs).arg(&lib))
}
