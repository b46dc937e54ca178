//! Tests of recaps: when they are sent, what the outbox remembers of them, and one from the log to a webhook with the
//! monitor whole.
//!
//! Proves (work): A scheduled recap is sent once for each due time, with one idempotency key, also when the monitor is
//! killed at any write, the disk refuses one, or two monitors run on one home. One that was missed while the monitor was
//! off follows after the start; when nothing happened nothing is sent, unless that shall be said. Secrets are
//! masked.

use std::time::{Duration, Instant};

use coordination::alerts::{DueRecap, MessageForm, MessageStatus, OutboxLine, RecapDigest, RecapMark, RecapSchedule};
use serde_json::json;

use super::receiver::TestReceiver;
use super::*;
use crate::app::AppState;
use crate::config::Settings;
use crate::core::alerts::outbox_file::OutboxFile;
use crate::core::alerts::page::page;
use crate::core::alerts::text::recap_tests::digest;
use crate::fs::durable::faults::{self, DiskFault};
use crate::home::HomeDir;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
/// 15:00 in Seoul, 43 minutes after the start.
const DUE: i64 = START + 43 * MINUTE;

fn recap(times: &[&str]) -> RecapSchedule {
    let mut recap = RecapSchedule::new("afternoon", 9 * 60);
    assert!(times.iter().all(|time| recap.add_time(time)));
    recap
}

fn with_recap(recap: RecapSchedule) -> AlertSettings {
    let chat = sink("chat", AlertSinkKind::Slack, "https://hooks.example/s3cret");
    let hook = sink("hook", AlertSinkKind::Json, "https://hooks.example/x");
    AlertSettings { recaps: vec![recap], ..settings(vec![chat, hook], 0) }
}

/// What happened in the period.
fn busy(due: DueRecap, now: i64) -> RecapDigest {
    RecapDigest { since: due.since, until: now, ..digest() }
}

fn calm(due: DueRecap, now: i64) -> RecapDigest {
    RecapDigest { totals: Vec::new(), lines: Vec::new(), ..busy(due, now) }
}

/// One step of the thread; the jobs that it began.
fn recap_step(
    engine: &mut AlertEngine,
    network: &FakeNetwork,
    happened: fn(DueRecap, i64) -> RecapDigest,
    now: i64,
) -> Vec<(String, SendJob)> {
    if engine.prepare(now) {
        for (recap, due) in engine.due_recaps(now) {
            engine.send_recap(&recap, due.due, &happened(due, now));
        }
        engine.send_due(now);
    }
    network.take()
}

fn keys(jobs: &[(String, SendJob)]) -> Vec<(&str, &str)> {
    jobs.iter().map(|(sink, job)| (sink.as_str(), job.idempotency_key.as_str())).collect()
}

#[test]
fn recap_is_sent_once_over_restarts() {
    let home = tempfile::tempdir().expect("home");
    let settings = with_recap(recap(&["15:00"]));
    let start = || engine(&settings, home.path());
    let (mut first, network) = start();
    assert_eq!(recap_step(&mut first, &network, busy, START).len(), 0, "yesterday's was before the schedule");
    let jobs = recap_step(&mut first, &network, busy, DUE);
    assert_eq!(jobs.iter().map(|(sink, _)| sink.as_str()).collect::<Vec<_>>(), ["chat", "hook"]);
    assert!(jobs.iter().all(|(_, job)| job.message.form == MessageForm::Recap));
    // It is killed while the requests are under way.
    drop(first);
    let (mut second, network) = start();
    let again = recap_step(&mut second, &network, busy, DUE + MINUTE);
    assert_eq!(keys(&again), keys(&jobs), "the same keys");
    accept(&mut second, &again, DUE + MINUTE);
    assert_eq!(recap_step(&mut second, &network, busy, DUE + 2 * MINUTE).len(), 0);
    drop(second);
    let (mut third, network) = start();
    // The clock is set back, and comes to the due time again.
    for now in [DUE + 3 * MINUTE, DUE - 10 * MINUTE, DUE, DUE + MINUTE] {
        assert_eq!(recap_step(&mut third, &network, busy, now).len(), 0, "{now}");
    }
    let next = recap_step(&mut third, &network, busy, DUE + DAY);
    let since = next[0].1.message.recap.as_ref().map(|digest| digest.since);
    assert_eq!((next.len(), since), (2, Some(DUE - 10 * MINUTE)), "from where the clock was set back to");
    assert_ne!(next[0].1.idempotency_key, jobs[0].1.idempotency_key);
}

