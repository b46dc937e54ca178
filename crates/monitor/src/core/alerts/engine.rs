//! State and steps of the alerts thread: it compares the work list with the outbox, writes what follows, and gives due
//! messages to the sinks. A step is a function of the inputs and the time, so tests run hours in milliseconds.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use coordination::alerts::{
    AlertDecider, AlertLine, MessageForm, MessageStatus, Outbox, OutboxLine, OutboxMessage, SinkRoute, WorkListLook,
    retry_delay_ms,
};
use coordination::api::{AlertSinkState, Attention, PushSubscription};
use coordination::query::PageRule;

use super::AlertError;
use super::http::{RetryAdvice, SendFailure};
use super::outbox_file::OutboxFile;
use super::push::{self, PushTarget};
use super::rules;
use super::worker::{AboutMessage, Dispatch, SendJob, SendOutcome};
use crate::config::{AlertSettings, AlertSink};
use crate::random::random_hex;

/// What became of messages to a sink since the start.
#[derive(Debug, Clone, Default)]
pub(super) struct SinkRecord {
    pub(super) state: AlertSinkState,
    pub(super) last_sent: Option<i64>,
    /// When, and why.
    pub(super) last_failure: Option<(i64, String)>,
    pub(super) sent: u64,
    pub(super) failed: u64,
    pub(super) given_up: u64,
}

/// State of the alerts thread.
pub(super) struct AlertEngine {
    settings: AlertSettings,
    decider: AlertDecider,
    path: PathBuf,
    /// `None` before it is read, and after an error.
    file: Option<OutboxFile>,
    dispatch: Box<dyn Dispatch>,
    /// Messages that are being sent, by [`channel`].
    in_flight: BTreeMap<String, u64>,
    /// Outcomes that could not be written yet. Nothing is sent before they are.
    unwritten: Vec<OutboxLine>,
    records: BTreeMap<String, SinkRecord>,
    /// Why nothing is sent now.
    trouble: Option<String>,
    /// When the next decision is due by time alone, epoch ms.
    next_at: Option<i64>,
}

impl AlertEngine {
    pub(super) fn new(settings: AlertSettings, path: PathBuf, dispatch: Box<dyn Dispatch>) -> Self {
        let records = settings.sinks.iter().map(|sink| (sink.name.clone(), SinkRecord::default())).collect();
        Self {
            decider: AlertDecider::new(rules::in_force(&settings, &[])),
            settings,
            path,
            file: None,
            dispatch,
            in_flight: BTreeMap::new(),
            unwritten: Vec::new(),
            records,
            trouble: None,
            next_at: None,
        }
    }

    pub(super) fn settings(&self) -> &AlertSettings {
        &self.settings
    }

    /// Decides by the rules of the page, too. `is_partial`: there may be others, which could not be read.
    pub(super) fn set_page_rules(&mut self, page: &[PageRule], is_partial: bool) {
        self.decider.set_rules(rules::in_force(&self.settings, page), is_partial);
    }

    /// The outbox, once it is read.
    pub(super) fn outbox(&self) -> Option<&Outbox> {
        self.file.as_ref().map(OutboxFile::outbox)
    }

    pub(super) fn records(&self) -> &BTreeMap<String, SinkRecord> {
        &self.records
    }

    pub(super) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// When a step is due by time alone, epoch ms.
    pub(super) fn next_at(&self, now: i64) -> Option<i64> {
        let can_be_sent = |outbox: &Outbox, message: &OutboxMessage| {
            let is_free = !self.in_flight.contains_key(&channel(outbox, message));
            is_free && message.about.is_none() && !self.is_quiet(message, now)
        };
        let waiting = self.outbox().into_iter().flat_map(|outbox| {
            outbox.open().filter(move |message| can_be_sent(outbox, message)).map(|message| message.next_at)
        });
        waiting.chain(self.next_at).min()
    }

    /// Whether a message is held by the quiet hours of its rule.
    fn is_quiet(&self, message: &OutboxMessage, now: i64) -> bool {
        self.decider.rules().iter().any(|rule| rule.id == message.rule && rule.is_quiet(now))
    }

