//! Node modules of a folder, installed again only when its lock file changed.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::{shell, tree};

const MARK: &str = ".installed-from";

/// `npm ci` in `folder` (relative to the root), unless its modules already come from this lock file.
pub fn install(folder: &str) -> Result<()> {
    let dir = tree::root().join(folder);
    let lock = std::fs::read(dir.join("package-lock.json"))
        .with_context(|| format!("cannot read {folder}/package-lock.json"))?;
    let wanted = hex(&Sha256::digest(&lock));
    let mark = dir.join("node_modules").join(MARK);
    if std::fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    shell::say(&format!("installing node modules of {folder}/"));
    shell::run(npm().current_dir(&dir).args(["ci", "--no-fund", "--no-audit"]))?;
    std::fs::write(&mark, wanted).with_context(|| format!("cannot write {}", mark.display()))
}

/// `npm`, quiet about everything but errors.
pub fn npm() -> Command {
    let mut command = Command::new("npm");
    command.args(["--loglevel=error", "--update-notifier=false"]);
    command
}

/// `npm install` of one exact package version into a folder of the tool cache.
pub fn install_into(dir: &PathBuf, package: &str) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let prefix = dir.to_string_lossy().into_owned();
    let flags = ["--no-fund", "--no-audit", "--no-save", "--ignore-scripts"];
    shell::run(npm().current_dir(dir).arg("install").args(flags).args(["--prefix", &prefix, package]))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
