//! Debian packages, with sudo when not root.

use std::process::Command;

use anyhow::{Result, bail};

use crate::shell;

/// Installs packages; refreshes the package lists when the first try fails.
pub fn install(packages: &[&str]) -> Result<()> {
    if shell::which("apt-get").is_none() {
        bail!("there is no apt-get here; please install by hand: {}", packages.join(", "));
    }
    shell::say(&format!("installing Debian packages: {}", packages.join(" ")));
    if shell::run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages)).is_ok() {
        return Ok(());
    }
    shell::say("refreshing the package lists and trying again");
    shell::run(apt_get().arg("update"))?;
    shell::run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages))
}

fn apt_get() -> Command {
    let root = shell::output(Command::new("id").arg("-u")).is_some_and(|uid| uid == "0");
    let mut command = if root {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.arg("apt-get");
        sudo
    };
    command.env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-o", "Dpkg::Use-Pty=0"]);
    command
}
