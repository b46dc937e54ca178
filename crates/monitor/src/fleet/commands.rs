//! Commands of a fleet: a request that changes something goes to the monitor of the machine that it is about, and waits for its
//! answer. Nothing is stored on the way.
//!
//! A command takes two steps, so that no clock is needed and none is carried out late or twice: the machine gives a number that
//! holds for [`HOLDS_FOR`], and the command names it. What waited in a broken connection names one that does not hold any more.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::client::Request;
use async_nats::connection::State;
use async_nats::{Client, HeaderMap, Message, RequestErrorKind};
use coordination::digest::sha256_hex;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::random::random_hex;

/// A number can be named for so long.
const HOLDS_FOR: Duration = Duration::from_secs(5);
/// Numbers that hold at once.
const MAX_HELD: usize = 64;
/// An answer is waited for so long: an agent that is spoken to has to be reached.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Header with the number of a command.
const NUMBER: &str = "Th-Number";
/// Header with the SHA-256 of its payload.
const DIGEST: &str = "Th-Digest";

/// A request of REST v2 that changes something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FleetCommand {
    /// Id of the source that it is for.
    pub(crate) source: String,
    /// Method of HTTP.
    pub(crate) method: String,
    /// Path with its query, below the base of the monitor.
    pub(crate) path: String,
    /// Body: JSON as text.
    pub(crate) body: String,
    /// The person, as far as the asking monitor knows.
    pub(crate) by: Option<String>,
}

/// Its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandReply {
    /// Status of HTTP.
    pub(crate) status: u16,
    /// Body: JSON as text.
    pub(crate) body: String,
}

/// Why a command got no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommandFault {
    /// Nobody listens: the machine is off, or takes no changes from the fleet.
    #[error("the machine is off, or takes no changes from the fleet (fleet.writes there)")]
    Offline,
    /// The servers of the fleet do not answer. Nothing was carried out.
    #[error("the servers of the fleet do not answer")]
    Unreachable,
    /// The answer was lost: it may have been carried out.
    #[error("the answer of the machine was lost: the change may have been made")]
    Uncertain,
}

/// Carries out commands.
pub(crate) type CommandRunner =
    Arc<dyn Fn(FleetCommand) -> Pin<Box<dyn Future<Output = CommandReply> + Send>> + Send + Sync>;

/// Sends a command and waits for its answer.
pub(super) async fn send(client: &Client, subject: &str, command: &FleetCommand) -> Result<CommandReply, CommandFault> {
    if client.connection_state() != State::Connected {
        return Err(CommandFault::Unreachable);
    }
    let given = client.request(subject.to_owned(), Vec::new().into()).await.map_err(|error| match error.kind() {
        RequestErrorKind::NoResponders | RequestErrorKind::TimedOut => CommandFault::Offline,
        _ => CommandFault::Unreachable,
    })?;
    let number = String::from_utf8_lossy(&given.payload).into_owned();
    let payload = serde_json::to_vec(command).map_err(|_| CommandFault::Unreachable)?;
    let mut headers = HeaderMap::new();
    headers.insert(NUMBER, number);
    headers.insert(DIGEST, sha256_hex(&payload));
    let request = Request::new().headers(headers).payload(payload.into()).timeout(Some(ANSWER_TIMEOUT));
    let answer = client.send_request(subject.to_owned(), request).await.map_err(|error| match error.kind() {
        RequestErrorKind::NoResponders => CommandFault::Offline,
        _ => CommandFault::Uncertain,
    })?;
    serde_json::from_slice(&answer.payload).map_err(|_| CommandFault::Uncertain)
}

/// Listens for commands until the connection ends.
pub(super) async fn listen(client: Client, subject: String, source: String, run: CommandRunner) -> anyhow::Result<()> {
    let mut messages = client.subscribe(subject).await?;
    let mut numbers = Numbers::default();
    while let Some(message) = messages.next().await {
        let Some(reply) = message.reply.clone() else { continue };
        let named = message.headers.as_ref().and_then(|headers| headers.get(NUMBER)).map(|number| number.as_str());
        let Some(named) = named else {
            client.publish(reply, numbers.give(Instant::now()).into()).await?;
            continue;
        };
        // Taken before anything else: no number is named twice.
        let holds = numbers.take(named, Instant::now());
        let (client, run, command) = (client.clone(), Arc::clone(&run), read(&message, &source, holds));
        tokio::spawn(async move {
            let answer = match command {
                Ok(command) => run(command).await,
                Err(cause) => CommandReply { status: 409, body: refused(cause) },
            };
            let sent = match serde_json::to_vec(&answer) {
                Ok(payload) => client.publish(reply, payload.into()).await.map_err(anyhow::Error::from),
                Err(error) => Err(error.into()),
            };
            if let Err(error) = sent {
                tracing::warn!("fleet: the answer to a command cannot be sent: {error:#}");
            }
        });
    }
    Ok(())
}

fn refused(cause: &str) -> String {
    serde_json::json!({ "error": cause, "code": "conflict", "requestId": "fleet" }).to_string()
}

/// The command of a message, or why it is not carried out.
fn read(message: &Message, source: &str, holds: bool) -> Result<FleetCommand, &'static str> {
    if !holds {
        return Err("The command came too late or twice; nothing was changed");
    }
    let digest = message.headers.as_ref().and_then(|headers| headers.get(DIGEST)).map(|digest| digest.as_str());
    if digest != Some(sha256_hex(&message.payload).as_str()) {
        return Err("The command was changed on its way; nothing was changed");
    }
    let command: FleetCommand =
        serde_json::from_slice(&message.payload).map_err(|_| "The command cannot be read; nothing was changed")?;
    if command.source == source { Ok(command) } else { Err("The command is for another machine; nothing was changed") }
}

/// Numbers that a command may name, with the time when they were given.
#[derive(Debug, Default)]
struct Numbers(HashMap<String, Instant>);

impl Numbers {
    /// A new one. Where too many hold, the oldest does no longer.
    fn give(&mut self, now: Instant) -> String {
        self.0.retain(|_, given| now.duration_since(*given) < HOLDS_FOR);
        if self.0.len() >= MAX_HELD
            && let Some(oldest) = self.0.iter().min_by_key(|(_, given)| **given).map(|(number, _)| number.clone())
        {
            self.0.remove(&oldest);
        }
        let number = random_hex::<16>();
        self.0.insert(number.clone(), now);
        number
    }

    /// Whether a number holds; it does not afterwards.
    fn take(&mut self, number: &str, now: Instant) -> bool {
        self.0.remove(number).is_some_and(|given| now.duration_since(given) < HOLDS_FOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_holds_once_and_not_for_long() {
        let (mut numbers, now) = (Numbers::default(), Instant::now());
        let number = numbers.give(now);
        assert!(numbers.take(&number, now + HOLDS_FOR / 2));
        assert!(!numbers.take(&number, now + HOLDS_FOR / 2), "twice");
        let late = numbers.give(now);
        assert!(!numbers.take(&late, now + HOLDS_FOR), "late");
        assert!(!numbers.take("made up", now));
        let first = numbers.give(now);
        for _ in 0..MAX_HELD {
            numbers.give(now + Duration::from_millis(1));
        }
        assert!(!numbers.take(&first, now + Duration::from_millis(2)), "too many");
        assert!(numbers.0.len() <= MAX_HELD);
    }
}
