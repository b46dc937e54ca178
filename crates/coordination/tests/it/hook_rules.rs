//! Tests of the intake of Claude Code hooks (`contract/event-schema-v1_1.md`): duplicates (§A.4), accepted forms
//! (§C.1), ids (§C.3), exit codes of tools (§C.4), removal of private content (§C.6) and clock skew (§E.4). Some hooks
//! are incomplete, unknown, old or huge. The mapping from hooks to events (§C.2) is tested in `hook_rows`.
//!
//! Proves (claude-code): Fingerprints, capture levels and redaction follow the schema, also for incomplete, unknown,
//! old and huge hooks.

use crate::hooks;

use std::time::{Duration, Instant};

use coordination::schema::hook::Capture;
use coordination::schema::{InputKind, Ledger, SchemaInput, event_id, read_item, to_coordination, write_item};
use hooks::{NOW, START, brief, input, input_at, ledger, ledger_at, only, payload, seen, valid, wrapped};
use serde_json::{Value, json};

const CANARY: &str = "kanarienvogel";

fn faults(item: &Value) -> Vec<String> {
    let faults = read_item(item, NOW, Capture::Summary).unwrap_err();
    faults.into_iter().map(|fault| format!("{} {}", fault.path, fault.code)).collect()
}

fn text_of(input: &SchemaInput) -> String {
    serde_json::to_string(input).unwrap()
}

#[test]
fn c1_items_are_wrapped_bare_or_events() {
    let bare = payload("SessionStart", &json!({"source": "startup"}));
    let wrapped = json!({"received_at": "2026-02-21T05:00:00.500Z", "payload": bare});
    let one = read_item(&wrapped, NOW, Capture::Summary).unwrap();
    assert_eq!(coordination::time::to_iso(one.at), "2026-02-21T05:00:00.500Z", "ts = received_at");
    assert_eq!(read_item(&bare, NOW, Capture::Summary).unwrap().at, NOW, "else arrival");
    let event = json!({"id": "evt_assign_1", "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "agent_started",
        "source": "sdk", "workspace_id": "repo_x", "terminal_session_id": "term_x", "agent_id": "core/leader", "payload": {}});
    let event_input = read_item(&event, NOW, Capture::Summary).unwrap();
    assert_eq!(
        (event_input.key.as_str(), matches!(event_input.what, InputKind::Event(_))),
        ("evt_assign_1", true),
        "version and type"
    );
    for (item, expected) in [
        (json!([]), vec![" type"]),
        (json!({}), vec![" shape"]),
        (json!({"payload": 1}), vec!["payload type"]),
        (json!({"payload": {}}), vec!["payload.hook_event_name required", "payload.session_id required"]),
        (json!({"hook_event_name": "Stop"}), vec!["session_id required"]),
        (json!({"hook_event_name": 7, "session_id": ""}), vec!["hook_event_name type", "session_id required"]),
        (
            json!({"received_at": "gestern", "terminal_session_id": 3, "payload": {"hook_event_name": "Stop"}}),
            vec!["received_at format", "terminal_session_id type", "payload.session_id required"],
        ),
        (json!({"hook_event_name": "Stop", "session_id": "x".repeat(129)}), vec!["session_id length"]),
    ] {
        assert_eq!(faults(&item), expected, "{item}");
    }
}

#[test]
fn c1_events_name_their_time_source() {
    let own = json!({"source": "startup"});
    let mut ledger = Ledger::default();
    ledger.take(vec![read_item(&payload("SessionStart", &own), NOW, Capture::Summary).unwrap()]);
    assert_eq!(only(&ledger, "agent_started").text("ts_source"), Some("arrival"));
    let wrapped = hooks::ledger(&[(0, "SessionStart", own)]);
    assert_eq!(only(&wrapped, "agent_started").text("ts_source"), Some("hook"));
}

#[test]
fn e4_clock_skew_is_reported() {
    for (arrived, skew) in [(0, None), (2_000, None), (2_001, Some(-2_001)), (-5_000, Some(5_000))] {
        let item = wrapped(0, "SessionStart", &json!({}));
        let mut ledger = Ledger::default();
        ledger.take(vec![read_item(&item, START + arrived, Capture::Summary).unwrap()]);
        let skew_ms = only(&ledger, "agent_started").payload.get("clock_skew_ms").and_then(Value::as_i64);
        assert_eq!(skew_ms, skew, "received_at − arrival, beyond 2 s");
    }
}

