//! Outbox of alerts: what was sent to which sink, and what is still to be sent. It is the replay of the lines of
//! `task-hub-alerts.ndjson`. A line is written before what it says is done, so that a stopped monitor continues where it
//! was.

use std::collections::{BTreeMap, BTreeSet};

use super::message::{MessageStatus, OutboxMessage};
pub use super::outbox_line::OutboxLine;
use super::recap::RecapMark;
use crate::api::PushSubscription;

/// Settled messages that are remembered.
const MAX_SETTLED: usize = 200;
/// Messages about one line to each receiver that are remembered while it waits: it may be repeated for months.
const MAX_MESSAGES_OF_LINE: usize = 32;
/// Dead letters that are remembered.
const MAX_DEAD: usize = 200;

/// First look of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleStart {
    /// When, epoch ms.
    pub at: i64,
    /// Lines that were there and do not say since when. Shrinks as they go.
    pub known: BTreeSet<String>,
}

/// A line for which a rule made messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlertedLine {
    /// When the newest was made, epoch ms.
    pub at: i64,
    /// Their numbers.
    pub messages: Vec<u64>,
}

/// A browser that gets messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    /// When it subscribed, epoch ms.
    pub at: i64,
    /// What it says of itself.
    pub subscription: PushSubscription,
}

/// The state that the lines give.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outbox {
    /// Random name; empty before the first line.
    pub instance: String,
    /// Rules that looked at the list, by id. Shrinks when a rule is removed.
    pub rules: BTreeMap<String, RuleStart>,
    /// First sight of lines that do not say since when they wait. Shrinks when they are over.
    pub seen: BTreeMap<String, i64>,
    /// Lines for which messages were made, by rule and key. Shrinks when they are over.
    pub alerted: BTreeMap<(String, String), AlertedLine>,
    /// Messages by number. [`Outbox::trim`] removes old ones that are settled.
    pub messages: BTreeMap<u64, OutboxMessage>,
    /// The key by which push services know this monitor; absent before a sink needs one.
    pub push_key: Option<String>,
    /// Browsers that get messages, by id.
    pub subscribers: BTreeMap<String, Subscriber>,
    /// How far recaps are, by name. Shrinks when one is removed.
    pub recaps: BTreeMap<String, RecapMark>,
    /// The next number.
    next_id: u64,
}

impl Outbox {
    /// Number of the next message.
    #[must_use]
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Key by which a receiver recognises a message that it got before.
    #[must_use]
    pub fn idempotency_key(&self, id: u64) -> String {
        format!("{}-{id}", self.instance)
    }

    /// Applies the next line.
    pub fn apply(&mut self, line: OutboxLine) {
        match line {
            OutboxLine::Opened { instance, .. } => self.instance = instance,
            OutboxLine::RuleBegan { rule, at, known } => {
                self.rules.insert(rule, RuleStart { at, known: known.into_iter().collect() });
            }
            OutboxLine::RuleEnded { rule } => {
                self.rules.remove(&rule);
                self.alerted.retain(|(of, _), _| *of != rule);
            }
            OutboxLine::Seen { key, at } => {
                self.seen.entry(key).or_insert(at);
            }
            OutboxLine::Due { rule, keys, at, messages } => {
                for key in keys {
                    let ids = messages.iter().map(|message| message.id);
                    let alerted = self.alerted.entry((rule.clone(), key)).or_default();
                    alerted.at = at;
                    alerted.messages.extend(ids);
                    let most = MAX_MESSAGES_OF_LINE.saturating_mul(messages.len().max(1));
                    let surplus = alerted.messages.len().saturating_sub(most);
                    alerted.messages.drain(..surplus);
                }
                messages.into_iter().for_each(|message| self.insert(message));
            }
            OutboxLine::Over { rule, keys, at, cancelled, messages } => {
                for key in keys {
                    self.seen.remove(&key);
                    if let Some(start) = self.rules.get_mut(&rule) {
                        start.known.remove(&key);
                    }
                    self.alerted.remove(&(rule.clone(), key));
                }
                cancelled.into_iter().for_each(|id| self.cancel(id, at));
                messages.into_iter().for_each(|message| self.insert(message));
            }
            OutboxLine::Message { message } => self.insert(*message),
            OutboxLine::Alerted { rule, key, at, messages } => {
                self.alerted.insert((rule, key), AlertedLine { at, messages });
            }
            OutboxLine::Sending { id, at } => self.change(id, |message| {
                message.status = MessageStatus::Sending;
                message.attempts = message.attempts.saturating_add(1);
                message.settled_at = at;
            }),
            OutboxLine::Sent { id, at, remote } => self.change(id, |message| {
                message.status = MessageStatus::Sent;
                (message.settled_at, message.remote, message.cause) = (at, remote, None);
            }),
            OutboxLine::Failed { id, at, cause, retry_at } => self.change(id, |message| {
                message.status = if retry_at.is_some() { MessageStatus::Failed } else { MessageStatus::Dead };
                message.next_at = retry_at.unwrap_or(at);
                (message.settled_at, message.cause) = (at, Some(cause));
            }),
            OutboxLine::Cancelled { id, at } => self.cancel(id, at),
            OutboxLine::Retried { id, at, .. } => self.change(id, |message| {
                // The day of attempts starts over.
                message.status = MessageStatus::Due;
                (message.at, message.next_at, message.settled_at) = (at, at, at);
            }),
            OutboxLine::PushKey { pkcs8 } => {
                // Subscriptions hold for one key only.
                self.push_key = Some(pkcs8);
                self.subscribers.clear();
            }
            OutboxLine::Subscribed { id, at, subscription } => {
                let at = self.subscribers.get(&id).map_or(at, |known| known.at);
                self.subscribers.insert(id, Subscriber { at, subscription: *subscription });
            }
            OutboxLine::Unsubscribed { id, .. } => {
                self.subscribers.remove(&id);
            }
            OutboxLine::RecapMarked { recap, mark } => drop(self.recaps.insert(recap, mark)),
            OutboxLine::Recap { recap, due, at, messages } => {
                self.recaps.entry(recap).or_default().settle(due, at);
                messages.into_iter().for_each(|message| self.insert(message));
            }
            OutboxLine::RecapEnded { recap } => drop(self.recaps.remove(&recap)),
            OutboxLine::Next { id } => self.next_id = self.next_id.max(id),
            OutboxLine::Unknown => {}
        }
    }

