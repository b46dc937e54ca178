//! Settings of alerts that the monitor sends, section `[alerts]`: rules, recaps, sinks, and what leaves the machine. Addresses and
//! tokens of sinks are secrets; nothing prints them.

mod recap;
mod sink;

use std::path::Path;

use coordination::alerts::RecapSchedule;
use coordination::api::{AlertRuleSpec, AttentionGroup, AttentionKind, QuietHours};
use serde::Deserialize;

use super::ConfigError;

use recap::RecapSection;
use sink::SinkSection;
pub use sink::{AlertSink, AlertSinkKind, MailCommand, PushSettings, SinkText, WebhookTarget};

const MINUTE_MS: i64 = 60_000;
/// Longest wait, digest and repetition.
const MAX_SPAN_MS: i64 = 31 * 24 * 60 * MINUTE_MS;
const MAX_RULES: usize = 50;
const MAX_RECAPS: usize = 16;
const MAX_SINKS: usize = 16;

/// `[alerts]` of the configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AlertsSection {
    language: AlertLanguage,
    utc_offset: Option<String>,
    rules: Vec<RuleSection>,
    recaps: Vec<RecapSection>,
    sinks: Vec<SinkSection>,
}

/// Language of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlertLanguage {
    /// Korean.
    #[default]
    Ko,
    /// English.
    En,
}

/// One of `[[alerts.rules]]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RuleSection {
    name: String,
    groups: Vec<String>,
    kinds: Vec<String>,
    agents: Vec<String>,
    min_held_up: u32,
    after: Option<String>,
    quiet: Option<String>,
    digest: Option<String>,
    repeat: Option<String>,
    /// All sinks where it is absent.
    sinks: Option<Vec<String>>,
}

/// Alerts that the monitor sends. Without sinks it sends none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlertSettings {
    /// Language of messages.
    pub language: AlertLanguage,
    /// Address of the dashboard, ending with `/`. Without one, messages have no links.
    pub public_url: Option<String>,
    /// Minutes that the zone of quiet hours and recaps is ahead of UTC.
    pub utc_offset: Option<i64>,
    /// What is sent when, as the file says; their names are unique.
    pub rules: Vec<AlertRuleSpec>,
    /// When what changed is sent; their names are unique.
    pub recaps: Vec<RecapSchedule>,
    /// Where to.
    pub sinks: Vec<AlertSink>,
}

impl AlertsSection {
    /// The meaning of the section.
    pub(super) fn checked(
        self,
        public_url: Option<&str>,
        cautions: &mut Vec<String>,
    ) -> Result<AlertSettings, ConfigError> {
        let offset = self.utc_offset.as_deref().map(utc_offset).transpose()?;
        let sinks = self.sinks.into_iter().map(|sink| sink.checked(cautions));
        let sinks = sinks.collect::<Result<Vec<AlertSink>, ConfigError>>()?;
        if sinks.len() > MAX_SINKS || self.rules.len() > MAX_RULES {
            return Err(wrong(&format!("alerts: at most {MAX_SINKS} sinks and {MAX_RULES} rules")));
        }
        unique(sinks.iter().map(|sink| sink.name.as_str()), "alerts.sinks")?;
        if sinks.iter().filter(|sink| sink.push.is_some()).count() > 1 {
            return Err(wrong(
                "alerts.sinks: one sink of kind push is enough, because every subscribed browser gets it",
            ));
        }
        let rules = self.rules.iter().map(|rule| rule.checked(offset, &sinks));
        let rules = rules.collect::<Result<Vec<AlertRuleSpec>, ConfigError>>()?;
        unique(rules.iter().map(|rule| rule.name.as_str()), "alerts.rules")?;
        if self.recaps.len() > MAX_RECAPS {
            return Err(wrong(&format!("alerts.recaps: at most {MAX_RECAPS}")));
        }
        let recaps = self.recaps.iter().map(|recap| recap.checked(offset, &sinks));
        let recaps = recaps.collect::<Result<Vec<RecapSchedule>, ConfigError>>()?;
        unique(recaps.iter().map(|recap| recap.name.as_str()), "alerts.recaps")?;
        let public_url = public_url.map(checked_url).transpose()?;
        if public_url.is_none() && sinks.iter().any(|sink| sink.push.is_none()) {
            cautions.push("alerts have no links, because public_url does not name the dashboard's address".to_owned());
        }
        Ok(AlertSettings { language: self.language, public_url, utc_offset: offset, rules, recaps, sinks })
    }
}

