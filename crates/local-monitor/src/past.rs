//! Hub of past moments of a local monitor.

use std::collections::BTreeMap;

use coordination::api::{ManualOverride, PastMoment};
use coordination::hub::{Hub, PastHub};
use coordination::ids::SessionId;
use coordination::time::parse_iso;

/// The hub of the moment that was asked about last.
#[derive(Debug, Default)]
pub(crate) struct Past {
    hub: PastHub,
    /// The moment of the hub, and the version of the present that it was made from.
    at: Option<(PastMoment, u64)>,
}

impl Past {
    /// The hub as of a moment. Costs a copy of the present hub at most, and the events between two moments nearby.
    pub(crate) fn hub_at(&mut self, present: &Hub, version: u64, moment: PastMoment) -> &Hub {
        if self.at != Some((moment, version)) {
            self.at = Some((moment, version));
            self.hub.prepare(present, moment, overrides_at(present, moment.at));
            self.hub.settle();
        }
        self.hub.hub()
    }
}

/// The manual categories that are in force since the moment or longer; of replaced ones nothing is known.
fn overrides_at(present: &Hub, at: i64) -> BTreeMap<SessionId, ManualOverride> {
    let known =
        present.overrides().iter().filter(|(_, manual)| parse_iso(&manual.updated_at).is_some_and(|set| set <= at));
    known.map(|(session, manual)| (session.clone(), manual.clone())).collect()
}
