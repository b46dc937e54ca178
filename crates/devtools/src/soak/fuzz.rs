//! Runner of the fuzz targets (`fuzz/`), five minutes each. The seed inputs are lines and files of the fixtures, and
//! schema events and hook inputs that this module builds.
//!
//! Proves (log): No input makes a reader panic, lose a line, or answer differently when it arrives in pieces. The fuzz
//! targets run with the address sanitizer. They cover log lines, events and queries, agents' folders and tasks, session
//! stores and transcripts, search queries, event schemas, hooks and Markdown.
//! Long form: `make soak ARGS=fuzz`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::{setup, shell, tree};

const TARGETS: [&str; 9] =
    ["lines", "events", "tasks", "markdown", "search", "stores", "transcript", "schema", "hooks"];
const SECONDS_PER_TARGET: u32 = 300;
const QUERIES: [&str; 6] = [
    "deploy\n",
    "\"exact phrase\" -word from:eden\n",
    "is:blocked type:a2a after:7d\n",
    "category:infra_ops -tag:api before:2026-02\n",
    "workSessionId session:ws task:t in:events\n",
    "role:delegation \"open\n",
];

/// Brings cargo-fuzz, fills the corpora and runs each target.
pub fn run() -> Result<()> {
    let tool = setup::for_fuzzing()?;
    for target in TARGETS {
        seed(target)?;
        let mut fuzz = Command::new(tool.join("cargo-fuzz"));
        fuzz.current_dir(tree::root()).args(["fuzz", "run", target, "--", "-max_len=65536"]);
        fuzz.arg(format!("-max_total_time={SECONDS_PER_TARGET}"));
        // libFuzzer's instrumentation needs flags that a stable compiler takes only with `RUSTC_BOOTSTRAP`.
        fuzz.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", tree::target()?.join("fuzz"));
        shell::run(&mut fuzz)?;
    }
    Ok(())
}

