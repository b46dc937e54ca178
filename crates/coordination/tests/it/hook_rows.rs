//! Tests of the mapping from Claude Code hooks to schema events. For each row of the table in
//! `contract/event-schema-v1_1.md` §C.2, example hooks must give the expected events. One more test: a task change that
//! no hook confirms is assumed after a minute.
//!
//! Proves (claude-code): Every row of the mapping from hooks to schema events holds.

use crate::hooks;

use coordination::schema::{AgentStage, Ledger};
use hooks::{START, TestHook, brief, input, ledger, line, only};
use serde_json::{Value, json};

fn task(id: &str) -> String {
    format!("task_8c35adc1_{id}")
}

fn created(after: i64) -> TestHook {
    (after, "TaskCreated", json!({"task_id": "1", "task_subject": "쿠폰 고치기"}))
}

fn started(after: i64) -> TestHook {
    (after, "PostToolUse", call("TaskUpdate", "up1", &json!({"taskId": "1", "status": "in_progress"})))
}

fn call(tool: &str, id: &str, input: &Value) -> Value {
    json!({"tool_name": tool, "tool_use_id": id, "tool_input": input})
}

fn agent_call(id: &str, input: &Value) -> TestHook {
    (0, "PreToolUse", call("Agent", id, input))
}

fn sub(after: i64, name: &'static str, id: &str, kind: &str) -> TestHook {
    (after, name, json!({"agent_id": id, "agent_type": kind}))
}

/// One row: the rule, the hooks, and the events that follow.
fn row(rule: &str, hooks: &[TestHook], expected: &[&str]) {
    assert_eq!(brief(&ledger(hooks)), expected, "{rule}");
}

#[test]
fn c2_sessions() {
    row(
        "SessionStart → agent_started (leader)",
        &[(0, "SessionStart", json!({"source": "resume", "model": "m"}))],
        &["agent_started repo/leader"],
    );
    row(
        "SessionEnd → agent_stopped (leader)",
        &[(0, "SessionEnd", json!({"reason": "prompt_input_exit"}))],
        &["agent_stopped repo/leader"],
    );
    let both =
        ledger(&[(0, "SessionStart", json!({"source": "clear"})), (9, "SessionEnd", json!({"reason": "logout"}))]);
    assert_eq!(only(&both, "agent_started").text("start_source"), Some("clear"));
    assert_eq!(only(&both, "agent_stopped").text("reason"), Some("logout"));
    assert_eq!(both.timeline().agents().next().unwrap().stage, AgentStage::Stopped);
}

#[test]
fn c2_prompt_is_progress_of_current_task() {
    let prompt = |after| (after, "UserPromptSubmit", json!({"prompt": "가".repeat(300)}));
    row("UserPromptSubmit without a task → none", &[prompt(0)], &[]);
    let with = ledger(&[created(0), started(1_000), prompt(2_000)]);
    let progress = only(&with, "task_progress");
    assert_eq!(progress.task_id, Some(task("1")));
    assert_eq!(progress.text("summary").unwrap().chars().count(), 200);
    let after = (1_500, "PostToolUse", call("TaskUpdate", "up2", &json!({"taskId": "1", "status": "completed"})));
    let over = ledger(&[created(0), started(1_000), after, prompt(2_000)]);
    assert!(!brief(&over).iter().any(|line| line.starts_with("task_progress")));
}

#[test]
fn c2_subagents_start_and_stop() {
    let hooks = [
        sub(0, "SubagentStart", "a1b2c3d4e5", "Explore"),
        (
            5_000,
            "SubagentStop",
            json!({"agent_id": "a1b2c3d4e5", "agent_type": "Explore", "stop_hook_active": false,
                "last_assistant_message": "나".repeat(300)}),
        ),
        sub(9_000, "SubagentStart", "a1b2c3d4e5", "Explore"),
    ];
    row(
        "SubagentStart → agent_started, SubagentStop → agent_stopped, once a turn",
        &hooks,
        &[
            "agent_started repo/Explore-a1b2c3 > repo/leader",
            "agent_stopped repo/Explore-a1b2c3 > repo/leader",
            "agent_started repo/Explore-a1b2c3 > repo/leader",
        ],
    );
    let ledger = ledger(&hooks);
    let stopped = only(&ledger, "agent_stopped");
    assert_eq!(stopped.text("summary").unwrap().chars().count(), 200);
    assert_eq!(stopped.text("native_agent_id"), Some("a1b2c3d4e5"));
    assert_eq!(ledger.timeline().agents().next().unwrap().stage, AgentStage::Working, "a later start revives (C.5)");
}

