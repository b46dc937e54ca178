//! Table of the hook events that the monitor subscribes to, for Claude Code each with the first version that supports it.
//! Also detects the installed version.
//!
//! Codex passes over event names that it does not know. In Claude Code an unknown name makes it ignore the whole
//! settings file, including its permissions. So hooks are installed only for events of the detected version. If no
//! version is detected, an old one is assumed.

use std::path::{Path, PathBuf};

use coordination::schema::AgentProgram;
use serde_json::Value;

/// An event of `contract/event-schema-v1_1.md` C.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HookEvent {
    /// As the program calls it.
    pub(super) name: &'static str,
    /// For which tools; none where it has no tool.
    pub(super) matcher: Option<&'static str>,
    /// The first version of Claude Code that knows it, by its changelog.
    since: ClaudeCodeVersion,
}

/// The program that gets hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookTarget {
    /// With its version, if it is known.
    ClaudeCode(Option<ClaudeCodeVersion>),
    Codex,
}

impl HookTarget {
    pub(super) fn program(self) -> AgentProgram {
        match self {
            Self::ClaudeCode(_) => AgentProgram::ClaudeCode,
            Self::Codex => AgentProgram::Codex,
        }
    }

    /// The events that may be written into its settings.
    pub(super) fn events(self) -> Vec<HookEvent> {
        match self {
            Self::ClaudeCode(version) => known(version),
            Self::Codex => CODEX_EVENTS.to_vec(),
        }
    }
}

/// A version of Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClaudeCodeVersion(u32, u32, u32);

impl ClaudeCodeVersion {
    /// Later than all.
    pub(super) const NEWEST: Self = Self(u32::MAX, 0, 0);
}

impl std::fmt::Display for ClaudeCodeVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl std::str::FromStr for ClaudeCodeVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no version such as 2.1.84");
        let numbers: Result<Vec<u32>, _> = text.trim().trim_start_matches('v').split('.').map(str::parse).collect();
        match numbers.map_err(|_| wrong())?.as_slice() {
            [major, minor, patch] => Ok(Self(*major, *minor, *patch)),
            _ => Err(wrong()),
        }
    }
}

const fn event(name: &'static str, matcher: Option<&'static str>, since: ClaudeCodeVersion) -> HookEvent {
    HookEvent { name, matcher, since }
}

/// What every version since is taken to know when none is found.
const FALLBACK_VERSION: ClaudeCodeVersion = ClaudeCodeVersion(1, 0, 85);

/// In the order in which they are written.
const EVENTS: &[HookEvent] = &[
    event("SessionStart", None, FALLBACK_VERSION),
    event("SessionEnd", None, FALLBACK_VERSION),
    event("UserPromptSubmit", None, FALLBACK_VERSION),
    event("PreToolUse", Some("*"), FALLBACK_VERSION),
    event("PostToolUse", Some("*"), FALLBACK_VERSION),
    event("PostToolUseFailure", Some("*"), ClaudeCodeVersion(2, 1, 33)),
    event("PermissionRequest", Some("*"), ClaudeCodeVersion(2, 0, 45)),
    event("Notification", None, FALLBACK_VERSION),
    event("SubagentStart", None, ClaudeCodeVersion(2, 0, 43)),
    event("SubagentStop", None, FALLBACK_VERSION),
    event("Stop", None, FALLBACK_VERSION),
    event("StopFailure", None, ClaudeCodeVersion(2, 1, 78)),
    event("TaskCreated", None, ClaudeCodeVersion(2, 1, 84)),
    event("TaskCompleted", None, ClaudeCodeVersion(2, 1, 33)),
    event("TeammateIdle", None, ClaudeCodeVersion(2, 1, 33)),
];

/// Those of Codex, as version 0.171.0 sends them. It takes no matcher for every tool.
const CODEX_EVENTS: &[HookEvent] = &[
    event("SessionStart", None, FALLBACK_VERSION),
    event("SessionEnd", None, FALLBACK_VERSION),
    event("UserPromptSubmit", None, FALLBACK_VERSION),
    event("PreToolUse", None, FALLBACK_VERSION),
    event("PostToolUse", None, FALLBACK_VERSION),
    event("PermissionRequest", None, FALLBACK_VERSION),
    event("SubagentStart", None, FALLBACK_VERSION),
    event("SubagentStop", None, FALLBACK_VERSION),
    event("Stop", None, FALLBACK_VERSION),
    event("Interrupt", None, FALLBACK_VERSION),
];

/// The events of a version; for an unknown version, the events that all versions know.
pub(super) fn known(version: Option<ClaudeCodeVersion>) -> Vec<HookEvent> {
    let version = version.unwrap_or(FALLBACK_VERSION);
    EVENTS.iter().filter(|event| event.since <= version).copied().collect()
}

/// How many there are.
pub(super) fn all() -> usize {
    EVENTS.len()
}

