//! Messages of which a stream keeps the newest: the layout of a home and the hello of its publisher.

use std::collections::BTreeMap;

use coordination::api::FleetSkipped;
use serde::{Deserialize, Serialize};

use super::batch::{packed, unpacked};

/// Most bytes of a layout, unpacked.
const MAX_LAYOUT_BYTES: usize = 64 << 20;

/// Names of the logs and files of a home: what a mirror of it consists of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Layout {
    /// Generations of the logs by path.
    pub(super) logs: BTreeMap<String, String>,
    /// Digests of the other files by path.
    pub(super) files: BTreeMap<String, String>,
}

impl Layout {
    pub(super) fn payload(&self) -> anyhow::Result<Vec<u8>> {
        Ok(packed(&serde_json::to_vec(self)?)?)
    }

    /// Reads a message; `None` when it is damaged.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        serde_json::from_slice(&unpacked(payload, MAX_LAYOUT_BYTES)?).ok()
    }
}

/// What a publisher says of itself and its home, every ten seconds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Hello {
    /// Name of the machine.
    pub(super) name: String,
    /// Version of the program.
    pub(super) version: String,
    /// Random name of the process.
    pub(super) publisher: String,
    /// Time of this message by its clock, epoch ms.
    pub(super) at: i64,
    /// How much of its texts it publishes.
    pub(super) text: String,
    /// Bytes of each log that are published, by generation.
    pub(super) logs: BTreeMap<String, u64>,
    /// Bytes of its logs that are still to be published.
    pub(super) unpublished: u64,
    /// Files that do not travel.
    pub(super) skipped: Vec<FleetSkipped>,
    /// It was ended on purpose.
    pub(super) stopped: bool,
}

/// What a publisher says when another one took its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Conflict {
    /// Random name of the process that stopped.
    pub(super) publisher: String,
    /// When, epoch ms by its clock.
    pub(super) at: i64,
}

impl Conflict {
    pub(super) fn payload(&self) -> anyhow::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }
}

impl Hello {
    pub(super) fn payload(&self) -> anyhow::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// Reads a message; `None` when it is damaged.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        serde_json::from_slice(payload).ok()
    }
}
