//! Bundler of the Pretendard font (OFL), which its makers split into subsets. A page loads only the subsets whose
//! letters it shows. `font-pieces.mjs` chooses them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::integrity;
use super::scripted_sheets::ScriptedSheet;
use crate::shell;

const SHEET: &str = "pretendardvariable-dynamic-subset.css";

/// Copies the fonts into the bundle. Returns their sheet, which a script adds once the program runs: text is drawn
/// before it comes, with the system's fonts, as it is before a subset comes.
/// Without them (no npm, no network) the page shows the system's fonts: said, not fatal.
pub fn add(staged: &Path) -> Result<Option<ScriptedSheet>> {
    let package = match package() {
        Ok(package) => package,
        Err(error) => {
            shell::say(&format!("Pretendard could not be had, system fonts will be used ({error:#})"));
            return Ok(None);
        }
    };
    let modules = package.ancestors().nth(2).context("the package lies in no folder")?;
    let root = xtask::tree::root();
    let script = root.join("crates/devtools/src/bundle/font-pieces.mjs");
    // The files in the folder keep their names, and browsers keep the files: what they are made of is in its name.
    let made_of = [std::fs::read(&script)?, std::fs::read(root.join("tools/npm/package-lock.json"))?].concat();
    let folder = format!("fonts/pretendard-{}-{}", version(&package)?, xtask::tree::short_id(&made_of));
    let place = staged.join(&folder);
    let source = package.join("dist/web/variable");
    shell::run(Command::new("node").arg(script).args([modules, &source, &place]))?;
    let sheet = std::fs::read(place.join("pretendard.css")).context("no style sheet was written")?;
    let licence = ["LICENSE", "dist/LICENSE.txt"].iter().map(|name| package.join(name)).find(|file| file.is_file());
    std::fs::copy(licence.context("the package has no licence")?, place.join("LICENSE.txt"))?;
    let integrity = integrity::integrity_value(&sheet);
    Ok(Some(ScriptedSheet { href: format!("./{folder}/pretendard.css"), integrity }))
}

/// The package's folder, from the lock file in `tools/npm`.
fn package() -> Result<PathBuf> {
    let package = xtask::setup::npm_tools()?.join("node_modules/pretendard");
    let sheet = package.join("dist/web/variable").join(SHEET);
    if !sheet.is_file() {
        bail!("the package has no {}", sheet.display());
    }
    Ok(package)
}

/// The version in the package's own manifest.
fn version(package: &Path) -> Result<String> {
    let manifest = std::fs::read(package.join("package.json")).context("the package has no manifest")?;
    let manifest: serde_json::Value = serde_json::from_slice(&manifest)?;
    Ok(manifest["version"].as_str().context("the package has no version")?.to_owned())
}
