//! Schemathesis in a Python environment of its own, in the tool cache. Nothing of the system's Python is changed.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest as _, Sha256};

use super::apt;
use crate::{shell, tree};

/// Every package with its version.
const WANTED: &str = include_str!("schemathesis.txt");
const MARK: &str = ".installed-from";

/// The program `st`.
pub fn schemathesis() -> Result<PathBuf> {
    let wanted: String = Sha256::digest(WANTED).iter().map(|byte| format!("{byte:02x}")).collect();
    let dir = tree::tools()?.join(format!("schemathesis-{}", version()?));
    let program = dir.join("bin/st");
    let mark = dir.join(MARK);
    // A Python that was replaced leaves an environment that does not start.
    let starts = || shell::output(Command::new(&program).arg("--version")).is_some();
    if std::fs::read_to_string(&mark).is_ok_and(|found| found == wanted) && starts() {
        return Ok(program);
    }
    if shell::output(Command::new("python3").args(["-c", "import ensurepip, venv"])).is_none() {
        apt::install(&["python3", "python3-venv"])?;
    }
    shell::say(&format!("fetching schemathesis {} and what it stands on, with pip", version()?));
    shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&dir))?;
    let list = dir.join("wanted.txt");
    std::fs::write(&list, WANTED).with_context(|| format!("cannot write {}", list.display()))?;
    let mut pip = Command::new(dir.join("bin/python"));
    pip.args(["-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-deps", "-r"]).arg(&list);
    shell::run(&mut pip)?;
    if !starts() {
        bail!("pip brought schemathesis, but {} does not run", program.display());
    }
    std::fs::write(&mark, wanted).with_context(|| format!("cannot write {}", mark.display()))?;
    Ok(program)
}

fn version() -> Result<&'static str> {
    let line = WANTED.lines().find_map(|line| line.strip_prefix("schemathesis=="));
    line.map(str::trim).context("schemathesis.txt does not name schemathesis")
}
