//! Recorded hooks of the real Claude Code (`fixtures/claude-code/real`): a teammate's type is its name, its id is an
//! address, the team has a name of its own, and a teammate in its own terminal looks like a leader. `make
//! test-claude-code` runs the program itself.
//!
//! Proves (claude-code): Recorded teams of Claude Code 2.1.330 and 2.1.197 are read as the programs mean them.

use crate::hooks;

use std::collections::BTreeSet;

use coordination::schema::hook::Capture;
use coordination::schema::{AgentStage, Input, Ledger, read_item, to_coordination};
use hooks::{NOW, brief, input, ledger, line, valid};
use serde_json::{Value, json};

const BOTH: [&str; 2] = [
    include_str!("../../../../fixtures/claude-code/real/2.1.197-team.ndjson"),
    include_str!("../../../../fixtures/claude-code/real/2.1.330-team.ndjson"),
];
/// A teammate in the leader's terminal asks for a permission while the leader asks for one of its own.
const MATE_ASKS: &str = include_str!("../../../../fixtures/claude-code/real/2.1.330-teammate-asks.ndjson");
const PANES: &str = include_str!("../../../../fixtures/claude-code/real/2.1.197-panes.ndjson");

fn inputs(recorded: &str) -> Vec<Input> {
    let item = |line: &str| read_item(&serde_json::from_str(line).unwrap(), NOW, Capture::Summary).unwrap();
    recorded.lines().map(item).collect()
}

fn told(recorded: &str) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.take(inputs(recorded));
    ledger.settle(NOW);
    ledger.book().events().for_each(valid);
    ledger
}

fn agents(ledger: &Ledger) -> BTreeSet<String> {
    ledger.book().events().map(|event| event.agent_id.clone()).collect()
}

/// Work sessions of the log's lines.
fn work_sessions(ledger: &Ledger) -> BTreeSet<String> {
    let lines = ledger.book().events().flat_map(to_coordination);
    lines.map(|line| line["data"]["workSessionId"].as_str().unwrap().to_owned()).collect()
}

/// Events of a type, in brief.
fn of(ledger: &Ledger, kind: &str) -> Vec<String> {
    ledger.book().events().filter(|event| event.kind.as_str() == kind).map(line).collect()
}

#[test]
fn teammates_in_the_leaders_terminal_are_one_agent_each_under_the_teams_own_name() {
    for recorded in BOTH {
        let ledger = told(recorded);
        let all = agents(&ledger);
        let teams: BTreeSet<&str> = all.iter().filter_map(|id| id.split_once('/')).map(|(team, _)| team).collect();
        // The program made a name up, so they are called like the project; the made-up one keeps teams apart.
        assert_eq!(teams, BTreeSet::from(["bookstore"]), "{all:?}");
        let team = "bookstore";
        assert_eq!(work_sessions(&ledger).len(), 1);
        let told: BTreeSet<&str> = ledger.book().events().filter_map(|event| event.text("team_name")).collect();
        assert!(told.len() == 1 && told.first().unwrap().starts_with("session-"), "not the one asked for: {told:?}");
        let mate = all.iter().find(|id| id.ends_with("/mina") || id.ends_with("/nara"));
        let mate = mate.unwrap_or_else(|| panic!("{all:?}"));
        let leader = format!("{team}/leader");
        let talk: BTreeSet<String> = ledger
            .book()
            .events()
            .filter(|event| {
                event.text("message").is_some() && event.raw.as_ref().unwrap()["event_name"] == "PostToolUse"
            })
            .map(|event| format!("{} > {}", event.agent_id, event.target_agent_id.as_deref().unwrap()))
            .collect();
        assert_eq!(talk, BTreeSet::from([format!("{leader} > {mate}"), format!("{mate} > {leader}")]));
        let kinds: BTreeSet<&str> = ledger
            .book()
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
fn a_teammate_in_a_terminal_of_its_own_is_no_second_leader() {
    let ledger = told(PANES);
    let all = agents(&ledger);
    assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), ["bookstore/leader", "bookstore/mina"]);
    let failed = of(&ledger, "tool_failed");
    assert_eq!(failed, ["tool_failed bookstore/mina"], "{:#?}", brief(&ledger));
    let said = ledger.book().events().filter(|event| event.text("message") == Some("시험이 실패합니다."));
    let said: Vec<String> = said.map(line).collect();
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("bookstore/mina > bookstore/leader"), "{said:?}");
    let lists: BTreeSet<&str> = ledger
        .book()
        .events()
        .filter_map(|event| event.task_id.as_deref())
        .filter(|id| id.starts_with("task_"))
        .collect();
    assert_eq!(lists.len(), 1, "one list for the team: {lists:?}");
    assert_eq!(work_sessions(&ledger).len(), 1);
    let mina = ledger.book().agents().find(|agent| agent.agent_id.ends_with("/mina")).unwrap();
    assert_eq!(mina.terminal_session_id, "term_%1");
    // It ended its turn and rests: it is not gone.
    let both = told(BOTH[0]);
    let mina = both.book().agents().find(|agent| agent.agent_id.ends_with("/mina")).unwrap();
    assert!(mina.stage == AgentStage::PendingInput && mina.rests(), "{mina:?}");
}

