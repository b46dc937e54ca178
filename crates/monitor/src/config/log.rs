//! Settings of the program's own log, section `[log]`: form, filter, and whether each request has a line.

use serde::Deserialize;

use super::layers::Source;
use super::{ConfigError, Switch};

/// `[log]` of the configuration file. [`LogSettings`] says what the values mean.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LogSection {
    format: LogFormat,
    level: Option<String>,
    access: Option<Switch>,
}

/// Form of the log lines on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people: coloured on a terminal.
    #[default]
    Text,
    /// One JSON object a line, for a log collector.
    Json,
}

/// The program's own log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// Form of a line.
    pub format: LogFormat,
    /// What is logged, in the syntax of `tracing_subscriber::filter::Targets`: `info`, `info,task_monitor::web=debug`.
    pub level: String,
    /// Whether each request has a line.
    pub access: bool,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { format: LogFormat::default(), level: "info".to_owned(), access: false }
    }
}

impl LogSection {
    /// The meaning of the values. `RUST_LOG` may be meant for another program, so a filter that cannot be read there is a
    /// caution.
    pub(super) fn checked(self, level_source: Source, cautions: &mut Vec<String>) -> Result<LogSettings, ConfigError> {
        let mut level = self.level.unwrap_or_else(|| LogSettings::default().level);
        if level.parse::<tracing_subscriber::filter::Targets>().is_err() {
            let what = format!("log.level {level:?} must be error, warn, info, debug or trace, or a filter of these");
            if level_source != Source::Environment {
                return Err(ConfigError::Value { what });
            }
            cautions.push(what);
            level = LogSettings::default().level;
        }
        Ok(LogSettings { format: self.format, level, access: self.access == Some(Switch::On) })
    }
}
