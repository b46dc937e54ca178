//! Tests of recorded hooks of the real Claude Code (`fixtures/claude-code/real`): the agents, tasks and messages that
//! are derived from them. The recordings are teams of a leader and teammates. `make test-claude-code` runs Claude Code
//! itself.
//!
//! Proves (claude-code): Recorded teams of Claude Code 2.1.330 and 2.1.197 give the right agents, tasks and messages.

use crate::hooks;

use std::collections::BTreeSet;

use coordination::schema::hook::Capture;
use coordination::schema::{AgentStage, Ledger, SchemaInput, read_item, to_coordination};
use hooks::{NOW, brief, input, ledger, line, valid};
use serde_json::{Value, json};

/// Here `agent_type` holds a teammate's name, and `team_name` can be a name that Claude Code made up.
const BOTH: [&str; 2] = [
    include_str!("../../../../fixtures/claude-code/real/2.1.197-team.ndjson"),
    include_str!("../../../../fixtures/claude-code/real/2.1.330-team.ndjson"),
];
/// A teammate in the leader's terminal asks for a permission while the leader asks for one of its own.
const MATE_ASKS: &str = include_str!("../../../../fixtures/claude-code/real/2.1.330-teammate-asks.ndjson");
/// A teammate in its own terminal, whose hooks look like those of a leader.
const PANES: &str = include_str!("../../../../fixtures/claude-code/real/2.1.197-panes.ndjson");

fn inputs(recorded: &str) -> Vec<SchemaInput> {
    let item = |line: &str| read_item(&serde_json::from_str(line).unwrap(), NOW, Capture::Summary).unwrap();
    recorded.lines().map(item).collect()
}

fn recorded_ledger(recorded: &str) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.take(inputs(recorded));
    ledger.settle(NOW);
    ledger.timeline().events().for_each(valid);
    ledger
}

fn agents(ledger: &Ledger) -> BTreeSet<String> {
    ledger.timeline().events().map(|event| event.agent_id.clone()).collect()
}

/// Work sessions of the log's lines.
fn work_sessions(ledger: &Ledger) -> BTreeSet<String> {
    let lines = ledger.timeline().events().flat_map(to_coordination);
    lines.map(|line| line["data"]["workSessionId"].as_str().unwrap().to_owned()).collect()
}

/// Events of a type, in brief.
fn events_of(ledger: &Ledger, kind: &str) -> Vec<String> {
    ledger.timeline().events().filter(|event| event.kind.as_str() == kind).map(line).collect()
}

#[test]
fn in_process_teammates_are_one_agent_each() {
    for recorded in BOTH {
        let ledger = recorded_ledger(recorded);
        let all = agents(&ledger);
        let teams: BTreeSet<&str> = all.iter().filter_map(|id| id.split_once('/')).map(|(team, _)| team).collect();
        // The program made a name up, so they are called like the project; the made-up one keeps teams apart.
        assert_eq!(teams, BTreeSet::from(["bookstore"]), "{all:?}");
        let team = "bookstore";
        assert_eq!(work_sessions(&ledger).len(), 1);
        let team_names: BTreeSet<&str> =
            ledger.timeline().events().filter_map(|event| event.text("team_name")).collect();
        assert!(
            team_names.len() == 1 && team_names.first().unwrap().starts_with("session-"),
            "not the one asked for: {team_names:?}"
        );
        let mate = all.iter().find(|id| id.ends_with("/mina") || id.ends_with("/nara"));
        let mate = mate.unwrap_or_else(|| panic!("{all:?}"));
        let leader = format!("{team}/leader");
        let talk: BTreeSet<String> = ledger
            .timeline()
            .events()
            .filter(|event| {
                event.text("message").is_some() && event.raw.as_ref().unwrap()["event_name"] == "PostToolUse"
            })
            .map(|event| format!("{} > {}", event.agent_id, event.target_agent_id.as_deref().unwrap()))
            .collect();
        assert_eq!(talk, BTreeSet::from([format!("{leader} > {mate}"), format!("{mate} > {leader}")]));
        let kinds: BTreeSet<&str> = ledger
            .timeline()
            .events()
            .filter(|event| event.agent_id == *mate)
            .filter_map(|event| event.text("agent_kind"))
            .collect();
        assert_eq!(kinds, BTreeSet::from(["teammate"]), "{:#?}", brief(&ledger));
        let subagents = all.iter().filter(|id| id.contains("general-purpose")).count();
        assert!(subagents <= 1 && all.len() == 2 + subagents, "{all:?}");
    }
}

