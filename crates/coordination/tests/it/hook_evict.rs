//! Tests of the memory limit for tool events (events about tool calls of coding agents): only the newest calls stay.
//! Nothing else may change: not in the ledger (all inputs from coding agents), not in the hub, and not for clients that
//! read changes of the ledger.
//!
//! Proves (claude-code): Only the newest tool calls are held in memory: by the ledger of agent events, by readers of
//! its changes, and by the hub. Every other event and every agent's state is the same as without eviction.

use crate::hook_law::any_hook;
use crate::hooks;

use std::collections::{BTreeMap, BTreeSet};

use coordination::hub::Hub;
use coordination::schema::hook::Capture;
use coordination::schema::{AgentNow, Changed, HOOKS_TOKEN, Ledger, SchemaEvent, SchemaInput, read_item};
use hooks::{START, TestHook, input};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Events of tools that the ledgers of these tests hold.
const MAX_CALLS: usize = 10;

/// Takes inputs in pieces and evicts after each; what a reader of the steps and a hub then have.
fn evicting(pieces: &[&[SchemaInput]]) -> (Ledger, BTreeMap<String, SchemaEvent>, Hub) {
    let (mut ledger, mut reader, mut hub) = (Ledger::default(), BTreeMap::new(), Hub::new());
    for piece in pieces {
        let taken = ledger.take(piece.to_vec());
        for changed in [taken, ledger.evict(MAX_CALLS)] {
            let Changed { put, removed: gone, evicted } = changed.clone();
            for id in gone.iter().chain(&evicted) {
                assert!(reader.remove(id).is_some(), "{id} was never sent");
            }
            reader.extend(put.into_iter().map(|event| (event.id.clone(), event)));
            let agents = ledger.take_changed_agents();
            hub.apply_agent_events(&changed, agents);
        }
    }
    (ledger, reader, hub)
}

fn whole(inputs: &[SchemaInput]) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.take(inputs.to_vec());
    ledger
}

fn others(ledger: &Ledger) -> Vec<&SchemaEvent> {
    ledger.timeline().events().filter(|event| !event.kind.is_tool()).collect()
}

fn tools(ledger: &Ledger) -> Vec<&SchemaEvent> {
    ledger.timeline().events().filter(|event| event.kind.is_tool()).collect()
}

/// A leader at work in one session: prompts, and each with calls of a shell.
fn turns(turns: i64, calls: i64) -> Vec<TestHook> {
    let mut hooks: Vec<TestHook> = vec![(0, "SessionStart", json!({"source": "startup"}))];
    for turn in 0..turns {
        let at = 1_000 + turn * 1_000_000;
        hooks.push((at, "UserPromptSubmit", json!({"prompt": format!("부탁 {turn}")})));
        for call in 0..calls {
            let own =
                json!({"tool_name": "Bash", "tool_use_id": format!("t{turn}.{call}"), "tool_input": {"command": "ls"}});
            hooks.push((at + call * 1_000 + 100, "PreToolUse", own.clone()));
            hooks.push((at + call * 1_000 + 600, "PostToolUse", own));
        }
        hooks.push((at + calls * 1_000, "Stop", json!({})));
    }
    hooks
}

fn inputs(hooks: &[TestHook]) -> Vec<SchemaInput> {
    hooks.iter().map(|(after, name, own)| input(*after, name, own)).collect()
}

#[test]
fn newest_calls_stay_agents_are_unchanged() {
    let inputs = inputs(&turns(6, 20));
    let pieces: Vec<&[SchemaInput]> = inputs.chunks(7).collect();
    let (ledger, reader, hub) = evicting(&pieces);
    let all = whole(&inputs);
    assert_eq!(tools(&all).len(), 240);
    assert_eq!(tools(&ledger), tools(&all)[tools(&all).len() - tools(&ledger).len()..]);
    assert!((MAX_CALLS..=MAX_CALLS + 8).contains(&tools(&ledger).len()), "{}", tools(&ledger).len());
    assert_eq!(ledger.evicted() as usize, 240 - tools(&ledger).len());
    assert_eq!(others(&ledger), others(&all));
    assert_eq!(ledger.agents().collect::<Vec<_>>(), all.agents().collect::<Vec<_>>());
    assert_eq!(reader.len(), ledger.timeline().len());
    assert_eq!(hub.events().iter().count(), ledger.timeline().len(), "the hub holds the events of the timeline");
}

