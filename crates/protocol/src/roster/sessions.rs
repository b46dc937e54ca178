//! Session settings of `openclaw.json`: scope, default models, send policy and visibility (`contract/workspace.md` §2,
//! `contract/sessions.md` §2, §6, §8).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agents::text;
use crate::session_key::{Release, SessionKey};

/// Settings of sessions. The default is an empty configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionSettings {
    /// `session.scope` is `global`; otherwise each sender has a session.
    pub global_scope: bool,
    /// `agents.defaults.model`.
    pub model: Option<ModelRef>,
    /// `agents.defaults.subagents.archiveAfterMinutes`; 0 is never.
    pub archive_after_minutes: Option<i64>,
    /// `tools.sessions.visibility`; [`SessionSettings::visibility`] has the defaults.
    visibility: Option<Visibility>,
    /// `agents.defaults.contextTokens`.
    context_tokens: Option<i64>,
    /// `models.providers.<provider>.models[]`: `contextWindow` by provider and model.
    context_windows: BTreeMap<(String, String), i64>,
    /// `session.sendPolicy`.
    send_policy: SendRules,
}

/// A model as the configuration writes it: `provider/model`, or the model alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRef {
    /// The provider, if it is named.
    pub provider: Option<String>,
    /// The model.
    pub model: String,
}

impl ModelRef {
    /// Reads `provider/model`; the model may hold slashes too.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim();
        let (provider, model) = match written.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => (Some(provider.to_owned()), model),
            _ => (None, written),
        };
        (!model.is_empty()).then(|| Self { provider, model: model.to_owned() })
    }

    /// A text, or an object with `primary`.
    pub(super) fn of_config(value: Option<&Value>) -> Option<Self> {
        let value = value?;
        text(value.get("primary")).or_else(|| text(Some(value))).and_then(|written| Self::parse(&written))
    }
}

/// Which sessions the session tools of an agent reach (`tools.sessions.visibility`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Their own session.
    #[serde(rename = "self")]
    Own,
    /// Their own session and those it spawned.
    Tree,
    /// All sessions of their agent.
    Agent,
    /// All sessions.
    All,
    /// A word that this build does not know.
    #[serde(other)]
    Unknown,
}

/// Whether a session may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SendPolicy {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// Source of a send policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum PolicySource {
    /// The session's own entry.
    Session,
    /// A rule of `session.sendPolicy.rules`.
    Rule,
    /// `session.sendPolicy.default`, or the program's default.
    Default,
}

impl SendPolicy {
    /// Reads `allow` or `deny`, in any case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "allow" => Some(Self::Allow),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct SendRules {
    rules: Vec<SendRule>,
    default: Option<SendPolicy>,
}

/// One rule; an absent condition always holds, texts are lower-cased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SendRule {
    action: SendPolicy,
    channel: Option<String>,
    chat_type: Option<String>,
    key_prefix: Option<String>,
    raw_key_prefix: Option<String>,
}

impl SessionSettings {
    pub(super) fn of_config(config: &Value) -> Self {
        let visibility = text(config.pointer("/tools/sessions/visibility"));
        Self {
            global_scope: text(config.pointer("/session/scope")).as_deref() == Some("global"),
            model: ModelRef::of_config(config.pointer("/agents/defaults/model")),
            archive_after_minutes: config
                .pointer("/agents/defaults/subagents/archiveAfterMinutes")
                .and_then(Value::as_i64),
            visibility: visibility.and_then(|word| serde_json::from_value(Value::String(word)).ok()),
            context_tokens: config.pointer("/agents/defaults/contextTokens").and_then(positive),
            context_windows: context_windows(config),
            send_policy: SendRules::of_config(config.pointer("/session/sendPolicy")),
        }
    }

    /// Which sessions an agent's session tools reach. Without a setting it is `tree` in the file era and `all` in the
    /// database era.
    #[must_use]
    pub fn visibility(&self, release: Release) -> Visibility {
        self.visibility.unwrap_or(match release {
            Release::File => Visibility::Tree,
            Release::Database => Visibility::All,
        })
    }

