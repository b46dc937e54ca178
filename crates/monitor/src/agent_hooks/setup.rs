//! Implementation of `task-monitor hooks install|uninstall|status`. It chooses the settings file, edits it and reports
//! its state, and whether the monitor can be reached.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coordination::api::HooksSetup;
use coordination::schema::AgentProgram;

use super::codex::{self, HookTrust};
use super::command;
use super::destination::{Flags, HookDestination};
use super::drop_file::DROP_FILE;
use super::events::{ClaudeCodeVersion, HookTarget, all, known, named};
use super::merge;
use super::send::{EVENTS_PATH, HEALTH_PATH};
use super::settings_file::SettingsFile;
use crate::home::HomeDir;

/// How long a monitor is waited for.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(3);

/// Whose settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingsScope {
    /// All sessions of this user.
    User,
    /// Sessions that are started in this folder, of this user on this machine: the command names a path on it, so it
    /// goes into the file that is not shared with others.
    Project(PathBuf),
}

impl SettingsScope {
    /// Where the program looks for them.
    ///
    /// # Errors
    /// When the user's home is unknown, there is no such folder, or the program has no settings of that scope.
    pub(crate) fn path(&self, program: AgentProgram, env: &dyn Fn(&str) -> Option<String>) -> Result<PathBuf, String> {
        let set = |name: &str| env(name).filter(|text| !text.trim().is_empty()).map(PathBuf::from);
        match self {
            Self::User if program == AgentProgram::Codex => codex::hooks_file(env),
            Self::Project(_) if program == AgentProgram::Codex => {
                Err("Codex shares the hooks of a project with everybody who works on it, and ours name a path of this \
                     machine: install them for all sessions of this user"
                    .to_owned())
            }
            Self::User => {
                let folder = set("CLAUDE_CONFIG_DIR").or_else(|| Some(set("HOME")?.join(".claude")));
                Ok(folder.ok_or("whose settings? HOME is not set")?.join("settings.json"))
            }
            Self::Project(folder) if folder.is_dir() => Ok(folder.join(".claude/settings.local.json")),
            Self::Project(folder) => Err(format!("there is no folder {}", folder.display())),
        }
    }
}

/// A program on this machine, by its settings for all sessions of this user.
pub(crate) fn on_this_machine(program: AgentProgram, env: &dyn Fn(&str) -> Option<String>) -> HooksSetup {
    let Ok(path) = SettingsScope::User.path(program, env) else { return HooksSetup::Absent };
    if !path.parent().is_some_and(Path::is_dir) {
        return HooksSetup::Absent;
    }
    let hooks = SettingsFile::open(&path).and_then(|file| merge::ours(file.text()));
    if hooks.is_ok_and(|hooks| !hooks.is_empty()) { HooksSetup::WithHooks } else { HooksSetup::WithoutHooks }
}

/// What an installation is made of.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The program that gets the hooks.
    pub(crate) target: HookTarget,
    /// The program that the hooks start.
    pub(crate) executable: PathBuf,
    /// Its command line options.
    pub(crate) flags: Flags,
}

/// Installs; returns a report, line by line.
///
/// # Errors
/// One sentence; nothing is written then.
pub(crate) fn install(path: &Path, wanted: &Wanted, home: &HomeDir, now: &str) -> Result<Vec<String>, String> {
    let file = SettingsFile::open(path)?;
    let executable = wanted.executable.to_str().filter(|_| wanted.executable.is_file());
    let executable =
        executable.ok_or_else(|| format!("{} is no program that can be named", wanted.executable.display()))?;
    let program = wanted.target.program();
    let command = command::written(executable, program, &wanted.flags)
        .ok_or("a path that is no text in UTF-8 cannot be named")?;
    let mut events = wanted.target.events();
    if wanted.target == HookTarget::ClaudeCode(None) {
        // Hooks that were installed for a known version are not removed.
        let found = merge::ours(file.text()).unwrap_or_default();
        events.extend(found.iter().filter_map(|found| named(program, &found.event)));
        events.sort_by_key(|event| known(Some(ClaudeCodeVersion::NEWEST)).iter().position(|other| other == event));
        events.dedup();
    }
    if wanted.flags.answer.is_some() && !events.iter().any(|event| event.name == command::ASKING_EVENT) {
        return Err(format!(
            "{} is left as it is: only Claude Code 2.0.45 or newer lets a hook answer permission requests \
             (--claude-version VERSION, if it was not found)",
            path.display()
        ));
    }
    if events.is_empty() {
        return Err(format!("{} is left as it is: this version of Claude Code knows no hooks", path.display()));
    }
    let place = home.display(file.path());
    let done = file.install(&command, &events, now)?;
    let count = events.len();
    let mut report_lines = vec![if done.unchanged {
        format!("{place} has our hooks already: nothing was changed")
    } else {
        format!("{place}: hooks for {count} events are installed")
    }];
    report_lines.extend(done.copy.map(|copy| format!("what it was before: {}", home.display(&copy))));
    report_lines.push(format!("command: {command}"));
    report_lines.extend(wanted.flags.answer.map(answering));
    match wanted.target {
        HookTarget::ClaudeCode(version) => {
            report_lines.extend(unknown_events(version, count));
            if merge::switched_off(file.text()) {
                report_lines.push("disableAllHooks is set there: no hook runs until it is taken out".to_owned());
            }
        }
        HookTarget::Codex => {
            let written = SettingsFile::open(path)?;
            report_lines.extend(trust(path, written.text()).0);
        }
    }
    if !home.root().is_dir() {
        std::fs::create_dir_all(home.root())
            .map_err(|error| format!("cannot make {}: {error}", home.root().display()))?;
        report_lines.push(format!("made {}, where events wait while no monitor runs", home.display(home.root())));
    }
    report_lines.push("sessions that are started from now on are seen".to_owned());
    report_lines
        .push("taking them out: task-monitor hooks uninstall, with the same --program and --project".to_owned());
    Ok(report_lines)
}