#[test]
fn c2_unnamed_end_joins_only_running_subagent() {
    let stop = (9, "SubagentStop", json!({"stop_hook_active": false}));
    let one = ledger(&[sub(0, "SubagentStart", "aaaaaaaa", "Plan"), stop.clone()]);
    assert_eq!(line(only(&one, "agent_stopped")), "agent_stopped repo/Plan-aaaaaa > repo/leader");
    let two = ledger(&[sub(0, "SubagentStart", "aaaaaaaa", "Plan"), sub(1, "SubagentStart", "bbbbbbbb", "Plan"), stop]);
    assert!(!brief(&two).iter().any(|line| line.starts_with("agent_stopped")));
    assert_eq!(two.hooks().counts().unjoined, 1, "it is counted");
}

#[test]
fn c2_tools() {
    let bash = |id: &str| call("Bash", id, &json!({"command": "cargo test", "description": "테스트 실행"}));
    let mut done = bash("t1");
    done["tool_response"] = json!({"stdout": "ok", "interrupted": false});
    done["duration_ms"] = json!(1_234);
    let ledger_of = ledger(&[(0, "PreToolUse", bash("t1")), (900, "PostToolUse", done)]);
    assert_eq!(
        brief(&ledger_of),
        ["tool_started repo/leader", "tool_succeeded repo/leader"],
        "PreToolUse, PostToolUse"
    );
    let ended = only(&ledger_of, "tool_succeeded");
    assert_eq!((ended.payload["duration_ms"].clone(), ended.text("tool_name")), (json!(1_234), Some("Bash")));
    for (mark, answer) in [
        ("is_error", json!({"is_error": true, "content": "No such file"})),
        ("success:false", json!({"success": false, "error": "No such file"})),
        ("interrupted", json!({"interrupted": true, "stderr": "No such file"})),
    ] {
        let mut failed = bash("t1");
        failed["tool_response"] = answer;
        let ledger = ledger(&[(0, "PostToolUse", failed)]);
        let failed = only(&ledger, "tool_failed");
        assert_eq!(
            failed.text("error_message"),
            Some("No such file"),
            "PostToolUse whose answer has {mark} → tool_failed"
        );
        assert_eq!(failed.payload["exit_code"], json!(if mark == "interrupted" { 130 } else { 1 }));
    }
    let mut failed = bash("t1");
    failed["error"] = json!("Command exited with non-zero status code 101");
    row("PostToolUseFailure → tool_failed", &[(0, "PostToolUseFailure", failed)], &["tool_failed repo/leader"]);
}

#[test]
fn c2_agent_call_is_guess_start_acknowledges() {
    let call = agent_call("toolu_1", &json!({"description": "조사", "prompt": "비밀", "subagent_type": "Explore"}));
    row(
        "PreToolUse Agent → + manager_assign, target subagent_type, task tool_use_id",
        std::slice::from_ref(&call),
        &["tool_started repo/leader", "manager_assign repo/leader > repo/Explore # toolu_1"],
    );
    let start = |after| sub(after, "SubagentStart", "abcdef0123", "Explore");
    row(
        "SubagentStart within 30 s of its guess → agent_acknowledged (synthetic); the guess names the agent",
        &[call.clone(), start(30_000)],
        &[
            "tool_started repo/leader",
            "manager_assign repo/leader > repo/Explore-abcdef # toolu_1",
            "agent_started repo/Explore-abcdef > repo/leader",
            "agent_acknowledged repo/Explore-abcdef > repo/leader # toolu_1 ~",
        ],
    );
    let late = ledger(&[call.clone(), start(30_001)]);
    assert!(!brief(&late).iter().any(|line| line.starts_with("agent_acknowledged")), "later than 30 s: none");
    let alias = [(0, "PreToolUse", json!({"tool_name": "Task", "tool_use_id": "t", "tool_input": {"name": "nara"}}))];
    assert_eq!(brief(&ledger(&alias))[1], "manager_assign repo/leader > repo/nara # t", "Task is the older name");
    let ledger = ledger(&[call]);
    let assign = only(&ledger, "manager_assign");
    assert_eq!((assign.text("summary"), assign.text("label")), (Some("조사"), Some("조사")));
}

