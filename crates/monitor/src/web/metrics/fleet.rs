//! Metrics of a process that shows a fleet: its link to the streams, its machines by state, and what it does not have of them.

use coordination::api::{FleetLink, FleetSourceState};

use super::one_of;
use super::registry::Metrics;
use super::wire_word;
use crate::fleet::Fleet;

/// All states of a machine.
const STATES: [FleetSourceState; 6] = [
    FleetSourceState::Conflict,
    FleetSourceState::Stopped,
    FleetSourceState::Silent,
    FleetSourceState::Behind,
    FleetSourceState::Incomplete,
    FleetSourceState::Live,
];

/// The fleet as of its last message or second.
pub(super) fn add(metrics: &mut Metrics, fleet: &Fleet) {
    let view = fleet.view();
    let links = [FleetLink::Connecting, FleetLink::Connected, FleetLink::Lost];
    metrics.labelled(
        "fleet_link",
        "Link to the streams of the fleet: 1 for the state it is in",
        one_of(links, view.link),
    );
    let count = |state| view.members.iter().filter(|member| member.info.state == state).count() as u64;
    let machines = STATES.map(|state| ("state", wire_word(&state), count(state)));
    metrics.labelled("fleet_machines", "Machines of the fleet by state", machines);
    metrics.gauge("fleet_behind_messages", "Messages of the stream of logs that are not read yet", view.behind);
    let infos = || view.members.iter().map(|member| &member.info);
    let behind = infos().map(|info| info.bytes_behind).fold(0, u64::saturating_add);
    metrics.gauge("fleet_behind_bytes", "Bytes of the machines' logs that are not here yet", behind);
    let missing = infos().flat_map(|info| &info.holes).map(|hole| hole.to.saturating_sub(hole.from));
    let help = "Bytes of the machines' logs that no message has any more";
    metrics.gauge("fleet_missing_bytes", help, missing.fold(0, u64::saturating_add));
    let refused = infos().map(|info| info.refused).fold(0, u64::saturating_add);
    metrics.gauge("fleet_refused_messages", "Messages of machines that were refused", refused);
}