#[test]
fn a4_the_same_hook_is_the_same_input() {
    let stop = payload("Stop", &json!({"stop_hook_active": false}));
    let at = |ms: i64| read_item(&stop, ms, Capture::Summary).unwrap();
    let base = START / 2_000 * 2_000;
    assert_eq!(at(base).key, at(base + 1_999).key, "one bucket of 2,000 ms");
    assert_ne!(at(base).key, at(base + 2_000).key);
    let call = json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "x"}});
    let pre = |after| input(after, "PreToolUse", &call).key;
    assert_eq!(pre(0), pre(500_000), "tool_use_id replaces the time bucket");
    let whole = payload("PreToolUse", &call);
    let parts = json!(["claude_code", "PreToolUse", whole["session_id"], null, "toolu_1", null, whole]);
    assert_eq!(pre(0), event_id(&parts), "SHA-256 over the whole payload, before anything is left out");
    let none = read_item(&wrapped(0, "PreToolUse", &call), NOW, Capture::None).unwrap();
    assert_eq!(none.key, pre(0), "the same key with any capture");
}

#[test]
fn a4_neighbouring_buckets_without_call_are_one() {
    let base = (START / 2_000 + 1) * 2_000 - START;
    let start = |after: i64| (base + after, "SessionStart", json!({"source": "startup"}));
    assert_eq!(brief(&ledger(&[start(1_999), start(2_001)])).len(), 1, "the next bucket");
    assert_eq!(brief(&ledger(&[start(0), start(3_999)])).len(), 1);
    assert_eq!(brief(&ledger(&[start(0), start(4_000)])).len(), 2, "the one behind it is another hook");
    assert_eq!(ledger(&[start(1_999), start(2_001)]).hooks().counts().doubled, 1);
}

#[test]
fn c3_ids() {
    let bare = |own: &Value| {
        let mut ledger = Ledger::default();
        ledger.take(vec![read_item(&payload("SessionStart", own), NOW, Capture::Summary).unwrap()]);
        let event = ledger.timeline().events().next().unwrap().clone();
        valid(&event);
        event
    };
    let event = bare(&json!({}));
    assert_eq!(event.session_id.as_deref(), Some("8c35adc1-0000-4000-8000-000000000001"), "session_id");
    assert_eq!(event.terminal_session_id, "term_8c35adc1", "else term_ + first 8 of session_id");
    assert_eq!(event.workspace_id, "repo_repo", "last part of cwd, never the path");
    assert_eq!(event.agent_id, "repo/leader", "team = workspace_id without repo_; main thread = leader");
    assert_eq!(bare(&json!({"cwd": "C:\\Users\\mina\\my shop"})).workspace_id, "repo_my shop");
    assert_eq!(bare(&json!({"cwd": "/"})).workspace_id, "repo_unknown");
    assert_eq!(bare(&json!({"cwd": "/x/결제"})).workspace_id, "repo_결제");
    let stamped = hooks::ledger(&[(0, "SessionStart", json!({"cwd": "/a/b/c"}))]);
    let stamped = only(&stamped, "agent_started");
    assert_eq!(
        (stamped.workspace_id.as_str(), stamped.terminal_session_id.as_str()),
        ("repo_repo", "term_t1"),
        "wrapper first"
    );
    let runs = ledger(&[
        (0, "SessionStart", json!({"prompt_id": "p-1"})),
        (10_000, "UserPromptSubmit", json!({"prompt": "가"})),
        (20_000, "UserPromptSubmit", json!({"prompt": "나"})),
        (21_000, "SessionEnd", json!({})),
    ]);
    let run = |kind: &str| only(&runs, kind).run_id.clone().unwrap();
    assert_eq!(run("agent_started"), "p-1", "prompt_id");
    assert_eq!(run("agent_stopped"), "run_8c35adc1-0000-4000-8000-000000000001_2", "else the ordinal of the prompt");
    let native =
        ledger(&[(0, "PreToolUse", json!({"tool_name": "Bash", "agent_id": "a1b2c3d4e5", "agent_type": "Explore"}))]);
    let native = only(&native, "tool_started");
    assert_eq!((native.agent_id.as_str(), native.text("native_agent_id")), ("repo/Explore-a1b2c3", Some("a1b2c3d4e5")));
    assert_eq!(native.text("agent_kind"), Some("subagent"));
}

