//! A Chromium for the browser tests: the installed one, else Debian's.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::apt;
use crate::shell;

/// `TASK_HUB_CHROMIUM`, else the first known browser on `PATH`.
pub fn find() -> Option<PathBuf> {
    let chosen = std::env::var_os("TASK_HUB_CHROMIUM").filter(|value| !value.is_empty()).map(PathBuf::from);
    let known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    chosen.or_else(|| known.iter().find_map(|name| shell::which(name)))
}

/// Makes sure that there is one.
pub fn ensure() -> Result<()> {
    if find().is_none() {
        shell::say("no Chromium found, the browser tests need one");
        apt::install(&["chromium"])?;
    }
    if find().is_none() {
        bail!("Chromium is still missing; install it, or name one in TASK_HUB_CHROMIUM");
    }
    Ok(())
}

/// Emoji and Korean fonts. Without them the tests run all the same, only pictures show boxes.
pub fn ensure_fonts() {
    let fonts = shell::output(Command::new("fc-list").arg(":").arg("family")).unwrap_or_default();
    let wanted = [("Noto Color Emoji", "fonts-noto-color-emoji"), ("Noto Sans CJK", "fonts-noto-cjk")];
    let missing: Vec<&str> =
        wanted.iter().filter(|(family, _)| !fonts.contains(family)).map(|(_, package)| *package).collect();
    if !missing.is_empty() && apt::install(&missing).is_err() {
        shell::say("the fonts could not be installed: pictures will show boxes instead of emoji and Hangul");
    }
}