    /// Notes that nothing can be sent; the file is read again later.
    pub(super) fn stop(&mut self, cause: &str) {
        self.file = None;
        if self.trouble.as_deref() != Some(cause) {
            tracing::warn!(cause, "alerts are not sent now");
            self.trouble = Some(cause.to_owned());
        }
    }

    /// Makes the file ready: it is open, and holds every outcome so far. False when that is not possible now.
    pub(super) fn prepare(&mut self, now: i64) -> bool {
        match self.try_prepare(now) {
            Ok(()) => {
                if self.trouble.take().is_some() {
                    tracing::info!("alerts are sent again");
                }
                true
            }
            Err(error) => {
                self.stop(&format!("the outbox of alerts cannot be used: {error}"));
                false
            }
        }
    }

    fn try_prepare(&mut self, now: i64) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) if file.is_current() => file,
            _ => OutboxFile::open(&self.path, now)?,
        };
        let file = self.file.insert(file);
        if !self.unwritten.is_empty() {
            file.append(self.unwritten.clone())?;
            self.unwritten.clear();
        }
        if file.outbox().push_key.is_none() && self.settings.sinks.iter().any(|sink| sink.push.is_some()) {
            let pkcs8 = push::new_key().map_err(io::Error::other)?;
            file.append(vec![OutboxLine::PushKey { pkcs8 }])?;
        }
        file.compact(now)
    }

    /// What the outbox gets after a look at the work list. It is not written here: the caller may hold the hub.
    pub(super) fn decide(
        &mut self,
        look: WorkListLook<'_>,
        now: i64,
        describe: &dyn Fn(&Attention) -> AlertLine,
    ) -> Vec<OutboxLine> {
        let Some(file) = &self.file else { return Vec::new() };
        let routes = routes(&self.settings, file.outbox());
        let decision = self.decider.decide(file.outbox(), look, &routes, now, describe);
        self.next_at = decision.next_at;
        decision.lines
    }

    /// Gives each free sink and push service its next message.
    pub(super) fn send_due(&mut self, now: i64) {
        let Some(outbox) = self.outbox() else { return };
        let known: BTreeSet<&str> = self.settings.sinks.iter().map(|sink| sink.name.as_str()).collect();
        let mut next: BTreeMap<String, OutboxMessage> = BTreeMap::new();
        let mut lines = Vec::new();
        for message in outbox.open() {
            let (id, at) = (message.id, now);
            let has_left = |target: &String| !outbox.subscribers.contains_key(target);
            if !known.contains(message.sink.as_str()) || message.target.as_ref().is_some_and(has_left) {
                lines.push(OutboxLine::Cancelled { id, at });
                continue;
            }
            let about = message.about.map(|about| outbox.messages.get(&about).map(|about| about.status));
            match about {
                None | Some(Some(MessageStatus::Sent)) => {}
                Some(Some(status)) if status.is_open() => continue,
                // Nobody saw what is over.
                _ => {
                    lines.push(OutboxLine::Cancelled { id, at });
                    continue;
                }
            }
            if is_covered(outbox, message) {
                lines.push(OutboxLine::Cancelled { id, at });
                continue;
            }
            let channel = channel(outbox, message);
            let is_free = !self.in_flight.contains_key(&channel) && !next.contains_key(&channel);
            if is_free && message.next_at <= now && !self.is_quiet(message, now) {
                next.insert(channel, message.clone());
            }
        }
        let jobs: Vec<(String, SendJob)> =
            next.into_iter().map(|(channel, message)| (channel, job(outbox, message, now))).collect();
        // On the disk before it is sent: after a crash it is known that the sink may have it.
        lines.extend(jobs.iter().map(|(_, job)| OutboxLine::Sending { id: job.message.id, at: now }));
        if lines.is_empty() || !self.write(lines) {
            return;
        }
        for (channel, job) in jobs {
            self.in_flight.insert(channel, job.message.id);
            self.dispatch.send(job);
        }
    }

    /// Notes what became of a message.
    pub(super) fn settle(&mut self, outcome: SendOutcome, now: i64) {
        let SendOutcome { id, sink, result } = outcome;
        self.in_flight.retain(|_, sending| *sending != id);
        let message = self.outbox().and_then(|outbox| outbox.messages.get(&id)).cloned();
        let record = self.records.entry(sink.clone()).or_default();
        let line = match result {
            Ok(remote) => {
                (record.state, record.last_sent) = (AlertSinkState::Ok, Some(now));
                record.sent += 1;
                OutboxLine::Sent { id, at: now, remote }
            }
            Err(SendFailure { cause, retry: RetryAdvice::Gone })
                if message.as_ref().is_some_and(|it| it.target.is_some()) =>
            {
                tracing::info!(sink, cause, "a browser took its push subscription back");
                let gone = message.and_then(|message| message.target).unwrap_or_default();
                self.unwritten.push(OutboxLine::Unsubscribed { id: gone, at: now, cause });
                OutboxLine::Cancelled { id, at: now }
            }
            Err(SendFailure { cause, retry }) => {
                (record.state, record.last_failure) = (AlertSinkState::Failing, Some((now, cause.clone())));
                record.failed += 1;
                tracing::warn!(sink, cause, "an alert was not sent");
                let retry_at = message.as_ref().and_then(|message| retry_at(message, retry, now));
                let form = message.as_ref().map(|message| message.form);
                if retry_at.is_none() && form == Some(MessageForm::Over) {
                    // That something is over is worth no dead letter: its message may be deleted.
                    OutboxLine::Cancelled { id, at: now }
                } else {
                    record.given_up += u64::from(retry_at.is_none());
                    OutboxLine::Failed { id, at: now, cause, retry_at }
                }
            }
        };
        self.unwritten.push(line);
        self.prepare(now);
    }

    /// Takes a browser, or what has changed of it; its id.
    pub(super) fn subscribe(&mut self, subscription: PushSubscription, now: i64) -> Result<String, AlertError> {
        let settings = self.settings.sinks.iter().find_map(|sink| sink.push.as_ref()).ok_or(AlertError::NoPush)?;
        let subscription = push::checked(subscription, settings).map_err(AlertError::Subscription)?;
        let id = push::subscription_id(&subscription.endpoint);
        let Some(outbox) = self.outbox() else { return Err(AlertError::Unavailable(self.cause())) };
        match outbox.subscribers.get(&id) {
            Some(known) if known.subscription == subscription => return Ok(id),
            None if outbox.subscribers.len() >= push::MAX_SUBSCRIBERS => {
                return Err(AlertError::Subscription("so many browsers subscribed that no other can; remove some"));
            }
            _ => {}
        }
        self.written(OutboxLine::Subscribed { id: id.clone(), at: now, subscription: Box::new(subscription) })?;
        Ok(id)
    }

    /// Sends a browser nothing any more.
    pub(super) fn unsubscribe(&mut self, id: String, by: Option<String>, now: i64) -> Result<(), AlertError> {
        let Some(outbox) = self.outbox() else { return Err(AlertError::Unavailable(self.cause())) };
        if !outbox.subscribers.contains_key(&id) {
            return Ok(());
        }
        let cause = by.map_or_else(|| "removed".to_owned(), |by| format!("removed by {by}"));
        self.written(OutboxLine::Unsubscribed { id, at: now, cause })
    }

    fn written(&mut self, line: OutboxLine) -> Result<(), AlertError> {
        if self.write(vec![line]) { Ok(()) } else { Err(AlertError::Unavailable(self.cause())) }
    }

    /// A test message for a sink, or for one of its receivers; its number.
    pub(super) fn test(&mut self, sink: &str, receiver: Option<String>, now: i64) -> Result<u64, AlertError> {
        let known = self.settings.sinks.iter().find(|known| known.name == sink).ok_or(AlertError::NoSink)?;
        let Some(outbox) = self.outbox() else { return Err(AlertError::Unavailable(self.cause())) };
        let is_receiver = match &receiver {
            Some(receiver) => known.push.is_some() && outbox.subscribers.contains_key(receiver),
            None => known.push.is_none(),
        };
        if !is_receiver {
            return Err(AlertError::NoReceiver);
        }
        let id = outbox.next_id();
        let mut message = OutboxMessage::new(id, sink, MessageForm::Test, now);
        message.target = receiver;
        self.written(OutboxLine::Message { message: Box::new(message) })?;
        Ok(id)
    }

    /// Sends a dead letter again.
    pub(super) fn retry(&mut self, id: u64, by: Option<String>, now: i64) -> Result<(), AlertError> {
        let Some(outbox) = self.outbox() else { return Err(AlertError::Unavailable(self.cause())) };
        if !outbox.dead().any(|message| message.id == id) {
            return Err(AlertError::NoMessage);
        }
        self.written(OutboxLine::Retried { id, at: now, by })
    }

    fn cause(&self) -> String {
        self.trouble.clone().unwrap_or_else(|| "the outbox of alerts is not read yet".to_owned())
    }

    /// Appends lines; false when the disk refused. The file is then read again, because a part may be there.
    pub(super) fn write(&mut self, lines: Vec<OutboxLine>) -> bool {
        let Some(file) = &mut self.file else { return false };
        match file.append(lines) {
            Ok(()) => true,
            Err(error) => {
                self.stop(&format!("the outbox of alerts cannot be written: {error}"));
                false
            }
        }
    }
}

