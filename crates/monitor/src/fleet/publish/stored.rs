//! Messages in a stream: publishing one that must come right after another, and reading the last one of a subject.

use anyhow::Context as _;
use async_nats::HeaderMap;
use async_nats::jetstream;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};

use super::PublishFault;
use crate::fleet::batch::{BatchPlace, PUBLISHER};

/// Header of the server: the message is stored only when this is the sequence of the last one of its subject.
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";
/// Path of a file that is replaced as a whole.
pub(in crate::fleet) const FILE_PATH: &str = "Th-Path";

/// Publishes a message that must come right after the one of this sequence (0: the first) of its subject; its own sequence. After
/// a lost answer the same message is sent again: the server refuses it, and the stream says that it is there.
///
/// # Errors
/// [`PublishFault::Conflict`] when another publisher wrote in between.
pub(in crate::fleet) async fn publish_next(
    context: &jetstream::Context,
    stream: &Stream,
    subject: &str,
    (mut headers, payload): (HeaderMap, Vec<u8>),
    sequence: u64,
) -> Result<u64, PublishFault> {
    headers.insert(EXPECTED, sequence.to_string());
    let sent = headers.clone();
    let sent = context.publish_with_headers(subject.to_owned(), sent, payload.clone().into()).await;
    let answered = match sent {
        Ok(answer) => answer.await,
        Err(error) => Err(error),
    };
    let error = match answered {
        Ok(answer) => return Ok(answer.sequence),
        Err(error) => error,
    };
    if error.kind() != PublishErrorKind::WrongLastSequence {
        return Err(anyhow::Error::from(error).context("the servers do not take a message").into());
    }
    let publisher = |headers: &HeaderMap| headers.get(PUBLISHER).map(|name| name.as_str().to_owned());
    match last(stream, subject).await? {
        Some(last) if publisher(&last.headers) == publisher(&headers) && last.payload == payload => Ok(last.sequence),
        Some(last) if publisher(&last.headers) != publisher(&headers) => Err(PublishFault::Conflict),
        // The stream was deleted and created again, or it lost what it had acknowledged.
        _ => Err(anyhow::anyhow!("{subject} is not as it was left").into()),
    }
}

/// Publishes a file that is replaced as a whole.
pub(super) async fn publish_file(
    context: &jetstream::Context,
    subject: &str,
    path: &str,
    payload: Vec<u8>,
) -> anyhow::Result<()> {
    let mut headers = HeaderMap::new();
    headers.insert(FILE_PATH, path);
    let answer = context.publish_with_headers(subject.to_owned(), headers, payload.into()).await?.await;
    answer.with_context(|| format!("the servers do not take {path}"))?;
    Ok(())
}

/// Publishes a layout or hello.
pub(super) async fn publish_state(
    context: &jetstream::Context,
    subject: String,
    payload: Vec<u8>,
) -> anyhow::Result<()> {
    context.publish(subject, payload.into()).await?.await.context("the servers do not take a message")?;
    Ok(())
}

/// The last message of a subject.
pub(in crate::fleet) async fn last(stream: &Stream, subject: &str) -> anyhow::Result<Option<StreamMessage>> {
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(anyhow::Error::from(error).context("the servers do not say where publishing stood")),
    }
}

/// Place, if it is a batch, and sequence of the last message of a subject.
pub(super) async fn last_place(stream: &Stream, subject: &str) -> anyhow::Result<Option<(Option<BatchPlace>, u64)>> {
    let message = last(stream, subject).await?;
    Ok(message.map(|message| (BatchPlace::read(&message.headers).ok(), message.sequence)))
}
