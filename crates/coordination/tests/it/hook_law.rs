//! Property tests of the events and agent states that are derived from hooks. They do not depend on the order, batching
//! and repetition of the hooks. A client that applies only the changes reported after each batch has the same events.
//!
//! Proves (claude-code): The same hooks in any order, in any batches and with repetitions give the same events and
//! states.

use crate::hooks;

use std::collections::BTreeMap;

use coordination::schema::hook::{Capture, HookFold};
use coordination::schema::{Changed, Ledger, SchemaEvent, SchemaInput, read_item, write_item};
use hooks::{HookRandom, NOW, START, seen, story, valid, wrapped};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a reader of the steps has.
#[derive(Default)]
struct ChangeReader(BTreeMap<String, SchemaEvent>);

impl ChangeReader {
    fn read(&mut self, changed: Changed) {
        for id in changed.removed {
            self.0.remove(&id).expect("only events that were sent are removed");
        }
        for event in changed.put {
            assert_ne!(self.0.get(&event.id), Some(&event), "sent again without a change");
            self.0.insert(event.id.clone(), event);
        }
    }
}

/// Takes the inputs in a random order and random pieces, some of them twice, with the clock going on meanwhile.
fn shaken(inputs: &[SchemaInput], seed: u64, now: i64) -> Ledger {
    let mut random = HookRandom(seed | 1);
    let mut order: Vec<SchemaInput> = inputs.to_vec();
    for _ in 0..inputs.len() / 4 {
        order.push(inputs[random.below(inputs.len())].clone());
    }
    if random.below(2) == 0 {
        random.shuffle(&mut order);
    } else {
        // As it really comes: in order, but for what hooks that run beside each other make of it.
        order.sort_by_key(|input| input.at);
        for near in order.chunks_mut(2 + random.below(7)) {
            random.shuffle(near);
        }
    }
    // The fold by itself tells nothing twice either; the book would hide it.
    let mut hooks = HookFold::default();
    let mut folded = ChangeReader::default();
    let mut ledger = Ledger::default();
    let mut reader = ChangeReader::default();
    while !order.is_empty() {
        let many = 1 + random.below(order.len().min(9));
        let piece: Vec<SchemaInput> =
            order.drain(..many).filter(|input| random.below(3) == 0 || !ledger.knows(input)).collect();
        folded.read(hooks.take(piece.clone()));
        reader.read(ledger.take(piece));
        if random.below(6) == 0 {
            let earlier = i64::try_from(random.below(3_600_000)).unwrap();
            reader.read(ledger.settle(now - earlier));
        }
    }
    reader.read(ledger.settle(now));
    for input in inputs {
        assert!(ledger.knows(input), "{input:?}");
    }
    let shown: BTreeMap<String, SchemaEvent> =
        ledger.timeline().events().map(|event| (event.id.clone(), event.clone())).collect();
    assert_eq!(reader.0, shown);
    ledger
}

fn in_order(inputs: &[SchemaInput], now: i64) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.take(inputs.to_vec());
    ledger.settle(now);
    ledger.timeline().events().for_each(valid);
    ledger
}

#[test]
fn story_is_independent_of_order_and_repetition() {
    for level in [Capture::None, Capture::Summary, Capture::Full] {
        let story = story(level);
        let expected = seen(&in_order(&story, NOW));
        for seed in 1..40_u64 {
            assert_eq!(seen(&shaken(&story, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), NOW)), expected, "seed {seed}");
        }
    }
}

fn one_of<'a>(words: &[&'a str], number: u8) -> &'a str {
    words[usize::from(number) % words.len()]
}