#[test]
fn last_event_of_silent_agent_is_not_evicted() {
    let mut hooks = turns(1, 1);
    // Its terminal ends in the middle of a call; another session continues for long.
    hooks.truncate(3);
    let silent = inputs(&hooks);
    let busy: Vec<SchemaInput> = (0..200)
        .map(|call| {
            let own = json!({"session_id": "other", "tool_name": "Bash", "tool_use_id": format!("b{call}")});
            input(50_000 + call * 10, "PreToolUse", &own)
        })
        .collect();
    let (ledger, ..) = evicting(&[&silent, &busy[..100], &busy[100..]]);
    let named: Vec<AgentNow> = ledger.agents().collect();
    assert_eq!(named, whole(&[silent, busy].concat()).agents().collect::<Vec<_>>());
    assert!(named.iter().all(|agent| ledger.timeline().event(&agent.event_id).is_some()), "{named:#?}");
}

#[test]
fn evicted_call_resent_counts_as_new() {
    let inputs = inputs(&turns(2, 20));
    let (mut ledger, ..) = evicting(&[&inputs]);
    let first = inputs[2].clone();
    assert!(!ledger.knows(&first));
    assert_eq!(ledger.take(vec![first]).put.len(), 1);
    assert!(ledger.knows(&inputs[inputs.len() - 2]), "one that is held is known");
}

#[test]
fn program_events_are_evicted_too() {
    let program_item = |number: i64| {
        let event = json!({
            "id": format!("evt_{number:04}"), "version": "1.1", "ts": coordination::time::to_iso(START + number * 1_000),
            "type": "tool_started", "source": "sdk", "workspace_id": "repo_x", "terminal_session_id": "t",
            "agent_id": "x/worker", "severity": "debug", "payload": {"tool_name": "Bash"},
        });
        read_item(&event, START, Capture::Summary).unwrap()
    };
    let inputs: Vec<SchemaInput> = (0..100).map(program_item).collect();
    let pieces: Vec<&[SchemaInput]> = inputs.chunks(9).collect();
    let (ledger, ..) = evicting(&pieces);
    let (held, all) = (tools(&ledger), whole(&inputs));
    // The first call began the work that the agent is still at.
    assert_eq!(held[0].id, "evt_0000");
    assert_eq!(held[1..], tools(&all)[101 - held.len()..]);
    assert!(held.len() <= MAX_CALLS + 9);
}

fn read(items: &[Value]) -> Vec<SchemaInput> {
    let mut inputs: Vec<SchemaInput> =
        items.iter().map(|item| read_item(item, START + 400_000, Capture::Summary).unwrap()).collect();
    inputs.sort_by(|a, b| (a.at, &a.key).cmp(&(b.at, &b.key)));
    inputs
}

/// Nothing in it says later who somebody was: that makes hooks be read again, without those that were evicted.
fn of_known_agents(mut item: Value) -> Value {
    let fields = item["payload"].as_object_mut().unwrap();
    fields.remove("teammate_name");
    if fields["hook_event_name"] == "TeammateIdle" {
        fields["hook_event_name"] = json!("Stop");
    }
    if fields["tool_name"] == "Agent" {
        fields["tool_name"] = json!("Bash");
    }
    item
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn eviction_leaves_other_events_and_agents_unchanged(
        items in prop::collection::vec(any_hook().prop_map(of_known_agents), 1..160), many in 1..20_usize,
    ) {
        let mut inputs = read(&items);
        // One that comes again counts as new once the first is evicted.
        let mut keys = BTreeSet::new();
        inputs.retain(|input| keys.insert(input.key.clone()));
        let pieces: Vec<&[SchemaInput]> = inputs.chunks(many).collect();
        let (ledger, ..) = evicting(&pieces);
        let all = whole(&inputs);
        prop_assert_eq!(others(&ledger), others(&all));
        prop_assert_eq!(ledger.agents().collect::<Vec<_>>(), all.agents().collect::<Vec<_>>());
    }

    #[test]
    fn readers_and_hub_hold_what_the_ledger_holds(
        items in prop::collection::vec(any_hook(), 1..160), many in 1..20_usize,
    ) {
        let inputs = read(&items);
        let pieces: Vec<&[SchemaInput]> = inputs.chunks(many).collect();
        let (ledger, reader, hub) = evicting(&pieces);
        let held: BTreeMap<String, SchemaEvent> =
            ledger.timeline().events().map(|event| (event.id.clone(), event.clone())).collect();
        for agent in ledger.agents() {
            prop_assert!(held.contains_key(&agent.event_id), "{:?}", agent);
        }
        let ids: BTreeSet<&str> = held.keys().map(String::as_str).collect();
        let of_hub = hub.events().iter().map(|event| event.id().as_str().to_owned()).collect::<Vec<_>>();
        let origin = |id: &str| id.strip_prefix(HOOKS_TOKEN).and_then(|id| id.rsplit_once('-')).map(|(id, _)| id.to_owned());
        for id in of_hub {
            prop_assert!(origin(&id).is_some_and(|id| ids.contains(&*id)), "{}", id);
        }
        prop_assert_eq!(reader, held);
    }
}
