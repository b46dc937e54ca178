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
    /// A proxy before the asking monitor says who the person is, so the body does not.
    #[serde(default)]
    pub(crate) is_forwarded: bool,
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
    if number.is_empty() {
        return Err(CommandFault::Offline);
    }
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

/// Answers the messages of one source that are about commands.
pub(super) struct CommandServer {
    source: String,
    /// `None` where the machine takes no changes.
    run: Option<CommandRunner>,
    numbers: Numbers,
}

impl CommandServer {
    pub(super) fn new(source: String, run: Option<CommandRunner>) -> Self {
        Self { source, run, numbers: Numbers::default() }
    }

    /// What a message leads to. The number of a command is used up here.
    pub(super) fn take(&mut self, message: &Message) -> CommandStep {
        let named = message.headers.as_ref().and_then(|headers| headers.get(NUMBER)).map(|number| number.as_str());
        match (&self.run, named) {
            // An empty number.
            (None, None) => CommandStep::Number(String::new()),
            (Some(_), None) => CommandStep::Number(self.numbers.give(Instant::now())),
            (None, Some(_)) => CommandStep::Refused("This machine takes no changes from the fleet"),
            (Some(run), Some(named)) => {
                // Taken before anything else: no number is named twice.
                let holds = self.numbers.take(named, Instant::now());
                match read(message, &self.source, holds) {
                    Ok(command) => CommandStep::Run(run(command)),
                    Err(cause) => CommandStep::Refused(cause),
                }
            }
        }
    }
}

/// What a message about a command leads to.
pub(super) enum CommandStep {
    /// A number that a command may name; empty where no changes are taken.
    Number(String),
    /// The command is not carried out.
    Refused(&'static str),
    /// The command as it is carried out.
    Run(Pin<Box<dyn Future<Output = CommandReply> + Send>>),
}

impl CommandStep {
    /// Payload of the answer.
    pub(super) async fn payload(self) -> anyhow::Result<Vec<u8>> {
        let reply = match self {
            Self::Number(number) => return Ok(number.into_bytes()),
            Self::Refused(cause) => CommandReply { status: 409, body: refused(cause) },
            Self::Run(running) => running.await,
        };
        Ok(serde_json::to_vec(&reply)?)
    }
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

    fn message(payload: &[u8], number: Option<&str>) -> Message {
        let headers = number.map(|number| {
            let mut headers = HeaderMap::new();
            headers.insert(NUMBER, number);
            headers.insert(DIGEST, sha256_hex(payload));
            headers
        });
        Message {
            subject: "th.v1.studio.a.cmd".into(),
            reply: None,
            length: payload.len(),
            payload: payload.to_vec().into(),
            headers,
            status: None,
            description: None,
        }
    }

    #[tokio::test]
    async fn command_is_carried_out_once() {
        let command = FleetCommand {
            source: "a".to_owned(),
            method: "POST".to_owned(),
            path: "/api/v2/speak".to_owned(),
            body: String::new(),
            by: None,
            is_forwarded: false,
        };
        let payload = serde_json::to_vec(&command).expect("JSON");
        let run: CommandRunner = Arc::new(|_| Box::pin(async { CommandReply { status: 200, body: String::new() } }));
        let status = |step: CommandStep| async {
            serde_json::from_slice::<CommandReply>(&step.payload().await.expect("a payload")).expect("a reply").status
        };
        let mut server = CommandServer::new("a".to_owned(), Some(run.clone()));
        let CommandStep::Number(number) = server.take(&message(b"", None)) else { panic!("no number") };
        let sent = message(&payload, Some(&number));
        assert_eq!(status(server.take(&sent)).await, 200);
        assert_eq!(status(server.take(&sent)).await, 409, "the same message again");
        let mut other = CommandServer::new("b".to_owned(), Some(run));
        let CommandStep::Number(number) = other.take(&message(b"", None)) else { panic!("no number") };
        assert_eq!(status(other.take(&message(&payload, Some(&number)))).await, 409, "for another machine");
        let mut closed = CommandServer::new("a".to_owned(), None);
        assert!(matches!(closed.take(&message(b"", None)), CommandStep::Number(number) if number.is_empty()));
        assert_eq!(status(closed.take(&sent)).await, 409, "no changes are taken");
    }
}
