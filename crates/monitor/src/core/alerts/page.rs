//! View of the alerts for the API: sinks with their state, newest messages and dead letters.

use coordination::alerts::{Outbox, OutboxMessage, Subscriber};
use coordination::api::{
    AlertMessage, AlertReceiver, AlertSinkInfo, AlertSinkState, AlertsHealth, AlertsPage, MessageStatus,
};

use super::engine::{AlertEngine, SinkRecord};
use super::push;
use crate::config::{AlertSink, AlertSinkKind, SinkText};

/// Lines of a message that the view has.
const MAX_LINES: usize = 3;

/// The view at `now`, without the rules, which each request takes from the hub.
pub(super) fn page(engine: &AlertEngine, now: i64) -> AlertsPage {
    let outbox = engine.outbox();
    let newest = |fits: &dyn Fn(&OutboxMessage) -> bool| {
        let all = outbox.into_iter().flat_map(|outbox| outbox.messages.values().rev());
        all.filter(|it| fits(it)).take(AlertsPage::MAX_MESSAGES).map(shown).collect()
    };
    let none = SinkRecord::default();
    let sinks = engine.settings().sinks.iter().map(|sink| {
        let record = engine.records().get(&sink.name).unwrap_or(&none);
        let pending = outbox.map_or(0, |outbox| outbox.open().filter(|message| message.sink == sink.name).count());
        sink_info(sink, record, pending as u64, outbox)
    });
    AlertsPage {
        sinks: sinks.collect(),
        rules: Vec::new(),
        recaps: engine.recap_infos(now),
        pending: outbox.map_or(0, |outbox| outbox.open().count() as u64),
        messages: newest(&|message| message.status != MessageStatus::Dead),
        dead: newest(&|message| message.status == MessageStatus::Dead),
        trouble: engine.trouble().map(str::to_owned),
        now,
    }
}

/// The short form for health.
pub(super) fn health(page: &AlertsPage) -> AlertsHealth {
    let failing = page.sinks.iter().filter(|sink| sink.state == AlertSinkState::Failing);
    AlertsHealth {
        sinks: page.sinks.len() as u64,
        failing: failing.map(|sink| sink.name.clone()).collect(),
        pending: page.pending,
        dead: page.dead.len() as u64,
        trouble: page.trouble.clone(),
    }
}

/// A message of the outbox by its number.
pub(super) fn message(outbox: &Outbox, id: u64) -> Option<AlertMessage> {
    outbox.messages.get(&id).map(shown)
}

fn shown(message: &OutboxMessage) -> AlertMessage {
    let of_lines = message.keys.len().max(message.lines.len());
    let count = message.recap.as_ref().map_or(of_lines, |digest| digest.count());
    AlertMessage {
        id: message.id,
        sink: message.sink.clone(),
        rule: message.rule_name().to_owned(),
        form: message.form,
        status: message.status,
        at: message.at,
        settled_at: message.settled_at,
        next_at: (message.status == MessageStatus::Failed).then_some(message.next_at),
        attempts: message.attempts,
        cause: message.cause.clone(),
        count: u32::try_from(count).unwrap_or(u32::MAX),
        lines: message.lines.iter().take(MAX_LINES).cloned().collect(),
    }
}

fn sink_info(sink: &AlertSink, record: &SinkRecord, pending: u64, outbox: Option<&Outbox>) -> AlertSinkInfo {
    let kind = match sink.kind {
        AlertSinkKind::Json => "json",
        AlertSinkKind::Slack => "slack",
        AlertSinkKind::Discord => "discord",
        AlertSinkKind::Mattermost => "mattermost",
        AlertSinkKind::Ntfy => "ntfy",
        AlertSinkKind::Email => "email",
        AlertSinkKind::Push => "push",
    };
    let text = match sink.text {
        SinkText::None => "none",
        SinkText::Title => "title",
        SinkText::Full => "full",
    };
    let program = || sink.mail.as_ref().and_then(|mail| mail.command.first().cloned());
    let address = sink.webhook.as_ref().map(|webhook| webhook.origin()).or_else(program);
    let outbox = outbox.filter(|_| sink.push.is_some());
    let receiver = |(id, known): (&String, &Subscriber)| AlertReceiver {
        id: id.clone(),
        name: known.subscription.name.clone(),
        by: known.subscription.updated_by.clone(),
        since: known.at,
    };
    AlertSinkInfo {
        name: sink.name.clone(),
        kind: kind.to_owned(),
        address: address.unwrap_or_default(),
        text: text.to_owned(),
        sends_over: sink.sends_over,
        state: record.state,
        last_sent: record.last_sent,
        last_failure: record.last_failure.as_ref().map(|(at, _)| *at),
        cause: record.last_failure.as_ref().map(|(_, cause)| cause.clone()),
        sent: record.sent,
        failed: record.failed,
        given_up: record.given_up,
        pending,
        public_key: outbox.and_then(|outbox| push::public_key(outbox.push_key.as_deref()?).ok()),
        receivers: outbox.into_iter().flat_map(|outbox| &outbox.subscribers).map(receiver).collect(),
    }
}