/// Events that were left out, for people.
fn unknown_events(version: Option<ClaudeCodeVersion>, count: usize) -> Option<String> {
    let missing = all() - count;
    match version {
        Some(version) if missing > 0 => {
            Some(format!("Claude Code {version} does not know {missing} more events; install again after an update"))
        }
        Some(version) => Some(format!("Claude Code {version} knows all of them")),
        None if missing > 0 => Some(format!(
            "Claude Code was not found, so only what every version knows was installed: one event too many and it \
             ignores the whole file. --claude-version VERSION (claude --version tells it) installs {missing} more"
        )),
        None => None,
    }
}

/// Which hooks of ours Codex runs, line by line, and whether it runs any.
fn trust(path: &Path, hooks: &str) -> (Vec<String>, bool) {
    let trust = match HookTrust::read(path, hooks) {
        Ok(trust) => trust,
        Err(why) => return (vec![format!("whether Codex trusts the hooks is not known: {why}")], true),
    };
    let mut report_lines = Vec::new();
    if trust.is_off {
        report_lines.push("features.hooks is false in Codex's config.toml: no hook runs".to_owned());
    }
    if !trust.disabled.is_empty() {
        report_lines.push(format!("switched off in Codex: {}", trust.disabled.join(", ")));
    }
    if trust.untrusted.is_empty() {
        report_lines.push("Codex trusts them".to_owned());
    } else {
        let which = if trust.trusted == 0 { "all of them".to_owned() } else { trust.untrusted.join(", ") };
        report_lines.push(format!(
            "Codex runs a hook only after you have trusted it. New or changed: {which}. Start codex, and choose \
             \"Trust all and continue\" or review them"
        ));
    }
    (report_lines, trust.trusted > 0 && !trust.is_off)
}

/// What the waiting hook does, for people.
fn answering(seconds: u32) -> String {
    format!(
        "permission requests: the dashboard may answer for {seconds} s; then, or without a monitor, only the terminal"
    )
}

/// Removes everything of ours; returns a report, line by line.
///
/// # Errors
/// One sentence; nothing is written then.
pub(crate) fn uninstall(path: &Path, home: &HomeDir) -> Result<Vec<String>, String> {
    let file = SettingsFile::open(path)?;
    let place = home.display(file.path());
    let done = file.uninstall()?;
    Ok(vec![match (done.unchanged, done.removed) {
        (true, _) => format!("{place} holds no hook of ours: nothing was changed"),
        (_, true) => format!("{place} held nothing else and is gone"),
        _ => format!("{place}: our hooks are taken out, all else is as it was"),
    }])
}

/// State of the hooks in one settings file.
#[derive(Debug, Default)]
pub(crate) struct HooksStatus {
    /// Line by line.
    pub(crate) report_lines: Vec<String>,
    /// Our hooks are there and can run.
    pub(crate) can_run: bool,
    /// The options of the installed command.
    pub(crate) flags: Option<Flags>,
}

