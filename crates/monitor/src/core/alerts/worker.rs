//! Threads that send messages, one for each sink, and a few for push messages: a sink or push service that hangs holds up
//! no other. They decide nothing and write nothing; the alerts thread gets the outcome.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use coordination::alerts::{MessageForm, OutboxMessage};
use serde_json::Value;

use super::http::{HttpClient, RetryAdvice, SendFailure};
use super::mail::{mail_text, send_mail};
use super::push::{PushTarget, push_request};
use super::request::{RequestContext, webhook_request};
use crate::config::{AlertLanguage, AlertSettings, AlertSink, AlertSinkKind, WebhookTarget};

/// Threads of a push sink. Each push service has one message at a time.
const PUSH_THREADS: usize = 4;

/// A message to send.
#[derive(Debug, Clone)]
pub(super) struct SendJob {
    pub(super) message: OutboxMessage,
    pub(super) idempotency_key: String,
    /// The message whose lines are over.
    pub(super) about: Option<AboutMessage>,
    /// The browser that it is for, of a push sink.
    pub(super) push: Option<PushTarget>,
    pub(super) now: i64,
}

/// An earlier message.
#[derive(Debug, Clone)]
pub(super) struct AboutMessage {
    pub(super) idempotency_key: String,
    /// Its name at the sink.
    pub(super) remote: Option<String>,
    /// Number of its lines.
    pub(super) count: usize,
}

/// What became of it.
#[derive(Debug)]
pub(super) struct SendOutcome {
    pub(super) id: u64,
    pub(super) sink: String,
    /// The name that the sink gave it, if any.
    pub(super) result: Result<Option<String>, SendFailure>,
}

/// Takes messages to send. Tests have one without threads and network.
pub(super) trait Dispatch: Send {
    /// Starts to send. The outcome follows on the channel that the implementation was made with.
    fn send(&mut self, job: SendJob);
}

/// Queues of the threads, by sink.
pub(super) struct Workers(BTreeMap<String, Sender<SendJob>>);

impl Workers {
    /// Starts the threads of each sink; they end when this is dropped. `report` gets each outcome.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(
        settings: &AlertSettings,
        client: &HttpClient,
        report: &Arc<dyn Fn(SendOutcome) + Send + Sync>,
    ) -> std::io::Result<Self> {
        let mut workers = BTreeMap::new();
        for sink in &settings.sinks {
            let (sender, jobs) = mpsc::channel::<SendJob>();
            let jobs = Arc::new(Mutex::new(jobs));
            for _ in 0..if sink.push.is_some() { PUSH_THREADS } else { 1 } {
                let (jobs, client, report, sink_of_thread) =
                    (Arc::clone(&jobs), client.clone(), Arc::clone(report), sink.clone());
                let (language, public_url) = (settings.language, settings.public_url.clone());
                let next = move || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let work = move || {
                    while let Ok(job) = next() {
                        let id = job.message.id;
                        let attempt = || deliver(&client, &sink_of_thread, language, public_url.as_deref(), &job);
                        let result = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
                            Err(SendFailure::later("the monitor made a mistake while it sent this"))
                        });
                        report(SendOutcome { id, sink: sink_of_thread.name.clone(), result });
                    }
                };
                std::thread::Builder::new().name("alert-sink".to_owned()).spawn(work)?;
            }
            workers.insert(sink.name.clone(), sender);
        }
        Ok(Self(workers))
    }
}

impl Dispatch for Workers {
    fn send(&mut self, job: SendJob) {
        if let Some(worker) = self.0.get(&job.message.sink) {
            // A thread ends only with this value.
            drop(worker.send(job));
        }
    }
}

/// Sends one message. The name that the sink gave it.
pub(super) fn deliver(
    client: &HttpClient,
    sink: &AlertSink,
    language: AlertLanguage,
    public_url: Option<&str>,
    job: &SendJob,
) -> Result<Option<String>, SendFailure> {
    let about = job.about.as_ref();
    let push = job.push.as_ref();
    let context = RequestContext {
        sink,
        language: push.and_then(PushTarget::language).unwrap_or(language),
        public_url,
        idempotency_key: &job.idempotency_key,
        about: about.map(|about| (about.idempotency_key.as_str(), about.remote.as_deref(), about.count)),
        now: job.now,
    };
    if let (Some(settings), Some(push)) = (&sink.push, push) {
        let never = |cause: String| SendFailure { cause, retry: RetryAdvice::Never };
        let address = WebhookTarget::new(&push.subscription.endpoint, None).map_err(never)?;
        let request = push_request(push, settings, context, &job.message).map_err(|error| never(error.to_string()))?;
        let sent = client.send(&request);
        return match sent {
            Ok(_) => Ok(None),
            Err(failure) => Err(SendFailure { cause: address.masked(&failure.cause), ..failure }),
        };
    }
    match (&sink.webhook, &sink.mail) {
        (Some(target), _) => {
            let answer = client.send(&webhook_request(target, context, &job.message));
            let answer = answer.map_err(|failure| SendFailure { cause: target.masked(&failure.cause), ..failure })?;
            let is_new = job.message.form != MessageForm::Over;
            Ok((sink.kind == AlertSinkKind::Discord && is_new).then(|| discord_id(&answer)).flatten())
        }
        (None, Some(mail)) => send_mail(mail, &mail_text(mail, context, &job.message)).map(|()| None),
        (None, None) => Err(SendFailure::later("the sink has no address")),
    }
}

/// The id of a new message; only digits, because it becomes a part of an address.
fn discord_id(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let id = answer.get("id")?.as_str()?;
    let is_id = (1..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| id.to_owned())
}
