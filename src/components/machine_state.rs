//! State of a machine of the fleet: its style, and the sentence about what its pages may lack.

use coordination::api::{FleetLink, FleetMachine, FleetSourceState};
use coordination::text::hidden;

use crate::i18n::messages::Messages;
use crate::i18n::{number, time};
use crate::ui::badge::{StatusStyle, style};
use crate::ui::{Icon, Tone};

const MINUTE_MS: i64 = 60_000;

/// Style of a machine's state.
pub fn state_style(state: FleetSourceState) -> StatusStyle {
    match state {
        FleetSourceState::Conflict => style(Tone::Danger, Icon::Copy),
        FleetSourceState::Stopped => style(Tone::Neutral, Icon::Offline),
        FleetSourceState::Silent => style(Tone::Warning, Icon::Offline),
        FleetSourceState::Behind => style(Tone::Info, Icon::Hourglass),
        FleetSourceState::Incomplete => style(Tone::Danger, Icon::Warn),
        FleetSourceState::Live => style(Tone::Success, Icon::Live),
    }
}

/// What is wrong with a machine, in one line. Reactive by its words.
pub fn machine_notice(machine: &FleetMachine, now: i64, words: &Messages) -> String {
    let fleet = words.fleet();
    match machine.link {
        FleetLink::Connected => {}
        FleetLink::Connecting => return fleet.connecting.to_owned(),
        FleetLink::Lost => return fleet.lost.to_owned(),
    }
    let name = hidden::marked(&machine.name);
    match (machine.state, machine.last_seen) {
        (FleetSourceState::Conflict, _) => (fleet.conflict)(&name),
        (FleetSourceState::Stopped, _) => (fleet.stopped)(&name),
        (FleetSourceState::Silent, None) => (fleet.never_seen)(&name),
        (FleetSourceState::Silent, Some(at)) if now - at < MINUTE_MS => {
            (fleet.silent)(&name, &(words.time.lasting)(&time::duration(words.locale, now - at)))
        }
        (FleetSourceState::Silent, Some(at)) => (fleet.silent)(&name, &time::since(words.locale, now, at)),
        (FleetSourceState::Behind, _) => (fleet.behind)(&name, &number::bytes(machine.bytes_behind)),
        (FleetSourceState::Incomplete | FleetSourceState::Live, _) => match (machine.bytes_missing, machine.refused) {
            (0, 0) => (fleet.incomplete)(&name),
            (0, refused) => (fleet.refused)(&name, refused),
            (missing, _) => (fleet.missing)(&name, &number::bytes(missing)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn notice_says_what_a_machine_lacks_with_numbers() {
        let text = |machine: FleetMachine| machine_notice(&machine, 100_000, Locale::Ko.messages());
        let machine = |state| FleetMachine {
            name: "seum".to_owned(),
            link: FleetLink::Connected,
            state,
            last_seen: Some(58_000),
            bytes_behind: 12_345,
            bytes_missing: 4_200,
            refused: 3,
        };
        assert_eq!(text(machine(FleetSourceState::Behind)), "seum: 12 KB 아직 안 읽음");
        assert_eq!(text(machine(FleetSourceState::Incomplete)), "seum: 4.2 KB 빠짐");
        let refused = FleetMachine { bytes_missing: 0, ..machine(FleetSourceState::Incomplete) };
        assert_eq!(text(refused), "seum: 메시지 3건을 받지 않음");
        assert!(text(machine(FleetSourceState::Silent)).contains("42초"));
        let lost = FleetMachine { link: FleetLink::Lost, ..machine(FleetSourceState::Live) };
        assert!(!lost.is_current() && text(lost).contains("NATS"));
        assert!(machine(FleetSourceState::Live).is_current());
    }
}