impl RuleSection {
    fn checked(&self, offset: Option<i64>, sinks: &[AlertSink]) -> Result<AlertRuleSpec, ConfigError> {
        let field = |name: &str| format!("alerts.rules {:?}: {name}", self.name);
        let span = |text: &Option<String>, name: &str| {
            let text = text.as_deref().map(|text| span_ms(text).ok_or((text, name)));
            text.transpose().map_err(|(text, name)| {
                wrong(&format!("{} {text:?} is not a time such as 30s, 15m, 2h or 1d", field(name)))
            })
        };
        let not_zero = |span: Option<i64>, name: &str| match span {
            Some(0) => Err(wrong(&format!("{} must not be 0", field(name)))),
            span => Ok(span),
        };
        let groups: Vec<AttentionGroup> = words(&self.groups, &field("groups"), "person, agents or check")?;
        let kinds: Vec<AttentionKind> = words(&self.kinds, &field("kinds"), "a kind of the work list")?;
        let quiet = match (&self.quiet, offset) {
            (None, _) => None,
            (Some(_), None) => {
                let what = "needs alerts.utc_offset, such as \"+09:00\": quiet hours are in that zone";
                return Err(wrong(&format!("{} {what}", field("quiet"))));
            }
            (Some(text), Some(offset)) => {
                let hours = QuietHours::parse(text, offset);
                Some(hours.ok_or_else(|| wrong(&format!("{} {text:?} is not 22:00-08:00", field("quiet"))))?)
            }
        };
        let to = self.sinks.clone().unwrap_or_default();
        if to.is_empty() && self.sinks.is_some() {
            return Err(wrong(&format!("{} names none; without it, the rule sends to all", field("sinks"))));
        }
        if let Some(unknown) = to.iter().find(|name| !sinks.iter().any(|sink| sink.name == **name)) {
            return Err(wrong(&format!("{} {unknown:?} is not among alerts.sinks", field("sinks"))));
        }
        let rule = AlertRuleSpec {
            name: self.name.trim().to_owned(),
            groups,
            kinds,
            agents: self.agents.iter().map(|agent| agent.trim().to_lowercase().as_str().into()).collect(),
            min_held_up: self.min_held_up,
            after_ms: span(&self.after, "after")?.unwrap_or(MINUTE_MS),
            quiet,
            digest_ms: not_zero(span(&self.digest, "digest")?, "digest")?,
            repeat_ms: not_zero(span(&self.repeat, "repeat")?, "repeat")?.map(|repeat| repeat.max(MINUTE_MS)),
            sinks: to,
            paused: false,
        };
        match rule.problem() {
            None => Ok(rule),
            Some(problem) => Err(wrong(&format!("{} {}", field(problem.field), problem.must))),
        }
    }
}

/// Words of an enumeration of the API. Without the one for unknown words.
fn words<T: serde::de::DeserializeOwned + serde::Serialize>(
    texts: &[String],
    field: &str,
    known: &str,
) -> Result<Vec<T>, ConfigError> {
    let word = |text: &String| {
        let value = serde_json::from_value::<T>(text.as_str().into()).ok();
        let is_known = |value: &T| serde_json::to_value(value).is_ok_and(|word| word.as_str() == Some(text));
        value
            .filter(is_known)
            .filter(|_| text != "unknown")
            .ok_or_else(|| wrong(&format!("{field} {text:?} is not {known}")))
    };
    texts.iter().map(word).collect()
}

/// `90s`, `15m`, `2h`, `1d`, in milliseconds.
fn span_ms(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit = match text.chars().last()? {
        's' => 1_000,
        'm' => MINUTE_MS,
        'h' => 60 * MINUTE_MS,
        'd' => 24 * 60 * MINUTE_MS,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let number: i64 =
        if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok()? } else { return None };
    number.checked_mul(unit).filter(|span| *span <= MAX_SPAN_MS)
}

