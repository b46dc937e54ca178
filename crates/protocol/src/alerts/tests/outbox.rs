//! Tests of the decisions and the outbox: random schedules with stopped monitors and failing sinks, against a model that
//! knows only when each line waited; and the single rules.
//!
//! Proves (work): Over random schedules in which the monitor is killed between any two writes and sinks fail or lose their
//! answers, every line that waits for as long as its rule says is sent within its limit and exactly once, apart from
//! requests whose answer was lost, which repeat the idempotency key; nothing is sent of other lines. A line that is over is
//! sent as over once. The outbox read again, or compacted, is the same.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::super::*;
use super::line;
use crate::api::{AlertRuleSpec, Attention, AttentionGroup, AttentionKind, QuietHours};

const START: i64 = 1_000_000_000;
/// Grouped messages of a storm come at most so often.
const STORM_MS: i64 = 60_000;

fn rule(after_ms: i64) -> NotificationRule {
    changed(AlertRuleSpec {
        name: "decisions".to_owned(),
        groups: vec![AttentionGroup::Person],
        after_ms,
        sinks: vec!["chat".to_owned()],
        ..AlertRuleSpec::default()
    })
}

fn changed(spec: AlertRuleSpec) -> NotificationRule {
    NotificationRule { id: "person".to_owned(), spec }
}

fn route(edits: bool) -> SinkRoute {
    SinkRoute { name: "chat".to_owned(), targets: None, edits, sends_over: true }
}

fn described(line: &Attention) -> AlertLine {
    AlertLine {
        kind: line.kind,
        agent: line.agent.as_ref().map(ToString::to_string).unwrap_or_default(),
        other: String::new(),
        cycle: Vec::new(),
        waiters: Vec::new(),
        held_up: line.held_up,
        since: line.since,
        inferred: false,
        title: String::new(),
        detail: String::new(),
        path: String::new(),
    }
}

/// A line of the world: when it is there, and since when it says that it waits.
#[derive(Debug, Clone, Copy)]
struct ModelLine {
    start: i64,
    end: i64,
    since: i64,
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SinkAnswer {
    Accepted,
    Refused,
    /// The sink took it, and the monitor is killed before it knows.
    Lost,
}

#[derive(Debug, Clone, Copy)]
struct LookStep {
    passed: i64,
    is_complete: bool,
    /// The monitor is killed after it wrote so many lines of its decision.
    killed_after: Option<usize>,
    answer: SinkAnswer,
}

/// Lines, steps, and delay and digest of the rule.
type Schedule = (Vec<ModelLine>, Vec<LookStep>, i64, Option<i64>);

fn schedules() -> impl Strategy<Value = Schedule> {
    // Clocks may differ by a minute, and some lines do not say since when they wait.
    let says = prop_oneof![4 => Just(Some(0_i64)), 2 => (-60_000_i64..60_000).prop_map(Some), 1 => Just(None)];
    let one = (1_i64..300_000, 0_i64..400_000, says).prop_map(|(start, length, says)| {
        let start = START + start;
        ModelLine { start, end: start + length, since: says.map_or(0, |ahead| start + ahead) }
    });
    let answer =
        prop_oneof![6 => Just(SinkAnswer::Accepted), 2 => Just(SinkAnswer::Refused), 1 => Just(SinkAnswer::Lost)];
    let kill = proptest::option::weighted(0.15, 0_usize..4);
    let step = (200_i64..8_000, proptest::bool::weighted(0.9), kill, answer)
        .prop_map(|(passed, is_complete, killed_after, answer)| LookStep { passed, is_complete, killed_after, answer });
    let digest = proptest::option::weighted(0.3, 1_000_i64..60_000);
    (proptest::collection::vec(one, 0..16), proptest::collection::vec(step, 1..80), 0_i64..60_000, digest)
}

/// A monitor with its file, and a sink that recognises repeated messages.
struct Machine {
    file: Vec<String>,
    outbox: Outbox,
    decider: AlertDecider,
    received: BTreeMap<String, OutboxMessage>,
}

impl Machine {
    fn new(rule: NotificationRule) -> Self {
        let (file, outbox) = (Vec::new(), Outbox::default());
        let mut machine = Self { file, outbox, decider: AlertDecider::new(vec![rule]), received: BTreeMap::new() };
        machine.write(OutboxLine::Opened { at: START, instance: "test".to_owned() });
        machine
    }

    fn write(&mut self, line: OutboxLine) {
        self.file.push(serde_json::to_string(&line).unwrap());
        self.outbox.apply(line);
    }

