//! Command `task-monitor up`, for the first minute: serves the OpenClaw home of this machine, or a demo home if the
//! machine has no home, prints the address and opens the browser.

use std::fs;
use std::io::{IsTerminal as _, Write as _, stdout};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::Context as _;
use clap::Args;
use coordination::api::HooksSetup;
use coordination::schema::AgentProgram;
use demo_home::DemoPlan;

use super::serve;
use crate::agent_hooks::DROP_FILE;
use crate::agent_hooks::setup::on_this_machine;
use crate::clock::ServerClock;
use crate::config::layers::{Layers, Source, environment};
use crate::config::{CacheSettings, ServeArgs, Settings};
use crate::home::HomeDir;

/// For a machine with neither.
const HOW_TO_LEAVE_DEMO: &str = "\
This is a demo. `task-monitor up --home DIR` shows the OpenClaw home in DIR.";

/// Flags of `up`: all of `serve`, and whether to open the browser.
#[derive(Debug, Args)]
pub(super) struct UpArgs {
    /// Print the address and leave the browser alone.
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    serve: ServeArgs,
}

/// Serves until a signal comes.
///
/// # Errors
/// As `serve`; and when the demo home cannot be written.
pub(super) fn run(args: &UpArgs) -> anyhow::Result<()> {
    let env = environment();
    let layers = Layers::read(&args.serve, &env)?;
    let mut settings = Settings::from_layers(&layers, &args.serve, &env)?;
    let mut notes = Vec::new();
    // Of a home that is named, the page says that it is missing.
    if layers.source("home") == Source::Default && !settings.home.root().exists() {
        let missing = settings.home.display(settings.home.root());
        notes.push(format!("There is no OpenClaw home at {missing}."));
        let setups =
            AgentProgram::ALL.map(|program| (program, on_this_machine(program, &|name| std::env::var(name).ok())));
        let lacking = setups.iter().filter(|(_, setup)| *setup == HooksSetup::WithoutHooks);
        notes.extend(lacking.map(|(program, _)| hooks_offer(&settings, *program)));
        if setups.iter().all(|(_, setup)| *setup == HooksSetup::Absent) {
            notes.push(HOW_TO_LEAVE_DEMO.to_owned());
            settings.home = HomeDir::new(start_demo(&settings.host, settings.port)?);
            settings.demo = true;
        }
    }
    let open = !args.no_open && stdout().is_terminal();
    serve::start(settings, move |address| {
        notes.push(format!("{address}\n"));
        // Nobody reads it where standard output is closed.
        drop(stdout().write_all(notes.join("\n").as_bytes()).and_then(|()| stdout().flush()));
        if open {
            open_browser(address);
        }
    })
}

/// For a machine with a program that has hooks, and without OpenClaw.
fn hooks_offer(settings: &Settings, program: AgentProgram) -> String {
    let (name, option) = (program.name(), program.hooks_option());
    let trust = if program == AgentProgram::Codex { " Codex asks once whether it may run them." } else { "" };
    format!(
        "{name} is on this machine. To see its agents: {}\n  \
         It adds hooks to the settings of {name}.{trust} They send turns, tool calls and waits to this monitor, as a\n  \
         summary without file contents. `task-monitor hooks uninstall{option}` removes them without a trace.",
        settings.hooks_command(program)
    )
}

/// Writes a demo home into the user's cache folder, and keeps appending to it. One a port, or a process where the system
/// chooses the port, so that a second dashboard does not write over the home of the first.
fn start_demo(host: &str, port: u16) -> anyhow::Result<PathBuf> {
    let name = match port {
        0 => format!("demo-of-{}", std::process::id()),
        port => {
            TcpListener::bind((host, port)).with_context(|| format!("cannot listen on {host} port {port}"))?;
            format!("demo-{port}")
        }
    };
    let caches = CacheSettings::user_folder(&environment());
    let caches = caches.context("neither XDG_CACHE_HOME nor HOME is a path: there is no place for the demo home")?;
    let folder = caches.join(name).join(".openclaw");
    if demo_home::is_rehearsal(&folder) {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove the old demo home {}", folder.display()))?;
    }
    let now_ms = || ServerClock::system().now_ms();
    let plan = DemoPlan {
        folder: folder.clone(),
        events: 0,
        seed: 1,
        end: None,
        demo: true,
        follow: true,
        rate: None,
        drop_file: DROP_FILE,
    };
    demo_home::write(&plan, &now_ms)?;
    thread::Builder::new().name("demo".to_owned()).spawn(move || {
        if let Err(error) = demo_home::follow(&plan, &now_ms) {
            tracing::warn!(%error, "the demo home is no longer written to");
        }
    })?;
    Ok(folder)
}

/// Opens the address where there is a screen. A browser that does not start is no fault of the server.
fn open_browser(address: &str) {
    let on_screen = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(|name| std::env::var_os(name).is_some());
    let program = if cfg!(target_os = "macos") { Some("open") } else { on_screen.then_some("xdg-open") };
    let Some(program) = program else { return };
    let quiet = || Stdio::null();
    let started = Command::new(program).arg(address).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    if let Err(error) = started {
        tracing::debug!(%error, program = %Path::new(program).display(), "the browser does not start");
    }
}