/// What takes one message at a time: a sink, or the push service of a browser.
fn channel(outbox: &Outbox, message: &OutboxMessage) -> String {
    let subscriber = message.target.as_ref().and_then(|target| outbox.subscribers.get(target));
    match subscriber {
        Some(known) => format!("{} {}", message.sink, push::service(&known.subscription)),
        None => message.sink.clone(),
    }
}

/// All sinks with their receivers.
pub(super) fn routes(settings: &AlertSettings, outbox: &Outbox) -> Vec<SinkRoute> {
    let route = |sink: &AlertSink| {
        let targets = sink.push.as_ref().map(|_| outbox.subscribers.keys().cloned().collect());
        SinkRoute { name: sink.name.clone(), targets, edits: sink.kind.edits(), sends_over: sink.sends_over }
    };
    settings.sinks.iter().map(route).collect()
}

/// Whether a newer message about the same matter is for the same browser: that it was over before is no news, and would
/// take the place of the newer one.
fn is_covered(outbox: &Outbox, message: &OutboxMessage) -> bool {
    let Some(about) = message.about.and_then(|id| outbox.messages.get(&id)) else { return false };
    let newer = outbox.messages.range(message.id..).map(|(_, newer)| newer);
    message.target.is_some()
        && newer
            .filter(|newer| newer.form != MessageForm::Over && newer.target == message.target)
            .any(|newer| push::tag(newer) == push::tag(about))
}