#[test]
fn c3_agents_join_calls_by_order_then_answer() {
    let two = [
        agent_call("toolu_1", &json!({"description": "하나", "subagent_type": "Explore", "name": "first"})),
        (
            5,
            "PreToolUse",
            call("Agent", "toolu_2", &json!({"description": "둘", "subagent_type": "Explore", "name": "second"})),
        ),
        sub(100, "SubagentStart", "bbbbbbbbbb", "Explore"),
        sub(110, "SubagentStart", "aaaaaaaaaa", "Explore"),
    ];
    let mut ledger = ledger(&two);
    let named = |ledger: &Ledger, native: &str| {
        let mut all: Vec<(String, String)> = ledger
            .timeline()
            .events()
            .filter(|event| event.text("native_agent_id") == Some(native) && event.kind.as_str() == "agent_started")
            .map(|event| (event.agent_id.clone(), event.id.clone()))
            .collect();
        all.pop().unwrap()
    };
    let before = named(&ledger, "bbbbbbbbbb");
    assert_eq!(before.0, "repo/first", "by order");
    let mut answer =
        call("Agent", "toolu_1", &json!({"description": "하나", "subagent_type": "Explore", "name": "first"}));
    answer["tool_response"] = json!({"status": "completed", "agentId": "aaaaaaaaaa"});
    let changed = ledger.take(vec![input(9_000, "PostToolUse", &answer)]);
    let after = named(&ledger, "bbbbbbbbbb");
    assert_eq!(after, ("repo/second".to_owned(), before.1.clone()), "the answer corrects it under the same id");
    assert!(changed.put.iter().any(|event| event.id == before.1), "and the step tells it");
    assert_eq!(named(&ledger, "aaaaaaaaaa").0, "repo/first");
    assert!(changed.removed.is_empty());
}

#[test]
fn c2_task_is_created_once() {
    let input = json!({"subject": "쿠폰 고치기", "description": "길게", "activeForm": "고치는 중"});
    let pre = (0, "PreToolUse", call("TaskCreate", "c1", &input));
    for answer in [
        json!({"task": {"id": "1", "subject": "쿠폰 고치기"}}),
        json!("Task #1 created successfully: 쿠폰 고치기"),
        json!({"content": [{"type": "text", "text": "Task #1 created successfully"}]}),
        json!({"taskId": 1}),
    ] {
        let mut post = call("TaskCreate", "c1", &input);
        post["tool_response"] = answer.clone();
        let post = (300, "PostToolUse", post);
        let expected = format!("task_created repo/leader # {}", task("1"));
        row(
            &format!("PostToolUse of TaskCreate with an id: {answer}"),
            &[pre.clone(), post.clone()],
            &["tool_started repo/leader", "tool_succeeded repo/leader", &expected],
        );
        row(
            "TaskCreated, and the answer says it again",
            &[pre.clone(), created(200), post],
            &["tool_started repo/leader", &expected, "tool_succeeded repo/leader"],
        );
    }
    let mut without = call("TaskCreate", "c1", &input);
    without["tool_response"] = json!("Created.");
    row("an answer without an id makes no task", &[(0, "PostToolUse", without)], &["tool_succeeded repo/leader"]);
}