    fn restart(&mut self) {
        let mut outbox = Outbox::default();
        self.file.iter().for_each(|line| outbox.apply(serde_json::from_str(line).unwrap()));
        assert_eq!(outbox, self.outbox, "the file is the outbox");
        let mut compacted = Outbox::default();
        outbox.lines(0).into_iter().for_each(|line| compacted.apply(line));
        assert_eq!(compacted, outbox);
        self.decider = AlertDecider::new(self.decider.rules().to_vec());
    }

    /// One look; false when the monitor was killed during it.
    fn look(&mut self, lines: &[Attention], step: LookStep, now: i64) -> bool {
        let look = WorkListLook { lines, is_complete: step.is_complete };
        let decision = self.decider.decide(&self.outbox, look, &[route(true)], now, &described);
        for (at, line) in decision.lines.into_iter().enumerate() {
            if step.killed_after.is_some_and(|count| at >= count) {
                break;
            }
            self.write(line);
        }
        if step.killed_after.is_some() {
            self.restart();
            return false;
        }
        let open: Vec<u64> = self.outbox.open().filter(|it| it.next_at <= now).map(|it| it.id).collect();
        for id in open {
            self.write(OutboxLine::Sending { id, at: now });
            if step.answer != SinkAnswer::Refused {
                let message = self.outbox.messages[&id].clone();
                self.received.entry(self.outbox.idempotency_key(id)).or_insert(message);
            }
            match step.answer {
                SinkAnswer::Accepted => self.write(OutboxLine::Sent { id, at: now, remote: None }),
                SinkAnswer::Refused => {
                    let retry_at = Some(now + retry_delay_ms(self.outbox.messages[&id].attempts, None, 0.5));
                    self.write(OutboxLine::Failed { id, at: now, cause: "500".to_owned(), retry_at });
                }
                SinkAnswer::Lost => {
                    self.restart();
                    return true;
                }
            }
        }
        true
    }

