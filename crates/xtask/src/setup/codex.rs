//! Installer of the real Codex from npm, with a pinned version, into the tool cache. Only `test-codex` uses it. Install
//! scripts of packages are not run.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::openclaw::package;
use crate::shell;

const VERSION: &str = "0.171.0";

/// Brings the program, one file of about 420 MB; the error says why it cannot be here.
pub fn codex() -> Result<PathBuf> {
    if shell::which("script").is_none() {
        bail!("it needs a terminal, and there is no `script` (util-linux)");
    }
    let Build { suffix, folder } = build(std::env::consts::OS, std::env::consts::ARCH)?;
    let program = package("@openai/codex", &format!("{VERSION}-{suffix}"), &format!("vendor/{folder}/bin/codex"))?;
    // It writes into its home folder whatever it is asked.
    let home = std::env::temp_dir().join(format!("task-hub-codex-{}", std::process::id()));
    std::fs::create_dir_all(&home)?;
    let says = shell::output(Command::new(&program).arg("--version").env("CODEX_HOME", &home)).unwrap_or_default();
    drop(std::fs::remove_dir_all(&home));
    if !says.contains(VERSION) {
        bail!("npm brought Codex {VERSION}, but it does not start");
    }
    Ok(program)
}

/// npm carries its builds as versions of one package, one for each platform.
#[derive(Debug, PartialEq, Eq)]
struct Build {
    /// Behind the version.
    suffix: &'static str,
    /// Of the program in the package.
    folder: &'static str,
}

/// `script` takes its words otherwise elsewhere.
fn build(system: &str, processor: &str) -> Result<Build> {
    match (system, processor) {
        ("linux", "x86_64") => Ok(Build { suffix: "linux-x64", folder: "x86_64-unknown-linux-musl" }),
        ("linux", "aarch64") => Ok(Build { suffix: "linux-arm64", folder: "aarch64-unknown-linux-musl" }),
        _ => bail!("there is no story for {system} on {processor}"),
    }
}

#[cfg(test)]
mod tests {
    use super::build;

    #[test]
    fn platforms_have_builds_of_their_own() {
        assert_eq!(build("linux", "aarch64").ok().map(|build| build.suffix), Some("linux-arm64"));
        let error = build("plan9", "m68k").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("plan9 on m68k"), "{error}");
    }
}
