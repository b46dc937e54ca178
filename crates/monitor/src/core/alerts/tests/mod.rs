//! Tests of the alerts thread: the engine with a stand-in for the network and a clock of its own, and real requests to a
//! server on this machine.

mod engine;
mod loopback;
mod recap_sinks;
mod recaps;
mod receiver;
mod whole;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use coordination::alerts::{AlertLine, WorkListLook};
use coordination::api::{AlertRuleSpec, Attention};
use coordination::decode::decode;

use super::engine::AlertEngine;
use super::http::{RetryAdvice, SendFailure};
use super::worker::{Dispatch, SendJob, SendOutcome};
use crate::config::{AlertLanguage, AlertSettings, AlertSink, AlertSinkKind, PushSettings, SinkText, WebhookTarget};

const START: i64 = 1_771_651_020_000;

pub(in crate::core::alerts) fn sink(name: &str, kind: AlertSinkKind, url: &str) -> AlertSink {
    AlertSink {
        name: name.to_owned(),
        kind,
        webhook: Some(WebhookTarget::new(url, None).expect("an address")),
        mail: None,
        push: None,
        text: SinkText::Title,
        sends_over: true,
    }
}

/// A sink of push messages, which takes subscriptions at `service`.
fn push_sink(service: &str) -> AlertSink {
    let push = PushSettings { contact: "mailto:ops@example.org".to_owned(), services: vec![service.to_owned()] };
    AlertSink { webhook: None, push: Some(push), ..sink("phones", AlertSinkKind::Push, "https://unused.example/") }
}

/// A rule that sends every line at once, to all sinks.
fn rule(name: &str) -> AlertRuleSpec {
    AlertRuleSpec { name: name.to_owned(), ..AlertRuleSpec::default() }
}

pub(in crate::core::alerts) fn settings(sinks: Vec<AlertSink>, after_ms: i64) -> AlertSettings {
    let rule = AlertRuleSpec { after_ms, ..rule("all") };
    let public_url = Some("https://hub.example.org/x/".to_owned());
    AlertSettings {
        language: AlertLanguage::Ko,
        public_url,
        utc_offset: None,
        rules: vec![rule],
        recaps: Vec::new(),
        sinks,
    }
}

fn line(agent: &str, since: i64) -> Attention {
    let line = serde_json::json!({
        "kind": "unblockFailed", "inferred": false, "since": since, "agent": agent, "taskId": "task_1",
        "title": "배포", "evidence": "e",
    });
    decode(line).expect("a line")
}

fn described(line: &Attention) -> AlertLine {
    AlertLine {
        kind: line.kind,
        agent: line.agent.as_ref().map(ToString::to_string).unwrap_or_default(),
        since: line.since,
        title: line.title.clone(),
        path: "tasks/x".to_owned(),
        ..super::text::tests::line()
    }
}

/// A stand-in for the network: it takes jobs, and a test says what becomes of them.
#[derive(Clone, Default)]
struct FakeNetwork(Arc<Mutex<VecDeque<(String, SendJob)>>>);

impl Dispatch for FakeNetwork {
    fn send(&mut self, job: SendJob) {
        self.0.lock().expect("jobs").push_back((job.message.sink.clone(), job));
    }
}

impl FakeNetwork {
    fn take(&self) -> Vec<(String, SendJob)> {
        self.0.lock().expect("jobs").drain(..).collect()
    }
}

/// An engine with its file.
fn engine(settings: &AlertSettings, home: &Path) -> (AlertEngine, FakeNetwork) {
    let network = FakeNetwork::default();
    let path = home.join("task-hub-alerts.ndjson");
    (AlertEngine::new(settings.clone(), path, Box::new(network.clone())), network)
}

/// One step of the thread with these lines; the jobs that it began.
fn step(engine: &mut AlertEngine, network: &FakeNetwork, lines: &[Attention], now: i64) -> Vec<(String, SendJob)> {
    if engine.prepare(now) {
        let decided = engine.decide(WorkListLook { lines, is_complete: true }, now, &described);
        engine.write(decided);
        engine.send_due(now);
    }
    network.take()
}

fn accept(engine: &mut AlertEngine, jobs: &[(String, SendJob)], now: i64) {
    for (sink, job) in jobs {
        engine.settle(SendOutcome { id: job.message.id, sink: sink.clone(), result: Ok(None) }, now);
    }
}

fn refuse(engine: &mut AlertEngine, jobs: &[(String, SendJob)], retry: RetryAdvice, now: i64) {
    for (sink, job) in jobs {
        let result = Err(SendFailure { cause: "it answers 500".to_owned(), retry });
        engine.settle(SendOutcome { id: job.message.id, sink: sink.clone(), result }, now);
    }
}