    /// Runs the schedule, and then until everything is over. The times of the looks that were not cut short.
    fn run(&mut self, world: &[ModelLine], steps: &[LookStep]) -> Vec<i64> {
        let calm = LookStep { passed: 7_000, is_complete: true, killed_after: None, answer: SinkAnswer::Accepted };
        let mut now = START;
        let mut looks = Vec::new();
        for step in steps.iter().copied().chain(std::iter::repeat_n(calm, 120)) {
            let present = world.iter().enumerate().filter(|(_, it)| it.start <= now && now < it.end);
            let lines: Vec<Attention> = present.map(|(at, it)| line(u8::try_from(at).unwrap(), it.since, 0)).collect();
            if self.look(&lines, step, now) {
                looks.push(now);
            }
            now += step.passed;
        }
        looks
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn alert_messages_are_in_time_and_unique((world, steps, after_ms, digest_ms) in schedules()) {
        let mut machine = Machine::new(changed(AlertRuleSpec { digest_ms, ..rule(after_ms).spec }));
        let looks = machine.run(&world, &steps);
        for (at, waited) in world.iter().enumerate() {
            let key = line(u8::try_from(at).unwrap(), waited.since, 0).alert_key();
            let of_line = |it: &&OutboxMessage| it.form != MessageForm::Over && it.keys.contains(&key);
            let made: Vec<&OutboxMessage> = machine.outbox.messages.values().filter(of_line).collect();
            prop_assert!(made.len() <= 1, "{key} twice");
            // The earliest is by what the line says, the latest by the first look that was not cut short.
            let earliest = if waited.since > 0 { waited.since.min(waited.start) } else { waited.start } + after_ms;
            let at_or_after = |time: i64| looks.iter().copied().find(|look| *look >= time);
            let first_look = at_or_after(waited.start.max(looks[0] + 1));
            // A line without a time that is there at the first look is known.
            let is_known = waited.since <= 0 && waited.start <= looks[0];
            let first_look = first_look.filter(|_| !is_known);
            let latest = first_look.and_then(|look| at_or_after(look + after_ms + digest_ms.unwrap_or(STORM_MS)));
            match made.as_slice() {
                [one] => {
                    prop_assert!(one.at >= earliest && one.at < waited.end, "{} {earliest} {waited:?}", one.at);
                    prop_assert!(latest.is_none_or(|latest| one.at <= latest), "{} {latest:?}", one.at);
                }
                _ => prop_assert!(latest.is_none_or(|latest| latest >= waited.end), "{key} is lost: {waited:?}"),
            }
            let received = machine.received.values().filter(of_line).count();
            let is_cancelled = made.iter().any(|it| it.status == MessageStatus::Cancelled);
            prop_assert!(received <= made.len());
            prop_assert!(received == made.len() || is_cancelled, "{key} was not received");
        }
        let mut over = BTreeSet::new();
        for message in machine.outbox.messages.values() {
            prop_assert!(!message.status.is_open(), "everything is settled: {message:?}");
            if message.form == MessageForm::Over {
                prop_assert!(over.insert(message.about), "over twice");
            }
        }
        let sent = machine.outbox.messages.values().filter(|it| it.form != MessageForm::Over);
        let sent: BTreeSet<Option<u64>> =
            sent.filter(|it| it.status == MessageStatus::Sent).map(|it| Some(it.id)).collect();
        prop_assert_eq!(over, sent, "each message that was sent is over");
    }
}

/// The messages of a decision, which the sink takes.
fn step(machine: &mut Machine, lines: &[Attention], now: i64) -> Vec<OutboxMessage> {
    let before = machine.outbox.next_id();
    let look = WorkListLook { lines, is_complete: true };
    let decision = machine.decider.decide(&machine.outbox, look, &[route(false)], now, &described);
    decision.lines.into_iter().for_each(|line| machine.write(line));
    let new: Vec<OutboxMessage> = machine.outbox.messages.range(before..).map(|(_, it)| it.clone()).collect();
    for message in &new {
        machine.write(OutboxLine::Sending { id: message.id, at: now });
        machine.write(OutboxLine::Sent { id: message.id, at: now, remote: None });
    }
    new
}

fn forms(messages: &[OutboxMessage]) -> Vec<(MessageForm, usize)> {
    messages.iter().map(|it| (it.form, it.keys.len())).collect()
}

#[test]
fn old_lines_give_no_message_at_first_start() {
    let mut machine = Machine::new(rule(0));
    let old = [line(1, START - 3_600_000, 0), line(2, 0, 0)];
    assert_eq!(step(&mut machine, &old, START), []);
    assert_eq!(step(&mut machine, &old, START + 1_000), []);
    let fresh = [old[0].clone(), old[1].clone(), line(3, START - 1_000, 0)];
    assert_eq!(forms(&step(&mut machine, &fresh, START + 2_000)), [(MessageForm::Line, 1)]);
    // The second one is over, and waits again.
    let others = [old[0].clone(), fresh[2].clone()];
    assert_eq!(step(&mut machine, &others, START + 3_000), []);
    assert_eq!(step(&mut machine, &others, START + 14_000), []);
    assert_eq!(forms(&step(&mut machine, &fresh, START + 15_000)), [(MessageForm::Line, 1)]);
}

#[test]
fn many_lines_at_once_are_one_message() {
    let mut machine = Machine::new(rule(0));
    step(&mut machine, &[], START);
    let mut lines: Vec<Attention> = (0..200).map(|agent| line(agent, START + 1, 0)).collect();
    let storm = step(&mut machine, &lines, START + 100);
    assert_eq!(forms(&storm), [(MessageForm::Many, 200)]);
    assert_eq!(storm[0].lines.len(), OutboxMessage::MAX_LINES);
    lines.extend((200..220).map(|agent| line(agent, START + 200, 0)));
    assert_eq!(step(&mut machine, &lines, START + 300), [], "the next storm waits a minute");
    assert_eq!(forms(&step(&mut machine, &lines, START + 60_100)), [(MessageForm::Many, 20)]);
    // Each message is over with the last of its lines.
    step(&mut machine, &lines[..1], START + 70_000);
    assert_eq!(forms(&step(&mut machine, &lines[..1], START + 81_000)), [(MessageForm::Over, 0)]);
    step(&mut machine, &[], START + 90_000);
    let last = step(&mut machine, &[], START + 101_000);
    assert_eq!((forms(&last), last[0].about), (vec![(MessageForm::Over, 0)], Some(storm[0].id)));
}

#[test]
fn quiet_hours_hold_lines_until_they_end() {
    let quiet = QuietHours::parse("00:00-01:00", 0);
    let midnight = 20_000 * 86_400_000;
    let mut machine = Machine::new(changed(AlertRuleSpec { quiet, ..rule(60_000).spec }));
    step(&mut machine, &[], midnight - 1_000);
    let lines = [line(1, midnight, 0), line(2, 0, 0)];
    let look = WorkListLook { lines: &lines, is_complete: true };
    let held = machine.decider.decide(&machine.outbox, look, &[route(false)], midnight + 120_000, &described);
    assert_eq!(held.next_at, Some(midnight + 3_600_000));
    held.lines.into_iter().for_each(|line| machine.write(line));
    assert_eq!(machine.outbox.messages.len(), 0);
    let after = step(&mut machine, &lines, midnight + 3_600_000);
    assert_eq!(forms(&after), [(MessageForm::Line, 1), (MessageForm::Line, 1)]);
}

#[test]
fn digest_collects_and_repeat_comes_again() {
    let mut machine = Machine::new(changed(AlertRuleSpec {
        digest_ms: Some(60_000),
        repeat_ms: Some(3_600_000),
        kinds: vec![AttentionKind::UnblockFailed],
        ..rule(1_000).spec
    }));
    step(&mut machine, &[], START);
    let lines = [line(1, START + 1_000, 0), line(2, START + 30_000, 0)];
    assert_eq!(step(&mut machine, &lines, START + 31_000), []);
    assert_eq!(forms(&step(&mut machine, &lines, START + 62_000)), [(MessageForm::Many, 2)]);
    assert_eq!(step(&mut machine, &lines, START + 3_661_000), []);
    assert_eq!(forms(&step(&mut machine, &lines, START + 3_662_000)), [(MessageForm::Repeat, 2)]);
    // One message for both, because this sink cannot edit.
    step(&mut machine, &[], START + 3_663_000);
    assert_eq!(forms(&step(&mut machine, &[], START + 3_674_000)), [(MessageForm::Over, 0)]);
}

#[test]
fn rule_fits_agents_kinds_and_held_up() {
    let fits = |spec: AlertRuleSpec| changed(spec).fits(&line(1, 0, 0));
    assert!(fits(rule(0).spec));
    assert!(!fits(AlertRuleSpec { groups: vec![AttentionGroup::Agents], ..rule(0).spec }));
    assert!(!fits(AlertRuleSpec { kinds: vec![AttentionKind::Question], ..rule(0).spec }));
    assert!(!fits(AlertRuleSpec { min_held_up: 1, ..rule(0).spec }));
    assert!(fits(AlertRuleSpec { agents: vec!["agent-1".into()], ..rule(0).spec }));
    assert!(!fits(AlertRuleSpec { agents: vec!["agent-2".into()], ..rule(0).spec }));
}

#[test]
fn trimmed_outbox_keeps_open_messages_and_numbers() {
    let mut outbox = Outbox::default();
    for id in 0..500 {
        let message = OutboxMessage::new(id, "chat", MessageForm::Test, START);
        outbox.apply(OutboxLine::Message { message: Box::new(message) });
        outbox.apply(match id % 5 {
            0 => OutboxLine::Sending { id, at: START },
            1 => OutboxLine::Failed { id, at: START, cause: "gone".to_owned(), retry_at: None },
            _ => OutboxLine::Sent { id, at: START, remote: None },
        });
    }
    outbox.trim();
    assert_eq!((outbox.open().count(), outbox.dead().count(), outbox.messages.len()), (100, 100, 400));
    assert_eq!((outbox.next_id(), outbox.messages.contains_key(&499)), (500, true));
}

#[test]
fn rule_that_could_not_be_read_has_not_ended() {
    let mut machine = Machine::new(rule(0));
    step(&mut machine, &[], START);
    let lines = [line(1, START + 1_000, 0)];
    assert_eq!(forms(&step(&mut machine, &lines, START + 2_000)), [(MessageForm::Line, 1)]);
    machine.decider.set_rules(Vec::new(), true);
    assert_eq!(step(&mut machine, &lines, START + 3_000), []);
    machine.decider.set_rules(vec![rule(0)], false);
    assert_eq!(step(&mut machine, &lines, START + 4_000), [], "it is known what was sent");
    // One that ended and begins again knows what waits for long.
    machine.decider.set_rules(Vec::new(), false);
    assert_eq!(step(&mut machine, &lines, START + 5_000), []);
    assert_eq!(machine.outbox.rules.len(), 0);
    machine.decider.set_rules(vec![rule(0)], false);
    let now = START + 600_000;
    assert_eq!((step(&mut machine, &lines, now), step(&mut machine, &lines, now + 1_000)), (vec![], vec![]));
}

#[test]
fn message_names_its_rule_by_name() {
    let mut machine = Machine::new(rule(0));
    step(&mut machine, &[], START);
    let sent = step(&mut machine, &[line(1, START + 1_000, 0)], START + 2_000);
    assert_eq!((sent[0].rule.as_str(), sent[0].rule_name()), ("person", "decisions"));
    let earlier = r#"{"id":1,"sink":"chat","rule":"person","form":"line","at":1,"status":"sent"}"#;
    let earlier: OutboxMessage = serde_json::from_str(earlier).unwrap();
    assert_eq!(earlier.rule_name(), "person", "a line of an older version");
}