#[test]
fn missed_recap_follows_within_twelve_hours() {
    for (late, messages) in [(11 * 60 * MINUTE, 2), (13 * 60 * MINUTE, 0)] {
        let home = tempfile::tempdir().expect("home");
        let settings = with_recap(recap(&["15:00"]));
        let (mut first, network) = engine(&settings, home.path());
        recap_step(&mut first, &network, busy, START);
        drop(first);
        let (mut second, network) = engine(&settings, home.path());
        let jobs = recap_step(&mut second, &network, busy, DUE + late);
        assert_eq!(jobs.len(), messages, "{late}");
        let until = jobs.first().and_then(|(_, job)| Some(job.message.recap.as_ref()?.until));
        assert_eq!(until, (messages > 0).then_some(DUE + late), "up to its sending");
        accept(&mut second, &jobs, DUE + late);
        assert_eq!(recap_step(&mut second, &network, busy, DUE + late + 1).len(), 0);
    }
}

#[test]
fn recap_without_changes_is_sent_only_on_demand() {
    let home = tempfile::tempdir().expect("home");
    let settings = with_recap(recap(&["15:00"]));
    let (mut quiet, network) = engine(&settings, home.path());
    recap_step(&mut quiet, &network, calm, START);
    assert_eq!(recap_step(&mut quiet, &network, calm, DUE).len(), 0);
    assert_eq!(page(&quiet, DUE).recaps[0].until, Some(DUE), "it is settled all the same");
    assert_eq!(recap_step(&mut quiet, &network, busy, DUE + 1).len(), 0);
    let mut said = recap(&["15:00"]);
    said.sends_empty = true;
    let settings = with_recap(said);
    let home = tempfile::tempdir().expect("home");
    let (mut saying, network) = engine(&settings, home.path());
    recap_step(&mut saying, &network, calm, START);
    assert_eq!(recap_step(&mut saying, &network, calm, DUE).len(), 2);
}

/// Every disk call of a recap and its outcome fails once, alone or with all later ones, also in the middle of a write; the
/// monitor ends after each.
#[test]
fn refusing_disk_delays_recaps_and_doubles_none() {
    let settings = AlertSettings {
        recaps: vec![recap(&["15:00"])],
        ..self::settings(vec![sink("chat", AlertSinkKind::Slack, "https://hooks.example/x")], 0)
    };
    for (lasting, tears) in [(false, false), (true, false), (false, true), (true, true)] {
        for after in 0.. {
            let home = tempfile::tempdir().expect("home");
            let (mut first, network) = engine(&settings, home.path());
            recap_step(&mut first, &network, busy, START);
            let fault = DiskFault { after, error: rustix::io::Errno::NOSPC.raw_os_error(), lasting, tears };
            let (mut sent, struck) = faults::with_fault(fault, || recap_step(&mut first, &network, busy, DUE));
            drop(first);
            let (mut second, network) = engine(&settings, home.path());
            for now in [DUE + 1_000, DUE + 2_000] {
                let more = recap_step(&mut second, &network, busy, now);
                accept(&mut second, &more, now);
                sent.extend(more);
            }
            let mut ids: Vec<&str> = sent.iter().map(|(_, job)| job.idempotency_key.as_str()).collect();
            ids.dedup();
            assert_eq!(ids.len(), 1, "{lasting} {tears} {after}: {ids:?}");
            assert_eq!(page(&second, DUE).messages[0].status, MessageStatus::Sent);
            if !struck {
                assert!(after > 3, "the fault reaches the calls: {after}");
                break;
            }
        }
    }
}

