//! What is kept of events at each level, and that whatever is written fits.

use serde_json::json;

use super::*;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("no object: {other}"),
    }
}

fn at(level: Capture, value: Value) -> Value {
    Value::Object(reduced(object(value), level))
}

fn bash() -> Value {
    json!({
        "session_id": "8c35adc1", "transcript_path": "/home/kim/.claude/x.jsonl", "cwd": "/home/kim/repo",
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01", "duration_ms": 12,
        "tool_input": {"command": "curl -H secret-command", "description": "테스트 실행"},
        "tool_response": {"stdout": "secret-output", "stderr": "secret-error-output", "interrupted": false}
    })
}

#[test]
fn c6_commands_outputs_and_paths_are_no_part_of_a_summary() {
    assert_eq!(
        at(Capture::Summary, bash()),
        json!({
            "session_id": "8c35adc1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01",
            "duration_ms": 12, "tool_input": {"description": "테스트 실행"}, "tool_response": {"interrupted": false}
        })
    );
    assert_eq!(
        at(Capture::None, bash()),
        json!({
            "session_id": "8c35adc1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01",
            "duration_ms": 12, "tool_input": {}, "tool_response": {"interrupted": false}
        })
    );
    let full = at(Capture::Full, bash());
    assert_eq!(full, bash(), "all of it is short and holds no secret");
}

#[test]
fn c6_texts_are_begun_and_errors_told_without_secrets() {
    let long = "가".repeat(5000);
    let said = at(Capture::Summary, json!({"hook_event_name": "UserPromptSubmit", "prompt": long}));
    assert_eq!(said["prompt"].as_str().map(|text| text.chars().count()), Some(SHORT));
    let failed = json!({"hook_event_name": "PostToolUseFailure", "error": format!("Bearer abcdefghijklmnop {long}")});
    let told = at(Capture::Summary, failed.clone());
    let error = told["error"].as_str().expect("an error");
    assert!(error.starts_with("[redacted-token] 가") && error.chars().count() == ERROR, "{error}");
    assert_eq!(at(Capture::None, failed.clone()), json!({"hook_event_name": "PostToolUseFailure"}));
    let full = at(Capture::Full, failed);
    assert!(full["error"].as_str().is_some_and(|text| text.starts_with("[redacted-token]") && text.len() > 5000));
}

#[test]
fn half_a_token_at_the_cut_is_hidden_as_well() {
    let prompt = format!("{} ghp_0123456789abcdefghij", "x".repeat(SHORT - 10));
    let said = at(Capture::Summary, json!({"prompt": prompt}));
    assert!(!said["prompt"].as_str().expect("text").contains("ghp_"), "{said}");
}

#[test]
fn c6_files_are_named_below_the_project_and_never_by_their_path() {
    let named = |path: &str| {
        let read = json!({"cwd": "/home/kim/repo", "tool_name": "Read", "tool_input": {"file_path": path}});
        at(Capture::Summary, read)["tool_input"]["file_path"].as_str().map(str::to_owned)
    };
    for (path, shown) in [
        ("/home/kim/repo/src/main.rs", "src/main.rs"),
        ("/home/kim/other/key.pem", "key.pem"),
        ("/home/kim/repo/../other/key.pem", "key.pem"),
        ("src/lib.rs", "src/lib.rs"),
        ("../up.rs", "up.rs"),
        ("/", ""),
    ] {
        assert_eq!(named(path).as_deref(), Some(shown), "{path}");
    }
    let failed = json!({"cwd": "/home/kim/repo/", "error": "at /home/kim/repo/src/a.rs:8 and /home/kim/repo/b.rs"});
    assert_eq!(at(Capture::Summary, failed), json!({"error": "at src/a.rs:8 and b.rs"}));
}

#[test]
fn what_work_is_made_of_is_kept() {
    let agent = json!({"tool_name": "Agent", "tool_input": {
        "description": "Fix the test", "prompt": "secret-prompt", "subagent_type": "worker", "name": "eden",
        "team_name": "core", "run_in_background": true}, "tool_response": {"agentId": "a1b2", "content": "secret-answer"}});
    assert_eq!(
        at(Capture::Summary, agent),
        json!({"tool_name": "Agent", "tool_input": {
        "description": "Fix the test", "subagent_type": "worker", "name": "eden", "team_name": "core",
        "run_in_background": true}, "tool_response": {"agentId": "a1b2"}})
    );
    let made = |response: Value| {
        let call = json!({"tool_name": "TaskCreate", "tool_input": {"subject": "One"}, "tool_response": response});
        at(Capture::Summary, call)["tool_response"].clone()
    };
    assert_eq!(made(json!("Task #1 created successfully: One")), json!("Task #1 created successfully: One"));
    assert_eq!(made(json!([{"type": "text", "text": "Task #2 created"}])), json!("Task #2 created"));
    assert_eq!(
        made(json!({"task": {"id": "3", "subject": "One", "body": "x"}})),
        json!({"task": {"id": "3", "subject": "One"}})
    );
    let todos =
        json!({"tool_name": "TodoWrite", "tool_input": {"todos": [{"content": "One", "status": "pending", "x": 1}]}});
    assert_eq!(
        at(Capture::Summary, todos.clone())["tool_input"],
        json!({"todos": [{"content": "One", "status": "pending"}]})
    );
    assert_eq!(at(Capture::None, todos)["tool_input"], json!({"todos": [{"status": "pending"}]}));
}