#[test]
fn teammate_in_own_terminal_is_not_leader() {
    let ledger = recorded_ledger(PANES);
    let all = agents(&ledger);
    assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), ["bookstore/leader", "bookstore/mina"]);
    let failed = events_of(&ledger, "tool_failed");
    assert_eq!(failed, ["tool_failed bookstore/mina"], "{:#?}", brief(&ledger));
    let messages = ledger.timeline().events().filter(|event| event.text("message") == Some("시험이 실패합니다."));
    let messages: Vec<String> = messages.map(line).collect();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].contains("bookstore/mina > bookstore/leader"), "{messages:?}");
    let lists: BTreeSet<&str> = ledger
        .timeline()
        .events()
        .filter_map(|event| event.task_id.as_deref())
        .filter(|id| id.starts_with("task_"))
        .collect();
    assert_eq!(lists.len(), 1, "one list for the team: {lists:?}");
    assert_eq!(work_sessions(&ledger).len(), 1);
    let mina = ledger.timeline().agents().find(|agent| agent.agent_id.ends_with("/mina")).unwrap();
    assert_eq!(mina.terminal_session_id, "term_%1");
    // It ended its turn and rests: it is not gone.
    let both = recorded_ledger(BOTH[0]);
    let mina = both.timeline().agents().find(|agent| agent.agent_id.ends_with("/mina")).unwrap();
    assert!(mina.stage == AgentStage::PendingInput && mina.rests(), "{mina:?}");
}

#[test]
fn turn_end_does_not_complete_task() {
    // The program asks hooks about each task that a resting teammate is still at; only the call ends it.
    for recorded in [BOTH[0], PANES] {
        let ledger = recorded_ledger(recorded);
        let ended: Vec<_> =
            ledger.timeline().events().filter(|event| event.kind.as_str() == "task_completed").collect();
        assert_eq!(ended.len(), 1, "{:#?}", brief(&ledger));
        assert!(ended[0].agent_id.ends_with("/leader"));
    }
    let ends = |teammate: Value| {
        let ledger = ledger(&[
            (0, "SubagentStart", json!({"agent_id": "anara-1", "agent_type": "nara"})),
            (10, "SubagentStop", json!({"agent_id": "anara-1", "agent_type": "nara"})),
            (20, "TaskCompleted", teammate),
        ]);
        events_of(&ledger, "task_completed").len()
    };
    assert_eq!(ends(json!({"task_id": "1"})), 1, "of the main thread it counts");
}

#[test]
fn recorded_hooks_in_any_order_agree() {
    for recorded in [BOTH[0], BOTH[1], PANES] {
        let all = inputs(recorded);
        let expected = hooks::seen(&recorded_ledger(recorded));
        for seed in 1..9 {
            let mut random = hooks::HookRandom(seed);
            let mut shuffled = all.clone();
            random.shuffle(&mut shuffled);
            let mut ledger = Ledger::default();
            for one in shuffled {
                ledger.take(vec![one]);
            }
            ledger.settle(NOW);
            assert_eq!(hooks::seen(&ledger), expected, "seed {seed}");
        }
    }
}

#[test]
fn typed_leader_is_not_a_teammate() {
    let call = json!({"tool_name": "Agent", "tool_use_id": "toolu_1", "agent_type": "chief",
        "tool_input": {"name": "nara", "description": "d", "prompt": "p"}});
    let answer = json!({"tool_name": "Agent", "tool_use_id": "toolu_1", "agent_type": "chief",
        "tool_input": {"name": "nara", "description": "d", "prompt": "p"},
        "tool_response": {"status": "teammate_spawned", "teammate_id": "nara@session-8c35adc1", "team_name": "session-8c35adc1"}});
    let ledger = ledger(&[
        (0, "SessionStart", json!({"agent_type": "chief"})),
        (10, "PreToolUse", call),
        (20, "PostToolUse", answer),
        (30, "TeammateIdle", json!({"agent_type": "chief", "teammate_name": "nara", "team_name": "session-8c35adc1"})),
        (
            40,
            "PreToolUse",
            json!({"agent_type": "chief", "tool_name": "Read", "tool_use_id": "toolu_2", "tool_input": {}}),
        ),
    ]);
    assert_eq!(events_of(&ledger, "agent_started"), ["agent_started repo/leader"]);
    assert_eq!(events_of(&ledger, "agent_blocked"), ["agent_blocked repo/nara > repo/leader"]);
}