/// The event of a program by its name.
pub(super) fn named(program: AgentProgram, name: &str) -> Option<HookEvent> {
    let events = match program {
        AgentProgram::ClaudeCode => EVENTS,
        AgentProgram::Codex => CODEX_EVENTS,
    };
    events.iter().find(|event| event.name == name).copied()
}

/// The version of Claude Code that this user starts: by where the program lies, else by what it wrote down last. No
/// program is started to find out.
pub(crate) fn installed(env: &dyn Fn(&str) -> Option<String>) -> Option<ClaudeCodeVersion> {
    let home = env("HOME").map(PathBuf::from);
    let paths = env("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&paths).collect::<Vec<_>>();
    let of_home = home.iter().flat_map(|home| [home.join(".local/bin"), home.join(".claude/local")]);
    let programs = folders.into_iter().chain(of_home).map(|folder| folder.join("claude"));
    let by_place = programs.filter(|program| program.is_file()).find_map(|program| of_program(&program));
    by_place.or_else(|| of_notes(&home?.join(".claude.json")))
}

/// `…/versions/2.1.84`, or the package that the program is part of.
fn of_program(program: &Path) -> Option<ClaudeCodeVersion> {
    let real = program.canonicalize().ok()?;
    let by_name = real.file_name().and_then(|name| name.to_str()?.parse().ok());
    let beside = real.parent()?.join("node_modules/@anthropic-ai/claude-code");
    let folders = real.ancestors().skip(1).take(3).map(Path::to_path_buf).chain([beside]);
    by_name.or_else(|| folders.into_iter().find_map(|folder| of_package(&folder.join("package.json"))))
}

fn of_package(path: &Path) -> Option<ClaudeCodeVersion> {
    let package: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    // The package itself, or its build for this platform.
    let rest = package["name"].as_str()?.strip_prefix("@anthropic-ai/claude-code")?;
    (rest.is_empty() || rest.starts_with('-')).then(|| package["version"].as_str()?.parse().ok()).flatten()
}

fn of_notes(path: &Path) -> Option<ClaudeCodeVersion> {
    let notes: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let versions = ["lastReleaseNotesSeen", "lastOnboardingVersion"].map(|name| notes[name].as_str()?.parse().ok());
    versions.into_iter().flatten().max()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn events_unknown_to_a_version_are_omitted() {
        let names = |version: Option<&str>| -> Vec<&str> {
            let version = version.map(|text| text.parse().expect("a version"));
            known(version).iter().map(|event| event.name).collect()
        };
        assert_eq!(names(Some("2.1.84")).len(), all());
        assert!(!names(Some("2.1.83")).contains(&"TaskCreated") && names(Some("2.1.83")).contains(&"StopFailure"));
        assert!(!names(Some("2.1.77")).contains(&"StopFailure"));
        assert_eq!(names(Some("2.0.42")), names(None));
        assert_eq!(names(None).len(), 8);
        assert_eq!(names(Some("1.0.10")), Vec::<&str>::new());
    }

    #[test]
    fn the_version_is_found_where_the_program_lies() {
        let dir = tempfile::tempdir().expect("dir");
        let home = dir.path().join("home");
        let find = |path: &Path| {
            let (home, path) = (home.display().to_string(), path.display().to_string());
            installed(&move |name| match name {
                "HOME" => Some(home.clone()),
                "PATH" => Some(path.clone()),
                _ => None,
            })
            .map(|version| version.to_string())
        };
        let write = |path: &Path, text: &str| {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
            std::fs::write(path, text).expect("write");
        };
        let none = dir.path().join("empty");
        assert_eq!(find(&none), None);
        write(&home.join(".claude.json"), r#"{"lastOnboardingVersion":"2.0.1","lastReleaseNotesSeen":"2.1.20"}"#);
        assert_eq!(find(&none).as_deref(), Some("2.1.20"));

        let package = dir.path().join("lib/node_modules/@anthropic-ai/claude-code");
        write(&package.join("package.json"), r#"{"name":"@anthropic-ai/claude-code","version":"2.1.90"}"#);
        write(&package.join("cli.js"), "");
        std::fs::create_dir_all(dir.path().join("bin")).expect("bin");
        symlink(package.join("cli.js"), dir.path().join("bin/claude")).expect("link");
        assert_eq!(find(&dir.path().join("bin")).as_deref(), Some("2.1.90"));

        let platform = dir.path().join("platform/node_modules/@anthropic-ai/claude-code-linux-x64");
        write(&platform.join("package.json"), r#"{"name":"@anthropic-ai/claude-code-linux-x64","version":"2.1.330"}"#);
        write(&platform.join("claude"), "");
        assert_eq!(find(&platform).as_deref(), Some("2.1.330"));

        write(&dir.path().join("share/versions/2.1.286"), "");
        std::fs::create_dir_all(home.join(".local/bin")).expect("bin");
        symlink(dir.path().join("share/versions/2.1.286"), home.join(".local/bin/claude")).expect("link");
        assert_eq!(find(&none).as_deref(), Some("2.1.286"));
        assert_eq!(find(&dir.path().join("bin")).as_deref(), Some("2.1.90"), "the first on the way is started");
    }
}
