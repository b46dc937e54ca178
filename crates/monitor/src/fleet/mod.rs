//! Fleet: homes of several machines on one page, carried by NATS JetStream.
//!
//! What travels are inputs, not answers: lines of logs with their places, and files. [`publish`] sends them from a home,
//! [`aggregate`] makes a [`mirror`] of each home, and a monitor of its own reads it like any other. So a fleet says of a machine
//! what a monitor there says of the same files. `docs/guide/fleet.md` describes the messages.

mod aggregate;
mod batch;
mod commands;
mod inventory;
mod known_machines;
mod log_digest;
mod messages;
mod mirror;
mod publish;
mod published_log;
mod reads;
mod saved;
mod service;
mod streams;
mod text;

use std::io;
use std::os::unix::fs::OpenOptionsExt as _;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) use aggregate::FleetView;
pub(crate) use aggregate::{Fleet, FleetMember};
pub(crate) use commands::{CommandFault, CommandReply, CommandRunner, FleetCommand};
pub(crate) use known_machines::{KnownMachine, MachineRegistry, find_machine};
pub(crate) use publish::{PublishFault, run as publish};
pub(crate) use reads::{FleetRead, MAX_ANSWER_BYTES, ReadFault, ReadReply, ReadRunner, ReplyHead, refusal, too_large};
pub(crate) use service::FleetService;
pub(crate) use streams::{Retention, make_streams};

use crate::fs::durable;
use crate::home::HomeDir;
use crate::random::random_hex;

/// Content of `task-hub-fleet.json`.
#[derive(Debug, Serialize, Deserialize)]
struct SourceIdFile {
    id: String,
}

/// Largest file of an id.
const MAX_ID_BYTES: u64 = 4096;

/// Id of a home among those of its fleet, 128 bits. It is made when a home is first published and stays in the home, so that a
/// home that moves to another machine is the same source.
fn source_id(home: &HomeDir) -> anyhow::Result<String> {
    let path = home.fleet_id();
    let shown = || format!("cannot use {}", home.display(&path));
    match durable::read(&path, MAX_ID_BYTES) {
        Ok((bytes, _)) => {
            let file: SourceIdFile = serde_json::from_slice(&bytes).with_context(shown)?;
            anyhow::ensure!(is_source_id(&file.id), "{}: it holds no id of 32 hexadecimal digits", shown());
            Ok(file.id)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let file = SourceIdFile { id: random_hex::<16>() };
            let options = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).clone();
            let written = durable::open(&options, &path);
            let written = written.and_then(|opened| durable::write(&opened, 0, &serde_json::to_vec(&file)?));
            written.with_context(shown)?;
            Ok(file.id)
        }
        Err(error) => Err(error).with_context(shown),
    }
}

/// An error with its causes. Those of the client repeat what is below them; each is said once.
fn cause_text(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        known if known.contains(&cause) => text,
        known => format!("{known}: {cause}"),
    })
}

/// Whether a word of a subject can be a source, and so the name of a folder.
fn is_source_id(word: &str) -> bool {
    word.len() == 32 && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_said_once() {
        let error =
            anyhow::anyhow!("deadline has elapsed").context("timed out: deadline has elapsed").context("no answer");
        assert_eq!(cause_text(&error), "no answer: timed out: deadline has elapsed");
    }

    #[test]
    fn home_keeps_its_id() {
        let folder = tempfile::tempdir().expect("folder");
        let home = HomeDir::new(folder.path());
        let id = source_id(&home).expect("an id");
        assert!(is_source_id(&id), "{id}");
        assert_eq!(source_id(&home).expect("an id"), id);
        for damaged in ["", "{}", r#"{"id":"../../x"}"#] {
            std::fs::write(home.fleet_id(), damaged).expect("written");
            let error = source_id(&home).expect_err(damaged);
            assert!(error.to_string().contains("task-hub-fleet.json"), "{error:#}");
        }
        assert!(source_id(&HomeDir::new(folder.path().join("nowhere"))).is_err());
    }
}
