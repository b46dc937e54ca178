//! Installer of the real Claude Code from npm, at a pinned version, into the tool cache. Only `test-claude-code` uses
//! it. No package script runs during the installation.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::openclaw::package;
use crate::shell;

const VERSION: &str = "2.1.330";

/// The program and which version it is.
pub struct ClaudeCode {
    /// One file, about 380 MB.
    pub program: PathBuf,
    /// As `--version` begins.
    pub version: &'static str,
}

/// Brings it; the error says why it cannot be here.
pub fn claude_code() -> Result<ClaudeCode> {
    if shell::which("script").is_none() {
        bail!("it needs a terminal, and there is no `script` (util-linux)");
    }
    let name = npm_package(std::env::consts::OS, std::env::consts::ARCH)?;
    let program = package(name, VERSION, "claude")?;
    let says = shell::output(Command::new(&program).arg("--version")).unwrap_or_default();
    if !says.starts_with(VERSION) {
        bail!("npm brought {name} {VERSION}, but it does not start");
    }
    Ok(ClaudeCode { program, version: VERSION })
}

/// npm carries its builds as packages, one for each platform. `script` takes its words otherwise elsewhere.
fn npm_package(system: &str, processor: &str) -> Result<&'static str> {
    match (system, processor) {
        ("linux", "x86_64") => Ok("@anthropic-ai/claude-code-linux-x64"),
        ("linux", "aarch64") => Ok("@anthropic-ai/claude-code-linux-arm64"),
        _ => bail!("there is no story for {system} on {processor}"),
    }
}

#[cfg(test)]
mod tests {
    use super::npm_package;

    #[test]
    fn a_platform_without_a_story_says_so() {
        assert_eq!(npm_package("linux", "aarch64").ok(), Some("@anthropic-ai/claude-code-linux-arm64"));
        let error = npm_package("plan9", "m68k").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("plan9 on m68k"), "{error}");
    }
}