#[test]
fn refused_recap_is_a_dead_letter_that_can_be_sent_again() {
    let home = tempfile::tempdir().expect("home");
    let (mut engine, network) = engine(&with_recap(recap(&["15:00"])), home.path());
    recap_step(&mut engine, &network, busy, START);
    let jobs = recap_step(&mut engine, &network, busy, DUE);
    refuse(&mut engine, &jobs, RetryAdvice::Never, DUE);
    let dead = page(&engine, DUE).dead;
    assert_eq!(
        (dead.len(), dead[0].form, dead[0].rule.as_str(), dead[0].count),
        (2, MessageForm::Recap, "afternoon", 9)
    );
    assert_eq!(engine.retry(dead[0].id, None, DUE + MINUTE), Ok(()));
    let again = recap_step(&mut engine, &network, busy, DUE + MINUTE);
    assert_eq!(keys(&again), [keys(&jobs)[1]], "with its key");
    accept(&mut engine, &again, DUE + MINUTE);
    assert_eq!(page(&engine, DUE + MINUTE).dead.len(), 1);
}

#[test]
fn recap_settings_may_change_between_starts() {
    let home = tempfile::tempdir().expect("home");
    let (mut first, network) = engine(&with_recap(recap(&["15:00"])), home.path());
    recap_step(&mut first, &network, busy, START);
    let info = page(&first, START).recaps.remove(0);
    assert_eq!(
        (info.at, info.sinks, info.next_at),
        (vec!["15:00".to_owned()], vec!["chat".to_owned(), "hook".to_owned()], Some(DUE))
    );
    assert_eq!((info.until, info.empty, info.days.len()), (None, false, 0));
    drop(first);
    // Removed, and there again: what was due meanwhile is not sent.
    let without = AlertSettings { recaps: Vec::new(), ..with_recap(recap(&[])) };
    let (mut second, network) = engine(&without, home.path());
    recap_step(&mut second, &network, busy, START + MINUTE);
    assert!(page(&second, START).recaps.is_empty());
    drop(second);
    let mut one = recap(&["15:00", "16:00"]);
    one.sinks = vec!["hook".to_owned()];
    let (mut third, network) = engine(&with_recap(one), home.path());
    assert_eq!(recap_step(&mut third, &network, busy, DUE + MINUTE).len(), 0);
    let jobs = recap_step(&mut third, &network, busy, DUE + 60 * MINUTE);
    assert_eq!(jobs.iter().map(|(sink, _)| sink.as_str()).collect::<Vec<_>>(), ["hook"]);
}

/// Quiet hours are those of rules, also of one with the name of the recap.
#[test]
fn recap_is_not_held_by_quiet_hours_of_a_rule() {
    let home = tempfile::tempdir().expect("home");
    let quiet = coordination::api::QuietHours::parse("00:00-23:59", 9 * 60);
    let rules = vec![AlertRuleSpec { quiet, ..rule("afternoon") }];
    let (mut engine, network) = engine(&AlertSettings { rules, ..with_recap(recap(&["15:00"])) }, home.path());
    recap_step(&mut engine, &network, busy, START);
    assert_eq!(recap_step(&mut engine, &network, busy, DUE).len(), 2);
}

#[test]
fn compacted_outbox_remembers_recaps() {
    let home = tempfile::tempdir().expect("home");
    let (mut first, network) = engine(&with_recap(recap(&["15:00"])), home.path());
    recap_step(&mut first, &network, busy, START);
    let jobs = recap_step(&mut first, &network, busy, DUE);
    accept(&mut first, &jobs, DUE);
    drop(first);
    let path = home.path().join("task-hub-alerts.ndjson");
    let mut file = OutboxFile::open_above(&path, DUE, 0).expect("file");
    for _ in 0..3 {
        file.append(vec![OutboxLine::Next { id: 1 }; 2_000]).expect("written");
    }
    file.compact(DUE).expect("compacted");
    assert!(std::fs::metadata(&path).expect("file").len() < 50_000, "it is");
    drop(file);
    let (mut second, network) = engine(&with_recap(recap(&["15:00"])), home.path());
    assert_eq!(recap_step(&mut second, &network, busy, DUE + MINUTE).len(), 0);
}

