//! Installer of npm packages. In a folder of the repository, `npm ci` runs again only when the lock file changed. Build
//! tools (`tools/npm`) and OpenClaw releases are installed into the tool cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{shell, tree};

/// Copy of the lock file that the modules come from.
const MARK: &str = ".installed-from";

/// `npm ci` in `folder` (relative to the root), unless its modules already come from this lock file.
pub(super) fn install(folder: &str) -> Result<()> {
    let dir = tree::root().join(folder);
    let lock = std::fs::read(dir.join("package-lock.json"))
        .with_context(|| format!("cannot read {folder}/package-lock.json"))?;
    let mark = dir.join("node_modules").join(MARK);
    if std::fs::read(&mark).is_ok_and(|found| found == lock) {
        return Ok(());
    }
    shell::say(&format!("installing node modules of {folder}/"));
    shell::run(npm().current_dir(&dir).args(["ci", "--no-fund", "--no-audit"]))?;
    std::fs::write(&mark, lock).with_context(|| format!("cannot write {}", mark.display()))
}

/// `npm`, quiet about everything but errors.
pub fn npm() -> Command {
    let mut command = Command::new("npm");
    command.args(["--loglevel=error", "--update-notifier=false"]);
    command
}

/// `npm install` of one exact package version into a folder of the tool cache.
pub(super) fn install_into(dir: &Path, package: &str) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let prefix = dir.to_string_lossy().into_owned();
    let flags = ["--no-fund", "--no-audit", "--no-save", "--ignore-scripts"];
    shell::run(npm().current_dir(dir).arg("install").args(flags).args(["--prefix", &prefix, package]))
}

/// wasm-opt, esbuild and the web font, from the lock file in `tools/npm`, in the tool cache: the folder that holds
/// `node_modules`.
pub fn npm_tools() -> Result<PathBuf> {
    let source = tree::root().join("tools/npm");
    let read = |name: &str| {
        let file = source.join(name);
        std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
    };
    let (manifest, lock) = (read("package.json")?, read("package-lock.json")?);
    // Other checkouts may be at other versions.
    let dir = tree::tools()?.join(format!("npm-{}", tree::short_id(&lock)));
    let mark = dir.join("node_modules").join(MARK);
    if mark.is_file() {
        return Ok(dir);
    }
    shell::say("fetching wasm-opt, esbuild and the web font (npm, once; about 200 MB unpacked)");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    std::fs::write(dir.join("package.json"), manifest)?;
    std::fs::write(dir.join("package-lock.json"), &lock)?;
    shell::run(npm().current_dir(&dir).args(["ci", "--no-fund", "--no-audit", "--ignore-scripts"]))?;
    std::fs::write(&mark, lock).with_context(|| format!("cannot write {}", mark.display()))?;
    Ok(dir)
}
