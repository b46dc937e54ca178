//! Alerts that the monitor sends: a thread follows the work list, notes in an outbox on disk what its rules make of it, and
//! sends the messages to sinks (webhooks, chats, e-mail). `coordination::alerts` decides; this module reads, writes and
//! sends. Without sinks there is no thread and no file.
//!
//! Start with [`engine::AlertEngine`]. A message is on the disk before it is sent and is sent until the sink acknowledges
//! it. A request whose answer is lost is repeated with the same idempotency key.

mod engine;
mod http;
mod mail;
mod outbox_file;
mod page;
mod push;
mod recaps;
mod request;
pub(crate) mod rules;
#[cfg(test)]
mod tests;
mod text;
mod thread;
mod worker;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use coordination::api::{AlertMessage, AlertsHealth, AlertsPage, PushSubscription};
use tokio::sync::oneshot;

use self::http::{HttpClient, RequestLimits};
use self::worker::{SendOutcome, Workers};
use crate::config::Settings;
use crate::core::Core;

/// Inputs of the thread.
enum AlertInput {
    /// The hub changed.
    Wake,
    /// A sink took a message, or not.
    Outcome(SendOutcome),
    /// A person tries a sink.
    Test { sink: String, receiver: Option<String>, answer: AnswerSender<AlertMessage> },
    /// A person wants a dead letter to be sent again.
    Retry { id: u64, by: Option<String>, answer: AnswerSender<()> },
    /// A browser wants push messages.
    Subscribe { subscription: Box<PushSubscription>, answer: AnswerSender<String> },
    /// A browser shall get no more.
    Unsubscribe { id: String, by: Option<String>, answer: AnswerSender<()> },
}

/// Where a person waits for the outcome of a request.
type AnswerSender<T> = oneshot::Sender<Result<T, AlertError>>;

/// Why a request of a person was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AlertError {
    /// No sink of this name.
    #[error("there is no sink of this name")]
    NoSink,
    /// No such receiver of this sink.
    #[error("this sink has no such receiver")]
    NoReceiver,
    /// No sink sends push messages.
    #[error("no sink of kind push is set up")]
    NoPush,
    /// A subscription that is not taken.
    #[error("{0}")]
    Subscription(&'static str),
    /// No dead letter of this number.
    #[error("there is no dead letter of this number")]
    NoMessage,
    /// Nothing can be sent or written now.
    #[error("{0}")]
    Unavailable(String),
}

/// Handle of the thread. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct AlertService {
    /// `None` without sinks.
    inputs: Option<Sender<AlertInput>>,
    wake: AlertWake,
    /// What readers see.
    page: Arc<Mutex<AlertsPage>>,
}

/// Notifies the thread that the hub has changed.
#[derive(Debug, Clone)]
pub(crate) struct AlertWake {
    inputs: Option<Sender<AlertInput>>,
    is_pending: Arc<AtomicBool>,
}

impl AlertWake {
    /// Costs nothing without sinks, and while the thread is notified already.
    pub(crate) fn wake(&self) {
        if let Some(inputs) = &self.inputs
            && !self.is_pending.swap(true, Ordering::AcqRel)
        {
            // The thread ends with the monitor.
            drop(inputs.send(AlertInput::Wake));
        }
    }
}

impl AlertService {
    /// Starts the thread, unless there is no sink. `may_write` says whether this process holds the write lock of the home.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(
        settings: &Settings,
        core: Weak<Core>,
        may_write: impl Fn() -> bool + Send + 'static,
    ) -> std::io::Result<Self> {
        let page = Arc::<Mutex<AlertsPage>>::default();
        let is_pending = Arc::<AtomicBool>::default();
        if settings.alerts.sinks.is_empty() {
            let wake = AlertWake { inputs: None, is_pending };
            return Ok(Self { inputs: None, wake, page });
        }
        let (inputs, inbox) = mpsc::channel();
        let outcomes = inputs.clone();
        let report: Arc<dyn Fn(SendOutcome) + Send + Sync> =
            Arc::new(move |outcome| drop(outcomes.send(AlertInput::Outcome(outcome))));
        let client = HttpClient::new(RequestLimits::default());
        let workers = Workers::start(&settings.alerts, &client, &report)?;
        let engine = engine::AlertEngine::new(settings.alerts.clone(), settings.home.alert_outbox(), Box::new(workers));
        let wake = AlertWake { inputs: Some(inputs.clone()), is_pending: Arc::clone(&is_pending) };
        let thread = thread::AlertThread::new(engine, core, Box::new(may_write), Arc::clone(&page), is_pending);
        std::thread::Builder::new().name("alerts".to_owned()).spawn(move || thread.run(&inbox))?;
        Ok(Self { inputs: Some(inputs), wake, page })
    }

    /// What wakes the thread.
    pub(crate) fn waker(&self) -> AlertWake {
        self.wake.clone()
    }

    /// Sinks and the newest messages, without the rules.
    pub(crate) fn page(&self) -> AlertsPage {
        self.lock().clone()
    }

    /// State of the sinks; `None` without sinks.
    pub(crate) fn health(&self) -> Option<AlertsHealth> {
        self.inputs.as_ref().map(|_| page::health(&self.lock()))
    }

    /// Sends a test message, to one receiver where the sink has several, and waits for the outcome.
    pub(crate) async fn test(&self, sink: String, receiver: Option<String>) -> Result<AlertMessage, AlertError> {
        let (answer, reply) = oneshot::channel();
        self.ask(AlertInput::Test { sink, receiver, answer }, reply).await
    }

    /// Takes the push subscription of a browser; its id.
    pub(crate) async fn subscribe(&self, subscription: PushSubscription) -> Result<String, AlertError> {
        if self.inputs.is_none() {
            return Err(AlertError::NoPush);
        }
        let (answer, reply) = oneshot::channel();
        self.ask(AlertInput::Subscribe { subscription: Box::new(subscription), answer }, reply).await
    }

    /// Sends a browser nothing any more.
    pub(crate) async fn unsubscribe(&self, id: String, by: Option<String>) -> Result<(), AlertError> {
        let (answer, reply) = oneshot::channel();
        self.ask(AlertInput::Unsubscribe { id, by, answer }, reply).await
    }

    /// Sends a dead letter again; it is due when this returns.
    pub(crate) async fn retry(&self, id: u64, by: Option<String>) -> Result<(), AlertError> {
        let (answer, reply) = oneshot::channel();
        self.ask(AlertInput::Retry { id, by, answer }, reply).await
    }

    async fn ask<T>(
        &self,
        input: AlertInput,
        reply: oneshot::Receiver<Result<T, AlertError>>,
    ) -> Result<T, AlertError> {
        let shutting_down = || AlertError::Unavailable("the monitor is shutting down".to_owned());
        let inputs = self.inputs.as_ref().ok_or(AlertError::NoSink)?;
        inputs.send(input).map_err(|_| shutting_down())?;
        reply.await.map_err(|_| shutting_down())?
    }

    fn lock(&self) -> MutexGuard<'_, AlertsPage> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
