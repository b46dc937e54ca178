//! Commands `make run` and `make dev`. `make run` builds page and monitor, and starts `task-monitor up`. `make dev`
//! rebuilds the page while it is edited.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::{clock, page, setup, shell, tree};

/// Port of `make run` unless `PORT` says otherwise: that of the monitor.
const PORT: u16 = 3847;

/// Sets up, builds and serves until it is stopped.
pub fn run() -> Result<()> {
    // Before anything is built or written: a dashboard that runs already keeps its home and its bundle.
    let port = free_port(std::env::var("PORT").ok().as_deref())?;
    let monitor = build()?;
    let error = Command::new(&monitor)
        .args(["up", "--no-open", "--port", &port.to_string(), "--bundle"])
        .arg(page::dist()?)
        .exec();
    Err(error).with_context(|| format!("cannot start {}", monitor.display()))
}

/// Page and monitor, at the same time: each leaves cores idle for a part of its build. Path of the monitor.
pub fn build() -> Result<PathBuf> {
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
