//! Brings what a fresh machine lacks, checks before it brings, and says what it does.
//! Tools go unoptimised into a user cache keyed by version; a fitting version on `PATH` is used as it is.

mod apt;
mod browser;
mod claude_code;
mod node;
mod openclaw;
mod python;
mod tools;
mod wasm;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

pub use self::browser::find as find_browser;
pub use self::claude_code::claude_code;
pub use self::node::npm;
pub use self::openclaw::openclaw;
pub use self::python::schemathesis;
use crate::shell;

/// What a bundle build needs, as found or brought.
pub struct Tools {
    /// Environment that selects a compiler with a wasm standard library.
    wasm_env: Vec<(&'static str, String)>,
    /// Folders to put in front of `PATH`.
    path: Vec<PathBuf>,
}

impl Tools {
    /// A command that finds Trunk, wasm-bindgen, wasm-opt, esbuild and the right compiler.
    pub fn command(&self, program: &str) -> Result<Command> {
        let mut command = Command::new(program);
        command.current_dir(crate::tree::root());
        shell::prepend_path(&mut command, &self.path)?;
        command.envs(self.wasm_env.iter().map(|(name, value)| (*name, value.as_str())));
        command.env_remove("CARGO");
        Ok(command)
    }

    /// True when the compiler for wasm is the host's own, so that clippy exists for it too.
    pub fn wasm_by_host(&self) -> bool {
        self.wasm_env.is_empty()
    }
}

/// `make` calls this first; everything is checked again on each call and costs under a second when it is there.
pub fn run(with_tests: bool) -> Result<()> {
    for_bundle()?;
    if with_tests {
        for_tests()?;
    }
    shell::say(if with_tests { "set-up complete (build and tests)" } else { "set-up complete" });
    Ok(())
}

/// Compiler target, Trunk, wasm-bindgen, wasm-opt, esbuild.
pub fn for_bundle() -> Result<Tools> {
    check_basics()?;
    let wasm_env = wasm::ensure()?;
    let path = vec![tools::trunk()?, tools::wasm_bindgen()?, tools::wasm_opt()?, tools::esbuild()?];
    Ok(Tools { wasm_env, path })
}

/// A browser, fonts for its pictures, the node modules of the browser tests, and schemathesis.
pub fn for_tests() -> Result<()> {
    for_browser()?;
    node::install("e2e/next-host")?;
    python::schemathesis().map(drop)
}

/// strace, for the proofs that let system calls fail.
pub fn for_faults() -> Result<()> {
    if shell::which("strace").is_none() {
        apt::install(&["strace"])?;
    }
    Ok(())
}

/// A browser with fonts and the modules that drive it, for the benches.
pub fn for_browser() -> Result<()> {
    browser::ensure()?;
    browser::ensure_fonts();
    node::install("e2e")
}

/// valgrind, which counts instructions.
pub fn for_counting() -> Result<()> {
    if shell::which("valgrind").is_none() {
        apt::install(&["valgrind"])?;
    }
    if shell::which("valgrind").is_none() {
        bail!("valgrind is still missing: without it no instructions can be counted");
    }
    Ok(())
}

/// nginx, for the proof that the worked example works.
pub fn for_proxying() -> Result<()> {
    if shell::which("nginx").is_none() {
        apt::install(&["nginx-light"])?;
    }
    Ok(())
}

/// The folder of cargo-fuzz.
pub fn for_fuzzing() -> Result<PathBuf> {
    tools::cargo_fuzz()
}

fn check_basics() -> Result<()> {
    let rustc = shell::output(Command::new("rustc").arg("--version")).context("rustc was not found: install Rust")?;
    if version_of(&rustc) < Some((1, 89)) {
        bail!("this needs Rust 1.89 or newer, and `rustc --version` says: {rustc}");
    }
    let node = shell::output(Command::new("node").arg("--version")).context("node was not found: install Node 20")?;
    if version_of(&node) < Some((20, 0)) {
        bail!("this needs Node 20 or newer, and `node --version` says: {node}");
    }
    if shell::which("npm").is_none() {
        bail!("npm was not found: it belongs to Node");
    }
    if !["cc", "gcc", "clang"].iter().any(|name| shell::which(name).is_some()) {
        bail!("no C compiler was found (cc, gcc or clang)");
    }
    Ok(())
}

/// Major and minor number out of `rustc 1.95.0 (…)` or `v20.20.2`.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let mut parts = text[digits..].split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::version_of;

    #[test]
    fn versions_are_read_from_what_the_tools_print() {
        assert_eq!(version_of("rustc 1.95.0 (59807616e 2026-04-14)"), Some((1, 95)));
        assert_eq!(version_of("v20.20.2"), Some((20, 20)));
        assert_eq!(version_of("wasm-opt version 132 (version_132)"), None);
        assert!(version_of("rustc 1.87.0") < Some((1, 89)));
    }
}