/// `+09:00` in minutes.
fn utc_offset(text: &str) -> Result<i64, ConfigError> {
    let bad = || wrong(&format!("alerts.utc_offset {text:?} is not an offset such as +09:00"));
    if text == "Z" {
        return Ok(0);
    }
    let sign = match text.chars().next() {
        Some('+') => 1,
        Some('-') => -1,
        _ => return Err(bad()),
    };
    let (hours, minutes) = text[1..].split_once(':').ok_or_else(bad)?;
    let number = |text: &str, most: i64| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i64>().ok().filter(|number| is_number && *number <= most)
    };
    Ok(sign * (number(hours, 14).ok_or_else(bad)? * 60 + number(minutes, 59).ok_or_else(bad)?))
}

/// A web address without a query, ending with `/`.
fn checked_url(text: &str) -> Result<String, ConfigError> {
    let text = text.trim();
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |rest: &str| {
        !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#@\"<>\\".contains(&byte))
    };
    match rest {
        Some(rest) if is_plain(rest) => Ok(format!("{}/", text.trim_end_matches('/'))),
        _ => Err(wrong("public_url must be an address such as https://hub.example.org/ without a query")),
    }
}

fn unique<'a>(names: impl Iterator<Item = &'a str>, field: &str) -> Result<(), ConfigError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(wrong(&format!("{field}: the name {name:?} is there twice")));
        }
    }
    Ok(())
}

fn wrong(what: &str) -> ConfigError {
    ConfigError::Value { what: what.to_owned() }
}

