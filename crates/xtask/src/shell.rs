//! Runner of other programs, and their lookup on `PATH`. A failure is reported with the program's name in one sentence.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Says what is going on; everything else on the screen comes from the tools themselves.
pub fn say(text: &str) {
    println!("==> {text}");
}

/// Runs a command in the foreground and fails with its name and exit code.
pub fn run(command: &mut Command) -> Result<()> {
    let name = describe(command);
    let status = command.status().with_context(|| format!("cannot start `{name}`"))?;
    if !status.success() {
        bail!("`{name}` failed ({status})");
    }
    Ok(())
}

/// Like [`run`], but shows what the program says only when it fails.
pub fn run_quietly(command: &mut Command) -> Result<()> {
    let name = describe(command);
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{name}`"))?;
    if !done.status.success() {
        bail!("`{name}` failed ({}): {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(())
}

/// Like [`run`], but gives up after `limit` and ends the child.
pub fn run_within(command: &mut Command, limit: Duration) -> Result<()> {
    let name = describe(command);
    let mut child = command.spawn().with_context(|| format!("cannot start `{name}`"))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            if status.success() {
                return Ok(());
            }
            bail!("`{name}` failed ({status})");
        }
        if start.elapsed() > limit {
            child.kill().ok();
            child.wait().ok();
            bail!("`{name}` did not finish within {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Standard output of a command, trimmed; `None` when it cannot be started or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let done = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// The first program of that name on `PATH`.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// `cargo` in the repository's root, free of what an outer cargo put into the environment.
pub fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(crate::tree::root());
    // Build scripts that read them would run again, with all that depends on them.
    let of_this_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name == "CARGO" || of_this_package(name)) {
            command.env_remove(name);
        }
    }
    command
}

/// Adds folders in front of the child's `PATH`.
pub fn prepend_path(command: &mut Command, dirs: &[PathBuf]) -> Result<()> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = dirs.iter().cloned().chain(std::env::split_paths(&old));
    command.env("PATH", std::env::join_paths(all).context("a folder of PATH holds a `:`")?);
    Ok(())
}

fn describe(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or_else(|| OsStr::new("?"));
    let mut words = vec![name.to_string_lossy().into_owned()];
    words.extend(command.get_args().take(6).map(|arg| arg.to_string_lossy().into_owned()));
    words.join(" ")
}
