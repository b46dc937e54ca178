//! Set-up of a fresh machine. It looks for each tool, installs the missing ones, and prints what it installs. Many
//! tools are taken from `PATH` if their version fits.
//!
//! The system's package manager brings system packages. Most other tools are fetched or built into a user cache, one
//! folder per version.

mod browser;
mod claude_code;
mod codex;
mod node;
mod openclaw;
mod packages;
mod python;
mod tools;
mod wasm;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

pub use self::browser::find as find_browser;
pub use self::claude_code::claude_code;
pub use self::codex::codex;
pub use self::node::{npm, npm_tools};
pub use self::openclaw::openclaw;
pub use self::packages::{Need, install};
pub use self::python::{nats_server, nextest, schemathesis, supply_chain};
use crate::shell;

/// A compiler with a standard library for wasm32.
#[derive(Debug, Clone)]
pub struct Wasm {
    /// Environment that selects it; empty when it is the host's own.
    env: Vec<(&'static str, String)>,
}

impl Wasm {
    /// A command in the repository's root that uses this compiler.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(crate::tree::root());
        command.envs(self.env.iter().map(|(name, value)| (*name, value.as_str())));
        command.env_remove("CARGO");
        command
    }

    /// True when it is the host's own compiler, so that clippy exists for it too.
    pub fn is_host(&self) -> bool {
        self.env.is_empty()
    }
}

/// What the release bundle needs: [`Wasm`], Trunk, wasm-bindgen, wasm-opt and esbuild.
pub struct BundleTools {
    wasm: Wasm,
    /// Folders to put in front of `PATH`.
    path: Vec<PathBuf>,
}

impl BundleTools {
    /// A command that finds Trunk, wasm-bindgen, wasm-opt, esbuild and the right compiler.
    pub fn command(&self, program: &str) -> Result<Command> {
        let mut command = self.wasm.command(program);
        shell::prepend_path(&mut command, &self.path)?;
        Ok(command)
    }
}

/// `xtask setup`: everything is checked again on each call and costs under a second when it is there.
pub fn run(with_tests: bool) -> Result<()> {
    for_bundle()?;
    if with_tests {
        for_tests()?;
    }
    shell::say(if with_tests { "set-up complete (build and tests)" } else { "set-up complete" });
    Ok(())
}

/// The compiler for the page.
pub fn wasm() -> Result<Wasm> {
    check_basics()?;
    Ok(Wasm { env: wasm::ensure()? })
}

/// Trunk, and `wasm-bindgen` of this workspace under the name that Trunk looks for.
pub fn for_trunk() -> Result<BundleTools> {
    Ok(BundleTools { wasm: wasm()?, path: vec![tools::trunk()?, tools::wasm_bindgen()?] })
}

/// Everything the release bundle needs.
pub fn for_bundle() -> Result<BundleTools> {
    let mut tools = for_trunk()?;
    check_node()?;
    tools.path.push(npm_tools()?.join("node_modules/.bin"));
    Ok(tools)
}

/// The web font's files, where npm can bring them; without them the page uses system fonts.
pub fn fonts() -> Option<PathBuf> {
    shell::which("npm")?;
    match npm_tools() {
        Ok(dir) => Some(dir.join("node_modules/pretendard/dist/web/variable")).filter(|dir| dir.is_dir()),
        Err(error) => {
            shell::say(&format!("the web font could not be fetched, the page will use system fonts ({error:#})"));
            None
        }
    }
}

/// All that the full lane needs.
pub fn for_tests() -> Result<()> {
    for_browser()?;
    node::install("e2e/next-host")?;
    schemathesis().map(drop)
}

/// strace, for the proofs that let system calls fail.
pub fn for_faults() -> Result<()> {
    program("strace", Need::Strace)
}

/// A browser with fonts and the modules that drive it.
pub fn for_browser() -> Result<()> {
    check_node()?;
    browser::ensure()?;
    browser::ensure_fonts();
    node::install("e2e")
}

/// Firefox, and WebKit's browser with its driver and an X server for it.
pub fn for_engines() -> Result<()> {
    program("firefox-esr", Need::Firefox)?;
    program("WebKitWebDriver", Need::WebKitDriver)?;
    program("Xvfb", Need::Xvfb)
}

/// The Next.js host of the release bundle's specs.
pub fn for_next_host() -> Result<()> {
    node::install("e2e/next-host")
}

/// valgrind, which counts instructions.
pub fn for_counting() -> Result<()> {
    program("valgrind", Need::Valgrind)
}

/// nginx, for the proof that the worked example works.
pub fn for_proxying() -> Result<()> {
    program("nginx", Need::Nginx)
}

/// Prometheus with promtool, for the proof of `/metrics`.
pub fn for_metrics() -> Result<()> {
    program("promtool", Need::Prometheus)
}

/// buildah, for the container image.
pub fn for_containers() -> Result<()> {
    program("buildah", Need::Buildah)
}

/// podman and podman-compose, for `compose.yaml`; the path of podman-compose.
pub fn for_compose() -> Result<PathBuf> {
    program("podman", Need::Podman)?;
    python::podman_compose()
}

/// debootstrap, which makes a root file system of an older Debian.
pub fn for_old_roots() -> Result<()> {
    program("debootstrap", Need::Debootstrap)
}

/// Installs a package unless its program is there.
pub fn program(name: &str, need: Need) -> Result<()> {
    if shell::which(name).is_none() {
        install(&[need])?;
    }
    if shell::which(name).is_none() {
        bail!("{name} is still missing after its package was installed");
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
    if !["cc", "gcc", "clang"].iter().any(|name| shell::which(name).is_some()) {
        bail!("no C compiler was found (cc, gcc or clang)");
    }
    Ok(())
}

/// Node and npm: for browser tests, the release bundle and the web font; `make run` works without them.
fn check_node() -> Result<()> {
    let node = shell::output(Command::new("node").arg("--version")).context("node was not found: install Node 20")?;
    if version_of(&node) < Some((20, 0)) {
        bail!("this needs Node 20 or newer, and `node --version` says: {node}");
    }
    if shell::which("npm").is_none() {
        bail!("npm was not found: it belongs to Node");
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