    /// Context of a model in tokens: the default of all agents, else what the model's provider is configured with.
    #[must_use]
    pub fn context_tokens(&self, model: Option<&ModelRef>) -> Option<i64> {
        let window = || {
            let model = model?;
            let named = |((provider, name), window): (&(String, String), &i64)| {
                let same = *name == model.model && model.provider.as_ref().is_none_or(|wanted| wanted == provider);
                same.then_some(*window)
            };
            self.context_windows.iter().find_map(named)
        };
        self.context_tokens.or_else(window)
    }

    /// Whether a session may send: what its entry says (`own`), else the first rule that denies it, any rule that
    /// allows it, the default.
    #[must_use]
    pub fn send_policy(
        &self,
        own: Option<&str>,
        key: &SessionKey,
        channel: Option<&str>,
        chat_type: Option<&str>,
    ) -> (SendPolicy, PolicySource) {
        if let Some(own) = own.and_then(SendPolicy::parse) {
            return (own, PolicySource::Session);
        }
        let raw = key.folded();
        let stripped = key.named_agent().map_or(raw.as_str(), |agent| {
            raw.strip_prefix("agent:").and_then(|rest| rest.strip_prefix(agent)?.strip_prefix(':')).unwrap_or(&raw)
        });
        let of_key = || ["group", "channel"].into_iter().find(|word| raw.contains(&format!(":{word}:")));
        let chat_type = chat_type.or_else(of_key).map(chat_word);
        let channel = channel.map(str::to_lowercase);
        let mut found = None;
        for rule in &self.send_policy.rules {
            let same = |wanted: &Option<String>, have: Option<&str>| {
                wanted.as_deref().is_none_or(|wanted| have == Some(wanted))
            };
            let begins = |prefix: &Option<String>, keys: &[&str]| {
                prefix.as_deref().is_none_or(|prefix| keys.iter().any(|key| key.starts_with(prefix)))
            };
            let holds = same(&rule.channel, channel.as_deref())
                && same(&rule.chat_type, chat_type.as_deref())
                && begins(&rule.raw_key_prefix, &[&raw])
                && begins(&rule.key_prefix, &[&raw, stripped]);
            if holds {
                found = Some(rule.action);
                if rule.action == SendPolicy::Deny {
                    break;
                }
            }
        }
        match found {
            Some(action) => (action, PolicySource::Rule),
            None => (self.send_policy.default.unwrap_or(SendPolicy::Allow), PolicySource::Default),
        }
    }
}

impl SendRules {
    fn of_config(value: Option<&Value>) -> Self {
        let Some(value) = value else { return Self::default() };
        let action = |value: &Value, key: &str| text(value.get(key)).and_then(|word| SendPolicy::parse(&word));
        let rule = |rule: &Value| {
            let condition = |key: &str| text(rule.pointer(&format!("/match/{key}"))).map(|text| text.to_lowercase());
            rule.is_object().then(|| SendRule {
                action: action(rule, "action").unwrap_or(SendPolicy::Allow),
                channel: condition("channel"),
                chat_type: condition("chatType").map(|word| chat_word(&word)),
                key_prefix: condition("keyPrefix"),
                raw_key_prefix: condition("rawKeyPrefix"),
            })
        };
        let rules = value.get("rules").and_then(Value::as_array).into_iter().flatten().filter_map(rule).collect();
        Self { rules, default: action(value, "default") }
    }
}

/// `dm` is an old word for `direct`.
fn chat_word(word: &str) -> String {
    let word = word.trim().to_lowercase();
    if word == "dm" { "direct".to_owned() } else { word }
}

fn context_windows(config: &Value) -> BTreeMap<(String, String), i64> {
    let providers = config.pointer("/models/providers").and_then(Value::as_object).into_iter().flatten();
    let mut windows = BTreeMap::new();
    for (provider, entry) in providers {
        for model in entry.get("models").and_then(Value::as_array).into_iter().flatten() {
            if let (Some(id), Some(window)) = (text(model.get("id")), model.get("contextWindow").and_then(positive)) {
                windows.insert((provider.clone(), id), window);
            }
        }
    }
    windows
}

fn positive(value: &Value) -> Option<i64> {
    value.as_i64().filter(|number| *number > 0)
}
