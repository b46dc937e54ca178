//! Builder of the page for `make run` and the browser tests, in `target/page/dist`. It uses cargo's profile `wasm-dev`,
//! without optimising, splitting, hashing or compressing. `make bundle` (devtools) builds the released page.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, bail};

use crate::{clock, setup, shell, tree};

const PROFILE: &str = "wasm-dev";
/// How often a long step reports that it is still running.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// Where the page lies.
pub fn dist() -> Result<PathBuf> {
    Ok(folder()?.join("dist"))
}

/// A target folder of its own: the build runs beside native ones without waiting for cargo's lock.
fn folder() -> Result<PathBuf> {
    Ok(tree::target()?.join("page"))
}

/// Makes the page of what [`compile`] left, unless it is newer than everything it is made of. `page-build` must have been
/// built: natively, beside the monitor.
pub fn stage() -> Result<()> {
    let program = tree::target()?.join("debug/page-build");
    let file = folder()?.join("wasm32-unknown-unknown").join(PROFILE).join("task-hub.wasm");
    let root = tree::root();
    let mut inputs = vec![file.clone(), program.clone(), root.join("index.html")];
    for source in ["style", "public"] {
        inputs.extend(tree::files_below(&root.join(source), &[])?);
    }
    let fonts = setup::fonts();
    let dist = dist()?;
    if is_newer(&dist.join("index.html"), &inputs) && dist.join("fonts").is_dir() == fonts.is_some() {
        return Ok(());
    }
    let staged = folder()?.join("dist.new");
    let mut stage = Command::new(&program);
    stage.arg("--source").arg(&root).arg("--wasm").arg(&file).arg("--out").arg(&staged);
    if let Some(fonts) = fonts {
        stage.arg("--fonts").arg(fonts);
    }
    shell::run(&mut stage)?;
    swap_in(&staged, &dist)
}

/// Puts a finished folder in the place of the old one, so that a running server never sees half of it.
pub fn swap_in(new: &Path, place: &Path) -> Result<()> {
    let old = place.with_extension("old");
    if old.exists() {
        std::fs::remove_dir_all(&old)?;
    }
    if place.exists() {
        std::fs::rename(place, &old).with_context(|| format!("cannot move the old {} away", place.display()))?;
    }
    std::fs::rename(new, place).with_context(|| format!("cannot move the new {} in", place.display()))?;
    if old.exists() {
        std::fs::remove_dir_all(&old)?;
    }
    Ok(())
}

/// True when `file` exists and no input is newer.
fn is_newer(file: &Path, inputs: &[PathBuf]) -> bool {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let Some(built) = modified(file) else { return false };
    inputs.iter().all(|input| modified(input).unwrap_or(SystemTime::now()) <= built)
}

/// Cargo for wasm32, in a target folder of its own. Its lines are counted and reported now and then; they are shown when
/// it fails.
pub fn compile(wasm: &setup::Wasm) -> Result<()> {
    let mut cargo = wasm.command("cargo");
    cargo.args(["build", "--locked", "-p", "task-hub", "--profile", PROFILE, "--target", "wasm32-unknown-unknown"]);
    cargo.env("CARGO_TARGET_DIR", folder()?).env("CARGO_TERM_COLOR", "never");
    let start = Instant::now();
    let mut child = cargo.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().context("cannot start cargo")?;
    let lines = BufReader::new(child.stderr.take().context("no output of cargo")?).lines();
    let mut log = String::new();
    let (mut compiled, mut reported) = (0, start);
    for line in lines {
        let line = line?;
        compiled += usize::from(line.trim_start().starts_with("Compiling"));
        if reported.elapsed() >= REPORT_EVERY {
            reported = Instant::now();
            shell::say(&format!("page: {compiled} crates compiled, {}", clock::words(start.elapsed())));
        }
        log.push_str(&line);
        log.push('\n');
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("the page does not compile ({status}):\n{log}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_newer;

    #[test]
    fn newer_input_makes_the_page_stale() {
        let dir = std::env::temp_dir().join(format!("task-hub-page-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("temporary folder");
        let (page, source) = (dir.join("index.html"), dir.join("a.css"));
        assert!(!is_newer(&page, &[]), "nothing was built");
        std::fs::write(&source, "a").expect("write");
        std::fs::write(&page, "p").expect("write");
        assert!(is_newer(&page, std::slice::from_ref(&source)));
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        std::fs::File::options().write(true).open(&source).expect("open").set_modified(later).expect("time");
        assert!(!is_newer(&page, &[source]));
        assert!(!is_newer(&page, &[dir.join("gone")]), "a missing input");
        std::fs::remove_dir_all(&dir).expect("clean up");
    }
}
