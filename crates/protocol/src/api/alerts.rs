//! Types of `/api/v2/alerts`: rules and sinks of alerts that the monitor sends, their newest messages and dead letters.
//! Addresses and tokens of sinks are not in them.

use serde::{Deserialize, Serialize};

use super::{AlertRuleInfo, AttentionKind};

/// `GET /api/v2/alerts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AlertsPage {
    /// Where alerts are sent; empty when none are.
    pub sinks: Vec<AlertSinkInfo>,
    /// What is sent when.
    pub rules: Vec<AlertRuleInfo>,
    /// What is sent at times of the day, as the configuration file says.
    pub recaps: Vec<AlertRecapInfo>,
    /// Messages that wait to be sent.
    pub pending: u64,
    /// The newest messages, newest first, at most [`AlertsPage::MAX_MESSAGES`].
    pub messages: Vec<AlertMessage>,
    /// Messages that were given up, newest first, at most as many.
    pub dead: Vec<AlertMessage>,
    /// Why nothing is sent now, in an English sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// The `now` it was computed for.
    pub now: i64,
}

impl AlertsPage {
    /// Maximum number of messages in each list.
    pub const MAX_MESSAGES: usize = 50;
}

/// A recap that is sent at times of the day: what changed since the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertRecapInfo {
    /// Its name.
    pub name: String,
    /// Times of the day, such as `08:30`.
    pub at: Vec<String>,
    /// Days of the week, `mon` to `sun`; empty for every day.
    #[serde(default)]
    pub days: Vec<String>,
    /// Names of the sinks that get it.
    pub sinks: Vec<String>,
    /// Whether it is sent when nothing happened.
    pub empty: bool,
    /// When the next one is due, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<i64>,
    /// Up to when the previous one goes, epoch ms. Nothing was sent when nothing happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

/// A place that alerts are sent to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertSinkInfo {
    /// Its name.
    pub name: String,
    /// `json`, `slack`, `discord`, `mattermost`, `ntfy`, `email` or `push`.
    pub kind: String,
    /// Scheme, host and port, or the program; the rest of an address is a secret.
    pub address: String,
    /// How much text it gets: `none`, `title` or `full`.
    pub text: String,
    /// Whether it gets a message when lines are over.
    #[serde(default)]
    pub sends_over: bool,
    /// How the newest attempt ended.
    pub state: AlertSinkState,
    /// When it last took a message, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_sent: Option<i64>,
    /// When the newest failure was, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<i64>,
    /// Why, in an English sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Messages that it took since the start of the monitor.
    #[serde(default)]
    pub sent: u64,
    /// Attempts that failed since then.
    #[serde(default)]
    pub failed: u64,
    /// Messages that were given up since then.
    #[serde(default)]
    pub given_up: u64,
    /// Messages that wait to be sent.
    #[serde(default)]
    pub pending: u64,
    /// Public key for `PushManager.subscribe`, of kind `push`: 65 bytes in base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// Browsers that get its messages, of kind `push`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receivers: Vec<AlertReceiver>,
}

/// A browser that gets push messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertReceiver {
    /// Its id.
    pub id: String,
    /// What people call it: browser and system.
    pub name: String,
    /// Who subscribed it, if a proxy or the page names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Since when, epoch ms.
    pub since: i64,
}

/// Body of `POST /api/v2/push-subscriptions`: what `PushSubscription.toJSON()` gives, and what the monitor needs beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PushSubscription {
    /// Address at the push service. Who knows it can reach the browser, so no answer has it.
    pub endpoint: String,
    /// Keys of the browser.
    pub keys: PushKeys,
    /// What people call the browser, at most 80 characters.
    #[serde(default)]
    pub name: String,
    /// Language of its messages, `ko` or `en`; that of the sinks where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
}

/// Answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PushSubscribed {
    /// Id of the subscription.
    pub id: String,
}

/// Keys of a browser for push messages (RFC 8291), in base64url.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PushKeys {
    /// Its public key, 65 bytes.
    pub p256dh: String,
    /// Its secret, 16 bytes.
    pub auth: String,
}

/// How the newest attempt at a sink ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AlertSinkState {
    /// There was none since the start of the monitor.
    #[default]
    Unused,
    /// The sink took it.
    Ok,
    /// It failed.
    Failing,
    /// A state that this build does not know.
    #[serde(other)]
    Unknown,
}

/// A message to a sink, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertMessage {
    /// Its number.
    pub id: u64,
    /// Name of the sink.
    pub sink: String,
    /// Name of the rule or recap; empty for a test.
    #[serde(default)]
    pub rule: String,
    /// What it is about.
    pub form: MessageForm,
    /// How far it is.
    pub status: MessageStatus,
    /// When it was made, epoch ms.
    pub at: i64,
    /// When it reached its status, epoch ms.
    pub settled_at: i64,
    /// When it is sent again, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<i64>,
    /// Number of attempts.
    pub attempts: u32,
    /// Why the newest attempt failed, in an English sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Number of lines that it is about.
    pub count: u32,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<AlertLine>,
}

/// Body of `POST /api/v2/alerts/test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertTest {
    /// Name of the sink.
    pub sink: String,
    /// Id of the receiver, of a sink that has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
}

/// Body of `POST /api/v2/alerts/retry`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertRetry {
    /// Number of the dead letter.
    pub id: u64,
    /// The person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
}

/// Sinks of alerts in `GET /api/v2/health`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AlertsHealth {
    /// Number of sinks.
    pub sinks: u64,
    /// Names of those whose newest attempt failed.
    pub failing: Vec<String>,
    /// Messages that wait to be sent.
    pub pending: u64,
    /// Messages that were given up and not sent again.
    pub dead: u64,
    /// Why nothing is sent now, in an English sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// A line as a message shows it. Texts are cleaned and masked; names are those that people read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AlertLine {
    /// Why it waits.
    pub kind: AttentionKind,
    /// The agent that waits or is stuck.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The other agent: who did not answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub other: String,
    /// Agents of a cycle, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<String>,
    /// Agents that wait for the first one directly; not all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiters: Vec<String>,
    /// Number of agents that wait for it, directly or through others.
    #[serde(default)]
    pub held_up: u32,
    /// Since when it waits, epoch ms; 0 when nobody says.
    pub since: i64,
    /// True when concluded rather than written in a file.
    #[serde(default)]
    pub inferred: bool,
    /// Title of the task or session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Detail as written by the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Its place in the dashboard, below the base path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum MessageForm {
    /// One line waits.
    Line,
    /// Several lines wait: a digest, or more at a time than fit one by one.
    Many,
    /// Lines still wait.
    Repeat,
    /// The lines of an earlier message are over.
    Over,
    /// What changed since the previous recap.
    Recap,
    /// A person tries the sink.
    Test,
    /// A form of a newer version.
    #[serde(other)]
    Unknown,
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum MessageStatus {
    /// It waits to be sent.
    Due,
    /// It is being sent, or was when the monitor stopped.
    Sending,
    /// The sink acknowledged it.
    Sent,
    /// An attempt failed; another follows.
    Failed,
    /// Given up: a dead letter.
    Dead,
    /// Its lines were over before it was sent.
    Cancelled,
    /// A status of a newer version.
    #[serde(other)]
    Unknown,
}

impl MessageStatus {
    /// Whether it is still to be sent.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Due | Self::Sending | Self::Failed)
    }
}
