//! Builder of the release artefacts in `target/packages/`: the program with the dashboard inside, its archive, npm
//! packages, container image, SBOM and checksums. Nothing is uploaded.

mod container;
mod npm;
mod sbom;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use crate::{bundle, setup, shell, tree};

/// The platform of the released program.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// Upper limit of the program's size, so that it does not grow unnoticed. Measured: 21.5 MB, of which 3.7 MB are the
/// dashboard.
const MAX_PROGRAM_BYTES: u64 = 21 << 20;
/// Static, without relocation, and with the system call for random bytes: an empty root has no `/dev/urandom`.
const RUSTFLAGS: &str =
    "-C target-feature=+crt-static -C relocation-model=static --cfg getrandom_backend=\"linux_getrandom\"";
/// Functions of equal code are one, unless their addresses are compared: SQLite compares some. Only lld knows it, which
/// Rust has brought for this platform since 1.90.
const FOLD_FUNCTIONS: &str = "-C link-arg=-Wl,--icf=safe";
/// No panic passes a frame of C code, so it needs no tables for that. Of zstd's compressors only those of the levels up to
/// 4 are used: level 1 for old lines, level 4 for answers.
const CFLAGS: &str = "-fno-asynchronous-unwind-tables -fno-unwind-tables \
    -DZSTD_EXCLUDE_GREEDY_BLOCK_COMPRESSOR -DZSTD_EXCLUDE_LAZY_BLOCK_COMPRESSOR \
    -DZSTD_EXCLUDE_LAZY2_BLOCK_COMPRESSOR -DZSTD_EXCLUDE_BTLAZY2_BLOCK_COMPRESSOR \
    -DZSTD_EXCLUDE_BTOPT_BLOCK_COMPRESSOR -DZSTD_EXCLUDE_BTULTRA_BLOCK_COMPRESSOR";
/// Documents and examples that go into the archive.
const DOCUMENTS: [&str; 3] = ["README.md", "LICENSE", "THIRD-PARTY-NOTICES.md"];

/// What a release is called.
#[derive(Debug)]
struct ReleaseName {
    /// `0.1.0`.
    version: String,
    /// `0.1.0 (1a2b3c4d 2026-11-26)`.
    long_version: String,
    /// Time of the commit, in seconds since 1970: the same source gives the same files.
    time: String,
}

/// `make dist`.
pub fn run() -> Result<()> {
    bundle::build(&setup::for_bundle()?)?;
    test_embedded()?;
    let release = ReleaseName::of_commit()?;
    let program = build_program(&release)?;
    let out = folder()?;
    if out.exists() {
        std::fs::remove_dir_all(&out).with_context(|| format!("cannot clear {}", out.display()))?;
    }
    std::fs::create_dir_all(&out)?;
    archive(&release, &program, &out)?;
    npm::pack(&release, &program, &out)?;
    container::build(&release, &program, &out)?;
    sbom::write(&release, &out)?;
    sums(&out)?;
    shell::say(&format!("{}: {}", release.long_version, out.display()));
    Ok(())
}

/// `make dist-check`: installs each artefact as its users would, and waits for the first card in a browser.
pub fn check() -> Result<()> {
    setup::for_tests()?;
    setup::for_containers()?;
    setup::for_old_roots()?;
    let compose = setup::for_compose()?;
    package_crates()?;
    let mut node = Command::new("node");
    node.env("TASK_HUB_PODMAN_COMPOSE", compose);
    shell::run(node.arg("dist/check.mjs").arg(folder()?).current_dir(tree::root().join("e2e")))
}

/// Packages the crates that `task-monitor` is made of, and builds each package by itself, as a registry would.
fn package_crates() -> Result<()> {
    let mut listing = shell::cargo();
    listing.args(["tree", "--locked", "-p", "task-monitor", "--edges", "normal", "--prefix", "none"]);
    let listed = shell::output(&mut listing).context("`cargo tree` lists no crates")?;
    // Crates of the workspace have their folder behind the version.
    let own = tree::root().display().to_string();
    let mut names: Vec<&str> =
        listed.lines().filter(|line| line.contains(&own)).filter_map(|line| line.split(' ').next()).collect();
    names.sort_unstable();
    names.dedup();
    shell::say(&format!("packaging {} crates: {}", names.len(), names.join(", ")));
    let mut cargo = shell::cargo();
    cargo.args(["package", "--locked", "--quiet", "--allow-dirty"]).env("CARGO_TARGET_DIR", tree::target()?);
    shell::run(cargo.args(names.iter().flat_map(|name| ["-p", name])))
}

/// Where the artefacts lie.
fn folder() -> Result<PathBuf> {
    Ok(tree::target()?.join("packages"))
}

impl ReleaseName {
    fn of_commit() -> Result<Self> {
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            shell::output(git.current_dir(tree::root()).args(args)).context("a release is built from a git checkout")
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let changed = if git(&["status", "--porcelain"])?.is_empty() { "" } else { " changed" };
        let commit = git(&["show", "-s", "--abbrev=8", "--date=short", "--format=%h %cd", "HEAD"])?;
        let time = git(&["show", "-s", "--format=%ct", "HEAD"])?;
        Ok(Self { long_version: format!("{version} ({commit}{changed})"), version, time })
    }
}

