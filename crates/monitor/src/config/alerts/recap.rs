//! Settings of one recap, `[[alerts.recaps]]`: times and days on which what changed is sent, and where to.

use coordination::alerts::RecapSchedule;
use serde::Deserialize;

use super::super::ConfigError;
use super::{AlertSink, wrong};

/// Longest name, in characters.
const MAX_NAME_CHARS: usize = 60;
/// Most times of a day.
const MAX_TIMES: usize = 24;

/// One of `[[alerts.recaps]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecapSection {
    #[serde(default)]
    name: String,
    #[serde(default)]
    at: DayTimes,
    /// Every day where it is absent.
    days: Option<Vec<String>>,
    /// All sinks where it is absent.
    sinks: Option<Vec<String>>,
    #[serde(default)]
    empty: bool,
}

/// One time of the day, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum DayTimes {
    One(String),
    Several(Vec<String>),
}

impl Default for DayTimes {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl RecapSection {
    pub(super) fn checked(&self, offset: Option<i64>, sinks: &[AlertSink]) -> Result<RecapSchedule, ConfigError> {
        let name = self.name.trim();
        let refused = |field: &str, what: &str| Err(wrong(&format!("alerts.recaps {name:?}: {field} {what}")));
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
            return refused("name", "must have 1 to 60 characters");
        }
        let Some(offset) = offset else {
            return refused("at", "needs alerts.utc_offset, such as \"+09:00\": times of the day are in that zone");
        };
        let mut recap = RecapSchedule::new(name, offset);
        let times = match &self.at {
            DayTimes::One(time) => std::slice::from_ref(time),
            DayTimes::Several(times) => times.as_slice(),
        };
        if times.is_empty() || times.len() > MAX_TIMES {
            return refused("at", "names 1 to 24 times of the day, such as \"08:30\"");
        }
        for time in times {
            if !recap.add_time(time) {
                return refused("at", &format!("{time:?} is not a time of the day such as 08:30"));
            }
        }
        match self.days.as_deref() {
            None => {}
            Some([]) => return refused("days", "names none; without it, every day counts"),
            Some(days) => {
                if let Err(unknown) = recap.set_days(days) {
                    return refused("days", &format!("{unknown:?} is not mon, tue, wed, thu, fri, sat or sun"));
                }
            }
        }
        match self.sinks.as_deref() {
            None => {}
            Some([]) => return refused("sinks", "names none; without it, the recap is sent to all"),
            Some(names) => {
                if let Some(unknown) = names.iter().find(|name| !sinks.iter().any(|sink| sink.name == **name)) {
                    return refused("sinks", &format!("{unknown:?} is not among alerts.sinks"));
                }
                recap.sinks = names.to_vec();
            }
        }
        recap.sends_empty = self.empty;
        Ok(recap)
    }
}
