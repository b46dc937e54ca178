//! Tests of alerts from a line of the log to a request at a sink, with the monitor whole.
//!
//! Proves (work): A matter that a line of the log makes arrives at a webhook with a link to it, once, also when the monitor
//! was closed and started again; 500 at a moment arrive as few messages.
//! Long form: `cargo test -p task-monitor --lib alerts`.

use std::io::Write as _;
use std::time::{Duration, Instant};

use coordination::api::{AlertRuleSpec, SharedContent};
use serde_json::json;

use super::receiver::TestReceiver;
use super::*;
use crate::app::AppState;
use crate::config::Settings;
use crate::core::overrides::SharedChange;
use crate::home::HomeDir;

/// Events whose way to the webhook is measured, in rules of five: more at a time are one message.
const RULES: usize = 12;
const EVENTS_PER_RULE: usize = 5;

struct AlertHome {
    dir: tempfile::TempDir,
    receiver: TestReceiver,
}

impl AlertHome {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("home");
        std::fs::create_dir_all(dir.path().join("logs")).expect("logs");
        std::fs::write(dir.path().join("openclaw.json"), "{ agents: { list: [{id: \"ruda\"}] } }").expect("config");
        std::fs::write(dir.path().join("logs/coordination-events.ndjson"), "").expect("log");
        Self { dir, receiver: TestReceiver::accepting() }
    }

    async fn start(&self, rules: Vec<AlertRuleSpec>) -> AppState {
        let mut settings = Settings::for_home(HomeDir::new(self.dir.path()));
        settings.alerts = super::settings(vec![sink("hook", AlertSinkKind::Json, &self.receiver.url("/hook"))], 0);
        if !rules.is_empty() {
            settings.alerts.rules = rules;
        }
        let state = AppState::start(settings).expect("started");
        state.ready().await;
        // Each rule has noted what waits already.
        state.settings().alerts.rules.iter().for_each(|rule| self.wait_for(&format!("\"rule\":\"{}\"", rule.name)));
        state
    }

    /// Waits until the outbox holds a text.
    fn wait_for(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        let path = self.dir.path().join("task-hub-alerts.ndjson");
        while !std::fs::read_to_string(&path).unwrap_or_default().contains(text) {
            assert!(Instant::now() < end, "the outbox has {text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn block(&self, now: i64, tasks: impl Iterator<Item = (String, String)>) {
        let path = self.dir.path().join("logs/coordination-events.ndjson");
        let mut text = String::new();
        for (agent, task) in tasks {
            let data = json!({ "taskId": task, "reason": "승인 필요", "unblockedBy": [] });
            text.push_str(&json!({ "type": "task.blocked", "agentId": agent, "ts": now, "data": data }).to_string());
            text.push('\n');
        }
        let mut file = std::fs::OpenOptions::new().append(true).open(path).expect("log");
        file.write_all(text.as_bytes()).expect("appended");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn blocked_task_arrives_at_the_webhook_once() {
    let home = AlertHome::new();
    let state = home.start(Vec::new()).await;
    home.block(state.now(), [("eden".to_owned(), "task_1".to_owned())].into_iter());
    let body = home.receiver.next().json();
    assert_eq!(body["url"], "https://hub.example.org/x/tasks/eden/task_1");
    assert!(body["title"].as_str().is_some_and(|title| title.starts_with("차단됨 · eden")), "{body}");
    assert!(home.receiver.try_next().is_none());
    state.close();
    drop(state);
    let state = home.start(Vec::new()).await;
    home.block(state.now(), [("eden".to_owned(), "task_2".to_owned())].into_iter());
    let body = home.receiver.next().json();
    assert_eq!(body["url"], "https://hub.example.org/x/tasks/eden/task_2", "the first one is not sent again");
    let health = serde_json::to_value(state.alerts().health()).expect("JSON");
    assert_eq!((&health["sinks"], &health["failing"]), (&json!(1), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_matters_at_a_moment_are_few_messages() {
    let home = AlertHome::new();
    let state = home.start(Vec::new()).await;
    home.block(state.now(), (0..500).map(|task| ("eden".to_owned(), format!("task_{task}"))));
    let (mut lines, mut messages) = (0, 0);
    // What the first look already sees is single messages; the rest is one, and after a minute another at most.
    while let Some(request) = home.receiver.try_next() {
        lines += request.json()["count"].as_u64().expect("a count");
        messages += 1;
    }
    assert!((1..=6).contains(&messages) && (1..=500).contains(&lines), "{messages} messages of {lines} lines");
    assert!(lines == 500 || messages > 0, "{lines}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rule_of_the_page_sends_from_the_moment_it_is_written() {
    let home = AlertHome::new();
    // The rule of the file is about nobody here.
    let other = AlertRuleSpec { agents: vec!["nobody".into()], ..rule("others") };
    let state = home.start(vec![other]).await;
    let write = |paused: bool, expected: u32| {
        let spec = AlertRuleSpec { agents: vec!["eden".into()], paused, ..rule("이든의 일") };
        state.overrides().share(SharedChange {
            id: "r1".to_owned(),
            content: Some(SharedContent::Rule(spec)),
            expected: Some(expected),
            by: None,
            request_id: "test".to_owned(),
        })
    };
    write(false, 0).await.expect("written");
    home.wait_for("\"rule\":\"page:r1\"");
    home.block(state.now(), [("eden".to_owned(), "task_1".to_owned())].into_iter());
    assert_eq!(home.receiver.next().json()["rule"], "이든의 일");
    write(true, 1).await.expect("paused");
    home.wait_for("ruleEnded");
    home.block(state.now(), [("eden".to_owned(), "task_2".to_owned())].into_iter());
    assert!(home.receiver.try_next().is_none(), "a paused rule sends nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn event_reaches_the_webhook_soon() {
    let home = AlertHome::new();
    let of_agent = |number: usize| AlertRuleSpec {
        agents: vec![format!("agent-{number}").as_str().into()],
        ..rule(&format!("rule {number}"))
    };
    let state = home.start((0..RULES).map(of_agent).collect()).await;
    let mut took: Vec<u128> = Vec::new();
    for event in 0..RULES * EVENTS_PER_RULE {
        let began = Instant::now();
        let (agent, task) = (format!("agent-{}", event % RULES), format!("task_{event}"));
        home.block(state.now(), [(agent, task)].into_iter());
        home.receiver.next();
        took.push(began.elapsed().as_millis());
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 100];
    println!("event to webhook: p50 {} ms, p99 {} ms of {} events", at(50), at(99), took.len());
    assert!(at(50) < 2_000, "on a busy machine, too: {took:?}");
}
