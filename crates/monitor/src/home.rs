//! Type `HomeDir`: the state folder of OpenClaw, from `--home`, the environment or the usual places, and the paths of
//! the files in it (`contract/workspace.md` §1). Nothing is created and nothing has to exist.

mod record_file;

use std::path::{Path, PathBuf};

pub(crate) use self::record_file::RecordFile;
use crate::fs::sandbox::Dir;

/// The state directory and the paths below it that this crate uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeDir {
    root: PathBuf,
    user_home: Option<PathBuf>,
    /// A copy of another machine's home: nothing in it may lead out of it.
    is_mirror: bool,
}

impl HomeDir {
    /// A home at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), user_home: std::env::var_os("HOME").map(PathBuf::from), is_mirror: false }
    }

    /// A copy of another machine's home. No variable of this machine's environment is meant for it.
    pub(crate) fn mirror(root: PathBuf) -> Self {
        Self { is_mirror: true, ..Self::new(root) }
    }

    /// Whether it is such a copy.
    pub(crate) fn is_mirror(&self) -> bool {
        self.is_mirror
    }

    /// Resolves `--home`, then the environment, then the usual places.
    #[must_use]
    pub fn resolve(flag: Option<&Path>) -> Self {
        resolve_with(flag, &|name| std::env::var(name).ok(), &|path| path.is_dir())
    }

    /// The state directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens the state directory. Its own path may lead through links; nothing below it may.
    ///
    /// # Errors
    /// When there is none, it is no folder, or it may not be opened.
    pub fn open(&self) -> std::io::Result<Dir> {
        Dir::root(&self.root)
    }

    /// The user's home directory, for paths written with `~`.
    #[must_use]
    pub fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// Folder of the coordination logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// The live log.
    #[must_use]
    pub fn live_log(&self) -> PathBuf {
        self.logs().join("coordination-events.ndjson")
    }

    /// The override file shared with the existing tools (`contract/monitor-api.md` §7).
    #[must_use]
    pub fn overrides(&self) -> PathBuf {
        self.root.join("work-session-category-overrides.json")
    }

    /// Our append-only audit log beside it.
    #[must_use]
    pub fn override_audit(&self) -> PathBuf {
        self.root.join("work-session-category-audit.ndjson")
    }

    /// The rules of the classifier: ours, beside the overrides.
    #[must_use]
    pub fn lessons(&self) -> PathBuf {
        self.root.join("task-hub-classifier.json")
    }

    /// Notes, resolved marks and views for everybody: ours, beside the overrides.
    #[must_use]
    pub fn shared_records(&self) -> PathBuf {
        self.root.join("task-hub-shared.ndjson")
    }

    /// The outbox of alerts: ours, beside the overrides.
    #[must_use]
    pub fn alert_outbox(&self) -> PathBuf {
        self.root.join("task-hub-alerts.ndjson")
    }

    /// Last visits of people: ours, beside the overrides.
    #[must_use]
    pub fn last_visits(&self) -> PathBuf {
        self.root.join("task-hub-visits.json")
    }

    /// The id of this home in a fleet: ours, beside the overrides.
    #[must_use]
    pub fn fleet_id(&self) -> PathBuf {
        self.root.join("task-hub-fleet.json")
    }

    /// The record of messages sent to agents, below [`HomeDir::logs`].
    pub const SPEAK_RECORD: &str = "task-hub-speak.ndjson";

    /// The record of answers to permission requests, below [`HomeDir::logs`].
    pub const ANSWER_RECORD: &str = "task-hub-answers.ndjson";

    /// The journal of events of coding agents, below [`HomeDir::logs`].
    pub const INGEST_RECORD: &str = "task-hub-ingest.ndjson";

    /// Where hooks put what they cannot post, below [`HomeDir::logs`].
    pub const HOOK_EVENTS: &str = "hook-events.ndjson";

    /// Name of that file after rotation, until it is removed, below [`HomeDir::logs`].
    pub const ROTATED_HOOK_EVENTS: &str = "hook-events.ndjson.put-away";

    /// A path as people write it: the user's home directory as `~`.
    #[must_use]
    pub fn display(&self, path: &Path) -> String {
        let short = self
            .user_home
            .as_deref()
            .filter(|home| home.parent().is_some())
            .and_then(|home| path.strip_prefix(home).ok());
        match short {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}

fn resolve_with(flag: Option<&Path>, env: &dyn Fn(&str) -> Option<String>, is_dir: &dyn Fn(&Path) -> bool) -> HomeDir {
    let user_home = env("HOME").filter(|text| !text.trim().is_empty()).map(PathBuf::from);
    let root = flag
        .map(|path| expand(&path.to_string_lossy(), user_home.as_deref()))
        .or_else(|| {
            ["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"]
                .into_iter()
                .filter_map(env)
                .find(|text| !text.trim().is_empty())
                .map(|text| expand(text.trim(), user_home.as_deref()))
        })
        .unwrap_or_else(|| {
            let base = user_home.clone().unwrap_or_else(|| PathBuf::from("."));
            let usual = base.join(".openclaw");
            [".openclaw", ".clawdbot", ".moldbot", ".moltbot"]
                .into_iter()
                .map(|name| base.join(name))
                .find(|path| is_dir(path))
                .unwrap_or(usual)
        });
    HomeDir { root, user_home, is_mirror: false }
}

fn expand(text: &str, user_home: Option<&Path>) -> PathBuf {
    match (text.strip_prefix('~'), user_home) {
        (Some(""), Some(home)) => home.to_path_buf(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        move |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn flag_overrides_environment_and_tilde_expands() {
        let env = env(&[("HOME", "/h"), ("OPENCLAW_STATE_DIR", "/elsewhere")]);
        assert_eq!(resolve_with(Some(Path::new("~/x")), &env, &|_| false).root(), Path::new("/h/x"));
        assert_eq!(resolve_with(None, &env, &|_| false).root(), Path::new("/elsewhere"));
    }

    #[test]
    fn legacy_folder_is_used_without_default_one() {
        let env = env(&[("HOME", "/h")]);
        let legacy = |path: &Path| path == Path::new("/h/.moltbot");
        assert_eq!(resolve_with(None, &env, &legacy).root(), Path::new("/h/.moltbot"));
        assert_eq!(resolve_with(None, &env, &|_| true).root(), Path::new("/h/.openclaw"));
        assert_eq!(resolve_with(None, &env, &|_| false).root(), Path::new("/h/.openclaw"));
    }

    #[test]
    fn paths_in_user_home_show_tilde() {
        let home = resolve_with(None, &env(&[("HOME", "/h")]), &|_| false);
        assert_eq!(home.display(&home.live_log()), "~/.openclaw/logs/coordination-events.ndjson");
        assert_eq!(home.display(Path::new("/other/x")), "/other/x");
    }
}
