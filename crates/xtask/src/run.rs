//! Commands `make run` and `make dev`. `make run` builds page and monitor, and serves OpenClaw's state folder, or a
//! demo folder if none is found. `make dev` rebuilds the page while it is edited.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::{clock, page, setup, shell, tree};

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

/// Port of `make run` unless `PORT` says otherwise: that of the monitor.
const PORT: u16 = 3847;

/// Sets up, builds and serves until it is stopped.
pub fn run() -> Result<()> {
    // Before anything is built or written: a dashboard that runs already keeps its home and its bundle.
    let port = free_port(std::env::var("PORT").ok().as_deref())?;
    let monitor = build()?;
    let Some(home) = real_home() else { return serve_demo(&monitor, port) };
    shell::say(&format!("serving {} on http://127.0.0.1:{port}/ (Ctrl-C ends it)", home.display()));
    let error = Command::new(&monitor)
        .args(["serve", "--port", &port.to_string(), "--home"])
        .arg(&home)
        .arg("--bundle")
        .arg(page::dist()?)
        .exec();
    Err(error).with_context(|| format!("cannot start {}", monitor.display()))
}

/// Page and monitor, at the same time: each leaves cores idle for a part of its build.
fn build() -> Result<PathBuf> {
    let start = Instant::now();
    shell::say("looking for a compiler for wasm32 (if it must be brought: about a minute)");
    let wasm = setup::wasm()?;
    shell::say("building page and monitor (first time: 4 to 6 minutes on two cores; unchanged: seconds)");
    let page = std::thread::spawn(move || page::compile(&wasm));
    let native = shell::run(shell::cargo().args(["build", "--locked", "-p", "task-monitor", "-p", "page-build"]));
    page.join().map_err(|_| anyhow!("the build of the page panicked"))??;
    native.and_then(|()| page::stage())?;
    shell::say(&format!("ready after {}", clock::words(start.elapsed())));
    Ok(tree::target()?.join("debug/task-monitor"))
}

fn free_port(wanted: Option<&str>) -> Result<u16> {
    let port = match wanted.map(str::trim).filter(|text| !text.is_empty()) {
        None => PORT,
        Some(text) => match text.parse() {
            Ok(port) if port > 0 => port,
            _ => bail!("PORT={text} is not a port: a number from 1 to 65535"),
        },
    };
    match std::net::TcpListener::bind(("127.0.0.1", port)) {
        Ok(_) => Ok(port),
        Err(cause) if cause.kind() == std::io::ErrorKind::AddrInUse => bail!(
            "port {port} is in use: open http://127.0.0.1:{port}/ if that is a dashboard of yours, or take another \
             port (PORT={} make run)",
            port.checked_add(1).unwrap_or(PORT)
        ),
        Err(cause) => Err(cause).with_context(|| format!("port {port} cannot be used")),
    }
}

fn serve_demo(monitor: &Path, port: u16) -> Result<()> {
    // The folder must really be called `.openclaw`: that is what a home is called, and what readers must cope with.
    // One a port, so that a second dashboard does not write over the home of the first.
    let home = tree::target()?.join(format!("demo/{port}/.openclaw"));
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    std::fs::create_dir_all(&home).with_context(|| format!("cannot create {}", home.display()))?;
    // Written once before the server starts, so that the first page is not an empty one.
    shell::run(Command::new(monitor).arg("rehearse").arg(&home).arg("--demo"))?;
    shell::say("no OpenClaw home was found (OPENCLAW_STATE_DIR, ~/.openclaw): showing the demo home");
    shell::say(&format!("serving on http://127.0.0.1:{port}/ (Ctrl-C ends it)"));
    let error = Command::new("sh")
        .args(["-c", WITH_REHEARSAL, "task-hub", "--port", &port.to_string()])
        .env("MONITOR", monitor)
        .env("DEMO_HOME", &home)
        .env("BUNDLE", page::dist()?)
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
    let tools = setup::for_trunk()?;
    if !tree::root().join("Trunk.toml").is_file() {
        bail!("there is no Trunk.toml");
    }
    let mut trunk = tools.command("trunk")?;
    trunk.arg("serve").env("TRUNK_SKIP_VERSION_CHECK", "true");
    // A folder of its own: the flags differ from those of every other build.
    trunk.env("CARGO_TARGET_DIR", tree::target()?.join("dev"));
    shell::run(&mut trunk)
}

#[cfg(test)]
mod tests {
    use super::free_port;

    #[test]
    fn unusable_port_fails_before_the_build() {
        let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = taken.local_addr().expect("its address").port();
        let error = free_port(Some(&port.to_string())).expect_err("in use").to_string();
        assert!(error.contains(&format!("port {port} is in use")) && error.contains("PORT="), "{error}");
        for bad in ["0", "65536", "x"] {
            assert!(free_port(Some(bad)).expect_err("no port").to_string().contains(bad));
        }
        drop(taken);
        assert_eq!(free_port(Some(&format!(" {port} "))).expect("free again"), port);
    }
}
