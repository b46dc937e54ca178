//! Type `FleetView`: the fleet as of the last message or second, for requests.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use coordination::api::{FleetLink, FleetRetention, FleetSource};

use super::FleetMember;

/// An answer about a fleet in which nothing happens is good for so long.
const DIGEST_INTERVAL_MS: i64 = 15_000;

/// The fleet as of the last message or second.
#[derive(Default)]
pub(crate) struct FleetView {
    /// Whether the streams can be read.
    pub(crate) link: FleetLink,
    /// Why they cannot.
    pub(crate) cause: Option<String>,
    /// Messages of the stream of logs that are not read yet.
    pub(crate) behind: u64,
    /// Limits of the stream of logs, and what it holds.
    pub(crate) retention: Option<FleetRetention>,
    /// Machines that said hello, by name.
    pub(crate) members: Vec<FleetMember>,
    /// Machines whose monitor does not run yet, by name, or by id where none is known.
    pub(crate) pending: Vec<String>,
    /// Machines beyond the limit, likewise.
    pub(crate) beyond_limit: Vec<String>,
    /// Digest of all of this but the retention and the answers of the monitors.
    pub(crate) digest: u64,
}

impl FleetView {
    /// Each hello brings a new time of the last news, each batch another size of the stream. Pages ask again for them every
    /// quarter of a minute.
    pub(super) fn digest(&self, now: i64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (now / DIGEST_INTERVAL_MS).hash(&mut hasher);
        let infos = self.members.iter().map(|member| {
            let info = &member.info;
            let clock_ahead_ms = info.clock_ahead_ms / 10_000;
            serde_json::to_string(&FleetSource { last_seen: None, clock_ahead_ms, ..info.clone() }).unwrap_or_default()
        });
        let link = serde_json::to_string(&self.link).unwrap_or_default();
        let unshown = (&self.pending, &self.beyond_limit);
        (link, &self.cause, self.behind, unshown, infos.collect::<Vec<_>>()).hash(&mut hasher);
        hasher.finish()
    }
}
