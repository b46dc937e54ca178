//! Maker of decisions which messages the outbox gets: a function of the work list, the rules, the outbox and the time. It decides
//! nothing twice, because each decision becomes a line of the outbox before anything is sent.

use std::collections::{BTreeMap, BTreeSet};

use super::message::{AlertLine, MessageForm, MessageStatus, OutboxMessage};
use super::outbox::{AlertedLine, Outbox, OutboxLine, RuleStart};
use super::rule::NotificationRule;
use crate::api::Attention;

/// A line that began so long before the first look of its rule was known then. Within this, clocks of other machines may
/// differ.
const KNOWN_BEFORE_MS: i64 = 2 * 60_000;
/// A line is over when complete lists lack it for so long.
const OVER_AFTER_MS: i64 = 10_000;
/// Between two looks at a line that is over while its message is being sent.
const SENDING_LOOK_MS: i64 = 1_000;
/// Messages of a rule that are sent one by one within [`STORM_MS`]. More lines are one message.
const MAX_SINGLE: usize = 5;
/// Least time between two messages about many lines of a rule.
const STORM_MS: i64 = 60_000;

/// The work list at one moment.
#[derive(Debug, Clone, Copy)]
pub struct WorkListLook<'a> {
    /// Its lines.
    pub lines: &'a [Attention],
    /// A line that is not among them is over; otherwise it may only not have been read.
    pub is_complete: bool,
}

/// A sink, as far as decisions depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkRoute {
    /// Its name.
    pub name: String,
    /// Its receivers, of a sink that has several.
    pub targets: Option<Vec<String>>,
    /// It can change a message that it showed.
    pub edits: bool,
    /// It is sent that lines are over.
    pub sends_over: bool,
}

/// New lines of the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlertDecision {
    /// Lines to write.
    pub lines: Vec<OutboxLine>,
    /// When the next decision is due by time alone, epoch ms.
    pub next_at: Option<i64>,
}

/// Maker of decisions. It remembers only since when lines are missing: after a restart they are missing for longer before
/// they count as over.
#[derive(Debug, Clone, Default)]
pub struct AlertDecider {
    rules: Vec<NotificationRule>,
    /// Some rules could not be read: one that is not here has not ended.
    is_partial: bool,
    /// When an alerted line was first missing, by key.
    missing: BTreeMap<String, i64>,
}

impl AlertDecider {
    /// A maker of decisions by these rules.
    #[must_use]
    pub fn new(rules: Vec<NotificationRule>) -> Self {
        Self { rules, is_partial: false, missing: BTreeMap::new() }
    }

