//! npm packages of the program: a starter without a program, and the program of each platform as an optional
//! dependency of it. No script runs at installation.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::ReleaseName;
use crate::{shell, tree};

/// The starter and the package of the one platform.
const STARTER: &str = "task-hub-monitor";
const PLATFORM: &str = "task-hub-monitor-linux-x64";

/// Packs both into `out`, with the version of the release.
pub(super) fn pack(release: &ReleaseName, program: &Path, out: &Path) -> Result<()> {
    for name in [STARTER, PLATFORM] {
        let (source, staged) = (tree::root().join("npm").join(name), out.join(name));
        for file in tree::files_below(&source, &[])? {
            let to = staged.join(file.strip_prefix(&source)?);
            std::fs::create_dir_all(to.parent().unwrap_or(&staged))?;
            std::fs::copy(&file, &to)?;
        }
        std::fs::copy(tree::root().join("LICENSE"), staged.join("LICENSE"))?;
        set_version(&staged.join("package.json"), &release.version)?;
        if name == PLATFORM {
            std::fs::copy(program, staged.join("task-monitor"))?;
            std::fs::copy(tree::root().join("THIRD-PARTY-NOTICES.md"), staged.join("THIRD-PARTY-NOTICES.md"))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["pack", "--silent", "--pack-destination"]).arg(out).current_dir(&staged);
        shell::run_quietly(&mut npm)?;
        std::fs::remove_dir_all(&staged)?;
    }
    Ok(())
}

fn set_version(manifest: &Path, version: &str) -> Result<()> {
    let mut package: Value = serde_json::from_slice(&std::fs::read(manifest)?).context("package.json")?;
    package["version"] = version.into();
    for wanted in package["optionalDependencies"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        *wanted = version.into();
    }
    std::fs::write(manifest, format!("{package:#}\n")).context("package.json")
}