#[test]
fn c2_unconfirmed_guess_appears_after_a_minute() {
    let create = input(0, "PreToolUse", &call("TaskCreate", "c1", &json!({"subject": "쿠폰 고치기"})));
    let end = input(1, "PreToolUse", &call("TaskUpdate", "u1", &json!({"taskId": "7", "status": "completed"})));
    let guesses =
        |ledger: &Ledger| brief(ledger).into_iter().filter(|line| line.starts_with("task_")).collect::<Vec<_>>();
    let mut ledger = Ledger::default();
    ledger.take(vec![create.clone(), end.clone()]);
    assert_eq!(ledger.due(), Some(START + 60_000));
    assert!(ledger.settle(START + 59_999).put.is_empty());
    assert_eq!(ledger.settle(START + 60_000).put.len(), 1);
    assert_eq!(ledger.due(), Some(START + 60_001));
    ledger.settle(START + 70_000);
    assert_eq!(ledger.due(), None);
    let both = ["task_created repo/leader # c1".to_owned(), format!("task_completed repo/leader # {}", task("7"))];
    assert_eq!(guesses(&ledger), both);
    assert_eq!(only(&ledger, "task_created").payload["guess"], json!(true));
    // The answer arrives after the guess: the guess is removed, so that nothing is there twice.
    let mut post = call("TaskCreate", "c1", &json!({"subject": "쿠폰 고치기"}));
    post["tool_response"] = json!({"task": {"id": "7"}});
    let changed = ledger.take(vec![input(80_000, "PostToolUse", &post)]);
    assert_eq!(changed.removed, [format!("{}.guess", create.key)]);
    assert_eq!(only(&ledger, "task_created").task_id, Some(task("7")));

    for (rule, confirms) in [
        ("its answer", input(500, "PostToolUse", &call("TaskCreate", "c1", &json!({})))),
        ("its failure", input(500, "PostToolUseFailure", &call("TaskCreate", "c1", &json!({})))),
        ("its refusal", input(500, "PermissionDenied", &call("TaskCreate", "c1", &json!({})))),
        ("the task's own hook", input(500, "TaskCreated", &json!({"task_id": "1", "task_subject": "쿠폰 고치기"}))),
    ] {
        let mut ledger = Ledger::default();
        ledger.take(vec![create.clone(), confirms]);
        assert!(ledger.settle(START + 600_000).put.is_empty(), "{rule}");
    }
    let mut ledger = Ledger::default();
    ledger.take(vec![end, input(500, "TaskCompleted", &json!({"task_id": "7"}))]);
    assert!(ledger.settle(START + 600_000).put.is_empty(), "TaskCompleted");
}

#[test]
fn c2_task_updates() {
    let update = |own: &Value| (9_000, "PostToolUse", call("TaskUpdate", "u9", own));
    let with = |own: &Value| {
        let all = brief(&ledger(&[created(0), update(own)]));
        all[2..].to_vec()
    };
    let only_event = |kind: &str| vec![format!("{kind} # {}", task("1"))];
    assert_eq!(with(&json!({"taskId": "1", "status": "in_progress"})), only_event("task_started repo/leader"));
    assert_eq!(with(&json!({"taskId": "1", "status": "completed"})), only_event("task_completed repo/leader"));
    assert_eq!(with(&json!({"taskId": "1", "status": "deleted"})), only_event("task_failed repo/leader"));
    assert_eq!(with(&json!({"taskId": "1", "status": "pending"})), Vec::<String>::new());
    assert_eq!(
        with(&json!({"taskId": "1", "owner": "nara"})),
        only_event("manager_assign repo/leader > repo/nara"),
        "owner set"
    );
    let deleted = ledger(&[created(0), update(&json!({"taskId": "1", "status": "deleted"}))]);
    assert_eq!(only(&deleted, "task_failed").text("reason"), Some("deleted"));
    let assigned = ledger(&[created(0), update(&json!({"taskId": "1", "owner": "nara"}))]);
    assert_eq!(only(&assigned, "manager_assign").text("summary"), Some("쿠폰 고치기"));
    row(
        "TaskCompleted → task_completed, also when the update says it again",
        &[
            created(0),
            (8_900, "TaskCompleted", json!({"task_id": "1", "teammate_name": "nara", "team_name": "core"})),
            update(&json!({"taskId": "1", "status": "completed"})),
        ],
        &[
            "task_created core/leader # task_core_1",
            "task_completed core/nara # task_core_1",
            "tool_succeeded core/leader",
        ],
    );
}