#[test]
fn c3_team_names_whole_session_retroactively() {
    let mut ledger = ledger(&[(0, "SessionStart", json!({}))]);
    let spawn =
        json!({"tool_name": "Agent", "tool_use_id": "t", "tool_input": {"name": "검토자", "team_name": "core"}});
    let changed = ledger.take(vec![input(5_000, "PreToolUse", &spawn)]);
    assert_eq!(changed.put.len(), 3);
    let ids: Vec<&str> = ledger.timeline().events().map(|event| event.agent_id.as_str()).collect();
    assert!(ids.iter().all(|id| *id == "core/leader"), "{ids:?}");
    let assign = only(&ledger, "manager_assign");
    let target = assign.target_agent_id.as_deref().unwrap();
    assert!(target.strip_prefix("core/a-").is_some_and(|rest| rest.len() == 6), "folded to [A-Za-z0-9_.-]: {target}");
    assert_eq!((assign.text("target_kind"), assign.text("target_name")), (Some("teammate"), Some("검토자")));
    ledger.timeline().events().for_each(valid);
}

#[test]
fn c4_exit_codes() {
    for (own, code, known, message) in [
        (
            json!({"error": "Command exited with non-zero status code 101"}),
            101,
            true,
            "Command exited with non-zero status code 101",
        ),
        (json!({"error": "No such file"}), 1, false, "No such file"),
        (json!({"error": "exit code 2", "is_interrupt": true}), 130, true, "exit code 2"),
        (json!({}), 1, false, "exit code 1"),
        (json!({"error": {"text": "status 7"}}), 7, true, "status 7"),
    ] {
        let mut fields = json!({"tool_name": "Bash", "tool_use_id": "t"});
        for (name, value) in own.as_object().unwrap() {
            fields[name] = value.clone();
        }
        let ledger = ledger(&[(0, "PostToolUseFailure", fields)]);
        let failed = only(&ledger, "tool_failed");
        assert_eq!(failed.payload["exit_code"], json!(code), "{own}");
        assert_eq!(failed.payload["exit_code_known"], json!(known), "{own}");
        assert_eq!(failed.text("error_message"), Some(message), "{own}");
    }
    let long = format!("{} exit code 9", "가".repeat(600));
    let ledger = ledger(&[(0, "PostToolUseFailure", json!({"tool_name": "Bash", "tool_use_id": "t", "error": long}))]);
    let failed = only(&ledger, "tool_failed");
    assert_eq!(failed.payload["exit_code"], json!(9), "read before the text is cut");
    assert_eq!(failed.text("error_message").unwrap().chars().count(), 500, "error text ≤ 500");
}

/// Secrets as they really look, each with the canary in it.
fn secrets() -> Vec<String> {
    let upper = CANARY.to_uppercase();
    vec![
        format!("DB_PASSWORD={CANARY}"),
        format!("--api-key {CANARY}"),
        format!("\"client_secret\": \"{CANARY} x\""),
        format!("Authorization: Basic {CANARY}=="),
        format!("Bearer {CANARY}{CANARY}"),
        format!("sk-proj-{CANARY}"),
        format!("ghp_{CANARY}"),
        format!("github_pat_{CANARY}"),
        format!("glpat-{CANARY}"),
        format!("xoxb-{CANARY}"),
        format!("AKIA{upper}"),
        format!("postgres://app:{CANARY}@db.example.com/x"),
        format!("{CANARY}@example.com"),
        format!("https://{CANARY}.internal/x"),
        format!("eyJ{CANARY}.eyJ{CANARY}.{CANARY}"),
        format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARY}\n-----END OPENSSH PRIVATE KEY-----"),
        format!("npm_{CANARY}{CANARY}"),
        format!("/home/{CANARY}/.ssh/id_rsa"),
    ]
}