/// Looks at one file of settings.
pub(crate) fn hooks_status(path: &Path, target: HookTarget, home: &HomeDir) -> HooksStatus {
    let place = home.display(path);
    let file = match SettingsFile::open(path) {
        Ok(file) => file,
        Err(why) => return HooksStatus { report_lines: vec![why], ..HooksStatus::default() },
    };
    let found = match merge::ours(file.text()) {
        Ok(found) => found,
        Err(why) => {
            return HooksStatus {
                report_lines: vec![format!("{place} cannot be understood: {why}")],
                ..HooksStatus::default()
            };
        }
    };
    let Some(installed) = merge::command_of(&found) else {
        return HooksStatus { report_lines: vec![format!("{place}: not installed")], ..HooksStatus::default() };
    };
    let names: Vec<&str> = found.iter().map(|found| found.event.as_str()).collect();
    let mut report_lines =
        vec![format!("{place}: installed for {}", names.join(", ")), format!("  command: {installed}")];
    let program = command::program(installed).unwrap_or_default();
    let mut can_run = runs(Path::new(&program));
    if !can_run {
        report_lines.push(format!("  {program} is not there or cannot be started: install again"));
    }
    if let Some(seconds) = command::flags(installed).answer {
        report_lines.push(format!("  {}", answering(seconds)));
    }
    if found.iter().any(|other| other.command != command::for_event(installed, &other.event).0) {
        report_lines.push("  not all events start the same command: install again".to_owned());
    }
    if target == HookTarget::Codex {
        let (lines, runs_some) = trust(path, file.text());
        report_lines.extend(lines.into_iter().map(|line| format!("  {line}")));
        can_run &= runs_some;
    } else if merge::switched_off(file.text()) {
        report_lines.push("  disableAllHooks is set there: no hook runs".to_owned());
        can_run = false;
    }
    if let HookTarget::ClaudeCode(Some(version)) = target {
        let wanted = known(Some(version));
        let missing = wanted.iter().filter(|event| !names.contains(&event.name)).count();
        if missing > 0 {
            report_lines.push(format!("  Claude Code {version} knows {missing} more: install again"));
        }
        let beyond: Vec<&&str> = names.iter().filter(|name| !wanted.iter().any(|event| event.name == **name)).collect();
        if !beyond.is_empty() {
            report_lines
                .push(format!("  Claude Code {version} does not know {beyond:?} and ignores the file: install again"));
            can_run = false;
        }
    }
    HooksStatus { report_lines, can_run, flags: Some(command::flags(installed)) }
}

/// A name without a folder is looked for by the shell, not here.
fn runs(program: &Path) -> bool {
    let plain = program.components().count() == 1 && !program.is_absolute();
    plain || program.metadata().is_ok_and(|seen| seen.is_file() && seen.permissions().mode() & 0o111 != 0)
}

/// Where events go from here: monitor, token, drop file.
pub(crate) fn delivery(flags: &Flags, env: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let place = HookDestination::find(flags, env);
    let mut report_lines: Vec<String> = place.unread.iter().cloned().collect();
    report_lines.push(match &place.monitor {
        Err(why) => format!("monitor: {why}"),
        Ok(monitor) => match monitor.get(HEALTH_PATH, Instant::now() + HEALTH_TIMEOUT) {
            Ok(200) => format!("monitor: {monitor} answers"),
            Ok(status) => format!("monitor: {monitor} answers {status}; is it one of ours?"),
            Err(error) => format!("monitor: {monitor} cannot be reached ({error}); events wait in the drop file"),
        },
    });
    report_lines.push(match (&place.token, &place.monitor) {
        (Err(why), _) => format!("token: {why}"),
        (Ok(None), _) => "token: none is known here, so events go through the drop file, which needs none".to_owned(),
        // Nothing is posted: a list of no events.
        (Ok(Some(token)), Ok(monitor)) => {
            match monitor.post(EVENTS_PATH, token.for_header(), b"[]", Instant::now() + HEALTH_TIMEOUT) {
                Ok(401 | 403) => "token: the monitor refuses it".to_owned(),
                Ok(404 | 405) => "token: known, but this monitor takes no events of hooks".to_owned(),
                Ok(503) => {
                    "token: the monitor knows it, but can keep no events now; they wait in the drop file".to_owned()
                }
                Ok(429) => "token: the monitor has refused too many; wait a minute".to_owned(),
                Ok(_) => "token: the monitor takes it".to_owned(),
                Err(_) => "token: known".to_owned(),
            }
        }
        (Ok(Some(_)), Err(_)) => "token: known".to_owned(),
    });
    report_lines.push(format!("capture: {}", format!("{:?}", place.capture).to_ascii_lowercase()));
    report_lines.push(format!("drop file: {}", waiting(&place.home)));
    report_lines
}

/// Size of the drop file, as a line for people.
fn waiting(home: &HomeDir) -> String {
    let path = home.display(&home.logs().join(DROP_FILE));
    let opened = home.open().and_then(|root| root.open(Path::new("logs").join(DROP_FILE)));
    match opened.and_then(|(file, seen)| Ok((lines(file)?, seen.size))) {
        Ok((1, bytes)) => {
            format!("{path} holds 1 event ({bytes} bytes); it goes once a monitor has read it and it was quiet")
        }
        Ok((lines, bytes)) => {
            format!("{path} holds {lines} events ({bytes} bytes); it goes once a monitor has read it and it was quiet")
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => format!("{path} holds none"),
        Err(error) => format!("{path} cannot be read: {error}"),
    }
}

fn lines(file: File) -> std::io::Result<usize> {
    let (mut reader, mut count) = (BufReader::with_capacity(256 << 10, file), 0);
    loop {
        let piece = reader.fill_buf()?;
        if piece.is_empty() {
            return Ok(count);
        }
        count += piece.iter().filter(|byte| **byte == b'\n').count();
        let length = piece.len();
        reader.consume(length);
    }
}
