//! Messages in a stream: publishing one that must come right after another, and reading the last one of a subject.

use anyhow::Context as _;
use async_nats::HeaderMap;
use async_nats::jetstream;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{RawMessageError, RawMessageErrorKind, Stream};

use super::PublishFault;
use crate::fleet::batch::{BatchPlace, LogBatch, PUBLISHER};

/// Header of the server: the message is stored only when this is the sequence of the last one of its subject.
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";
/// Messages of a subject in which a batch that can be read is looked for.
const MAX_DAMAGED: u64 = 10_000;
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

/// Publishes a message whatever is there.
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
    found(stream.get_last_raw_message_by_subject(subject).await)
}

/// Place of the last batch of a subject that can be read, and sequence of its last message. A damaged message behind that batch can
/// be a copy of one that was never stored, so publishing continues behind the batch.
pub(super) async fn last_place(stream: &Stream, subject: &str) -> anyhow::Result<Option<(Option<BatchPlace>, u64)>> {
    let place = |message: &StreamMessage| Some(LogBatch::read(&message.headers, &message.payload).ok()?.place);
    let Some(last) = last(stream, subject).await? else { return Ok(None) };
    let mut found = place(&last);
    let (mut end, mut distance, mut looked_at) = (last.sequence, 1, 0);
    // A stream gives the next message of a subject and not the one before: each step back is twice as far as the last one.
    while found.is_none() && end > 1 && looked_at < MAX_DAMAGED {
        let start = end.saturating_sub(distance).max(1);
        let mut at = start;
        while let Some(message) = next(stream, subject, at).await?.filter(|message| message.sequence < end) {
            found = place(&message).or(found);
            at = message.sequence + 1;
            looked_at += 1;
        }
        (end, distance) = (start, distance * 2);
    }
    Ok(Some((found, last.sequence)))
}

/// The first message of a subject at or behind a sequence.
async fn next(stream: &Stream, subject: &str, sequence: u64) -> anyhow::Result<Option<StreamMessage>> {
    found(stream.get_first_raw_message_by_subject(subject, sequence).await)
}

fn found(message: Result<StreamMessage, RawMessageError>) -> anyhow::Result<Option<StreamMessage>> {
    match message {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(anyhow::Error::from(error).context("the servers do not say where publishing stood")),
    }
}