#[test]
fn c2_todo_lists_are_tasks_by_text() {
    let list = |after, id: &str, todos: &Value| (after, "PostToolUse", call("TodoWrite", id, &json!({"todos": todos})));
    let ledger = ledger(&[
        list(0, "w1", &json!([{"content": "하나", "status": "in_progress"}, {"content": "둘", "status": "pending"}])),
        list(
            1_000,
            "w2",
            &json!([{"content": "하나", "status": "completed"}, {"content": "셋", "status": "in_progress"}]),
        ),
    ]);
    let lines: Vec<String> = ledger
        .timeline()
        .events()
        .filter(|event| event.kind.as_str().starts_with("task_"))
        .map(|event| {
            format!("{} {} {}", event.kind.as_str(), event.text("summary").unwrap(), event.text("reason").unwrap_or(""))
        })
        .collect();
    let mut first: Vec<&str> = lines[..3].iter().map(|text| text.trim()).collect();
    first.sort_unstable();
    assert_eq!(first, ["task_created 둘", "task_created 하나", "task_started 하나"]);
    let mut second: Vec<&str> = lines[3..].iter().map(|text| text.trim()).collect();
    second.sort_unstable();
    assert_eq!(second, ["task_completed 하나", "task_created 셋", "task_failed 둘 deleted", "task_started 셋"]);
}

#[test]
fn c2_messages_are_meetings_first_and_progress_then() {
    let say = |after, id: &str, to: &str, text: &str| {
        (after, "PostToolUse", call("SendMessage", id, &json!({"to": to, "message": text, "summary": "짧게"})))
    };
    let meetings = |ledger: &Ledger| -> Vec<String> {
        brief(ledger)
            .into_iter()
            .filter(|line| line.starts_with("meeting") || line.starts_with("task_progress"))
            .collect()
    };
    let tasks = [created(0), started(1_000)];
    let with = |says: &[TestHook]| ledger(&[&tasks[..], says].concat());
    let talk = with(&[
        say(2_000, "m1", "nara", "첫째"),
        say(601_999, "m2", "nara", "둘째"),
        say(1_202_000, "m3", "nara", "셋째"),
    ]);
    let meeting = |kind: &str| format!("{kind} repo/leader > repo/nara # {}", task("1"));
    assert_eq!(
        meetings(&talk),
        [meeting("meeting_requested"), meeting("task_progress"), meeting("meeting_requested")],
        "first contact of a pair in 10 min, else progress"
    );
    let first = talk.timeline().events().find(|event| event.kind.as_str() == "meeting_requested").unwrap();
    assert_eq!(first.payload["participants"], json!(["repo/leader", "repo/nara"]), "A.3: at least two");
    assert_eq!(first.text("message"), Some("첫째"));
    let other = with(&[say(2_000, "m1", "nara", "가"), say(3_000, "m2", "jiho", "나")]);
    assert_eq!(meetings(&other).len(), 2);
    assert!(meetings(&other).iter().all(|line| line.starts_with("meeting_requested")), "another pair meets by itself");
    let lone = ledger(&[say(2_000, "m1", "nara", "가"), say(3_000, "m2", "nara", "나")]);
    assert_eq!(meetings(&lone).len(), 2, "nothing is lost without a task");
    assert!(meetings(&lone).iter().all(|line| line.starts_with("meeting_requested")), "progress needs a task (A.3)");
    let long = with(&[say(2_000, "m1", "nara", &"가".repeat(5_000))]);
    assert_eq!(
        only(&long, "meeting_requested").text("message").unwrap().chars().count(),
        4_000,
        "payload.message ≤ 4000"
    );
    let all = ledger(&[say(0, "m1", "*", "모두에게")]);
    assert_eq!(only(&all, "meeting_requested").payload["participants"], json!(["repo/leader", "repo/all"]));
}