/// Makes the paths of secret files absolute: they are relative to the folder of the settings.
pub(super) fn join_paths(section: &mut toml::Value, folder: &Path) {
    let sinks = section.get_mut("sinks").and_then(toml::Value::as_array_mut);
    for sink in sinks.into_iter().flatten() {
        for key in ["url_file", "token_file"] {
            if let Some(toml::Value::String(name)) = sink.get_mut(key) {
                *name = folder.join(&*name).to_string_lossy().into_owned();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<(AlertSettings, Vec<String>), ConfigError> {
        let section: AlertsSection = toml::from_str(text).expect("of the right shape");
        let mut cautions = Vec::new();
        section.checked(Some("https://hub.example.org/x"), &mut cautions).map(|settings| (settings, cautions))
    }

    const SINK: &str = "[[sinks]]\nname = \"chat\"\nkind = \"slack\"\nurl = \"https://hooks.example/s3cret\"\n";

    #[test]
    fn sink_has_its_address_and_no_secret_is_printed() {
        let (settings, cautions) = checked(SINK).expect("settings");
        assert_eq!(settings.public_url.as_deref(), Some("https://hub.example.org/x/"));
        assert!(cautions.is_empty(), "{cautions:?}");
        assert!(!format!("{settings:?}").contains("s3cret"));
    }

    #[test]
    fn alert_rules_are_read_with_units_and_zone() {
        let rule = "[[rules]]\nname = \"night\"\nkinds = [\"permission\"]\nagents = [\"Eden\"]\nafter = \"90s\"\n\
                    quiet = \"22:00-08:00\"\ndigest = \"15m\"\nrepeat = \"2h\"\nmin_held_up = 2\n\
                    sinks = [\"chat\"]\n";
        let (settings, _) = checked(&format!("utc_offset = \"+09:00\"\n{rule}{SINK}")).expect("settings");
        let [rule] = settings.rules.as_slice() else { panic!("{settings:?}") };
        assert_eq!((rule.after_ms, rule.digest_ms, rule.repeat_ms), (90_000, Some(900_000), Some(7_200_000)));
        assert_eq!(rule.quiet, QuietHours::parse("22:00-08:00", 540));
        assert_eq!(
            (rule.kinds.as_slice(), rule.sinks.as_slice()),
            (&[AttentionKind::Permission][..], &["chat".to_owned()][..])
        );
        assert!(rule.agents.contains(&"eden".into()));
    }

    #[test]
    fn recaps_are_read_with_times_days_and_sinks() {
        let recaps = "[[recaps]]\nname = \"morning\"\nat = \"08:30\"\ndays = [\"mon\", \"Fri\"]\nsinks = [\"chat\"]\n\
                      [[recaps]]\nname = \"busy\"\nat = [\"18:00\", \"12:00\"]\nempty = true\n";
        let (settings, _) = checked(&format!("utc_offset = \"+09:00\"\n{recaps}{SINK}")).expect("settings");
        let [morning, busy] = settings.recaps.as_slice() else { panic!("{settings:?}") };
        assert_eq!(
            (morning.times(), morning.day_names()),
            (vec!["08:30".to_owned()], vec!["mon".to_owned(), "fri".to_owned()])
        );
        assert_eq!(
            (morning.offset, morning.sinks.as_slice(), morning.sends_empty),
            (540, &["chat".to_owned()][..], false)
        );
        assert_eq!((busy.times(), busy.sends_empty), (vec!["12:00".to_owned(), "18:00".to_owned()], true));
        assert!(busy.day_names().is_empty() && busy.sinks.is_empty());
    }

    #[test]
    fn wrong_recaps_are_refused_by_name() {
        let error = |recap: &str, offset: &str| {
            checked(&format!("{offset}[[recaps]]\n{recap}\n{SINK}")).expect_err(recap).to_string()
        };
        let zone = "utc_offset = \"+09:00\"\n";
        for (recap, named) in [
            ("name = \"r\"", "at names 1 to 24 times"),
            ("name = \"r\"\nat = []", "at names 1 to 24 times"),
            ("name = \"r\"\nat = \"8:30\"", "\"8:30\" is not a time of the day"),
            ("name = \"r\"\nat = [\"08:30\", \"24:00\"]", "\"24:00\" is not a time of the day"),
            ("name = \"r\"\nat = \"08:30\"\ndays = [\"mon\", \"holiday\"]", "\"holiday\" is not mon"),
            ("name = \"r\"\nat = \"08:30\"\ndays = []", "days names none"),
            ("name = \"r\"\nat = \"08:30\"\nsinks = [\"mail\"]", "\"mail\" is not among alerts.sinks"),
            ("name = \"r\"\nat = \"08:30\"\nsinks = []", "sinks names none"),
            ("at = \"08:30\"", "name must have"),
            ("name = \"r\"\nat = \"08:30\"\n[[recaps]]\nname = \" r \"\nat = \"09:30\"", "\"r\" is there twice"),
        ] {
            let error = error(recap, zone);
            assert!(error.contains("alerts.recaps") && error.contains(named), "{recap}: {error}");
        }
        assert!(error("name = \"r\"\nat = \"08:30\"", "").contains("utc_offset"));
        for unknown in ["[[recaps]]\nname = \"r\"\nwhen = \"08:30\"\n", "[[recaps]]\nname = \"r\"\nat = 830\n"] {
            assert!(toml::from_str::<AlertsSection>(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn wrong_alert_settings_are_refused_by_name() {
        for (rule, named) in [
            ("after = \"1 hour\"", "after"),
            ("digest = \"0m\"", "digest"),
            ("quiet = \"22:00-08:00\"", "utc_offset"),
            ("kinds = [\"unknown\"]", "kinds"),
            ("groups = [\"boss\"]", "groups"),
            ("sinks = [\"mail\"]", "sinks"),
            ("sinks = []", "sinks"),
        ] {
            let error = checked(&format!("[[rules]]\nname = \"r\"\n{rule}\n{SINK}")).expect_err(rule).to_string();
            assert!(error.contains(named), "{rule}: {error}");
        }
        let twice = checked(&format!("{SINK}{SINK}")).expect_err("twice").to_string();
        assert!(twice.contains("twice") && !twice.contains("s3cret"), "{twice}");
        assert!(checked("utc_offset = \"9\"").is_err() && utc_offset("-03:30").expect("offset") == -210);
        assert!(checked_url("https://user@hub.example/").is_err() && checked_url("hub.example").is_err());
    }
}
