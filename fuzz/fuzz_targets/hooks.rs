//! Fuzz target of the reader of coding agents' hook events. Each JSON line is accepted or has validation errors. The
//! resulting events and agents do not depend on the order of the lines. Log lines made from the events can be read.
#![no_main]

use std::collections::BTreeSet;

use coordination::event::event_from_value;
use coordination::ids::EventId;
use coordination::schema::hook::Capture;
use coordination::schema::{Defaults, InputKind, Ledger, SchemaInput, check, read_item, to_coordination};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const NOW: i64 = 1_772_000_000_000;
const LATER: i64 = 86_400_000;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (mut inputs, mut event_keys): (Vec<SchemaInput>, BTreeSet<String>) = (Vec::new(), BTreeSet::new());
    for (number, line) in text.lines().enumerate() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let capture = [Capture::Summary, Capture::None, Capture::Full][number % 3];
        // Some come at once, some after a while.
        let arrived = NOW + i64::try_from(number).unwrap_or_default() / 3 * 1_700;
        match read_item(&value, arrived, capture) {
            Ok(input) => {
                let written = serde_json::to_string(&input).expect("an input is JSON");
                assert_eq!(serde_json::from_str::<SchemaInput>(&written).expect("what was kept"), input);
                // Of events that contradict each other the first one wins, so their order counts.
                if matches!(input.what, InputKind::Hook { .. }) || event_keys.insert(input.key.clone()) {
                    inputs.push(input);
                }
            }
            Err(faults) => assert!(!faults.is_empty(), "{line}"),
        }
    }
    let (mut at_once, mut backwards) = (Ledger::default(), Ledger::default());
    drop(at_once.take(inputs.clone()));
    for input in inputs.iter().rev() {
        drop(backwards.take(vec![input.clone()]));
        drop(backwards.take(vec![input.clone()]));
    }
    let end = inputs.iter().map(|input| input.at).max().unwrap_or(NOW).saturating_add(LATER);
    drop(at_once.settle(end));
    drop(backwards.settle(end));
    let (one, other) = (at_once.timeline(), backwards.timeline());
    assert!(one.events().eq(other.events()), "the events follow from the set");
    assert!(one.agents().eq(other.agents()), "and so do the agents");
    let defaults = Defaults { workspace_id: "repo_a", terminal_session_id: "term_a", locale: "", arrived_at: NOW };
    for event in one.events() {
        let written = serde_json::to_value(event).expect("an event is JSON");
        assert_eq!(check(&written, &defaults).as_ref(), Ok(event), "what hooks become is right: {written}");
        for line in to_coordination(event) {
            event_from_value(&line, &EventId::from("0.team.a-0")).expect("a line of the log");
        }
    }
});
