//! Type `Aggregator`: a process of the lane that shows its fleet, and what it says of the machines.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use bench::http;
use serde_json::Value;
use xtask::tree;

use super::process::Process;
use super::site::ServerLink;

/// A process that shows the fleet.
pub(super) struct Aggregator {
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) mirror: PathBuf,
    pub(super) process: Option<Process>,
    pub(super) link: Option<ServerLink>,
}

impl Aggregator {
    /// `GET /api/v2/fleet`.
    pub(super) fn page(&self) -> Result<Value> {
        http::json(self.port, "/api/v2/fleet")
    }

    /// What it says of a machine.
    pub(super) fn source(&self, name: &str) -> Result<Value> {
        Ok(source_of(&self.page()?, name)?.clone())
    }

    /// Bytes that it has of all machines; 0 while it does not answer.
    pub(super) fn mirrored_bytes(&self) -> u64 {
        let page = self.page().unwrap_or_default();
        let bytes = page["sources"].as_array().into_iter().flatten().filter_map(|source| source["bytes"].as_u64());
        bytes.sum()
    }

    /// Bytes of the logs in its mirror, as they are on the disk.
    pub(super) fn log_bytes(&self) -> Result<u64> {
        let files = tree::files_below(&self.mirror, &[])?;
        let logs = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "ndjson"));
        // One may be renamed meanwhile.
        Ok(logs.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum())
    }

    /// Its mirror of a source.
    pub(super) fn mirrored_home(&self, source: &Value) -> PathBuf {
        self.mirror.join(source["id"].as_str().unwrap_or_default()).join(".openclaw")
    }
}

/// What a page says of a machine.
pub(super) fn source_of<'a>(page: &'a Value, name: &str) -> Result<&'a Value> {
    let sources = page["sources"].as_array();
    let source = sources.into_iter().flatten().find(|source| source["name"] == name);
    source.with_context(|| format!("the fleet has no machine {name}"))
}

/// A source in one line.
pub(super) fn state_of(source: &Value) -> String {
    let fields =
        ["state", "bytes", "bytesBehind", "refused", "holes"].map(|field| format!("{field} {}", source[field]));
    fields.join(", ")
}