#[test]
fn c2_wait_ends_with_next_agent_action() {
    let notify =
        |after, kind: &str| (after, "Notification", json!({"message": "Claude needs you", "notification_type": kind}));
    let bash =
        |after, name: &'static str, id: &str| (after, name, call("Bash", id, &json!({"description": "밀어 올리기"})));
    for (kind, reason) in
        [("permission_prompt", "permission"), ("elicitation_dialog", "question"), ("idle_prompt", "idle")]
    {
        let one = ledger(&[notify(0, kind)]);
        let blocked = only(&one, "agent_blocked");
        assert_eq!(
            (blocked.text("state"), blocked.text("reason")),
            (Some("pending_input"), Some(reason)),
            "Notification {kind}"
        );
        assert_eq!(one.timeline().agents().next().unwrap().stage, AgentStage::PendingInput);
    }
    row("Notification auth_success → none", &[notify(0, "auth_success")], &[]);
    let request = (10, "PermissionRequest", call("Bash", "ignored", &json!({"description": "밀어 올리기"})));
    row(
        "PermissionRequest: same as the permission prompt, which is left out; the answer of the call ends it",
        &[
            bash(0, "PreToolUse", "b1"),
            request.clone(),
            notify(6_000, "permission_prompt"),
            bash(95_010, "PostToolUse", "b1"),
        ],
        &[
            "tool_started repo/leader",
            "agent_blocked repo/leader",
            "agent_unblocked repo/leader ~",
            "tool_succeeded repo/leader",
        ],
    );
    let ended = ledger(&[request.clone(), bash(95_010, "PostToolUse", "b1")]);
    let unblocked = only(&ended, "agent_unblocked");
    assert_eq!((unblocked.payload["waited_ms"].clone(), unblocked.text("tool_name")), (json!(95_000), Some("Bash")));
    assert_eq!(ended.timeline().agents().next().unwrap().stage, AgentStage::Working);
    row(
        "a call that arrives late is the one that waits for permission",
        &[request.clone(), bash(1_000, "PreToolUse", "b1")],
        &["agent_blocked repo/leader", "tool_started repo/leader"],
    );
    row(
        "a prompt ends a wait as well",
        &[notify(0, "idle_prompt"), (9_000, "UserPromptSubmit", json!({"prompt": "네"}))],
        &["agent_blocked repo/leader", "agent_unblocked repo/leader ~"],
    );
    row(
        "another agent's tool does not",
        &[
            request,
            (
                9_000,
                "PreToolUse",
                json!({
        "tool_name": "Read", "tool_use_id": "r", "agent_id": "abcdefgh", "agent_type": "Plan"}),
            ),
        ],
        &["agent_blocked repo/leader", "tool_started repo/Plan-abcdef"],
    );
}

#[test]
fn c2_unnamed_notification_belongs_to_waiting_agent() {
    let request = |after| {
        (after, "PermissionRequest", json!({"tool_name": "Bash", "agent_id": "abcdefgh", "agent_type": "Plan"}))
    };
    let notify = |after| {
        (
            after,
            "Notification",
            json!({"message": "Claude needs your permission to use Bash", "notification_type": "permission_prompt"}),
        )
    };
    row(
        "behind a subagent's request it is left out",
        &[request(0), notify(6_000)],
        &["agent_blocked repo/Plan-abcdef"],
    );
    row(
        "before it, what it said of the main thread is taken back",
        &[notify(0), request(500)],
        &["agent_blocked repo/leader", "agent_unblocked repo/leader ~", "agent_blocked repo/Plan-abcdef"],
    );
    let old = ledger(&[(0, "Notification", json!({"message": "Claude needs your permission to use Bash"}))]);
    let blocked = only(&old, "agent_blocked");
    assert_eq!(
        (blocked.text("reason"), blocked.text("tool_name")),
        (Some("permission"), Some("Bash")),
        "builds without types"
    );
}

#[test]
fn c2_failures_idle_teammates_and_turns() {
    let failed = ledger(&[(0, "StopFailure", json!({"error": "rate_limit", "error_details": "429 too many"}))]);
    let blocked = only(&failed, "agent_blocked");
    assert_eq!(
        (blocked.text("state"), blocked.text("reason"), blocked.text("summary")),
        (Some("failed"), Some("error"), Some("429 too many")),
        "StopFailure"
    );
    assert_eq!(failed.timeline().agents().next().unwrap().stage, AgentStage::Failed);
    row(
        "TeammateIdle → agent_blocked, target leader, once",
        &[
            (0, "TeammateIdle", json!({"teammate_name": "nara", "team_name": "core"})),
            (60_000, "TeammateIdle", json!({"teammate_name": "nara", "team_name": "core"})),
        ],
        &["agent_blocked core/nara > core/leader"],
    );
    let stop = ledger(&[(0, "SessionStart", json!({})), (70_000, "Stop", json!({"stop_hook_active": false}))]);
    assert_eq!(brief(&stop), ["agent_started repo/leader"], "Stop → none");
    assert_eq!(stop.agents().next().unwrap().last_at, START + 70_000, "and refreshes activity");
}

