//! Tests of the limit on tool events of coding agents in memory. Above the limit, older tool events are dropped from
//! the monitor's event list and from the hub. They stay in the journal on disk.
//!
//! Proves (claude-code): Evicted tool calls stay in the journal on disk.

use super::*;

fn call(number: i64) -> Value {
    json!({
        "id": format!("evt_{number:04}"), "version": "1.1", "ts": coordination::time::to_iso(NOW + number * 1_000),
        "type": "tool_started", "source": "sdk", "workspace_id": "repo_x", "terminal_session_id": "t",
        "agent_id": "x/worker", "payload": {"tool_name": "Bash"},
    })
}

fn read(process: &TestProcess, after: Option<u64>) -> (Vec<EventChange>, u64) {
    let page = process.shared.board.read().expect("board").since(after, &EventFilter::default(), 1_000);
    (page.changes.into_iter().map(|(_, change)| change).collect(), page.to)
}

#[test]
fn newest_calls_are_retained_across_restart() {
    let mut fixture = AgentEventsFixture::new();
    fixture.hooks.max_tool_events = 64;
    let mut process = fixture.start();
    process.take(vec![input(&event("a", "early"))]).expect("taken");
    let (_, before) = read(&process, None);
    for number in 0..300 {
        process.take(vec![input(&call(number))]).expect("taken");
    }
    let held = process.ids();
    let expected: Vec<String> = (300 - (held.len() as i64 - 2)..300).map(|number| format!("evt_{number:04}")).collect();
    assert_eq!(held[..2], ["a", "evt_0000"], "other events stay, and what the state of the agent began with");
    assert_eq!(held[2..], expected);
    assert!(held.len() <= 64 + 3, "{}", held.len());

    let (changes, _) = read(&process, Some(before));
    let put =
        changes.iter().filter(|change| matches!(change, EventChange::Put(text) if !text.contains("\"heartbeat\"")));
    assert_eq!(put.count(), held.len() - 1, "a reader who comes back gets what is held");
    assert!(!changes.iter().any(|change| matches!(change, EventChange::Removed(_))), "nothing is withdrawn");
    let info = process.info();
    assert_eq!((info.inputs, info.events, info.evicted_events), (301, held.len() as u64, 301 - held.len() as u64));
    assert_eq!(fs::read_to_string(fixture.path(RECORD)).expect("record").lines().count(), 301);

    let mut reloaded = fixture.start();
    assert_eq!(reloaded.ids(), held);
    assert_eq!(reloaded.info().evicted_events, info.evicted_events);
}

#[test]
fn the_hub_lets_go_of_them_too() {
    let mut fixture = AgentEventsFixture::new();
    fixture.hooks.max_tool_events = 64;
    let mut process = fixture.start();
    let mut hub = coordination::hub::Hub::new();
    for chunk in (0..300).collect::<Vec<i64>>().chunks(50) {
        process.take(chunk.iter().map(|number| input(&call(*number))).collect()).expect("taken");
    }
    for change in process.changes.try_iter() {
        hub.apply_agent_events(&change.changed, change.agents);
    }
    assert_eq!(hub.events().iter().count(), process.ids().len());
}
