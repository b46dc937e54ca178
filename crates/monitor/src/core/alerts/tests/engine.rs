//! Tests of the engine and its file: failing sinks, stopped monitors, refusing disks, dead letters and compaction.
//!
//! Proves (work): A sink that fails for an hour gets every message once it works again, each with the idempotency key of its
//! first attempt; one that fails for a day leaves dead letters, which a person can send again. A monitor that was killed
//! after any write continues from the file, which stays bounded.

use std::collections::BTreeMap;

use coordination::alerts::{MessageForm, MessageStatus};
use coordination::api::AlertSinkState;

use super::*;
use crate::core::alerts::AlertError;
use crate::core::alerts::outbox_file::OutboxFile;
use crate::core::alerts::page::page;
use crate::core::alerts::push::tests::subscription;
use crate::fs::durable::faults::{self, DiskFault};

const MINUTE: i64 = 60_000;

fn two_sinks() -> AlertSettings {
    let url = "https://hooks.example/s3cret";
    settings(vec![sink("chat", AlertSinkKind::Slack, url), sink("phone", AlertSinkKind::Ntfy, url)], MINUTE)
}

#[test]
fn failing_sink_gets_its_message_when_it_works_again() {
    let home = tempfile::tempdir().expect("home");
    let (mut engine, network) = engine(&two_sinks(), home.path());
    step(&mut engine, &network, &[], START);
    let lines = [line("eden", START + 1_000)];
    let (mut now, mut keys, mut attempts) = (START + 62_000, BTreeMap::<String, Vec<String>>::new(), 0);
    // The chat answers 500 for an hour, the phone works.
    while now < START + 61 * MINUTE {
        for (name, job) in step(&mut engine, &network, &lines, now) {
            keys.entry(name.clone()).or_default().push(job.idempotency_key.clone());
            if name == "chat" {
                attempts += 1;
                refuse(&mut engine, &[(name, job)], RetryAdvice::Later(None), now);
            } else {
                accept(&mut engine, &[(name, job)], now);
            }
        }
        now += 1_000;
    }
    assert!((15..60).contains(&attempts), "backoff up to five minutes: {attempts}");
    let view = page(&engine, now);
    assert_eq!((view.sinks[0].state, view.sinks[1].state), (AlertSinkState::Failing, AlertSinkState::Ok));
    assert!(view.pending == 1 && view.dead.is_empty() && !format!("{view:?}").contains("s3cret"));
    let mut received = 0;
    for _ in 0..400 {
        let jobs = step(&mut engine, &network, &lines, now);
        received += jobs.len();
        accept(&mut engine, &jobs, now);
        now += 1_000;
    }
    assert_eq!((received, page(&engine, now).pending), (1, 0));
    let chat = &keys["chat"];
    assert!(chat.iter().all(|key| *key == chat[0]) && keys["phone"].len() == 1 && keys["phone"][0] != chat[0]);
}

#[test]
fn message_is_a_dead_letter_after_a_day_and_can_be_sent_again() {
    let home = tempfile::tempdir().expect("home");
    let settings = settings(vec![sink("chat", AlertSinkKind::Slack, "https://hooks.example/x")], 0);
    let (mut engine, network) = engine(&settings, home.path());
    step(&mut engine, &network, &[], START);
    let lines = [line("eden", START + 1_000)];
    let mut now = START + 2_000;
    while page(&engine, now).dead.is_empty() {
        let jobs = step(&mut engine, &network, &lines, now);
        refuse(&mut engine, &jobs, RetryAdvice::Later(None), now);
        now += MINUTE;
        assert!(now < START + 25 * 60 * MINUTE, "given up after a day");
    }
    assert!(now > START + 24 * 60 * MINUTE);
    let id = page(&engine, now).dead[0].id;
    assert_eq!(engine.retry(id + 1, None, now), Err(AlertError::NoMessage));
    assert_eq!(engine.retry(id, Some("eden".to_owned()), now), Ok(()));
    let jobs = step(&mut engine, &network, &lines, now);
    accept(&mut engine, &jobs, now);
    assert!(page(&engine, now).dead.is_empty() && page(&engine, now).messages[0].status == MessageStatus::Sent);
    // What another attempt cannot change is a dead letter at once, a test that fails too.
    let test = engine.test("chat", None, now).expect("written");
    let jobs = step(&mut engine, &network, &lines, now);
    refuse(&mut engine, &jobs, RetryAdvice::Later(None), now);
    assert_eq!(page(&engine, now).dead[0].id, test);
}