/// A hook of a random kind about few agents, calls and tasks, so that they meet often.
pub(crate) fn any_hook() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "SubagentStart",
        "SubagentStop",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "StopFailure",
        "Notification",
        "PermissionRequest",
        "PermissionDenied",
        "TaskCreated",
        "TaskCompleted",
        "TeammateIdle",
        "PreCompact",
        "SomethingNew",
    ]);
    let tools = prop::sample::select(vec!["Bash", "Agent", "TaskCreate", "TaskUpdate", "TodoWrite", "SendMessage"]);
    (names, tools, 0..4_u8, 0..6_u8, 0..3_u8, 0..8_u8, 0..400_i64, 0..2_u8).prop_map(
        |(name, tool, agent, call, task, odd, at, session)| {
            let mut own = json!({
                "session_id": format!("s{session}"), "tool_name": tool, "tool_use_id": format!("{tool}{session}{call}"),
                "task_id": task.to_string(), "task_subject": format!("할 일 {task}"), "teammate_name": format!("mate{agent}"),
                "prompt": format!("부탁 {task}"), "error": "exit code 2",
                "notification_type": one_of(&["permission_prompt", "idle_prompt", "elicitation_dialog"], task),
                "tool_input": {
                    "subject": format!("할 일 {task}"), "taskId": task.to_string(), "name": (odd == 1).then_some("mate1"),
                    "team_name": (odd == 2).then_some("core"), "owner": (odd % 3 == 0).then(|| format!("mate{agent}")),
                    "status": one_of(&["pending", "in_progress", "completed", "deleted"], odd),
                    "subagent_type": if odd > 4 { "Explore" } else { "general-purpose" }, "description": format!("일 {call}"),
                    "to": one_of(&["team-lead", "mate1", "*"], task), "message": format!("말 {odd}"),
                    "todos": (0..=task).map(|number| json!({
                        "content": format!("항목 {number}"), "status": one_of(&["pending", "in_progress", "completed"], odd),
                    })).collect::<Vec<_>>(),
                },
                "tool_response": {
                    "success": odd != 7, "task": {"id": task.to_string()}, "agentId": (odd < 4).then(|| format!("agent{agent}")),
                },
            });
            let fields = own.as_object_mut().unwrap();
            if agent > 0 {
                fields.insert("agent_id".to_owned(), json!(format!("agent{agent}")));
                fields.insert("agent_type".to_owned(), json!(if agent == 1 { "Explore" } else { "general-purpose" }));
            } else if name != "SubagentStart" {
                fields.remove("agent_type");
            }
            if name == "SubagentStart" && agent == 0 {
                fields.insert("agent_id".to_owned(), json!("agent0"));
            }
            if name != "TeammateIdle" && odd != 3 {
                fields.remove("teammate_name");
            }
            if !matches!(name, "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionDenied") {
                for name in ["tool_use_id", "tool_response"] {
                    fields.remove(name);
                }
            }
            wrapped(at * 700, name, &own)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_hooks_are_the_same_in_any_order(items in prop::collection::vec(any_hook(), 1..90), seed in any::<u64>()) {
        let inputs: Vec<SchemaInput> =
            items.iter().map(|item| read_item(item, START + 400_000, Capture::Summary).unwrap()).collect();
        let now = START + 310_000;
        prop_assert_eq!(seen(&shaken(&inputs, seed, now)), seen(&in_order(&inputs, now)));
    }

    #[test]
    fn repeated_hook_has_first_receipt_time(
        item in any_hook(), later in prop::collection::vec(0..1_500_i64, 1..5), seed in any::<u64>(),
    ) {
        // A bare hook that is sent again within its bucket has another time each time.
        let bare = &item["payload"];
        let base = (START / 2_000) * 2_000;
        let copies: Vec<SchemaInput> =
            later.iter().map(|after| read_item(bare, base + after, Capture::Summary).unwrap()).collect();
        let first = base + later.iter().min().unwrap();
        let expected = seen(&in_order(&[read_item(bare, first, Capture::Summary).unwrap()], NOW));
        prop_assert_eq!(&seen(&in_order(&copies, NOW)), &expected);
        prop_assert_eq!(&seen(&shaken(&copies, seed, NOW)), &expected);
    }

    #[test]
    fn reducing_twice_changes_nothing(item in any_hook()) {
        for level in [Capture::None, Capture::Summary, Capture::Full] {
            let once = read_item(&item, NOW, level).unwrap();
            let rewritten = write_item(&once);
            prop_assert_eq!(read_item(&rewritten, NOW, level).unwrap(), once);
        }
    }
}

/// A wrapper that gave up waiting and wrote the drop file, whose lines are read again and again.
#[test]
fn posted_and_dropped_hook_counts_once() {
    let lines: Vec<Value> = hooks::STORY.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let read = |arrived: i64| -> Vec<SchemaInput> {
        lines.iter().map(|line| read_item(line, arrived, Capture::Summary).unwrap()).collect()
    };
    let mut ledger = Ledger::default();
    ledger.take(read(NOW));
    let before = seen(&ledger);
    for repeated in read(NOW + 90_000) {
        assert!(ledger.knows(&repeated));
        assert_eq!(ledger.take(vec![repeated]), Changed::default());
    }
    assert_eq!(seen(&ledger), before);
}
