//! npm packages: a starter without a program, the program of each platform as an optional dependency of it, and the
//! dashboard for Next.js apps. No script runs at installation.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::ReleaseName;
use crate::{bundle, shell, tree};

/// The starter and the package of the one platform.
const STARTER: &str = "task-hub-monitor";
const PLATFORM: &str = "task-hub-monitor-linux-x64";
/// The dashboard for Next.js apps.
const NEXT: &str = "task-hub-next";
/// Files of the bundle that Next.js does not serve: it compresses by itself.
const COMPRESSED: [&str; 3] = ["br", "gz", "zst"];

/// Packs all into `out`, with the version of the release.
pub(super) fn pack(release: &ReleaseName, program: &Path, out: &Path) -> Result<()> {
    for name in [STARTER, PLATFORM, NEXT] {
        let staged = out.join(name);
        copy_files(&tree::root().join("npm").join(name), &staged, |_| true)?;
        std::fs::copy(tree::root().join("LICENSE"), staged.join("LICENSE"))?;
        set_version(&staged.join("package.json"), &release.version)?;
        if name == PLATFORM {
            std::fs::copy(program, staged.join("task-monitor"))?;
        }
        if name == NEXT {
            copy_files(&bundle::dist(), &staged.join("bundle"), |file| !is_compressed(file))?;
        }
        if name != STARTER {
            std::fs::copy(tree::root().join("THIRD-PARTY-NOTICES.md"), staged.join("THIRD-PARTY-NOTICES.md"))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["pack", "--silent", "--pack-destination"]).arg(out).current_dir(&staged);
        shell::run_quietly(&mut npm)?;
        std::fs::remove_dir_all(&staged)?;
    }
    Ok(())
}

fn is_compressed(file: &Path) -> bool {
    file.extension().and_then(OsStr::to_str).is_some_and(|ending| COMPRESSED.contains(&ending))
}

/// Copies the files below `source` that are `wanted`, but no tests and no installed modules.
fn copy_files(source: &Path, target: &Path, wanted: impl Fn(&Path) -> bool) -> Result<()> {
    for file in tree::files_below(source, &["test", "node_modules"])? {
        if wanted(&file) {
            let to = target.join(file.strip_prefix(source)?);
            std::fs::create_dir_all(to.parent().unwrap_or(target))?;
            std::fs::copy(&file, &to).with_context(|| format!("cannot copy {}", file.display()))?;
        }
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
