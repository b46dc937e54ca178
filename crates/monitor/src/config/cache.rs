//! Settings of the hub's cache on disk: `--cache`, `TASK_MONITOR_CACHE` or `cache`, which is a folder, `on` for the
//! user's cache folder (XDG base directories), or `off`.

use std::path::PathBuf;
use std::time::Duration;

/// Without a setting.
const DEFAULT: &str = "off";
/// Folder of this program in the user's cache folder.
const FOLDER: &str = "task-monitor";
/// Log bytes that are worth a save: reading so many takes about a tenth of a second.
const MIN_NEW_BYTES: u64 = 4 << 20;
/// Between two saves.
const INTERVAL: Duration = Duration::from_secs(300);

/// Where and when the hub is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSettings {
    /// Folder of the files, one for each home. Created when needed.
    pub folder: PathBuf,
    /// New bytes of the log that are worth a save, at least.
    pub min_new_bytes: u64,
    /// Least time between two saves.
    pub interval: Duration,
}

impl CacheSettings {
    /// The cache in a folder.
    #[must_use]
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder, min_new_bytes: MIN_NEW_BYTES, interval: INTERVAL }
    }

    /// From flag, environment or file; `None` for `off`, and for `on` where the user has no cache folder.
    pub(super) fn join(
        flag: Option<PathBuf>,
        file: Option<PathBuf>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let setting = flag.or_else(|| env("TASK_MONITOR_CACHE").map(PathBuf::from)).or(file);
        let setting = setting.unwrap_or_else(|| PathBuf::from(DEFAULT));
        match setting.to_str() {
            Some("off") => None,
            Some("on") => user_folder(env).map(|folder| Self::in_folder(folder.join(FOLDER))),
            _ => Some(Self::in_folder(setting)),
        }
    }
}

/// The user's cache folder. A relative path in the environment counts as none, as the XDG rules want it.
fn user_folder(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(flag: Option<&str>, file: Option<&str>, env: &[(&str, &str)]) -> Option<PathBuf> {
        let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        CacheSettings::join(flag.map(PathBuf::from), file.map(PathBuf::from), &env).map(|cache| cache.folder)
    }

    #[test]
    fn cache_folder_follows_flag_environment_and_file() {
        let home = ("HOME", "/home/eden");
        let var = |value| ("TASK_MONITOR_CACHE", value);
        let user = Some("/home/eden/.cache/task-monitor".into());
        assert_eq!(folder(None, None, &[home]), None, "off unless it is set");
        assert_eq!(folder(Some("on"), None, &[home]), user);
        assert_eq!(folder(None, Some("on"), &[home, ("XDG_CACHE_HOME", "/fast")]), Some("/fast/task-monitor".into()));
        assert_eq!(folder(None, Some("on"), &[home, ("XDG_CACHE_HOME", "fast")]), user, "a relative path");
        assert_eq!(folder(Some("on"), None, &[]), None, "nowhere");
        assert_eq!(folder(None, Some("/file"), &[home, var("/var/x")]), Some("/var/x".into()));
        assert_eq!(folder(None, Some("/file"), &[home]), Some("/file".into()));
        assert_eq!(folder(None, Some("/file"), &[home, var("off")]), None);
        assert_eq!(folder(Some("/here"), Some("off"), &[home, var("off")]), Some("/here".into()));
        assert_eq!(folder(Some("off"), Some("/file"), &[home]), None);
    }
}