#[test]
fn program_generated_prompt_is_not_a_user_prompt() {
    let task = json!({"tool_name": "TaskUpdate", "tool_use_id": "toolu_1", "tool_input": {"taskId": "1", "status": "in_progress"},
        "tool_response": {"success": true}});
    for (own, shown) in [
        (json!({"prompt": "계속해 주세요"}), 1),
        (json!({"prompt": "계속해 주세요", "source": "user"}), 1),
        (json!({"prompt": "<task-notification>\n<task-id>a1</task-id>"}), 0),
        (json!({"prompt": "다시", "source": "schedule_wakeup"}), 0),
    ] {
        let ledger = ledger(&[(0, "PostToolUse", task.clone()), (10, "UserPromptSubmit", own.clone())]);
        assert_eq!(events_of(&ledger, "task_progress").len(), shown, "{own}");
        let stored = serde_json::to_string(&input(10, "UserPromptSubmit", &own)).unwrap();
        assert_eq!(
            stored.contains("계속해") || stored.contains("task-id") || stored.contains("다시"),
            shown == 1,
            "{stored}"
        );
    }
}

#[test]
fn refusal_ends_at_idle_prompt() {
    // Of "No" no hook tells; the program's next word is that it waits for the next prompt.
    let request = json!({"tool_name": "Bash", "tool_input": {"command": "touch c", "description": "파일"}});
    let idle = json!({"message": "Claude is waiting for your input", "notification_type": "idle_prompt"});
    let ledger =
        ledger(&[(0, "SessionStart", json!({})), (10, "PermissionRequest", request), (60_000, "Notification", idle)]);
    let reasons: Vec<_> = ledger
        .timeline()
        .events()
        .filter(|event| event.kind.as_str().starts_with("agent_"))
        .map(|event| (event.kind.as_str(), event.text("reason").unwrap_or_default()))
        .collect();
    assert_eq!(
        reasons,
        [
            ("agent_started", ""),
            ("agent_blocked", "permission"),
            ("agent_unblocked", "permission"),
            ("agent_blocked", "idle")
        ]
    );
}

#[test]
fn asking_teammate_waits_under_own_name() {
    let ledger = recorded_ledger(MATE_ASKS);
    let waits = ledger.timeline().events().filter(|event| event.text("reason") == Some("permission"));
    let waits: Vec<String> = waits.map(|event| format!("{} {}", event.kind.as_str(), event.agent_id)).collect();
    let expected = ["agent_blocked bookstore/nara", "agent_blocked bookstore/leader"];
    let over = ["agent_unblocked bookstore/nara", "agent_unblocked bookstore/leader"];
    assert_eq!(waits, [expected, over].concat(), "one wait each, and none for notifications, which name nobody");
}

#[test]
fn unreported_request_belongs_to_open_call() {
    // Of teammates some versions tell no `PermissionRequest` (anthropics/claude-code 82418): what is left is the call
    // that has not ended, and a notification that names nobody. Here the leader asks for nothing itself.
    let is_own = |line: &&str| line.contains("made.txt") || line.contains("\"PermissionRequest\"");
    let recorded: Vec<&str> = MATE_ASKS.lines().filter(|line| !is_own(line)).collect();
    let ledger = recorded_ledger(&recorded.join("\n"));
    let first = ledger.timeline().events().find(|event| event.text("reason") == Some("permission")).unwrap();
    assert_eq!(
        (line(first), first.payload.get("guess")),
        ("agent_blocked bookstore/nara".to_owned(), Some(&json!(true)))
    );
}
