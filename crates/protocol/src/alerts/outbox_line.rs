//! Lines of the file of the alert outbox.

use serde::{Deserialize, Serialize};

use super::message::OutboxMessage;
use super::recap::RecapMark;
use crate::api::PushSubscription;

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum OutboxLine {
    /// The outbox is new.
    Opened {
        /// When, epoch ms.
        at: i64,
        /// Random name of this outbox, part of each message's idempotency key.
        instance: String,
    },
    /// A rule looks at the work list for the first time.
    RuleBegan {
        /// Id of the rule.
        rule: String,
        /// When, epoch ms.
        at: i64,
        /// Keys of lines that waited already and do not say since when.
        known: Vec<String>,
    },
    /// A rule is no longer in force.
    RuleEnded {
        /// Id of the rule.
        rule: String,
    },
    /// A line that does not say since when it waits, or names a future time.
    Seen {
        /// Key of the line.
        key: String,
        /// When it was first seen, epoch ms.
        at: i64,
    },
    /// Lines are due, and these are the messages about them.
    Due {
        /// Id of the rule.
        rule: String,
        /// Keys of the lines.
        keys: Vec<String>,
        /// When, epoch ms.
        at: i64,
        /// One for each sink, or each of its receivers.
        messages: Vec<OutboxMessage>,
    },
    /// Lines are over, and these are the messages that say so.
    Over {
        /// Id of the rule.
        rule: String,
        /// Keys of the lines.
        keys: Vec<String>,
        /// When, epoch ms.
        at: i64,
        /// Messages that need not be sent any more.
        cancelled: Vec<u64>,
        /// New messages.
        messages: Vec<OutboxMessage>,
    },
    /// A message without a rule, or one of a compacted outbox.
    Message {
        /// The message with its status.
        message: Box<OutboxMessage>,
    },
    /// A line for which messages were made, in a compacted outbox.
    Alerted {
        /// Id of the rule.
        rule: String,
        /// Key of the line.
        key: String,
        /// When the newest of them was made, epoch ms.
        at: i64,
        /// Their numbers.
        messages: Vec<u64>,
    },
    /// A request is about to be sent.
    Sending {
        /// Number of the message.
        id: u64,
        /// When, epoch ms.
        at: i64,
    },
    /// The sink acknowledged a message.
    Sent {
        /// Number of the message.
        id: u64,
        /// When, epoch ms.
        at: i64,
        /// Name that the sink gave it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remote: Option<String>,
    },
    /// An attempt failed.
    Failed {
        /// Number of the message.
        id: u64,
        /// When, epoch ms.
        at: i64,
        /// Why.
        cause: String,
        /// When it is sent again, epoch ms; `None` when it is given up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<i64>,
    },
    /// A message is not sent: its sink or receiver is gone, or nobody saw what it says is over.
    Cancelled {
        /// Number of the message.
        id: u64,
        /// When, epoch ms.
        at: i64,
    },
    /// A person wants a dead letter to be sent again.
    Retried {
        /// Number of the message.
        id: u64,
        /// When, epoch ms.
        at: i64,
        /// The person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// The key by which push services know this monitor.
    PushKey {
        /// Private and public key as PKCS #8, in base64.
        pkcs8: String,
    },
    /// A browser gets messages from now on, or has changed.
    Subscribed {
        /// Id of the subscription.
        id: String,
        /// When, epoch ms.
        at: i64,
        /// What the browser says of itself.
        subscription: Box<PushSubscription>,
    },
    /// A browser gets no messages any more.
    Unsubscribed {
        /// Id of the subscription.
        id: String,
        /// When, epoch ms.
        at: i64,
        /// Why: the push service no longer knows it, or the person who removed it.
        cause: String,
    },
    /// A recap is scheduled from now on, or was, in a compacted outbox.
    RecapMarked {
        /// Name of the recap.
        recap: String,
        /// How far it is.
        mark: RecapMark,
    },
    /// A recap was due, and these are its messages: none when nothing happened.
    Recap {
        /// Name of the recap.
        recap: String,
        /// When it was due, epoch ms.
        due: i64,
        /// When it was made, epoch ms: the end of its period.
        at: i64,
        /// One for each sink, or each of its receivers.
        messages: Vec<OutboxMessage>,
    },
    /// A recap is no longer scheduled.
    RecapEnded {
        /// Name of the recap.
        recap: String,
    },
    /// The next number, in a compacted outbox.
    Next {
        /// The number.
        id: u64,
    },
    /// A line of a newer version.
    #[serde(other)]
    Unknown,
}