/// Every hook with a text wherever one can stand.
fn every_hook(text: &str) -> Vec<(&'static str, Value)> {
    let input = json!({
        "description": text, "prompt": text, "subject": text, "activeForm": text, "message": text, "summary": text,
        "command": text, "content": text, "old_string": text, "new_string": text, "url": text, "query": text, "pattern": text,
        "file_path": format!("/home/{CANARY}/{text}"), "todos": [{"content": text, "activeForm": text, "status": "pending"}],
        "metadata": {"x": text}, "to": "nara", "taskId": "1", "status": text,
    });
    let answers = [
        json!({"stdout": text, "stderr": text, "content": [{"type": "text", "text": text}]}),
        json!({"is_error": true, "error": text}),
        json!(text),
    ];
    let mut all = vec![
        ("SessionStart", json!({"source": text, "model": text})),
        ("SessionEnd", json!({"reason": text})),
        ("UserPromptSubmit", json!({"prompt": text})),
        (
            "SubagentStop",
            json!({"agent_id": "abcdefgh", "last_assistant_message": text, "agent_transcript_path": text}),
        ),
        ("Stop", json!({"last_assistant_message": text})),
        ("StopFailure", json!({"error": text, "error_details": text, "last_assistant_message": text})),
        ("Notification", json!({"message": text, "title": text, "notification_type": "permission_prompt"})),
        ("TaskCreated", json!({"task_id": "1", "task_subject": text, "task_description": text})),
        ("PreCompact", json!({"trigger": text, "custom_instructions": text})),
        ("HookOfTomorrow", json!({"anything": text, "deep": [{"er": text}]})),
    ];
    for tool in ["Bash", "Agent", "Task", "TaskCreate", "TaskUpdate", "TodoWrite", "SendMessage", "Edit", "mcp__x__y"] {
        let call = json!({"tool_name": tool, "tool_use_id": "t", "tool_input": input});
        all.push(("PreToolUse", call.clone()));
        all.push(("PermissionRequest", call.clone()));
        for answer in &answers {
            let mut ended = call.clone();
            ended["tool_response"] = answer.clone();
            all.push(("PostToolUse", ended));
        }
        let mut failed = call.clone();
        failed["error"] = json!(text);
        all.push(("PostToolUseFailure", failed));
    }
    all
}

#[test]
fn c6_secrets_and_paths_are_never_stored() {
    for secret in secrets() {
        for text in [
            secret.clone(),
            format!("앞말 {secret} 뒷말"),
            format!("{}{secret}", "가 ".repeat(95)),
            format!("x={secret}"),
        ] {
            for (name, mut own) in every_hook(&text) {
                own["cwd"] = json!(format!("/home/{CANARY}/repo"));
                for level in [Capture::None, Capture::Summary, Capture::Full] {
                    let stored = text_of(&input_at(level, 0, name, &own));
                    assert!(!stored.to_lowercase().contains(CANARY), "{level:?} {name} {own}: {stored}");
                }
            }
        }
    }
}

#[test]
fn c6_prompts_commands_outputs_off_by_default() {
    // Nothing about it looks like a secret: only the level keeps it out.
    let text = format!("{CANARY} 말");
    for (name, own) in every_hook(&text) {
        let none = text_of(&input_at(Capture::None, 0, name, &own));
        assert!(!none.contains(CANARY), "none keeps no text at all: {name} {none}");
    }
    let call = |level| {
        let own = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_response": {"stdout": format!("출력 {CANARY}")},
            "tool_input": {"command": format!("명령 {CANARY}"), "description": "설명"}});
        text_of(&input_at(level, 0, "PostToolUse", &own))
    };
    assert!(!call(Capture::Summary).contains(CANARY) && call(Capture::Summary).contains("설명"));
    assert!(call(Capture::Full).contains("명령") && call(Capture::Full).contains("출력"));
    let agent = |level| {
        let own =
            json!({"tool_name": "Agent", "tool_use_id": "t", "tool_input": {"description": "설명", "prompt": CANARY}});
        text_of(&input_at(level, 0, "PreToolUse", &own)).contains(CANARY)
    };
    assert_eq!([Capture::None, Capture::Summary, Capture::Full].map(agent), [false, false, true]);
    let stored_text = |level| {
        text_of(&input_at(
            level,
            0,
            "PostToolUse",
            &json!({"tool_name": "SendMessage", "tool_use_id": "t",
        "tool_input": {"to": "nara", "message": "안녕하세요 mina@example.com"}}),
        ))
    };
    assert!(!stored_text(Capture::None).contains("안녕"));
    assert!(stored_text(Capture::Summary).contains("안녕하세요 [redacted-email]"), "messages are the talk itself");
}

