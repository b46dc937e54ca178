//! Messages of which a stream keeps the newest: the layout of a home and the hello of its publisher.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;

use coordination::api::{FleetSkipped, PermissionRef};
use coordination::hub::OpenPermission;
use coordination::ids::AgentId;
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
    /// Logs of a home in the order in which each looks for its generation among those in the stream, of which this is the
    /// layout. A copy begins like its original and is not longer, so it comes later: logs whose paths the layout has first,
    /// then the longer ones.
    pub(super) fn in_order_of_claim(&self, logs: BTreeMap<String, File>) -> Vec<(String, File)> {
        let mut logs: Vec<_> = logs.into_iter().collect();
        logs.sort_by_cached_key(|(path, file)| {
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            (!self.logs.contains_key(path), Reverse(length))
        });
        logs
    }

    pub(super) fn payload(&self) -> anyhow::Result<Vec<u8>> {
        Ok(packed(&serde_json::to_vec(self)?)?)
    }

    /// Reads a message; `None` when it is damaged.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        serde_json::from_slice(&unpacked(payload, MAX_LAYOUT_BYTES)?).ok()
    }
}

/// Permission requests that a hello names.
const MAX_REQUESTS: usize = 100;
/// Longest id, agent or terminal of one, in bytes.
const MAX_WORD_BYTES: usize = 200;

/// What a publisher says of itself and its home, every ten seconds, and when its permission requests change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Hello {
    /// Name of the machine.
    pub(super) name: String,
    /// Version of the program.
    pub(super) version: String,
    /// Random name of the process.
    pub(super) publisher: String,
    /// Digest of where the process runs; empty from an older version.
    pub(super) place: String,
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
    /// It answers reads of the fleet.
    pub(super) reads: bool,
    /// It carries out commands of the fleet.
    pub(super) writes: bool,
    /// Permission requests that wait; only where it answers reads.
    pub(super) requests: Vec<HelloRequest>,
    /// It was ended on purpose.
    pub(super) stopped: bool,
    /// The machine was removed from its fleet; its next publisher begins again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) removed: Option<Removal>,
}

/// End of the lines of a removed machine. Later ones are of a publisher that began again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Removal {
    /// When the stream of logs was made, as the servers say it. In another stream the sequence means nothing.
    pub(super) log_created: String,
    /// Sequence of its last message at the removal.
    pub(super) log_sequence: u64,
}

impl Removal {
    /// Whether a message of the stream that was made then is from before the removal.
    pub(super) fn covers(&self, log_created: &str, sequence: u64) -> bool {
        self.log_created == log_created && sequence <= self.log_sequence
    }
}

/// A permission request that waits: which agent asks at which terminal, and nothing of what it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HelloRequest {
    /// Its id.
    id: String,
    /// Agent that asks.
    agent: String,
    /// Terminal of the agent, as its hooks name it.
    terminal: String,
    /// When its hook stops waiting, epoch ms by the clock of the machine.
    expires_at: i64,
}

impl HelloRequest {
    /// The requests that a hello names, oldest first.
    pub(super) fn list(open: &[OpenPermission]) -> Vec<Self> {
        let named = open.iter().take(MAX_REQUESTS).map(|open| Self {
            id: open.request.id.clone(),
            agent: open.agent.to_string(),
            terminal: open.terminal.clone(),
            expires_at: open.request.expires_at,
        });
        named.collect()
    }

    fn is_plain(&self) -> bool {
        [&self.id, &self.agent, &self.terminal].iter().all(|word| word.len() <= MAX_WORD_BYTES)
    }
}

/// What a publisher says that ends because another one publishes.
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

    /// Whether a process at another place published this and was not ended on purpose since.
    pub(super) fn is_of_other_place(&self, place: &str) -> bool {
        let is_over = self.stopped || self.removed.is_some();
        !is_over && !self.place.is_empty() && self.place != place
    }

    /// Requests that can be answered at `now`, by the clock of the machine.
    pub(super) fn open_requests(&self, now: i64) -> Vec<OpenPermission> {
        let open = self.requests.iter().filter(|request| request.is_plain() && request.expires_at > now);
        let open = open.take(if self.stopped || !self.reads { 0 } else { MAX_REQUESTS });
        let shown = open.map(|request| OpenPermission {
            agent: AgentId::from(request.agent.as_str()),
            terminal: request.terminal.clone(),
            request: PermissionRef { id: request.id.clone(), expires_at: request.expires_at },
        });
        shown.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamed_log_claims_its_generation_before_its_copy() {
        let folder = tempfile::tempdir().expect("folder");
        let mut logs = BTreeMap::new();
        for (path, text) in [("logs/a-copy", "1\n"), ("logs/b-renamed", "1\n2\n"), ("logs/live", "3\n")] {
            let file = folder.path().join(path.replace('/', "-"));
            std::fs::write(&file, text).expect("written");
            logs.insert(path.to_owned(), File::open(file).expect("opened"));
        }
        let layout = Layout { logs: BTreeMap::from([("logs/live".to_owned(), "g".to_owned())]), ..Layout::default() };
        let order: Vec<String> = layout.in_order_of_claim(logs).into_iter().map(|(path, _)| path).collect();
        assert_eq!(order, ["logs/live", "logs/b-renamed", "logs/a-copy"]);
    }

    #[test]
    fn hello_is_of_another_place_while_its_publisher_runs_there() {
        let hello = Hello { place: "a".to_owned(), ..Hello::default() };
        assert!(hello.is_of_other_place("b") && !hello.is_of_other_place("a"));
        assert!(!Hello { stopped: true, ..hello }.is_of_other_place("b"), "it was ended");
        assert!(!Hello::default().is_of_other_place("b"), "an older version says no place");
    }

    #[test]
    fn hello_names_requests_until_they_end() {
        let open = |id: &str, expires_at| OpenPermission {
            agent: AgentId::from("eden"),
            terminal: "t1".to_owned(),
            request: PermissionRef { id: id.to_owned(), expires_at },
        };
        let waiting = [open("a", 2_000), open("b", 3_000), open(&"x".repeat(MAX_WORD_BYTES + 1), 3_000)];
        let hello = Hello { reads: true, requests: HelloRequest::list(&waiting), ..Hello::default() };
        let hello = Hello::read(&hello.payload().expect("JSON")).expect("a hello");
        assert_eq!(hello.open_requests(1_999), waiting[..2], "an id is not as long as that");
        assert_eq!(hello.open_requests(2_000), waiting[1..2]);
        assert_eq!(Hello { stopped: true, ..hello.clone() }.open_requests(0), []);
        assert_eq!(Hello { reads: false, ..hello }.open_requests(0), [], "nobody could open them");
        let old = Hello::read(br#"{"name":"seum"}"#).expect("of an older publisher");
        assert!(!old.reads && !old.writes && old.requests.is_empty() && old.removed.is_none());
    }

    #[test]
    fn removal_covers_messages_of_its_stream_only() {
        let removal = Removal { log_created: "monday".to_owned(), log_sequence: 7 };
        let hello = Hello { removed: Some(removal), stopped: true, ..Hello::default() };
        let removal = Hello::read(&hello.payload().expect("JSON")).and_then(|hello| hello.removed).expect("removed");
        assert!(removal.covers("monday", 7) && !removal.covers("monday", 8));
        assert!(!removal.covers("tuesday", 7), "sequences of another stream");
    }
}
