//! Command `task-monitor normalize`: reads hook inputs, events of schema 1.0 or 1.1 and lines of the coordination log
//! as NDJSON. It writes them as events of schema 1.1, in order.

use std::collections::HashMap;
use std::io::{self, BufRead, BufWriter, Read as _, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use coordination::digest::digest_hex;
use coordination::event::MAX_LINE_BYTES;
use coordination::schema::hook::Capture;
use coordination::schema::{
    Fault, InputKind, Kind, Ledger, SchemaInput, canonical, from_coordination, read_item_with, schema_error,
};
use serde_json::Value;

use super::enrich::input;
use crate::clock::ServerClock;
use crate::config::HooksConfig;
use crate::sources::agent_events::{arrival, body, defaults};

/// Flags of `normalize`.
#[derive(Debug, Clone, Args)]
pub(super) struct NormalizeArgs {
    /// How much of a hook is kept.
    #[arg(long, value_enum, default_value_t = Level::Summary)]
    capture: Level,
    /// Hooks in their wrapper or bare, events of schema 1.1 and 1.0, lines of the coordination log: one a line
    /// [default: standard input].
    file: Option<PathBuf>,
}

/// Capture levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// No text that a person or a model wrote.
    None,
    /// Short summaries, secrets masked.
    Summary,
    /// Prompts, commands and outputs too, cut and masked.
    Full,
}

impl From<Level> for Capture {
    fn from(level: Level) -> Self {
        match level {
            Level::None => Self::None,
            Level::Summary => Self::Summary,
            Level::Full => Self::Full,
        }
    }
}

pub(super) fn run(args: &NormalizeArgs) -> anyhow::Result<()> {
    let input = input(args.file.as_deref())?;
    let hooks = HooksConfig { capture: args.capture.into(), ..HooksConfig::default() };
    let now = ServerClock::system().now_ms();
    normalize(input, (&hooks, now), &mut BufWriter::new(io::stdout().lock()), &mut io::stderr().lock())
}

/// Events of all lines together; a bad line is reported with its number and all its faults.
fn normalize(
    mut input: impl BufRead,
    (hooks, now): (&HooksConfig, i64),
    out: &mut impl Write,
    trouble: &mut impl Write,
) -> anyhow::Result<()> {
    let mut ledger = Ledger::default();
    let mut occurrences = HashMap::new();
    let mut without_event = 0_u64;
    let mut line = Vec::new();
    for number in 1_u32.. {
        line.clear();
        // A line without end must not fill the memory: one byte more than allowed is enough to refuse it.
        let read = (&mut input).take(MAX_LINE_BYTES as u64 + 2).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        let too_long = line.len() > MAX_LINE_BYTES + 1;
        if too_long && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let value = match body::value(&line) {
            Some(value) if !too_long => value,
            _ => {
                writeln!(trouble, "line {number}: {}", if too_long { "tooLong" } else { "notJson" })?;
                continue;
            }
        };
        if is_of_log(&value) {
            let before = occurrences.entry(digest_hex(&canonical(&value), 32)).or_insert(0);
            match from_coordination(&value, *before) {
                Some(event) => {
                    let what = InputKind::Event(Box::new(event.clone()));
                    ledger.take(vec![SchemaInput { key: event.id, at: event.ts, what }]);
                }
                None => without_event += 1,
            }
            *before += 1;
            continue;
        }
        // Hooks without a time are distinguished by their line numbers.
        let defaults = defaults(hooks, arrival(&value, now.saturating_add(number.into())));
        match read_item_with(&value, &defaults, hooks.capture) {
            // Heartbeats are not stored (§A.5).
            Ok(SchemaInput { what: InputKind::Event(event), .. }) if event.kind == Kind::Heartbeat => {}
            Ok(input) => drop(ledger.take(vec![input])),
            Err(faults) => {
                let event = schema_error(&faults, &value, "file", defaults.arrived_at);
                let what = InputKind::Event(Box::new(event.clone()));
                ledger.take(vec![SchemaInput { key: event.id, at: event.ts, what }]);
                let descriptions: Vec<String> = faults.iter().map(describe_fault).collect();
                writeln!(trouble, "line {number}: {}", descriptions.join(", "))?;
            }
        }
    }
    // Everything in a file has been long ago.
    ledger.settle(i64::MAX);
    for event in ledger.timeline().events() {
        serde_json::to_writer(&mut *out, event)?;
        out.write_all(b"\n")?;
    }
    if without_event > 0 {
        writeln!(trouble, "{without_event} lines of the coordination log tell of nothing that has an event")?;
    }
    Ok(out.flush()?)
}

