//! Settings for coding agents' events: capture level, heartbeat interval, locale, and limit of tool events in memory
//! (`contract/event-schema-v1_1.md` §A.1, §A.5, §C.6).

use std::time::Duration;

use coordination::schema::hook::Capture;
use serde::Deserialize;

use super::ConfigError;

/// Seconds between heartbeats of a stream (§A.5).
const HEARTBEAT: u64 = 15;
/// Tool events that are held: about 300 MB of memory.
const MAX_TOOL_EVENTS: usize = 50_000;
/// Locale of events that name none (§A.1).
const LOCALE: &str = "ko-KR";

/// `[hooks]` of the configuration file. [`HooksConfig`] says what the values mean.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct HooksConfigSection {
    capture: Option<String>,
    heartbeat_interval_sec: Option<u64>,
    locale: Option<String>,
    max_tool_events: Option<usize>,
}

/// How hooks and events of coding agents are taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksConfig {
    /// How much of a hook is stored.
    pub capture: Capture,
    /// Interval of heartbeats, of a stream of events and of each agent in it that is not silent.
    pub heartbeat: Duration,
    /// Locale of events that name none, a BCP-47 tag.
    pub locale: String,
    /// Events of tools that are held in memory, the newest. The record on the disk holds all.
    pub max_tool_events: usize,
}

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            capture: Capture::default(),
            heartbeat: Duration::from_secs(HEARTBEAT),
            locale: LOCALE.to_owned(),
            max_tool_events: MAX_TOOL_EVENTS,
        }
    }
}

impl HooksConfigSection {
    /// The meaning of the values.
    pub(super) fn checked(self) -> Result<HooksConfig, ConfigError> {
        let wrong = |what: String| ConfigError::Value { what };
        let usual = HooksConfig::default();
        let capture = match self.capture.as_deref().map(str::trim) {
            None => usual.capture,
            Some("none") => Capture::None,
            Some("summary") => Capture::Summary,
            Some("full") => Capture::Full,
            Some(other) => {
                return Err(wrong(format!("hooks.capture {other:?} must be none, summary or full")));
            }
        };
        let interval = self.heartbeat_interval_sec.unwrap_or(HEARTBEAT);
        if !(5..=120).contains(&interval) {
            return Err(wrong(format!("hooks.heartbeat_interval_sec {interval} must be 5 to 120 seconds")));
        }
        let locale = self.locale.unwrap_or(usual.locale).trim().to_owned();
        let part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if locale.len() > 35 || !locale.split('-').all(part) {
            return Err(wrong(format!("hooks.locale {locale:?} must be a language tag such as ko-KR")));
        }
        let max_tool_events = self.max_tool_events.unwrap_or(MAX_TOOL_EVENTS);
        if !(1_000..=10_000_000).contains(&max_tool_events) {
            return Err(wrong(format!("hooks.max_tool_events {max_tool_events} must be 1000 to 10000000 events")));
        }
        Ok(HooksConfig { capture, heartbeat: Duration::from_secs(interval), locale, max_tool_events })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::config::{ServeArgs, Settings, layers::Layers};

    fn join(toml: &str, env: &[(&str, &str)]) -> Result<HooksConfig, String> {
        let table = toml::from_str(&format!("[hooks]\n{toml}")).map_err(|error| error.to_string())?;
        let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let args = ServeArgs::default();
        let layers = Layers::over(table, None, &args, &env).map_err(|error| error.to_string())?;
        Settings::from_layers(&layers, &args, &env).map(|it| it.hooks).map_err(|error| error.to_string())
    }

    #[test]
    fn environment_overrides_file_and_file_overrides_defaults() {
        let usual = join("", &[]).expect("usual");
        assert_eq!(usual, HooksConfig::default());
        assert_eq!((usual.capture, usual.heartbeat.as_secs(), &*usual.locale), (Capture::Summary, 15, "ko-KR"));
        assert_eq!(usual.max_tool_events, 50_000);
        let file = "capture = \"none\"\nheartbeat_interval_sec = 5\nlocale = \"en\"\nmax_tool_events = 1000";
        let of_file = join(file, &[]).expect("file");
        assert_eq!((of_file.capture, of_file.heartbeat.as_secs(), &*of_file.locale), (Capture::None, 5, "en"));
        assert_eq!(of_file.max_tool_events, 1_000);
        let env = [
            ("TASK_MONITOR_HOOKS_MAX_TOOL_EVENTS", "200000"),
            ("TASK_MONITOR_HOOKS_CAPTURE", "full"),
            ("TASK_MONITOR_HEARTBEAT_INTERVAL_SEC", "120"),
            ("TASK_MONITOR_LOCALE", "en-GB"),
        ];
        let of_env = join(file, &env).expect("environment");
        assert_eq!((of_env.capture, of_env.heartbeat.as_secs(), &*of_env.locale), (Capture::Full, 120, "en-GB"));
        assert_eq!(of_env.max_tool_events, 200_000);
    }

    #[test]
    fn invalid_hook_setting_is_refused_by_name() {
        for (toml, named) in [
            ("capture = \"everything\"", "hooks.capture"),
            ("heartbeat_interval_sec = 4", "heartbeat_interval_sec"),
            ("heartbeat_interval_sec = 121", "heartbeat_interval_sec"),
            ("max_tool_events = 999", "hooks.max_tool_events"),
            ("locale = \"\"", "hooks.locale"),
            ("locale = \"한국어\"", "hooks.locale"),
            ("captures = \"full\"", "captures"),
        ] {
            let error = join(toml, &[]).expect_err(toml);
            assert!(error.contains(named), "{toml}: {error}");
        }
        let error = join("", &[("TASK_MONITOR_HEARTBEAT_INTERVAL_SEC", "soon")]).expect_err("no number");
        assert!(error.contains("TASK_MONITOR_HEARTBEAT_INTERVAL_SEC"), "{error}");
    }
}