#[test]
fn raw_holds_the_payload_at_full_only() {
    let own = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "echo password=canary"}});
    for level in [Capture::None, Capture::Summary, Capture::Full] {
        let ledger = ledger_at(level, &[(0, "PreToolUse", own.clone())]);
        let raw = only(&ledger, "tool_started").raw.clone().unwrap();
        assert_eq!(raw.contains_key("payload"), level == Capture::Full);
        assert!(!serde_json::to_string(&raw).unwrap().contains("canary"));
        let command = raw.get("payload").map(|payload| payload["tool_input"]["command"].clone());
        assert_eq!(command, (level == Capture::Full).then(|| json!("echo password=[redacted-secret]")));
    }
    let long = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "가 ".repeat(4_000)},
        "tool_response": "나 ".repeat(4_000)});
    let ledger = ledger_at(Capture::Full, &[(0, "PostToolUse", long)]);
    assert!(!only(&ledger, "tool_succeeded").raw.as_ref().unwrap().contains_key("payload"), "too long for provenance");
}

#[test]
fn c6_paths_are_relative_texts_are_cut() {
    let file = |path: &str| {
        let own = json!({"tool_name": "Read", "tool_use_id": "t", "tool_input": {"file_path": path}});
        let ledger = ledger(&[(0, "PreToolUse", own)]);
        only(&ledger, "tool_started").text("file").map(str::to_owned)
    };
    assert_eq!(file("/home/mina/repo/src/결제.rs").as_deref(), Some("src/결제.rs"));
    assert_eq!(file("/etc/shadow").as_deref(), Some("shadow"));
    let own = json!({"task_id": "1", "task_subject": "가".repeat(300)});
    let ledger = ledger(&[(0, "TaskCreated", own)]);
    let created = only(&ledger, "task_created");
    assert_eq!(created.text("summary").unwrap().chars().count(), 200, "summary ≤ 200");
    assert_eq!(created.text("label").unwrap().chars().count(), 64, "labels ≤ 64");
}

#[test]
fn hook_may_lack_any_field() {
    for line in hooks::STORY.lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        let name = item["payload"]["hook_event_name"].as_str().unwrap().to_owned();
        let mut paths: Vec<Vec<String>> =
            item["payload"].as_object().unwrap().keys().map(|key| vec![key.clone()]).collect();
        for part in ["tool_input", "tool_response"] {
            if let Some(fields) = item["payload"][part].as_object() {
                paths.extend(fields.keys().map(|key| vec![part.to_owned(), key.clone()]));
            }
        }
        for path in paths {
            for odd in
                [None, Some(Value::Null), Some(json!(7)), Some(json!([{}])), Some(json!({"a": []})), Some(json!(""))]
            {
                let mut broken = item.clone();
                let mut at = &mut broken["payload"];
                for part in &path[..path.len() - 1] {
                    at = &mut at[part];
                }
                let fields = at.as_object_mut().unwrap();
                match &odd {
                    None => drop(fields.remove(&path[path.len() - 1])),
                    Some(odd) => drop(fields.insert(path[path.len() - 1].clone(), odd.clone())),
                }
                match read_item(&broken, NOW, Capture::Full) {
                    Ok(input) => {
                        let mut ledger = Ledger::default();
                        ledger.take(vec![input]);
                        ledger.settle(NOW);
                        ledger.timeline().events().for_each(|event| {
                            valid(event);
                            assert!(to_coordination(event).iter().all(Value::is_object));
                        });
                    }
                    Err(faults) => {
                        let needed =
                            ["hook_event_name", "session_id", "tool_name", "agent_id", "task_id", "teammate_name"];
                        let field = &path[0];
                        assert!(needed.contains(&field.as_str()), "{name}: {path:?} {odd:?} {faults:?}");
                        assert_eq!(faults[0].path, format!("payload.{field}"));
                    }
                }
            }
        }
    }
}

#[test]
fn clock_steps_back_use_stated_time() {
    let hooks = [(5_000, "SessionStart", json!({})), (0, "SessionEnd", json!({"reason": "other"}))];
    let mut one = ledger(&hooks[..1]);
    one.take(vec![input(0, "SessionEnd", &json!({"reason": "other"}))]);
    assert_eq!(seen(&one), seen(&ledger(&hooks)));
    assert_eq!(brief(&one), ["agent_stopped repo/leader", "agent_started repo/leader"]);
    let far = |at: &str| json!({"received_at": at, "payload": payload("SessionStart", &json!({}))});
    for at in ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"] {
        let mut ledger = Ledger::default();
        if let Ok(input) = read_item(&far(at), NOW, Capture::Summary) {
            ledger.take(vec![input]);
            ledger.settle(i64::MAX);
            assert_eq!(brief(&ledger).len(), 1);
        }
    }
}