fn job(outbox: &Outbox, message: OutboxMessage, now: i64) -> SendJob {
    let earlier = message.about.and_then(|id| outbox.messages.get(&id));
    let about = earlier.map(|about| AboutMessage {
        idempotency_key: outbox.idempotency_key(about.id),
        remote: about.remote.clone(),
        count: about.keys.len(),
    });
    let subscriber = message.target.as_ref().and_then(|target| outbox.subscribers.get(target));
    let push = subscriber.zip(outbox.push_key.clone()).map(|(subscriber, pkcs8)| PushTarget {
        subscription: subscriber.subscription.clone(),
        pkcs8,
        tag: push::tag(earlier.unwrap_or(&message)),
    });
    SendJob { idempotency_key: outbox.idempotency_key(message.id), about, push, message, now }
}

/// When a failed message is sent again; `None` when it is given up. A person who tries a sink waits for the outcome.
fn retry_at(message: &OutboxMessage, retry: RetryAdvice, now: i64) -> Option<i64> {
    let RetryAdvice::Later(requested_ms) = retry else { return None };
    let is_old = now.saturating_sub(message.at) >= OutboxMessage::GIVE_UP_MS;
    if is_old || message.form == MessageForm::Test {
        return None;
    }
    Some(now.saturating_add(retry_delay_ms(message.attempts, requested_ms, jitter())))
}

/// 0 to 1.
fn jitter() -> f64 {
    let random = u16::from_str_radix(&random_hex::<2>(), 16).unwrap_or_default();
    f64::from(random) / f64::from(u16::MAX)
}