    /// Decides by these rules from now on. `is_partial`: there are others, which could not be read.
    pub fn set_rules(&mut self, rules: Vec<NotificationRule>, is_partial: bool) {
        (self.rules, self.is_partial) = (rules, is_partial);
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &[NotificationRule] {
        &self.rules
    }

    /// What the outbox gets at `now`. `describe` makes the line of a message.
    pub fn decide(
        &mut self,
        outbox: &Outbox,
        look: WorkListLook<'_>,
        routes: &[SinkRoute],
        now: i64,
        describe: &dyn Fn(&Attention) -> AlertLine,
    ) -> AlertDecision {
        let keyed: BTreeMap<String, &Attention> = look.lines.iter().map(|line| (line.alert_key(), line)).collect();
        self.note_missing(outbox, &keyed, look.is_complete, now);
        let mut made =
            Made { decision: AlertDecision::default(), seen: BTreeMap::new(), next_id: outbox.next_id(), now };
        let is_gone = |id: &String| !self.is_partial && !self.rules.iter().any(|rule| rule.id == *id);
        let gone = outbox.rules.keys().filter(|id| is_gone(id));
        made.decision.lines.extend(gone.map(|rule| OutboxLine::RuleEnded { rule: rule.clone() }));
        for rule in &self.rules {
            let Some(start) = outbox.rules.get(&rule.id) else {
                made.begin(rule, &keyed);
                continue;
            };
            if let Some(quiet) = rule.spec.quiet.filter(|quiet| quiet.contains(now)) {
                made.wake_at(quiet.next_end(now));
                made.note_first_sights(outbox, rule, &keyed);
                continue;
            }
            let due = made.due(outbox, rule, start, &keyed);
            made.send(outbox, rule, routes, due, describe);
            if look.is_complete {
                self.end(&mut made, outbox, rule, routes, &keyed);
            }
        }
        made.decision
    }

    fn note_missing(&mut self, outbox: &Outbox, keyed: &BTreeMap<String, &Attention>, is_complete: bool, now: i64) {
        self.missing.retain(|key, _| !keyed.contains_key(key));
        if is_complete {
            let starts = outbox.rules.values().flat_map(|start| &start.known);
            let known = outbox.alerted.keys().map(|(_, key)| key).chain(outbox.seen.keys()).chain(starts);
            for key in known.filter(|key| !keyed.contains_key(*key)) {
                // A clock that is set back does not hold it open for longer.
                let since = self.missing.entry(key.clone()).or_insert(now);
                *since = (*since).min(now);
            }
        }
    }

    /// Lines of a rule that are over, with the messages that say so.
    fn end(
        &self,
        made: &mut Made,
        outbox: &Outbox,
        rule: &NotificationRule,
        routes: &[SinkRoute],
        keyed: &BTreeMap<String, &Attention>,
    ) {
        let mut over = BTreeSet::new();
        let mut ids = BTreeSet::new();
        let alerted = |key: &str| outbox.alerted.get(&(rule.id.clone(), key.to_owned()));
        let is_own = |key: &str| {
            let is_known = outbox.rules.get(&rule.id).is_some_and(|start| start.known.contains(key));
            is_known || outbox.seen.contains_key(key) || alerted(key).is_some()
        };
        for (key, since) in self.missing.iter().filter(|(key, _)| !keyed.contains_key(*key) && is_own(key)) {
            let ends_at = since.saturating_add(OVER_AFTER_MS);
            if ends_at > made.now {
                made.wake_at(ends_at);
                continue;
            }
            let of_line = alerted(key).into_iter().flat_map(|line| line.messages.iter().copied());
            let of_line: Vec<u64> = of_line.collect();
            let is_sending = |id: &u64| outbox.messages.get(id).is_some_and(|it| it.status == MessageStatus::Sending);
            if of_line.iter().any(is_sending) {
                // Whether it has to be taken back depends on the answer.
                made.wake_at(made.now.saturating_add(SENDING_LOOK_MS));
                continue;
            }
            ids.extend(of_line);
            over.insert(key.clone());
        }
        if over.is_empty() {
            return;
        }
        let still_open = |key: &String| alerted(key).is_some() && !over.contains(key);
        let mut cancelled = Vec::new();
        let mut sent: BTreeMap<(&str, Option<&str>), Vec<&OutboxMessage>> = BTreeMap::new();
        for message in ids.iter().filter_map(|id| outbox.messages.get(id)) {
            if message.keys.iter().any(still_open) {
                continue;
            }
            match message.status {
                MessageStatus::Due | MessageStatus::Failed => cancelled.push(message.id),
                MessageStatus::Sent => {
                    sent.entry((&message.sink, message.target.as_deref())).or_default().push(message);
                }
                _ => {}
            }
        }
        let mut messages = Vec::new();
        for ((sink, target), sent) in sent {
            let Some(route) = routes.iter().find(|route| route.name == sink && route.sends_over) else { continue };
            for (place, message) in sent.iter().enumerate() {
                let later = &sent[place + 1..];
                // A sink that cannot edit gets one message, not one for each repetition. A browser shows a repetition in
                // place of what it repeats.
                let is_replaced = match (route.edits, route.targets.is_some()) {
                    (false, _) => !later.is_empty(),
                    (true, true) => later.iter().any(|it| it.keys == message.keys && message.keys.len() == 1),
                    (true, false) => false,
                };
                if is_replaced {
                    continue;
                }
                let mut end = OutboxMessage::new(made.next_id, sink, MessageForm::Over, made.now);
                made.next_id += 1;
                end.target = target.map(str::to_owned);
                end.set_rule(rule);
                end.lines.clone_from(&message.lines);
                end.about = Some(message.id);
                messages.push(end);
            }
        }
        let (rule, keys, at) = (rule.id.clone(), over.into_iter().collect(), made.now);
        made.decision.lines.push(OutboxLine::Over { rule, keys, at, cancelled, messages });
    }
}

/// Lines that are due, each with its key.
#[derive(Default)]
struct DueLines<'a> {
    fresh: Vec<(String, &'a Attention)>,
    repeated: Vec<(String, &'a Attention)>,
}

/// A decision in the making.
struct Made {
    decision: AlertDecision,
    /// First sights of this decision, by key.
    seen: BTreeMap<String, i64>,
    next_id: u64,
    now: i64,
}

impl Made {
    fn wake_at(&mut self, at: i64) {
        self.decision.next_at = Some(self.decision.next_at.map_or(at, |next| next.min(at)));
    }

    /// The first look of a rule: what waits for long is known, and gives no message.
    fn begin(&mut self, rule: &NotificationRule, keyed: &BTreeMap<String, &Attention>) {
        let without_time = keyed.iter().filter(|(_, line)| line.since <= 0).map(|(key, _)| key.clone());
        let (rule, known) = (rule.id.clone(), without_time.collect());
        self.decision.lines.push(OutboxLine::RuleBegan { rule, at: self.now, known });
        self.wake_at(self.now);
    }

    /// Since when a line waits. The clock of its machine may be ahead, and some lines do not say: then it is their first
    /// sight, which the outbox remembers.
    fn waits_since(&mut self, outbox: &Outbox, key: &str, line: &Attention) -> i64 {
        let seen = outbox.seen.get(key).or_else(|| self.seen.get(key)).copied();
        let says = Some(line.since).filter(|since| *since > 0 && *since <= self.now);
        if let Some(since) = says.into_iter().chain(seen).min() {
            return since;
        }
        self.seen.insert(key.to_owned(), self.now);
        self.decision.lines.push(OutboxLine::Seen { key: key.to_owned(), at: self.now });
        self.now
    }

    fn note_first_sights(&mut self, outbox: &Outbox, rule: &NotificationRule, keyed: &BTreeMap<String, &Attention>) {
        for (key, line) in keyed.iter().filter(|(_, line)| rule.fits(line)) {
            self.waits_since(outbox, key, line);
        }
    }

    /// Lines for which a rule has a message to make now.
    fn due<'a>(
        &mut self,
        outbox: &Outbox,
        rule: &NotificationRule,
        start: &RuleStart,
        keyed: &BTreeMap<String, &'a Attention>,
    ) -> DueLines<'a> {
        let mut due = DueLines::default();
        let mut first_due = i64::MAX;
        for (key, line) in keyed.iter().filter(|(_, line)| rule.fits(line)) {
            let was_known = line.since > 0 && line.since < start.at.saturating_sub(KNOWN_BEFORE_MS);
            if was_known || start.known.contains(key) {
                continue;
            }
            match outbox.alerted.get(&(rule.id.clone(), key.clone())) {
                None => {
                    let due_at = self.waits_since(outbox, key, line).saturating_add(rule.spec.after_ms);
                    if due_at <= self.now {
                        first_due = first_due.min(due_at);
                        due.fresh.push((key.clone(), line));
                    } else {
                        self.wake_at(due_at);
                    }
                }
                Some(AlertedLine { at, .. }) => {
                    let Some(repeat_ms) = rule.spec.repeat_ms else { continue };
                    let again_at = at.saturating_add(repeat_ms);
                    if again_at <= self.now {
                        due.repeated.push((key.clone(), line));
                    } else {
                        self.wake_at(again_at);
                    }
                }
            }
        }
        if let Some(digest_ms) = rule.spec.digest_ms.filter(|_| !due.fresh.is_empty()) {
            let digest_at = first_due.saturating_add(digest_ms);
            if digest_at > self.now {
                self.wake_at(digest_at);
                due.fresh.clear();
            }
        }
        due
    }

