//! Settings of the hub's cache on disk: `--cache`, `TASK_MONITOR_CACHE` or `cache`, which is a folder, `on` for the
//! user's cache folder (XDG base directories), or `off`.

use std::path::PathBuf;
use std::time::Duration;

use super::ConfigError;
use super::layers::user_folder;

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

    /// Folder of this program in the user's cache folder.
    pub(crate) fn user_folder(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
        Some(user_folder("XDG_CACHE_HOME", ".cache", env)?.join(FOLDER))
    }

    /// From the setting; `None` for `off`. `on` without a cache folder of the user is a caution.
    ///
    /// # Errors
    /// When the value is a word other than `on` and `off`: a folder has a slash in its path.
    pub(super) fn from_setting(
        setting: Option<PathBuf>,
        env: &dyn Fn(&str) -> Option<String>,
        cautions: &mut Vec<String>,
    ) -> Result<Option<Self>, ConfigError> {
        let setting = setting.unwrap_or_else(|| PathBuf::from(DEFAULT));
        match setting.to_str() {
            Some("off") => Ok(None),
            Some("on") => {
                let folder = Self::user_folder(env);
                if folder.is_none() {
                    cautions.push(
                        "cache is on, but neither XDG_CACHE_HOME nor HOME is a path: nothing is saved".to_owned(),
                    );
                }
                Ok(folder.map(Self::in_folder))
            }
            Some(word) if !word.contains('/') => {
                Err(ConfigError::Value { what: format!("cache must be on, off or the path of a folder (./{word})") })
            }
            _ => Ok(Some(Self::in_folder(setting))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Joined = Result<Option<CacheSettings>, ConfigError>;

    /// The setting and the number of cautions.
    fn joined(setting: Option<&str>, env: &[(&str, &str)]) -> (Joined, usize) {
        let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        let mut cautions = Vec::new();
        let cache = CacheSettings::from_setting(setting.map(PathBuf::from), &env, &mut cautions);
        (cache, cautions.len())
    }

    fn folder(setting: Option<&str>, env: &[(&str, &str)]) -> Option<PathBuf> {
        joined(setting, env).0.expect("an acceptable value").map(|cache| cache.folder)
    }

    #[test]
    fn words_besides_on_and_off_are_refused() {
        for word in ["true", "yes", "On", "1"] {
            assert!(joined(Some(word), &[]).0.is_err(), "{word}");
        }
        assert_eq!(folder(Some("./true"), &[]), Some("./true".into()));
    }

    #[test]
    fn on_without_a_folder_is_a_caution() {
        assert_eq!(joined(Some("on"), &[]).1, 1);
        assert_eq!(joined(Some("on"), &[("HOME", "/home/eden")]).1, 0);
    }

    #[test]
    fn on_is_the_users_cache_folder() {
        let home = ("HOME", "/home/eden");
        let user = Some("/home/eden/.cache/task-monitor".into());
        assert_eq!(folder(None, &[home]), None, "off unless it is set");
        assert_eq!(folder(Some("on"), &[home]), user);
        assert_eq!(folder(Some("on"), &[home, ("XDG_CACHE_HOME", "/fast")]), Some("/fast/task-monitor".into()));
        assert_eq!(folder(Some("on"), &[home, ("XDG_CACHE_HOME", "fast")]), user, "a relative path");
        assert_eq!(folder(Some("/here"), &[home]), Some("/here".into()));
        assert_eq!(folder(Some("off"), &[home]), None);
    }
}