#[test]
fn ten_megabytes_of_output_become_a_small_input() {
    let huge = "가나다 ls -la /home/mina/secret\n".repeat(75_000);
    assert!(huge.len() * 4 > 10_000_000);
    let own = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": huge, "description": huge},
        "tool_response": {"stdout": huge, "stderr": huge}});
    let item = wrapped(0, "PostToolUse", &own);
    for level in [Capture::None, Capture::Summary, Capture::Full] {
        let begin = Instant::now();
        let stored = text_of(&read_item(&item, NOW, level).unwrap());
        let took = begin.elapsed();
        println!("10 MB at {level:?}: {} bytes, {took:?}", stored.len());
        assert!(stored.len() < 32 * 1024, "{} bytes", stored.len());
        assert!(took < Duration::from_secs(60), "{took:?}");
    }
    let failed = json!({"tool_name": "Bash", "tool_use_id": "t", "error": format!("{huge} exit code 3")});
    let ledger = ledger(&[(0, "PostToolUseFailure", failed)]);
    assert_eq!(only(&ledger, "tool_failed").payload["exit_code"], json!(3));
}

#[test]
fn new_hook_in_long_session_costs_one_step() {
    const HOOK_COUNT: u32 = 20_000;
    let call = |number: u32, name: &str| {
        let own =
            json!({"tool_name": "Read", "tool_use_id": format!("t{number}"), "tool_input": {"file_path": "src/a.rs"}});
        input(i64::from(number) * 1_000, name, &own)
    };
    let mut ledger = Ledger::default();
    ledger.take((0..HOOK_COUNT).map(|number| call(number, "PreToolUse")).collect());
    let steps = |ledger: &Ledger| ledger.hooks().steps();
    assert_eq!(steps(&ledger), u64::from(HOOK_COUNT));
    for number in 0..500 {
        ledger.take(vec![call(HOOK_COUNT + number, "PreToolUse")]);
    }
    assert_eq!(steps(&ledger), u64::from(HOOK_COUNT) + 500, "one step each");
    let before = steps(&ledger);
    let late = call(HOOK_COUNT + 498, "PostToolUse");
    let changed = ledger.take(vec![late]);
    assert!(steps(&ledger) - before <= 130, "a little late: {} steps", steps(&ledger) - before);
    assert_eq!(changed.put.len(), 1, "and only the new event is sent");
    let before = steps(&ledger);
    ledger.take(vec![call(HOOK_COUNT / 2, "PostToolUse")]);
    assert!(steps(&ledger) - before <= u64::from(HOOK_COUNT), "half way back: {} steps", steps(&ledger) - before);
}

#[test]
fn stored_hook_takes_one_kilobyte() {
    const HOOK_COUNT: usize = 2_000;
    let call = |number: usize| {
        let own = json!({"tool_name": "Bash", "tool_use_id": format!("toolu_{number}"),
            "tool_input": {"command": "cargo test", "description": "테스트 실행"}});
        input(i64::try_from(number).unwrap(), "PreToolUse", &own)
    };
    let mut ledger = Ledger::default();
    ledger.take((0..HOOK_COUNT).map(call).collect());
    let each = ledger.hooks().stored_bytes() / HOOK_COUNT;
    assert!(each <= 1_024, "{each} bytes");
}

/// Work of one more hook, beside so many sessions that began in one project: steps of the fold, and terminals that
/// were looked at.
fn work_beside(sessions: usize, name: impl Fn(usize) -> String) -> (u64, u64) {
    let mut ledger = Ledger::default();
    let start = |number: usize| {
        let own = json!({"session_id": name(number), "source": "startup"});
        let bare = payload("SessionStart", &own);
        read_item(
            &json!({"received_at": coordination::time::to_iso(START + i64::try_from(number).unwrap()),
            "payload": bare}),
            START,
            Capture::Summary,
        )
        .unwrap()
    };
    ledger.take((0..sessions).map(start).collect());
    ledger.take_changed_agents();
    let before = (ledger.hooks().steps(), ledger.timeline().looked_at());
    for number in sessions..sessions + 10 {
        assert_eq!(ledger.take(vec![start(number)]).put.len(), 1);
        assert_eq!(ledger.take_changed_agents().0.len(), 1, "only whom it is about");
    }
    assert!(ledger.take_changed_agents().0.is_empty(), "where nothing comes, nothing is looked at");
    (ledger.hooks().steps() - before.0, ledger.timeline().looked_at() - before.1)
}

