//! Installer of system packages with apt-get, dnf, pacman or Homebrew. When not root, it uses sudo, except for
//! Homebrew. One table holds the package names for each package manager.

use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// Something only the system's package manager can bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Chromium,
    ColorEmoji,
    KoreanFont,
    /// `python3 -m venv`.
    PythonVenv,
    /// Compiler with a linker for wasm32, where rustup cannot bring the target.
    WasmCompiler,
    Valgrind,
    Strace,
    Nginx,
    Caddy,
    Prometheus,
    Buildah,
    /// podman with networks between containers.
    Podman,
    Debootstrap,
    Firefox,
    WebKitDriver,
    /// X server without a screen, for WebKit's browser.
    Xvfb,
}

const PODMAN: &str = "podman crun netavark aardvark-dns iptables";

/// Package names: Debian and Ubuntu, Fedora, Arch, Homebrew. Several are separated by spaces; `-` means there is none.
/// Tried: the column of Debian. The others are from the distributions' package lists.
const PACKAGES: &[(Need, [&str; 4])] = &[
    (Need::Chromium, ["chromium", "chromium", "chromium", "--cask chromium"]),
    (Need::ColorEmoji, ["fonts-noto-color-emoji", "google-noto-color-emoji-fonts", "noto-fonts-emoji", "-"]),
    (Need::KoreanFont, ["fonts-noto-cjk", "google-noto-sans-cjk-fonts", "noto-fonts-cjk", "-"]),
    (Need::PythonVenv, ["python3 python3-venv", "python3", "python", "python@3.13"]),
    (
        Need::WasmCompiler,
        ["rustc-web cargo-web rust-web-src lld-22", "rust-std-static-wasm32-unknown-unknown lld", "rust-wasm lld", "-"],
    ),
    (Need::Valgrind, ["valgrind", "valgrind", "valgrind", "-"]),
    (Need::Strace, ["strace", "strace", "strace", "-"]),
    (Need::Nginx, ["nginx-light", "nginx", "nginx", "nginx"]),
    (Need::Caddy, ["caddy", "caddy", "caddy", "caddy"]),
    (Need::Prometheus, ["prometheus", "golang-github-prometheus", "prometheus", "prometheus"]),
    (Need::Buildah, ["buildah", "buildah", "buildah", "-"]),
    (Need::Podman, [PODMAN, PODMAN, PODMAN, "-"]),
    (Need::Debootstrap, ["debootstrap", "debootstrap", "debootstrap", "-"]),
    (Need::Firefox, ["firefox-esr", "firefox", "firefox", "--cask firefox"]),
    (Need::WebKitDriver, ["webkit2gtk-driver", "webkit2gtk4.1", "webkit2gtk-4.1", "-"]),
    (Need::Xvfb, ["xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb", "-"]),
];

/// Package managers in the order of the table's columns.
const MANAGERS: [&str; 4] = ["apt-get", "dnf", "pacman", "brew"];

/// Installs what is needed with the package manager that is there.
pub fn install(needs: &[Need]) -> Result<()> {
    let Some(column) = MANAGERS.iter().position(|manager| shell::which(manager).is_some()) else {
        bail!(
            "none of {} is here; please install by hand (names of Debian): {}",
            MANAGERS.join(", "),
            names(needs, 0)?.join(" ")
        );
    };
    let names = names(needs, column)?;
    let manager = MANAGERS.get(column).copied().unwrap_or_default();
    shell::say(&format!("installing packages with {manager}: {}", names.join(" ")));
    match manager {
        "apt-get" => apt(&names),
        "dnf" => shell::run(as_root("dnf").args(["install", "-y"]).args(&names)),
        "pacman" => shell::run(as_root("pacman").args(["-S", "--needed", "--noconfirm"]).args(&names)),
        // Homebrew refuses to run as root.
        _ => shell::run(Command::new("brew").arg("install").args(&names)),
    }
}

/// True on Debian and what derives from it: only there the compiler for wasm32 comes with its source.
pub(super) fn is_debian() -> bool {
    shell::which("apt-get").is_some()
}

/// Runs a program as root: directly, or with sudo.
pub(super) fn as_root(program: &str) -> Command {
    let root = shell::output(Command::new("id").arg("-u")).is_some_and(|uid| uid == "0");
    if root {
        return Command::new(program);
    }
    let mut sudo = Command::new("sudo");
    sudo.arg(program);
    sudo
}

/// Refreshes the package lists when the first try fails.
fn apt(names: &[&str]) -> Result<()> {
    let get = || {
        let mut command = as_root("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-o", "Dpkg::Use-Pty=0"]);
        command
    };
    let install = || shell::run(get().args(["install", "-y", "--no-install-recommends"]).args(names));
    if install().is_ok() {
        return Ok(());
    }
    shell::say("refreshing the package lists and trying again");
    shell::run(get().arg("update"))?;
    install()
}

fn names(needs: &[Need], column: usize) -> Result<Vec<&'static str>> {
    let mut out = Vec::new();
    for need in needs {
        let (_, row) = PACKAGES.iter().find(|(name, _)| name == need).context("a need without a row")?;
        match row.get(column).copied() {
            None | Some("-") => bail!("{} has no package for {need:?}", MANAGERS.get(column).unwrap_or(&"?")),
            Some(packages) => out.extend(packages.split(' ')),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{Need, names};

    #[test]
    fn package_names_differ_by_distribution() {
        assert_eq!(names(&[Need::Nginx, Need::Strace], 0).expect("Debian"), ["nginx-light", "strace"]);
        assert_eq!(names(&[Need::KoreanFont], 2).expect("Arch"), ["noto-fonts-cjk"]);
        let error = names(&[Need::Valgrind], 3).expect_err("not on macOS").to_string();
        assert!(error.contains("Valgrind") && error.contains("brew"), "{error}");
    }
}