#[test]
fn c2_others_are_counted() {
    let ledger = ledger(&[
        (0, "PreCompact", json!({"trigger": "auto"})),
        (0, "PostToolBatch", json!({"tool_calls": []})),
        (0, "PermissionDenied", json!({"tool_name": "Bash", "reason": "no"})),
        (0, "HookOfTomorrow", json!({"x": 1})),
    ]);
    assert!(brief(&ledger).is_empty());
    let counts = ledger.hooks().counts();
    assert_eq!((counts.ignored, counts.unknown, counts.by_name.get("PreCompact")), (3, 1, Some(&1)));
}

#[test]
fn late_answer_before_call_makes_same_events() {
    let input = json!({"subject": "쿠폰 고치기"});
    let mut post = call("TaskCreate", "c1", &input);
    post["tool_response"] = json!({"task": {"id": "1"}});
    let mut ledger = ledger(&[(0, "PostToolUse", post), (40, "PreToolUse", call("TaskCreate", "c1", &input))]);
    ledger.settle(START + 600_000);
    let expected = format!("task_created repo/leader # {}", task("1"));
    assert_eq!(brief(&ledger), ["tool_succeeded repo/leader", &expected, "tool_started repo/leader"]);
}

#[test]
fn unnamed_permission_prompt_is_only_callers_wait() {
    let mate = |after, name: &'static str, own: Value| {
        let mut all = json!({"agent_id": "anara-1", "agent_type": "nara"});
        all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        (after, name, all)
    };
    let bash = |id: &str| call("Bash", id, &json!({"command": "touch mate.txt"}));
    let prompt = |after| {
        let own = json!({"notification_type": "permission_prompt", "message": "Claude needs your permission"});
        (after, "Notification", own)
    };
    let begin = [
        agent_call("toolu_a", &json!({"name": "nara", "team_name": "core", "subagent_type": "general-purpose"})),
        (10, "PostToolUse", call("Agent", "toolu_a", &json!({"name": "nara", "team_name": "core"}))),
        sub(20, "SubagentStart", "anara-1", "nara"),
        mate(1_000, "PreToolUse", bash("toolu_b")),
    ];
    let blocked = |more: &[TestHook]| {
        let hooks: Vec<TestHook> = begin.iter().chain(more).cloned().collect();
        let built = ledger(&hooks);
        let lines: Vec<String> = brief(&built).into_iter().filter(|line| line.contains("blocked")).collect();
        let guess = built
            .timeline()
            .events()
            .any(|event| event.text("reason").is_some() && event.payload.contains_key("guess"));
        (lines, guess)
    };
    let (lines, guess) = blocked(&[prompt(7_000), mate(9_000, "PostToolUse", bash("toolu_b"))]);
    assert_eq!(lines, ["agent_blocked core/nara", "agent_unblocked core/nara ~"]);
    assert!(guess, "nobody named it");
    let request = mate(1_500, "PermissionRequest", call("Bash", "toolu_b", &json!({})));
    assert_eq!(blocked(&[request, prompt(7_000)]), (vec!["agent_blocked core/nara".to_owned()], false), "it was named");
    let own = (6_000, "PreToolUse", call("Bash", "toolu_c", &json!({})));
    assert_eq!(blocked(&[own, prompt(7_000)]).0, ["agent_blocked core/leader"], "the dialog may be the leader's");
    let over = mate(2_000, "PostToolUse", bash("toolu_b"));
    assert_eq!(blocked(&[over, prompt(7_000)]).0, ["agent_blocked core/leader"], "no call is open");
}