#[test]
fn what_foreign_tools_are_given_and_answer_is_anybodys() {
    let call = json!({"tool_name": "mcp__mail__send", "tool_input": {"to": "a", "message": "b", "content": "c", "name": "d"},
        "tool_response": {"id": "e", "status": "f", "success": false}});
    let kept = at(Capture::Summary, call);
    assert_eq!((&kept["tool_input"], &kept["tool_response"]), (&json!({}), &json!({"success": false})));
    let write = json!({"tool_name": "Write", "tool_input": {"content": "secret-text", "file_path": "a.rs"}});
    assert_eq!(at(Capture::Summary, write)["tool_input"], json!({"file_path": "a.rs"}));
}

#[test]
fn how_a_call_failed_and_whom_it_made_is_kept_of_any_shape() {
    let kept = |tool: &str, response: Value| {
        let call = json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": response});
        at(Capture::Summary, call)["tool_response"].clone()
    };
    let failed = json!({"is_error": true, "content": [{"type": "text", "text": "exit code 3"}]});
    assert_eq!(kept("Bash", failed), json!({"is_error": true, "error": "exit code 3"}));
    let failed = json!({"success": false, "stderr": "no such file", "stdout": "secret-output"});
    assert_eq!(kept("mcp__x__y", failed), json!({"success": false, "error": "no such file"}));
    let words = json!([{"type": "text", "text": "secret-answer\nagentId: a1b2-3 (for resuming)"}]);
    assert_eq!(kept("Task", words.clone()), json!({"agentId": "a1b2-3"}));
    assert_eq!(kept("Bash", words), Value::Null);
    let stopped = json!({"hook_event_name": "StopFailure", "error": "rate_limit", "error_details": "words"});
    assert_eq!(at(Capture::None, stopped), json!({"hook_event_name": "StopFailure", "error": "rate_limit"}));
    let said = json!({"tool_name": "SendMessage", "tool_input": {"to": "eden", "message": "가".repeat(5000)}});
    let message = at(Capture::Summary, said.clone())["tool_input"]["message"].as_str().map(|text| text.chars().count());
    assert_eq!(message, Some(MESSAGE));
    assert_eq!(at(Capture::None, said)["tool_input"], json!({"to": "eden"}));
}

#[test]
fn odd_texts_are_read() {
    assert_eq!(read(br#"{"prompt":"cut \ud83d"}"#).expect("read")["prompt"], "cut \u{fffd}");
    assert_eq!(read(b"{\"prompt\":\"\xff\"}").expect("read")["prompt"], "\u{fffd}");
    let deep = format!("{{\"session_id\":\"s\",\"tool_input\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(read(deep.as_bytes()), Some(object(json!({"session_id": "s"}))));
    for none in ["", "[]", "1", "nonsense", "{"] {
        assert_eq!(read(none.as_bytes()), None, "{none}");
    }
}

#[test]
fn whatever_is_written_fits_into_one_item_and_keeps_what_it_is() {
    let text = "\u{1}".repeat((1 << 20) + 1);
    let many: Vec<Value> = (0..50_000).map(|number| json!({ "line": number, "text": "x\"\\" })).collect();
    let wide: Map<String, Value> = (0..20_000).map(|number| (format!("key {number}"), json!("value"))).collect();
    let mut nested = json!("x".repeat(1000));
    for _ in 0..60 {
        nested = json!([nested.clone(), "y".repeat(1000), 7]);
    }
    let bushy = (0..5).fold(json!("leaf"), |inner, _| Value::Array(vec![inner; 12]));
    for response in [json!(text), json!(many), json!(wide), nested, bushy, json!({ "stdout": text, "stderr": text })] {
        let payload = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": "t", "tool_input": {"command": text}, "tool_response": response});
        for level in [Capture::None, Capture::Summary, Capture::Full] {
            let mut item = object(json!({"received_at": "now", "payload": reduced(object(payload.clone()), level)}));
            let bytes = packed(&mut item);
            assert!(bytes.len() <= LARGEST, "{level:?}: {}", bytes.len());
            let back: Value = serde_json::from_slice(&bytes).expect("json");
            for name in ["session_id", "hook_event_name", "tool_name", "tool_use_id"] {
                assert_eq!(back["payload"][name], payload[name], "{level:?}");
            }
        }
    }
}

#[test]
fn names_that_are_no_names_fit_too() {
    let payload = json!({"session_id": "s".repeat(9 << 20), "effort": vec![vec!["x".repeat(9000); 9]; 900]});
    for level in [Capture::None, Capture::Summary, Capture::Full] {
        let mut item = object(json!({"payload": reduced(object(payload.clone()), level)}));
        assert!(packed(&mut item).len() <= LARGEST, "{level:?}");
    }
}