#[test]
fn hook_cost_is_independent_of_session_count() {
    // Each at a terminal of its own, and all at one.
    let apart = |number: usize| format!("{number:08x}-0000");
    let together = |number: usize| format!("session-{number}");
    let (few, many) = (work_beside(1_000, apart), work_beside(10_000, apart));
    assert_eq!(few, many, "at terminals of their own");
    assert!(many.1 <= 10 * 300, "{} terminals", many.1);
    assert_eq!(work_beside(100, together), work_beside(3_000, together), "at one terminal");
}

#[test]
fn reduced_hook_preserves_its_name() {
    let item = wrapped(0, "UserPromptSubmit", &json!({"prompt": format!("비밀번호는 PASSWORD={CANARY}")}));
    let once = read_item(&item, START + 20, Capture::Summary).unwrap();
    let sent = write_item(&once);
    let payload = &sent["payload"];
    assert!(!sent.to_string().contains(CANARY));
    assert_eq!(read_item(&sent, START + 20, Capture::Summary).unwrap(), once);
    let forged = json!({"received_at": item["received_at"], "payload": payload, "key": "../../etc"});
    assert!(read_item(&forged, NOW, Capture::Summary).unwrap().key.starts_with("evt_"));
}

#[test]
fn a1_odd_names_and_times_give_valid_events() {
    for odd in ["a\u{0}b", "\u{1}\u{1}", "a\nb", "\u{85}x"] {
        let hooks = [
            ("SubagentStart", json!({"agent_id": odd, "agent_type": odd})),
            ("UserPromptSubmit", json!({"prompt_id": odd, "prompt": "x"})),
            ("PreToolUse", json!({"tool_name": "Agent", "tool_use_id": odd, "tool_input": {"name": odd}})),
            ("PostToolUse", json!({"tool_name": "Agent", "tool_use_id": odd, "tool_response": {"agentId": odd}})),
            ("TaskCreated", json!({"task_id": odd, "task_subject": odd, "teammate_name": odd, "team_name": odd})),
        ];
        for received_at in ["0000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z"] {
            let mut ledger = Ledger::default();
            ledger.take(
                hooks
                    .iter()
                    .map(|(name, own)| {
                        let mut payload = payload(name, own);
                        payload["session_id"] = json!(odd);
                        let item = json!({"received_at": received_at, "terminal_session_id": odd, "workspace_id": odd,
                    "payload": payload});
                        let input = read_item(&item, NOW, Capture::Full).unwrap();
                        let reread = read_item(&write_item(&input), NOW, Capture::Full).unwrap();
                        assert_eq!(reread, input, "said again it is the same");
                        input
                    })
                    .collect(),
            );
            ledger.timeline().events().for_each(valid);
            let joined = ledger.timeline().events().find(|event| event.kind.as_str() == "agent_started").unwrap();
            assert!(joined.payload.contains_key("tool_use_id"), "the answer's id is still the agent's: {joined:?}");
        }
    }
}

#[test]
fn c3_many_agents_are_read_in_time() {
    for answered in [true, false] {
        let one = |number: i64| {
            let (call, agent) = (format!("toolu_{number}"), format!("agent{number}"));
            let agent_call =
                json!({"tool_name": "Agent", "tool_use_id": call, "tool_input": {"subagent_type": "Explore"}});
            let mut agent_answer = agent_call.clone();
            if answered {
                agent_answer["tool_response"] = json!({"agentId": agent});
            }
            let started = json!({"agent_id": agent, "agent_type": "Explore"});
            [
                input(number * 40, "PreToolUse", &agent_call),
                input(number * 40 + 10, "SubagentStart", &started),
                input(number * 40 + 20, "PostToolUse", &agent_answer),
            ]
        };
        let inputs: Vec<SchemaInput> = (0..1_500).flat_map(one).collect();
        let start = Instant::now();
        let mut ledger = Ledger::default();
        ledger.take(inputs);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(30), "answered {answered}: {took:?}");
        let joined = ledger.timeline().events().filter(|event| event.kind.as_str() == "agent_acknowledged").count();
        assert_eq!(joined, 1_500);
    }
}
