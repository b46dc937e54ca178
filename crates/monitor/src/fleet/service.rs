//! Type `FleetService`: the monitor of a home carries out commands of its fleet, answers reads, and names the permission
//! requests that wait.

use std::sync::Arc;

use async_nats::{Client, HeaderMap, Message};
use coordination::api::ErrorCode;
use coordination::hub::OpenPermission;
use futures::StreamExt as _;
use tokio::sync::{Semaphore, watch};

use super::commands::{CommandRunner, CommandServer};
use super::messages::{Hello, HelloRequest};
use super::reads::{self, ReadRunner};

/// Reads that are answered at once.
const MAX_READS: usize = 8;

/// What a monitor does for its fleet.
#[derive(Clone)]
pub(crate) struct FleetService {
    /// Carries out commands; `None` where `fleet.writes` is off.
    pub(crate) commands: Option<CommandRunner>,
    /// Answers reads; `None` where `fleet.reads` is off.
    pub(crate) reads: Option<ReadRunner>,
    /// Permission requests that wait.
    pub(crate) open_requests: watch::Receiver<Vec<OpenPermission>>,
}

impl FleetService {
    /// Whether it answers reads.
    pub(super) fn has_reads(&self) -> bool {
        self.reads.is_some()
    }

    /// Whether the permission requests are others than at the last hello.
    pub(super) fn has_new_requests(&self) -> bool {
        // Without a sender the monitor is closing.
        self.has_reads() && self.open_requests.has_changed().unwrap_or(false)
    }

    /// What a hello says of it.
    pub(super) fn hello(&mut self) -> Hello {
        let open = self.open_requests.borrow_and_update();
        let requests = if self.reads.is_some() { HelloRequest::list(&open) } else { Vec::new() };
        Hello { reads: self.reads.is_some(), writes: self.commands.is_some(), requests, ..Hello::default() }
    }
}

/// Answers commands and reads until the connection ends.
pub(super) async fn listen(
    client: Client,
    subject: String,
    source: String,
    service: FleetService,
) -> anyhow::Result<()> {
    let mut messages = client.subscribe(subject).await?;
    let mut commands = CommandServer::new(source.clone(), service.commands);
    let permits = Arc::new(Semaphore::new(MAX_READS));
    while let Some(message) = messages.next().await {
        let Some(reply) = message.reply.clone() else { continue };
        let client = client.clone();
        if message.headers.as_ref().is_some_and(|headers| headers.get(reads::READ).is_some()) {
            let (source, run, permits) = (source.clone(), service.reads.clone(), Arc::clone(&permits));
            tokio::spawn(async move {
                let limit = client.server_info().max_payload;
                let (headers, payload) = answer_read(&message, &source, run, (&permits, limit)).await;
                note_unsent(client.publish_with_headers(reply, headers, payload.into()).await);
            });
            continue;
        }
        let step = commands.take(&message);
        tokio::spawn(async move {
            let sent = match step.payload().await {
                Ok(payload) => client.publish(reply, payload.into()).await.map_err(anyhow::Error::from),
                Err(error) => Err(error),
            };
            note_unsent(sent);
        });
    }
    Ok(())
}

async fn answer_read(
    message: &Message,
    source: &str,
    run: Option<ReadRunner>,
    (permits, limit): (&Semaphore, usize),
) -> (HeaderMap, Vec<u8>) {
    let Some(run) = run else {
        let error = "This machine does not show this to its fleet (fleet.reads)";
        return reads::refusal(501, ErrorCode::NotOffered, error).message();
    };
    match permits.try_acquire() {
        Ok(_permit) => reads::answer(message, source, &run, limit).await,
        Err(_) => reads::refusal(429, ErrorCode::RateLimited, "Too many reads of the fleet at once").message(),
    }
}

fn note_unsent<E: Into<anyhow::Error>>(sent: Result<(), E>) {
    if let Err(error) = sent {
        tracing::warn!("fleet: an answer cannot be sent: {:#}", error.into());
    }
}
