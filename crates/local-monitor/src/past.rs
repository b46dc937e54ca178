//! Hub of past moments of a local monitor.

use std::collections::BTreeMap;

use coordination::api::{ManualOverride, PastMoment};
use coordination::hub::{Hub, PastHub};
use coordination::ids::SessionId;
use coordination::query::ChangeRecord;
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
    pub(crate) fn hub_at(
        &mut self,
        present: &Hub,
        (record, version): (&ChangeRecord, u64),
        moment: PastMoment,
    ) -> &Hub {
        if self.at != Some((moment, version)) {
            self.at = Some((moment, version));
            self.hub.prepare(present, moment, overrides_at(present, record, moment.at));
            self.hub.settle();
        }
        self.hub.hub()
    }
}

/// The manual categories that were in force at a moment: those of the record of changes, and those that it lacks since their
/// time, as a monitor adds them to the record.
fn overrides_at(present: &Hub, record: &ChangeRecord, at: i64) -> BTreeMap<SessionId, ManualOverride> {
    let noted = record.overrides_at(i64::MAX);
    let lacking = present.overrides().iter().filter(|(session, manual)| noted.get(*session) != Some(*manual));
    let lacking = lacking.filter(|(_, manual)| parse_iso(&manual.updated_at).is_some_and(|set| set <= at));
    let mut overrides = record.overrides_at(at);
    overrides.extend(lacking.map(|(session, manual)| (session.clone(), manual.clone())));
    overrides
}