#[test]
fn a_turns_end_is_no_end_of_a_task() {
    // The program asks hooks about each task that a resting teammate is still at; only the call ends it.
    for recorded in [BOTH[0], PANES] {
        let ledger = told(recorded);
        let ended: Vec<_> = ledger.book().events().filter(|event| event.kind.as_str() == "task_completed").collect();
        assert_eq!(ended.len(), 1, "{:#?}", brief(&ledger));
        assert!(ended[0].agent_id.ends_with("/leader"));
    }
    let ends = |teammate: Value| {
        let ledger = ledger(&[
            (0, "SubagentStart", json!({"agent_id": "anara-1", "agent_type": "nara"})),
            (10, "SubagentStop", json!({"agent_id": "anara-1", "agent_type": "nara"})),
            (20, "TaskCompleted", teammate),
        ]);
        of(&ledger, "task_completed").len()
    };
    assert_eq!(ends(json!({"task_id": "1"})), 1, "of the main thread it counts");
}

#[test]
fn any_order_of_what_was_recorded_gives_the_same() {
    for recorded in [BOTH[0], BOTH[1], PANES] {
        let all = inputs(recorded);
        let expected = hooks::seen(&told(recorded));
        for seed in 1..9 {
            let mut random = hooks::Random(seed);
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
fn a_leader_of_a_type_is_no_teammate_of_its_own() {
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
    assert_eq!(of(&ledger, "agent_started"), ["agent_started repo/leader"]);
    assert_eq!(of(&ledger, "agent_blocked"), ["agent_blocked repo/nara > repo/leader"]);
}

#[test]
fn what_the_program_tells_itself_is_nobodys_prompt() {
    let task = json!({"tool_name": "TaskUpdate", "tool_use_id": "toolu_1", "tool_input": {"taskId": "1", "status": "in_progress"},
        "tool_response": {"success": true}});
    for (own, shown) in [
        (json!({"prompt": "계속해 주세요"}), 1),
        (json!({"prompt": "계속해 주세요", "source": "user"}), 1),
        (json!({"prompt": "<task-notification>\n<task-id>a1</task-id>"}), 0),
        (json!({"prompt": "다시", "source": "schedule_wakeup"}), 0),
    ] {
        let ledger = ledger(&[(0, "PostToolUse", task.clone()), (10, "UserPromptSubmit", own.clone())]);
        assert_eq!(of(&ledger, "task_progress").len(), shown, "{own}");
        let kept = serde_json::to_string(&input(10, "UserPromptSubmit", &own)).unwrap();
        assert_eq!(kept.contains("계속해") || kept.contains("task-id") || kept.contains("다시"), shown == 1, "{kept}");
    }
}

#[test]
fn a_refusal_is_over_when_the_program_stands_at_its_prompt() {
    // Of "No" no hook tells; the program's next word is that it waits for the next prompt.
    let asked = json!({"tool_name": "Bash", "tool_input": {"command": "touch c", "description": "파일"}});
    let idle = json!({"message": "Claude is waiting for your input", "notification_type": "idle_prompt"});
    let ledger =
        ledger(&[(0, "SessionStart", json!({})), (10, "PermissionRequest", asked), (60_000, "Notification", idle)]);
    let reasons: Vec<_> = ledger
        .book()
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
fn teammate_that_asks_waits_under_its_own_name() {
    let ledger = told(MATE_ASKS);
    let waits = ledger.book().events().filter(|event| event.text("reason") == Some("permission"));
    let waits: Vec<String> = waits.map(|event| format!("{} {}", event.kind.as_str(), event.agent_id)).collect();
    let expected = ["agent_blocked bookstore/nara", "agent_blocked bookstore/leader"];
    let over = ["agent_unblocked bookstore/nara", "agent_unblocked bookstore/leader"];
    assert_eq!(waits, [expected, over].concat(), "one wait each, and none for notifications, which name nobody");
}

#[test]
fn request_that_no_hook_tells_is_the_teammates_by_its_open_call() {
    // Of teammates some versions tell no `PermissionRequest` (anthropics/claude-code 82418): what is left is the call
    // that has not ended, and a notification that names nobody. Here the leader asks for nothing itself.
    let is_own = |line: &&str| line.contains("made.txt") || line.contains("\"PermissionRequest\"");
    let recorded: Vec<&str> = MATE_ASKS.lines().filter(|line| !is_own(line)).collect();
    let ledger = told(&recorded.join("\n"));
    let first = ledger.book().events().find(|event| event.text("reason") == Some("permission")).unwrap();
    assert_eq!(
        (line(first), first.payload.get("guess")),
        ("agent_blocked bookstore/nara".to_owned(), Some(&json!(true)))
    );
}