#[test]
fn killed_engine_continues_from_its_file() {
    let home = tempfile::tempdir().expect("home");
    let settings = settings(vec![sink("chat", AlertSinkKind::Slack, "https://hooks.example/x")], 0);
    let start = || engine(&settings, home.path());
    let (mut first, network) = start();
    step(&mut first, &network, &[], START);
    let lines = [line("eden", START + 1_000)];
    let jobs = step(&mut first, &network, &lines, START + 2_000);
    // It is killed while the request is under way.
    drop(first);
    let (mut second, network) = start();
    let again = step(&mut second, &network, &lines, START + 3_000);
    assert_eq!((again.len(), &again[0].1.idempotency_key), (1, &jobs[0].1.idempotency_key));
    accept(&mut second, &again, START + 3_000);
    drop(second);
    let (mut third, network) = start();
    assert_eq!(step(&mut third, &network, &lines, START + 4_000).len(), 0, "sent already");
    step(&mut third, &network, &[], START + 5_000);
    let over = step(&mut third, &network, &[], START + 16_000);
    assert_eq!(over[0].1.message.form, MessageForm::Over);
    assert_eq!(over[0].1.about.as_ref().map(|about| &about.idempotency_key), Some(&jobs[0].1.idempotency_key));
    // A torn last line is no line.
    drop(third);
    let path = home.path().join("task-hub-alerts.ndjson");
    let text = std::fs::read(&path).expect("file");
    std::fs::write(&path, &text[..text.len() - 9]).expect("torn");
    let (mut fourth, network) = start();
    assert_eq!(step(&mut fourth, &network, &[], START + 17_000).len(), 1, "nobody acknowledged it");
}

/// Every disk call of an alert and its outcome fails once, alone or with all later ones, also in the middle of a write.
#[test]
fn refusing_disk_delays_alerts_and_doubles_none() {
    use std::os::unix::fs::PermissionsExt as _;

    let settings = settings(vec![sink("chat", AlertSinkKind::Slack, "https://hooks.example/x")], 0);
    let lines = [line("eden", START + 1_000)];
    for (lasting, tears) in [(false, false), (true, false), (false, true), (true, true)] {
        for after in 0.. {
            let home = tempfile::tempdir().expect("home");
            let (mut engine, network) = engine(&settings, home.path());
            step(&mut engine, &network, &[], START);
            let fault = DiskFault { after, error: rustix::io::Errno::NOSPC.raw_os_error(), lasting, tears };
            let (mut jobs, struck) = faults::with_fault(fault, || {
                let jobs = step(&mut engine, &network, &lines, START + 2_000);
                accept(&mut engine, &jobs, START + 2_000);
                jobs
            });
            for now in [START + 3_000, START + 4_000] {
                let more = step(&mut engine, &network, &lines, now);
                accept(&mut engine, &more, now);
                jobs.extend(more);
            }
            assert_eq!(jobs.len(), 1, "{lasting} {tears} {after}: the outcome is not lost while the monitor runs");
            assert_eq!((engine.trouble(), page(&engine, START).messages[0].status), (None, MessageStatus::Sent));
            let (mut again, network) = self::engine(&settings, home.path());
            assert_eq!(step(&mut again, &network, &lines, START + 5_000).len(), 0);
            let mode =
                std::fs::metadata(home.path().join("task-hub-alerts.ndjson")).expect("file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            if !struck {
                assert!(after > 10, "the fault reaches the calls: {after}");
                break;
            }
        }
    }
}

#[test]
fn outbox_file_is_compacted_and_stays_the_same() {
    let home = tempfile::tempdir().expect("home");
    let path = home.path().join("outbox.ndjson");
    let mut file = OutboxFile::open_above(&path, START, 20_000).expect("file");
    for round in 0..400 {
        let id = file.outbox().next_id();
        let message = coordination::alerts::OutboxMessage::new(id, "chat", MessageForm::Test, START + round);
        let message = Box::new(message);
        file.append(vec![coordination::alerts::OutboxLine::Message { message }]).expect("written");
        file.append(vec![coordination::alerts::OutboxLine::Sending { id, at: START }]).expect("written");
        file.append(vec![coordination::alerts::OutboxLine::Sent { id, at: START, remote: None }]).expect("written");
        file.compact(START).expect("compacted");
        let length = std::fs::metadata(&path).expect("file").len();
        assert!(length < 130_000, "bounded: {length}");
    }
    let before = file.outbox().clone();
    let read = OutboxFile::open(&path, START).expect("file");
    assert_eq!((read.outbox(), before.next_id()), (&before, 400));
    assert!(!home.path().join("outbox.ndjson.tmp").exists());
}

#[test]
fn messages_of_removed_sinks_are_cancelled() {
    let home = tempfile::tempdir().expect("home");
    let (mut first, network) = engine(&two_sinks(), home.path());
    step(&mut first, &network, &[], START);
    let lines = [line("eden", START + 1_000)];
    step(&mut first, &network, &lines, START + 62_000);
    let one = settings(vec![sink("phone", AlertSinkKind::Ntfy, "https://hooks.example/x")], MINUTE);
    let (mut second, network) = engine(&one, home.path());
    let jobs = step(&mut second, &network, &lines, START + 63_000);
    assert_eq!(jobs.iter().map(|(sink, _)| sink.as_str()).collect::<Vec<_>>(), ["phone"]);
    assert_eq!(page(&second, START + 63_000).pending, 1);
}