/// Tests of the files inside the program, which no other build has.
fn test_embedded() -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.args(["test", "--quiet", "-p", "task-monitor", "--features", "embed", "--lib", "embedded"]);
    shell::run(cargo.env("CARGO_TARGET_DIR", tree::target()?).env("TASK_HUB_BUNDLE", bundle::dist()))
}

/// A static program: it needs no library of the system, so it runs on every distribution and in an empty container.
fn build_program(release: &ReleaseName) -> Result<PathBuf> {
    shell::say("building the program (optimised for size, about ten minutes from scratch)");
    let mut cargo = shell::cargo();
    cargo.args(["build", "--locked", "--profile", "dist", "-p", "task-monitor", "--features", "embed"]);
    cargo.args(["--target", TARGET]).env("CARGO_TARGET_DIR", tree::target()?);
    cargo.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", rustflags()?);
    cargo.env("CFLAGS_x86_64_unknown_linux_gnu", CFLAGS);
    cargo.env("TASK_HUB_BUNDLE", bundle::dist()).env("SOURCE_DATE_EPOCH", &release.time);
    cargo.env("TASK_MONITOR_RELEASE", &release.long_version);
    shell::run(&mut cargo)?;
    let program = tree::target()?.join(TARGET).join("dist/task-monitor");
    let bytes = std::fs::metadata(&program)?.len();
    shell::say(&format!("task-monitor with the dashboard inside: {bytes} bytes"));
    if bytes > MAX_PROGRAM_BYTES {
        bail!("the program has {bytes} bytes, more than {MAX_PROGRAM_BYTES}");
    }
    check_static(&program)?;
    Ok(program)
}

/// The flags of the released program, with those that the linker knows.
fn rustflags() -> Result<String> {
    let folder = tree::target()?.join("packages-probe");
    std::fs::create_dir_all(&folder)?;
    let empty = folder.join("empty.rs");
    std::fs::write(&empty, "fn main() {}\n")?;
    let mut rustc = Command::new("rustc");
    rustc.args(["--target", TARGET]).args(FOLD_FUNCTIONS.split(' ')).arg("-o").arg(folder.join("empty")).arg(&empty);
    if rustc.output().context("cannot start rustc")?.status.success() {
        return Ok(format!("{RUSTFLAGS} {FOLD_FUNCTIONS}"));
    }
    shell::say("the linker cannot fold equal functions: the program gets about a tenth larger");
    Ok(RUSTFLAGS.to_owned())
}

/// Fails when the program needs a dynamic loader, a library or a version of glibc.
fn check_static(program: &Path) -> Result<()> {
    let shown = ["--wide", "--program-headers", "--dynamic", "--version-info"];
    let headers = shell::output(Command::new("readelf").args(shown).arg(program));
    let headers = headers.context("`readelf` of binutils is needed")?;
    for sign in ["INTERP", "(NEEDED)", "GLIBC_"] {
        if headers.contains(sign) {
            bail!("the program is not static: it has {sign}");
        }
    }
    Ok(())
}

/// `task-monitor-0.1.0-x86_64-unknown-linux-gnu.tar.gz`: program, documents, manual page, completions, units, examples.
fn archive(release: &ReleaseName, program: &Path, out: &Path) -> Result<()> {
    let name = format!("task-monitor-{}-{TARGET}", release.version);
    let staged = out.join(&name);
    let put = |file: &str, bytes: &[u8]| -> Result<()> {
        let path = staged.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&staged))?;
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    std::fs::create_dir(&staged)?;
    std::fs::copy(program, staged.join("task-monitor"))?;
    for document in DOCUMENTS {
        put(document, &std::fs::read(tree::root().join(document))?)?;
    }
    let deploy = tree::root().join("docs/deploy");
    for file in tree::files_below(&deploy, &[])? {
        let below = file.strip_prefix(&deploy)?.to_string_lossy().into_owned();
        put(&format!("examples/{below}"), &std::fs::read(&file)?)?;
    }
    let printed = |args: &[&str]| {
        shell::output(Command::new(program).args(args)).with_context(|| format!("task-monitor {}", args.join(" ")))
    };
    put("man/task-monitor.1", printed(&["man"])?.as_bytes())?;
    for (shell, file) in [("bash", "task-monitor"), ("zsh", "_task-monitor"), ("fish", "task-monitor.fish")] {
        put(&format!("completions/{shell}/{file}"), printed(&["completions", shell])?.as_bytes())?;
    }
    let mut tar = tar(&release.time);
    tar.arg("-C").arg(out).arg("-czf").arg(out.join(format!("{name}.tar.gz"))).arg(&name);
    shell::run(&mut tar)?;
    std::fs::remove_dir_all(&staged)?;
    Ok(())
}

/// `tar` that writes the same bytes for the same files.
fn tar(time: &str) -> Command {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", &format!("--mtime=@{time}")]);
    tar.env("GZIP", "-n");
    tar
}

/// `SHA256SUMS` of all artefacts, as `sha256sum --check` reads it.
fn sums(out: &Path) -> Result<()> {
    let mut text = String::new();
    for file in tree::files_below(out, &[])? {
        let bytes = std::fs::read(&file)?;
        let name = file.strip_prefix(out)?.display();
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(text, "{sum}  {name}")?;
        shell::say(&format!("{name}: {} KB", bytes.len() / 1024));
    }
    std::fs::write(out.join("SHA256SUMS"), text)?;
    Ok(())
}
