//! Set-up of the browser tests: a Chromium, and fonts for emoji and Korean. The system's package manager installs those
//! that are missing. `TASK_HUB_CHROMIUM` selects a browser.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::packages::{self, Need};
use crate::shell;

/// Where macOS keeps them.
const MAC_APPS: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// `TASK_HUB_CHROMIUM`, else the first known browser on `PATH`.
pub fn find() -> Option<PathBuf> {
    let chosen = std::env::var_os("TASK_HUB_CHROMIUM").filter(|value| !value.is_empty()).map(PathBuf::from);
    let known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let on_path = || known.iter().find_map(|name| shell::which(name));
    let apps = MAC_APPS.iter().map(PathBuf::from);
    chosen.or_else(on_path).or_else(|| apps.into_iter().find(|file| file.is_file()))
}

/// Makes sure that there is one.
pub(super) fn ensure() -> Result<()> {
    if find().is_none() {
        shell::say("no Chromium found, the browser tests need one");
        packages::install(&[Need::Chromium])?;
    }
    if find().is_none() {
        bail!("Chromium is still missing; install it, or name one in TASK_HUB_CHROMIUM");
    }
    Ok(())
}

/// Emoji and Korean fonts. Without them the tests run all the same, only pictures show boxes.
pub(super) fn ensure_fonts() {
    let fonts = shell::output(Command::new("fc-list").arg(":").arg("family")).unwrap_or_default();
    let wanted = [("Noto Color Emoji", Need::ColorEmoji), ("Noto Sans CJK", Need::KoreanFont)];
    let missing: Vec<Need> =
        wanted.iter().filter(|(family, _)| !fonts.contains(family)).map(|(_, need)| *need).collect();
    if !missing.is_empty() && packages::install(&missing).is_err() {
        shell::say("the fonts could not be installed: pictures will show boxes instead of emoji and Hangul");
    }
}