    /// Messages about lines that are due.
    fn send(
        &mut self,
        outbox: &Outbox,
        rule: &NotificationRule,
        routes: &[SinkRoute],
        due: DueLines<'_>,
        describe: &dyn Fn(&Attention) -> AlertLine,
    ) {
        let DueLines { fresh, repeated } = due;
        if !repeated.is_empty() {
            self.message(rule, routes, MessageForm::Repeat, &repeated, describe);
        }
        if fresh.is_empty() {
            return;
        }
        if rule.spec.digest_ms.is_some() {
            let form = if fresh.len() == 1 { MessageForm::Line } else { MessageForm::Many };
            self.message(rule, routes, form, &fresh, describe);
            return;
        }
        let storm_began = self.now.saturating_sub(STORM_MS);
        // By time, because each sink has a message of its own.
        let recent = |form: MessageForm| {
            let of_rule = |message: &&OutboxMessage| message.rule == rule.id && message.form == form;
            let own = outbox.messages.values().rev().take_while(|message| message.at > storm_began).filter(of_rule);
            own.map(|message| (message.at, message.keys.first())).collect::<BTreeSet<_>>()
        };
        if recent(MessageForm::Line).len() + fresh.len() <= MAX_SINGLE {
            for line in fresh {
                self.message(rule, routes, MessageForm::Line, &[line], describe);
            }
        } else if let Some((at, _)) = recent(MessageForm::Many).last() {
            self.wake_at(at.saturating_add(STORM_MS));
        } else {
            self.message(rule, routes, MessageForm::Many, &fresh, describe);
        }
    }

    /// One message for each receiver.
    fn message(
        &mut self,
        rule: &NotificationRule,
        routes: &[SinkRoute],
        form: MessageForm,
        due: &[(String, &Attention)],
        describe: &dyn Fn(&Attention) -> AlertLine,
    ) {
        let lines: Vec<AlertLine> = due.iter().take(OutboxMessage::MAX_LINES).map(|(_, line)| describe(line)).collect();
        let keys: Vec<String> = due.iter().map(|(key, _)| key.clone()).collect();
        let mut messages = Vec::new();
        for route in routes.iter().filter(|route| rule.spec.sinks.contains(&route.name)) {
            let one = [None];
            let targets: Vec<Option<&String>> =
                route.targets.as_ref().map_or_else(|| one.to_vec(), |targets| targets.iter().map(Some).collect());
            for target in targets {
                let mut message = OutboxMessage::new(self.next_id, &route.name, form, self.now);
                self.next_id += 1;
                message.set_rule(rule);
                message.target = target.cloned();
                message.lines.clone_from(&lines);
                message.keys.clone_from(&keys);
                messages.push(message);
            }
        }
        self.decision.lines.push(OutboxLine::Due { rule: rule.id.clone(), keys, at: self.now, messages });
    }
}
