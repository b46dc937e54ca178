//! Messages of a publisher about itself: the hello, and the one that another publisher took its place.

use async_nats::HeaderMap;
use async_nats::jetstream::message::StreamMessage;

use super::place;
use super::stored::{self, FILE_PATH, publish_next};
use super::{HomePublisher, PublishFault};
use crate::fleet::batch::PUBLISHER;
use crate::fleet::messages::{Conflict, Hello, Layout};
use crate::fleet::published_log::PublishedLog;
use crate::fleet::service::{self, FleetService};

impl HomePublisher<'_> {
    /// Answers commands and reads as long as this is held.
    pub(super) fn listen(&self, source: &str, service: FleetService) -> tokio::task::JoinSet<()> {
        let (client, subject, source) = (self.context.client(), self.subjects.commands(), source.to_owned());
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(async move {
            if let Err(error) = service::listen(client, subject, source, service).await {
                tracing::warn!("fleet: commands and reads are not answered: {error:#}");
            }
        });
        tasks
    }

    /// Says that the publisher is there. The message must come right after its own last one: that is how it learns of another.
    pub(super) async fn publish_hello(&mut self, stopped: bool) -> Result<(), PublishFault> {
        let hello = Hello {
            name: self.settings.machine.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            publisher: self.publisher.clone(),
            place: self.place.clone(),
            at: self.clock.now_ms(),
            text: self.settings.text.as_str().to_owned(),
            logs: self.logs.values().map(|log| (log.generation.clone(), log.at)).collect(),
            unpublished: self.logs.values().map(PublishedLog::unpublished).sum(),
            skipped: self.skipped.clone(),
            stopped,
            ..self.service.as_mut().map(FleetService::hello).unwrap_or_default()
        };
        let mut headers = HeaderMap::new();
        headers.insert(PUBLISHER, self.publisher.as_str());
        let (stream, subject) = (&self.state_stream, self.subjects.hello());
        let message = (headers, hello.payload()?);
        self.hello_sequence = publish_next(&self.context, stream, &subject, message, self.hello_sequence).await?;
        self.has_said_hello = true;
        Ok(())
    }

    /// The newest hello of this source. After a conflict it says who publishes: of two publishers exactly one is not its author,
    /// whichever message of the other one each of them met.
    pub(super) async fn newest_hello(&self) -> anyhow::Result<Option<Hello>> {
        let hello = stored::last(&self.state_stream, &self.subjects.hello()).await?;
        Ok(hello.and_then(|hello| Hello::read(&hello.payload)))
    }

    /// Replaces a file in the stream.
    pub(super) async fn replace_file(&mut self, path: &str, payload: Vec<u8>) -> Result<(), PublishFault> {
        let mut headers = HeaderMap::new();
        headers.insert(FILE_PATH, path);
        self.replace(self.subjects.file(path), (headers, payload)).await
    }

    /// Replaces the layout in the stream.
    pub(super) async fn replace_layout(&mut self, layout: &Layout) -> Result<(), PublishFault> {
        self.replace(self.subjects.layout(), (HeaderMap::new(), layout.payload()?)).await
    }

    /// Replaces the last message of a subject. One that was sent before and arrives later, over a connection that was given
    /// up, is refused by the servers.
    async fn replace(
        &mut self,
        subject: String,
        (mut headers, payload): (HeaderMap, Vec<u8>),
    ) -> Result<(), PublishFault> {
        self.ensure_newest().await?;
        headers.insert(PUBLISHER, self.publisher.as_str());
        let stream = &self.state_stream;
        let sequence = match self.replaced.get(&subject) {
            Some(sequence) => *sequence,
            None => stored::last(stream, &subject).await?.map_or(0, |last| last.sequence),
        };
        let sequence = publish_next(&self.context, stream, &subject, (headers, payload), sequence).await?;
        self.replaced.insert(subject, sequence);
        Ok(())
    }

    /// Fails when another publisher said hello since this one did: files and layouts replace whatever is there.
    async fn ensure_newest(&self) -> Result<(), PublishFault> {
        let newest = if self.has_said_hello { self.newest_hello().await? } else { None };
        match newest.is_some_and(|hello| hello.publisher != self.publisher) {
            true => Err(PublishFault::Conflict),
            false => Ok(()),
        }
    }

    /// Whether a message of the stream of logs is from before the removal of this machine.
    pub(super) fn is_before_removal(&self, sequence: u64) -> bool {
        let created = self.log_stream.cached_info().created.to_string();
        self.removal.as_ref().is_some_and(|removal| removal.covers(&created, sequence))
    }

    /// Fails when the publisher of the newest hello runs at another place: this home is a copy.
    pub(super) async fn ensure_original(&self, newest: Option<&StreamMessage>) -> Result<(), PublishFault> {
        let newest = newest.filter(|_| self.removal.is_none());
        let outcome = place::ensure_no_other(&self.state_stream, &self.subjects.hello(), newest, &self.place).await;
        if matches!(outcome, Err(PublishFault::Conflict)) {
            self.publish_conflict().await;
        }
        outcome
    }

    /// Publishes that this process ends because another one publishes.
    pub(super) async fn publish_conflict(&self) {
        let said = Conflict { publisher: self.publisher.clone(), at: self.clock.now_ms() };
        let sent = match said.payload() {
            Ok(payload) => stored::publish_state(&self.context, self.subjects.conflict(), payload).await,
            Err(error) => Err(error),
        };
        if let Err(error) = sent {
            tracing::warn!("fleet: the conflict cannot be published: {error:#}");
        }
    }
}