    /// Messages that are still to be sent, by number.
    pub fn open(&self) -> impl Iterator<Item = &OutboxMessage> {
        self.messages.values().filter(|message| message.status.is_open())
    }

    /// Messages that were given up, by number.
    pub fn dead(&self) -> impl Iterator<Item = &OutboxMessage> {
        self.messages.values().filter(|message| message.status == MessageStatus::Dead)
    }

    /// Forgets old messages that are settled and about no open line.
    pub fn trim(&mut self) {
        let needed: BTreeSet<u64> = self.alerted.values().flat_map(|line| line.messages.iter().copied()).collect();
        let about: BTreeSet<u64> = self.open().filter_map(|message| message.about).collect();
        let (mut settled, mut dead) = (0, 0);
        let mut gone = Vec::new();
        for (id, message) in self.messages.iter().rev() {
            if message.status.is_open() || needed.contains(id) || about.contains(id) {
                continue;
            }
            let (count, most) = match message.status {
                MessageStatus::Dead => (&mut dead, MAX_DEAD),
                _ => (&mut settled, MAX_SETTLED),
            };
            *count += 1;
            if *count > most {
                gone.push(*id);
            }
        }
        gone.into_iter().for_each(|id| drop(self.messages.remove(&id)));
    }

    /// Lines whose replay gives this state.
    #[must_use]
    pub fn lines(&self, at: i64) -> Vec<OutboxLine> {
        let mut lines = vec![OutboxLine::Opened { at, instance: self.instance.clone() }];
        lines.extend(self.rules.iter().map(|(rule, start)| OutboxLine::RuleBegan {
            rule: rule.clone(),
            at: start.at,
            known: start.known.iter().cloned().collect(),
        }));
        lines.extend(self.seen.iter().map(|(key, at)| OutboxLine::Seen { key: key.clone(), at: *at }));
        lines.extend(self.alerted.iter().map(|((rule, key), line)| OutboxLine::Alerted {
            rule: rule.clone(),
            key: key.clone(),
            at: line.at,
            messages: line.messages.clone(),
        }));
        lines.extend(self.push_key.iter().map(|pkcs8| OutboxLine::PushKey { pkcs8: pkcs8.clone() }));
        lines.extend(self.subscribers.iter().map(|(id, Subscriber { at, subscription })| OutboxLine::Subscribed {
            id: id.clone(),
            at: *at,
            subscription: Box::new(subscription.clone()),
        }));
        lines.extend(
            self.recaps
                .iter()
                .map(|(recap, mark)| OutboxLine::RecapMarked { recap: recap.clone(), mark: mark.clone() }),
        );
        lines.extend(self.messages.values().map(|message| OutboxLine::Message { message: Box::new(message.clone()) }));
        lines.push(OutboxLine::Next { id: self.next_id });
        lines
    }

    fn insert(&mut self, message: OutboxMessage) {
        self.next_id = self.next_id.max(message.id.saturating_add(1));
        self.messages.insert(message.id, message);
    }

    fn change(&mut self, id: u64, change: impl FnOnce(&mut OutboxMessage)) {
        if let Some(message) = self.messages.get_mut(&id) {
            change(message);
        }
    }

    fn cancel(&mut self, id: u64, at: i64) {
        self.change(id, |message| {
            if message.status.is_open() {
                (message.status, message.settled_at) = (MessageStatus::Cancelled, at);
            }
        });
    }
}