#[test]
fn each_subscribed_browser_gets_its_message() {
    let home = tempfile::tempdir().expect("home");
    let settings = settings(vec![push_sink("https://push.example")], 0);
    let (mut first, network) = engine(&settings, home.path());
    step(&mut first, &network, &[], START);
    let key = page(&first, START).sinks[0].public_key.clone().expect("a key");
    let at = |name: &str| subscription(&format!("https://push.example/{name}"));
    let phone = first.subscribe(at("phone"), START).expect("taken");
    let laptop = first.subscribe(at("laptop"), START).expect("taken");
    assert_eq!(first.subscribe(at("phone"), START + 1), Ok(phone.clone()), "the same browser");
    assert!(matches!(
        first.subscribe(subscription("https://other.example/x"), START),
        Err(AlertError::Subscription(_))
    ));
    let lines = [line("eden", START + 1_000)];
    let mut targets = Vec::new();
    // One at a time for each sink.
    for now in [START + 2_000, START + 3_000, START + 4_000] {
        let jobs = step(&mut first, &network, &lines, now);
        targets.extend(jobs.iter().filter_map(|(_, job)| job.message.target.clone()));
        accept(&mut first, &jobs, now);
    }
    targets.sort();
    let mut expected = vec![phone.clone(), laptop.clone()];
    expected.sort();
    assert_eq!(targets, expected, "one message for each, once");
    assert_eq!(first.test("phones", None, START), Err(AlertError::NoReceiver));
    first.test("phones", Some(phone.clone()), START + 5_000).expect("written");
    drop(first);
    // Subscriptions and key outlive the process.
    let (mut second, network) = engine(&settings, home.path());
    let jobs = step(&mut second, &network, &lines, START + 6_000);
    assert_eq!(page(&second, START).sinks[0].public_key, Some(key));
    let target = jobs[0].1.push.as_ref().expect("a browser");
    assert_eq!((target.subscription.endpoint.as_str(), target.tag.as_str()), ("https://push.example/phone", "test"));
    refuse(&mut second, &jobs, RetryAdvice::Gone, START + 6_000);
    let view = page(&second, START + 6_000);
    let left: Vec<&str> = view.sinks[0].receivers.iter().map(|receiver| receiver.id.as_str()).collect();
    assert_eq!((left, view.dead.len(), view.pending), (vec![laptop.as_str()], 0, 0), "who is gone is no dead letter");
    // When it is over, the browser that is left gets a message with the tag of the first one.
    step(&mut second, &network, &[], START + 7_000);
    let over = step(&mut second, &network, &[], START + 18_000);
    let [(_, job)] = over.as_slice() else { panic!("{over:?}") };
    assert_eq!((job.message.form, job.message.target.as_ref()), (MessageForm::Over, Some(&laptop)));
    assert_eq!(job.push.as_ref().map(|push| push.tag.clone()), Some(lines[0].alert_key()));
    for _ in 0..2 {
        second.unsubscribe(laptop.clone(), None, START + 19_000).expect("written, or gone already");
    }
    assert!(page(&second, START).sinks[0].receivers.is_empty());
    let text = format!("{:?}", page(&second, START));
    assert!(!text.contains("push.example"), "addresses are secrets: {text}");
}

#[test]
fn push_service_that_hangs_holds_up_no_other() {
    let dir = tempfile::tempdir().expect("home");
    let sink = push_sink("https://slow.example");
    let mut push = sink.push.clone().expect("a push sink");
    push.services.push("https://fast.example".to_owned());
    let settings = settings(vec![AlertSink { push: Some(push), ..sink }], 0);
    let (mut engine, network) = engine(&settings, dir.path());
    step(&mut engine, &network, &[], START);
    for device in ["slow.example/a", "slow.example/b", "fast.example/c", "fast.example/d"] {
        engine.subscribe(subscription(&format!("https://{device}")), START).expect("subscribed");
    }
    let lines = [line("eden", START + 1_000)];
    let services = |jobs: &[(String, SendJob)]| {
        let service = |job: &SendJob| super::super::push::service(&job.push.as_ref().expect("a browser").subscription);
        jobs.iter().map(|(_, job)| service(job)).collect::<Vec<_>>()
    };
    let first = step(&mut engine, &network, &lines, START + 2_000);
    assert_eq!(services(&first).len(), 2, "one at each service");
    // The slow one has given no answer yet.
    let fast: Vec<_> =
        first.into_iter().filter(|job| services(std::slice::from_ref(job)) == ["https://fast.example"]).collect();
    accept(&mut engine, &fast, START + 2_100);
    assert_eq!(services(&step(&mut engine, &network, &lines, START + 2_200)), ["https://fast.example"]);
}