/// A line of the coordination log has an `agentId` or `data` and no field of the schema's.
fn is_of_log(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let of_schema = ["version", "agent_id", "workspace_id", "hook_event_name", "payload"].iter().any(|name| has(name));
    has("type") && (has("agentId") || has("data")) && !of_schema
}

/// The path of a fault and its code; names come from the line, so control characters are escaped.
fn describe_fault(Fault { path, code }: &Fault) -> String {
    let path: String = path.chars().take(120).flat_map(char::escape_debug).collect();
    if path.is_empty() { code.clone() } else { format!("{path} {code}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn over(text: &str) -> (Vec<Value>, String) {
        let (mut out, mut trouble) = (Vec::new(), Vec::new());
        let hooks = HooksConfig::default();
        normalize(text.as_bytes(), (&hooks, 1_771_651_020_000), &mut out, &mut trouble).expect("normalize");
        let lines = String::from_utf8(out).expect("utf-8");
        let values = lines.lines().map(|line| serde_json::from_str(line).expect("json")).collect();
        (values, String::from_utf8(trouble).expect("utf-8"))
    }

    #[test]
    fn all_line_forms_become_ordered_events() {
        let event = json!({
            "id": "evt_1", "version": "1.1", "ts": "2026-02-21T05:10:00Z", "type": "task_created", "source": "sdk",
            "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": "x/leader", "task_id": "1",
        });
        let bare = json!({
            "session_id": "s", "cwd": "/repo", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {}, "tool_use_id": "toolu_1",
        });
        let wrapped = json!({"received_at": "2026-02-21T05:00:00Z", "payload": {
            "session_id": "s", "cwd": "/repo", "hook_event_name": "SessionStart", "source": "startup",
        }});
        let of_log = json!({"type": "a2a.send", "agentId": "eden", "ts": 1_771_650_000_000_i64, "data": {
            "fromAgent": "eden", "toAgent": "seum", "message": "확인해 주세요", "conversationId": "c1",
        }});
        let beat = json!({"id": "evt_2", "version": "1.1", "ts": "2026-02-21T05:10:00Z", "type": "heartbeat",
            "source": "synthetic", "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": "x/leader"});
        let nothing = json!({"type": "some.thing", "agentId": "eden", "ts": 1, "data": {}});
        let mut bad = event.clone();
        bad["ts"] = json!("gestern");
        bad["id"] = json!("a b");
        let text = format!("{event}\nnonsense\n\n{bare}\n{wrapped}\n{bad}\n{of_log}\n{event}\n{nothing}\n{beat}");
        let (events, trouble) = over(&text);
        let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().expect("type")).collect();
        for kind in ["agent_started", "task_created", "tool_started", "meeting_requested"] {
            let count = kinds.iter().filter(|it| **it == kind).count();
            assert!(count == 1 || kind == "meeting_requested", "{kind}: {kinds:?}");
        }
        let times: Vec<&str> = events.iter().map(|event| event["ts"].as_str().expect("ts")).collect();
        assert!(times.is_sorted(), "{times:?}");
        assert!(events.iter().all(|event| event["version"] == "1.1"), "{events:?}");
        assert!(format!("{events:?}").contains("확인해 주세요"), "the log's line is there");
        assert!(!format!("{events:?}").contains("clock_skew_ms"), "a file says nothing about clocks");
        let messages: Vec<&str> = trouble.lines().collect();
        assert_eq!(messages[..2], ["line 2: notJson", "line 6: id format, ts format"]);
        assert!(!kinds.contains(&"heartbeat"), "A.5: nothing is kept of them");
        let errors = kinds.iter().filter(|kind| **kind == "schema_error").count();
        assert_eq!(errors, 1, "A.3: what fails its check is replaced by one");
        assert!(messages[2].starts_with("1 lines of the coordination log"), "{trouble}");
    }

    #[test]
    fn endless_line_is_refused_and_neighbour_processed() {
        let long = "x".repeat(MAX_LINE_BYTES + 10);
        let (events, trouble) = over(&format!(
            "{long}\n{}\n",
            json!({"session_id": "s", "cwd": "/r",
            "hook_event_name": "SessionStart", "source": "startup"})
        ));
        assert_eq!((events.len(), trouble.as_str()), (1, "line 1: tooLong\n"));
    }
}
