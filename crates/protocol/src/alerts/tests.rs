//! Tests of the alert tracker against a model that looks back over the whole history.
//!
//! Proves (work): A line of the work list gives exactly one alert, when it has waited for as long as its rule says,
//! whatever proves it meanwhile. It is over once it is missing from a complete list, never by one that could not be read
//! or sent whole, and gives no second alert when it returns within a minute.

use proptest::prelude::*;

use super::*;
use crate::api::AttentionKind;
use crate::decode::decode;

/// A line about `agent` that waits since `since`; `event` proves it.
fn line(agent: u8, since: i64, event: u8) -> Attention {
    let line = serde_json::json!({
        "kind": AttentionKind::UnblockFailed, "inferred": false, "since": since,
        "agent": format!("agent-{agent}"), "taskId": "task", "eventId": format!("f-{event}"), "evidence": "e",
    });
    decode(line).unwrap()
}

fn watched(line: Attention) -> WatchedLine {
    WatchedLine { line, muted: false }
}

/// One look at the list.
#[derive(Debug, Clone)]
struct Look {
    now: i64,
    lines: Vec<WatchedLine>,
    is_complete: bool,
}

fn looks() -> impl Strategy<Value = (Vec<Look>, i64)> {
    let agents =
        proptest::collection::btree_map(0_u8..6, (any::<u8>(), -9_000_i64..9_000, proptest::bool::weighted(0.1)), 0..6);
    let look = (1_i64..20_000, agents, proptest::bool::weighted(0.8));
    (proptest::collection::vec(look, 1..60), 0_i64..60_000).prop_map(|(steps, after_ms)| {
        let (mut now, mut began, mut looks) = (1_000_000, BTreeMap::<u8, i64>::new(), Vec::new());
        for (passed, agents, is_complete) in steps {
            now += passed;
            // Some do not say when they began, and some clocks are ahead.
            let lines = agents.into_iter().map(|(agent, (event, ahead, muted))| {
                let since = *began.entry(agent).or_insert(if event % 3 == 0 { 0 } else { now + ahead });
                WatchedLine { line: line(agent, since, event), muted }
            });
            let lines = lines.collect();
            looks.push(Look { now, lines, is_complete });
        }
        (looks, after_ms)
    })
}

/// The alerts of each look, by looking back over all of them.
fn model(looks: &[Look], after_ms: i64) -> Vec<BTreeSet<(bool, String)>> {
    let keys: BTreeSet<String> =
        looks.iter().flat_map(|look| &look.lines).map(|watched| watched.line.alert_key()).collect();
    let mut alerts_by_look = vec![BTreeSet::new(); looks.len()];
    for key in keys {
        let mut matter: Option<(i64, bool)> = None;
        let mut missing_since = None;
        for (at, look) in looks.iter().enumerate() {
            match look.lines.iter().find(|watched| watched.line.alert_key() == key) {
                Some(watched) => {
                    missing_since = None;
                    let says = Some(watched.line.since).filter(|since| *since > 0).unwrap_or(look.now);
                    let (began, alerted) = matter.get_or_insert((says.min(look.now), false));
                    if watched.muted {
                        *alerted = true;
                    } else if !*alerted && look.now - *began >= after_ms {
                        *alerted = true;
                        alerts_by_look[at].insert((true, key.clone()));
                    }
                }
                None if look.is_complete => {
                    let was_alerted = matter.is_some_and(|(_, alerted)| alerted);
                    if was_alerted && missing_since.is_none() {
                        alerts_by_look[at].insert((false, key.clone()));
                    }
                    let since = *missing_since.get_or_insert(look.now);
                    if !was_alerted || look.now - since >= GRACE_MS {
                        (matter, missing_since) = (None, None);
                    }
                }
                None => {}
            }
        }
    }
    alerts_by_look
}

proptest! {
    #[test]
    fn tracker_alerts_as_the_whole_history_says((looks, after_ms) in looks()) {
        let expected = model(&looks, after_ms);
        let rule = AlertRule { after_ms };
        let mut tracker = AlertTracker::default();
        for (look, expected) in looks.iter().zip(expected) {
            let alerts = tracker.update(&look.lines, look.is_complete, rule, look.now);
            let keyed = |alert: &Alert| match alert {
                Alert::Due(line) => (true, line.alert_key()),
                Alert::Over(key) => (false, key.clone()),
            };
            let found: BTreeSet<(bool, String)> = alerts.iter().map(keyed).collect();
            prop_assert_eq!(found.len(), alerts.len(), "none twice");
            prop_assert_eq!(&found, &expected);
            prop_assert!(tracker.next_due(rule).is_none_or(|due| due > look.now || !look.is_complete));
        }
    }
}

#[test]
fn lines_that_were_due_before_give_no_alert() {
    let rule = AlertRule { after_ms: 50 };
    let mut tracker = AlertTracker::from_seen(&[watched(line(1, 10, 1)), watched(line(2, 90, 1))], rule, 100);
    assert_eq!(tracker.next_due(rule), Some(140), "the second one has not waited for long enough");
    let both = [watched(line(1, 10, 2)), watched(line(2, 90, 1))];
    assert_eq!(tracker.update(&both, true, rule, 150), [Alert::Due(Box::new(line(2, 90, 1)))]);
    // The first one is over for a person who saw it, too.
    assert_eq!(tracker.update(&both[1..], true, rule, 160), [Alert::Over(line(1, 10, 1).alert_key())]);
}

mod outbox;

#[test]
fn outbox_remembers_the_messages_to_every_receiver() {
    let mut outbox = Outbox::default();
    for round in 0..40 {
        let message = |receiver: u64| OutboxMessage::new(round * 40 + receiver, "phones", MessageForm::Line, 0);
        let messages = (0..40).map(message).collect();
        outbox.apply(OutboxLine::Due { rule: "r".to_owned(), keys: vec!["k".to_owned()], at: 0, messages });
        let known = outbox.alerted[&("r".to_owned(), "k".to_owned())].messages.len();
        assert_eq!(known, 40 * usize::try_from(round + 1).unwrap().min(32), "{round}");
    }
}
