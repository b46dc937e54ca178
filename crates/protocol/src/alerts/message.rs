//! Messages of the alert outbox: what a sink is sent, how far that is, and when a failed one is sent again.

use serde::{Deserialize, Serialize};

use super::recap::RecapDigest;
use super::rule::NotificationRule;
pub use crate::api::{AlertLine, MessageForm, MessageStatus};

/// Longest wait between two attempts.
const MAX_RETRY_MS: i64 = 5 * 60_000;
/// A sink that is busy may ask for a longer wait, up to this.
const MAX_REQUESTED_MS: i64 = 60 * 60_000;

/// A message to one sink.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutboxMessage {
    /// Number of the message in this outbox.
    pub id: u64,
    /// Name of the sink.
    pub sink: String,
    /// The receiver, of a sink that has several: a push subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Id of the rule or recap; empty for a test.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// Name of the rule or recap, where it is not the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_name: Option<String>,
    /// What it is about.
    pub form: MessageForm,
    /// When it was made, epoch ms.
    pub at: i64,
    /// The first lines it is about, at most [`OutboxMessage::MAX_LINES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<AlertLine>,
    /// What it says, of [`MessageForm::Recap`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recap: Option<Box<RecapDigest>>,
    /// Keys of all lines it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The message whose lines are over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<u64>,
    /// How far it is.
    pub status: MessageStatus,
    /// Number of attempts begun.
    #[serde(default)]
    pub attempts: u32,
    /// When it may be sent, epoch ms.
    #[serde(default)]
    pub next_at: i64,
    /// When it reached its status, epoch ms.
    #[serde(default)]
    pub settled_at: i64,
    /// Name that the sink gave it, by which it can be edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Why the newest attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

impl OutboxMessage {
    /// Maximum number of lines that a message shows.
    pub const MAX_LINES: usize = 10;
    /// A message that could not be sent for so long is given up.
    pub const GIVE_UP_MS: i64 = 24 * 60 * 60_000;

    /// A message to be sent at once.
    #[must_use]
    pub fn new(id: u64, sink: &str, form: MessageForm, at: i64) -> Self {
        Self {
            id,
            sink: sink.to_owned(),
            target: None,
            rule: String::new(),
            rule_name: None,
            form,
            at,
            lines: Vec::new(),
            recap: None,
            keys: Vec::new(),
            about: None,
            status: MessageStatus::Due,
            attempts: 0,
            next_at: at,
            settled_at: at,
            remote: None,
            cause: None,
        }
    }

    pub(super) fn set_rule(&mut self, rule: &NotificationRule) {
        self.rule.clone_from(&rule.id);
        self.rule_name = Some(rule.spec.name.clone()).filter(|name| *name != rule.id);
    }

    /// Name of the rule or recap; empty for a test.
    #[must_use]
    pub fn rule_name(&self) -> &str {
        self.rule_name.as_deref().unwrap_or(&self.rule)
    }
}

/// Wait before the next attempt, in milliseconds: doubled with each of the `attempts` so far, up to five minutes, and spread
/// by `jitter` (0 to 1) so that sinks are not asked in step. A sink that asks for a longer wait gets up to an hour.
#[must_use]
pub fn retry_delay_ms(attempts: u32, requested_ms: Option<i64>, jitter: f64) -> i64 {
    let doubled = 1_000_i64.saturating_mul(1 << attempts.saturating_sub(1).min(20)).min(MAX_RETRY_MS);
    let share = (jitter.clamp(0.0, 1.0) * 1_000.0).round();
    #[expect(clippy::cast_possible_truncation, reason = "0 to 1,000")]
    let spread = doubled / 2 + doubled / 2 * share as i64 / 1_000;
    spread.max(requested_ms.unwrap_or(0).clamp(0, MAX_REQUESTED_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delay_doubles_up_to_five_minutes() {
        let delays: Vec<i64> = [1, 2, 3, 9, 10, 40, u32::MAX].map(|n| retry_delay_ms(n, None, 1.0)).into();
        assert_eq!(delays, [1_000, 2_000, 4_000, 256_000, 300_000, 300_000, 300_000]);
        assert_eq!((retry_delay_ms(1, None, 0.0), retry_delay_ms(3, None, 0.5)), (500, 3_000));
        assert_eq!(retry_delay_ms(1, Some(90_000), 1.0), 90_000, "as the sink asks");
        assert_eq!(retry_delay_ms(1, Some(i64::MAX), 1.0), 3_600_000);
    }
}