/// A home whose recap was due a minute ago, while no monitor ran.
struct RecapHome {
    dir: tempfile::TempDir,
    receiver: TestReceiver,
}

impl RecapHome {
    fn new() -> (Self, RecapSchedule) {
        let dir = tempfile::tempdir().expect("home");
        std::fs::create_dir_all(dir.path().join("logs")).expect("logs");
        std::fs::write(dir.path().join("openclaw.json"), "{ agents: { list: [{id: \"ruda\"}] } }").expect("config");
        let now = Settings::for_home(HomeDir::new(dir.path())).clock.now_ms();
        let mut recap = RecapSchedule::new("morning", 0);
        let minute = (now - 60_000).rem_euclid(86_400_000) / 60_000;
        assert!(recap.add_time(&format!("{:02}:{:02}", minute / 60, minute % 60)));
        let secret = "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let data = json!({ "taskId": "task_1", "reason": format!("승인 {secret}"), "unblockedBy": [] });
        let blocked = json!({ "type": "task.blocked", "agentId": "eden", "ts": now - 3_600_000, "data": data });
        std::fs::write(dir.path().join("logs/coordination-events.ndjson"), format!("{blocked}\n")).expect("log");
        let mark = RecapMark::new(now - 7_200_000);
        let lines = [
            OutboxLine::Opened { at: now - 7_200_000, instance: "box".to_owned() },
            OutboxLine::RecapMarked { recap: "morning".to_owned(), mark },
        ];
        let lines: String = lines.iter().map(|line| serde_json::to_string(line).expect("JSON") + "\n").collect();
        std::fs::write(dir.path().join("task-hub-alerts.ndjson"), lines).expect("outbox");
        (Self { dir, receiver: TestReceiver::accepting() }, recap)
    }

    async fn start(&self, recap: &RecapSchedule) -> AppState {
        let mut settings = Settings::for_home(HomeDir::new(self.dir.path()));
        let hook = AlertSink { text: SinkText::Full, ..sink("hook", AlertSinkKind::Json, &self.receiver.url("/hook")) };
        settings.alerts = AlertSettings {
            // What waits already gives no message of a rule.
            recaps: vec![recap.clone()],
            ..super::settings(vec![hook], 0)
        };
        let state = AppState::start(settings).expect("started");
        state.ready().await;
        state
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missed_recap_arrives_once_with_evidence_and_without_secrets() {
    let (home, recap) = RecapHome::new();
    let first = home.start(&recap).await;
    let second = home.start(&recap).await;
    let request = home.receiver.next();
    let body = request.json();
    assert!(!request.body.contains("ghp_"), "{body}");
    let detail = body["lines"][0]["detail"].as_str().expect("a detail");
    assert!(detail.starts_with("승인 token="), "{body}");
    assert_eq!((body["form"].as_str(), body["count"].as_u64()), (Some("recap"), Some(1)), "{body}");
    let line = &body["lines"][0];
    assert_eq!((line["kind"].as_str(), line["agent"].as_str()), (Some("blocked"), Some("eden")));
    assert_eq!(line["url"], "https://hub.example.org/x/tasks/eden/task_1");
    assert!(home.receiver.try_next().is_none(), "the other monitor sends nothing");
    let trouble = second.alerts().page().trouble;
    assert!(trouble.is_some_and(|trouble| trouble.contains("another monitor")), "it says so");
    let end = Instant::now() + Duration::from_secs(20);
    while first.alerts().page().recaps.first().is_none_or(|recap| recap.until.is_none()) {
        assert!(Instant::now() < end, "the page shows it");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    second.close();
    first.close();
    drop((first, second));
    let again = home.start(&recap).await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(home.receiver.try_next().is_none(), "not again after a restart");
    drop(again);
}
