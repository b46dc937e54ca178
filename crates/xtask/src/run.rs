//! `make run`: build, choose a home, serve. `make dev`: rebuild the page while it is edited.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{bundle, setup, shell, tree};

/// Rehearsal and server live and die together: whichever way this shell ends, it takes both with it.
const WITH_REHEARSAL: &str = r#"
"$MONITOR" rehearse "$DEMO_HOME" --demo --follow &
rehearsal=$!
"$MONITOR" serve --demo --home "$DEMO_HOME" --bundle "$BUNDLE" "$@" &
server=$!
trap 'kill $rehearsal $server 2>/dev/null; wait 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
wait $server
"#;

/// Sets up, builds and serves until it is stopped.
pub fn run() -> Result<()> {
    let tools = setup::for_bundle()?;
    bundle::build(&tools)?;
    shell::say("building task-monitor (release)");
    shell::run(shell::cargo().args(["build", "--release", "-p", "task-monitor"]))?;
    let monitor = tree::target()?.join("release/task-monitor");
    let port = std::env::var("PORT").ok().filter(|port| !port.is_empty());
    let port = port.as_deref().unwrap_or("3847");
    let Some(home) = real_home() else { return serve_demo(&monitor, port) };
    shell::say(&format!("serving {} on http://127.0.0.1:{port}/ (Ctrl-C ends it)", home.display()));
    let error = Command::new(&monitor)
        .args(["serve", "--port", port, "--home"])
        .arg(&home)
        .arg("--bundle")
        .arg(bundle::dist())
        .exec();
    Err(error).with_context(|| format!("cannot start {}", monitor.display()))
}

fn serve_demo(monitor: &Path, port: &str) -> Result<()> {
    // The folder must really be called `.openclaw`: that is what a home is called, and what readers must cope with.
    let home = tree::target()?.join("demo/.openclaw");
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    std::fs::create_dir_all(&home).with_context(|| format!("cannot create {}", home.display()))?;
    // Written once before the server starts, so that the first page is not an empty one.
    shell::run(Command::new(monitor).arg("rehearse").arg(&home).arg("--demo"))?;
    shell::say("no OpenClaw home was found (OPENCLAW_STATE_DIR, ~/.openclaw): showing the demo home");
    shell::say(&format!("serving on http://127.0.0.1:{port}/ (Ctrl-C ends it)"));
    let error = Command::new("sh")
        .args(["-c", WITH_REHEARSAL, "task-hub", "--port", port])
        .env("MONITOR", monitor)
        .env("DEMO_HOME", &home)
        .env("BUNDLE", bundle::dist())
        .exec();
    Err(error).context("cannot start sh")
}

/// `$OPENCLAW_STATE_DIR` when set (existing or not: the page says what is missing), else `~/.openclaw` if it is there.
fn real_home() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("OPENCLAW_STATE_DIR").or_else(|| set("HOME").map(|home| home.join(".openclaw")).filter(|home| home.is_dir()))
}

/// Trunk's own server; `/api` goes to a monitor on port 3847 (Trunk.toml).
pub fn dev() -> Result<()> {
    let tools = setup::for_bundle()?;
    if !tree::root().join("Trunk.toml").is_file() {
        bail!("there is no Trunk.toml");
    }
    let mut trunk = tools.command("trunk")?;
    trunk.arg("serve").env("TRUNK_SKIP_VERSION_CHECK", "true");
    // A folder of its own: the flags differ from those of every other build.
    trunk.env("CARGO_TARGET_DIR", tree::target()?.join("dev"));
    shell::run(&mut trunk)
}