/// The specification's examples of markdown, one seed each.
fn seed_markdown(corpus: &Path) -> Result<()> {
    let file = tree::root().join("fixtures/commonmark/spec.json");
    let examples: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(file)?)?;
    for (number, example) in examples.iter().enumerate() {
        std::fs::write(corpus.join(format!("seed-{number}")), example["markdown"].as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// An event of each type, and whatever a field may be: one seed each. Lines of the log follow, which become events too.
fn seed_schema(corpus: &Path) -> Result<()> {
    const TYPES: [&str; 19] = [
        "agent_started",
        "agent_stopped",
        "agent_blocked",
        "agent_unblocked",
        "task_created",
        "manager_assign",
        "agent_acknowledged",
        "task_started",
        "task_progress",
        "task_completed",
        "task_failed",
        "meeting_requested",
        "meeting_started",
        "meeting_ended",
        "tool_started",
        "tool_succeeded",
        "tool_failed",
        "heartbeat",
        "schema_error",
    ];
    for (number, kind) in TYPES.iter().enumerate() {
        let event = json!({
            "id": format!("evt_{number}"), "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": kind,
            "source": "synthetic", "workspace_id": "repo_a", "terminal_session_id": "term_1", "run_id": "run_1",
            "session_id": "s1", "agent_id": "core/Explore-1", "target_agent_id": "core/leader", "task_id": "task_1",
            "severity": "info", "locale": "ko-KR", "raw": {"provider": "claude_code", "event_name": "PreToolUse"},
            "payload": {
                "summary": "요약", "message": "말", "tool_name": "Bash", "tool_use_id": "t1", "exit_code": 1,
                "error_message": "x", "participants": ["core/leader", "core/worker-1"], "state": "failed",
                "errors": [{"path": "ts", "code": "format"}], "native_agent_id": "n1", "agent_kind": "subagent",
                "target_kind": "teammate", "reason": "permission", "label": "제목", "current_task": "task_0",
            },
        });
        std::fs::write(corpus.join(format!("seed-{kind}")), format!("{event}\n"))?;
    }
    Ok(())
}

/// A session of a coding agent, whole, in pieces, and as the wrapper stamps it.
fn seed_hooks(corpus: &Path) -> Result<()> {
    let own: [serde_json::Value; 12] = [
        json!({"hook_event_name": "SessionStart", "source": "startup"}),
        json!({"hook_event_name": "UserPromptSubmit", "prompt": "고쳐 줘", "prompt_id": "p1"}),
        json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_use_id": "toolu_1",
            "tool_input": {"description": "조사", "prompt": "찾아", "subagent_type": "Explore", "name": "scout"}}),
        json!({"hook_event_name": "SubagentStart", "agent_id": "a1b2c3d4", "agent_type": "Explore"}),
        json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "x"}}),
        json!({"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": "m"}),
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_use_id": "toolu_2",
            "tool_input": {}, "error": "exited with status 101", "agent_id": "a1b2c3d4", "agent_type": "Explore"}),
        json!({"hook_event_name": "TaskCreated", "task_id": "1", "task_subject": "할 일", "team_name": "core"}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "TaskUpdate", "tool_use_id": "toolu_4",
            "tool_input": {"taskId": "1", "status": "completed", "owner": "w1"}, "tool_response": {}}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "SendMessage", "tool_use_id": "toolu_5",
            "tool_input": {"to": "w1", "message": "안녕"}, "tool_response": {}}),
        json!({"hook_event_name": "SubagentStop", "agent_id": "a1b2c3d4", "last_assistant_message": "끝"}),
        json!({"hook_event_name": "SessionEnd", "reason": "clear"}),
    ];
    let lines: Vec<String> = own
        .into_iter()
        .enumerate()
        .map(|(number, mut payload)| {
            payload["session_id"] = json!("8c35adc1-0000-4000-8000-000000000001");
            payload["cwd"] = json!("/repo");
            let stamped = json!({"received_at": format!("2026-02-13T15:00:{number:02}Z"), "payload": payload});
            format!("{}\n", if number % 4 == 3 { stamped } else { payload })
        })
        .collect();
    std::fs::write(corpus.join("seed-all"), lines.concat())?;
    for (number, piece) in lines.windows(3).enumerate() {
        std::fs::write(corpus.join(format!("seed-{number}")), piece.concat())?;
    }
    Ok(())
}

/// Each log of the fixtures, cut into pieces of some lines: one seed a piece.
fn seed(target: &str) -> Result<()> {
    const LINES: usize = 6;
    let corpus = tree::root().join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
    if target == "markdown" {
        return seed_markdown(&corpus);
    }
    if target == "schema" {
        seed_schema(&corpus)?;
    }
    if target == "hooks" {
        return seed_hooks(&corpus);
    }
    let mut number = 0_u32;
    for file in tree::files_below(&tree::root().join("fixtures"), &[])? {
        let of_folder = file.extension().is_some_and(|end| end == "md" || end == "json");
        if target == "stores" {
            if file.file_name().is_some_and(|name| name == "sessions.json" || name == "runs.json") {
                number += 1;
                std::fs::copy(&file, corpus.join(format!("seed-{number}")))?;
            }
            continue;
        }
        if target == "tasks" {
            // Files of agents' folders are read whole.
            if of_folder {
                number += 1;
                std::fs::copy(&file, corpus.join(format!("seed-{number}")))?;
            }
            continue;
        }
        // Transcripts end in more than one way: archives bear a time.
        let transcript = file.file_name().is_some_and(|name| name.to_string_lossy().contains(".jsonl"));
        let wanted = if target == "transcript" {
            transcript && file.extension().is_none_or(|end| end != "zst")
        } else {
            file.extension().is_some_and(|end| end == "ndjson")
        };
        if !wanted {
            continue;
        }
        let log = std::fs::read(&file)?;
        let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
        for piece in lines.chunks(LINES) {
            number += 1;
            // A search begins with what is looked for.
            let query = if target == "search" { QUERIES[number as usize % QUERIES.len()] } else { "" };
            std::fs::write(corpus.join(format!("seed-{number}")), [query.as_bytes(), &piece.concat()].concat())?;
        }
    }
    Ok(())
}
