//! Permission request of a hook process: it asks the monitor, waits for a person's answer, and returns the decision for
//! Claude Code. Every failure, and every answer that does not fit, is no decision: then the terminal asks.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coordination::api::{MAX_ASK_BYTES, PermissionAsk, PermissionDecision, PermissionVerdict, RequestedCall};
use coordination::schema::hook::Capture;
use serde_json::{Value, json};

use super::destination::HookDestination;
use super::payload::captured_words;
use super::send::PERMISSION_PATH;

/// The monitor may answer this long after the wait is over.
const ANSWER_MARGIN: Duration = Duration::from_secs(3);
/// Bytes read at each end of a transcript.
const TRANSCRIPT_BYTES: u64 = 256 << 10;
/// A question to the person has answers of its own, which allow and deny are not.
const QUESTION_TOOL: &str = "AskUserQuestion";
/// What the agent reads where the person gave no reason.
const DENIED: &str = "A person denied this on the Task-Hub dashboard.";

/// What a hook is asked to allow.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PermissionCall {
    session: String,
    native_agent: Option<String>,
    call: RequestedCall,
    transcript: Option<PathBuf>,
}

impl PermissionCall {
    /// The call of a `PermissionRequest`. Nothing for other events, and nothing where the payload is not read whole and
    /// strictly: what is shown to a person must be what runs.
    pub(super) fn from_payload(text: &[u8]) -> Option<Self> {
        let payload: Value = serde_json::from_slice(text).ok()?;
        let text = |name: &str| payload.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let tool = text("tool_name").filter(|tool| *tool != QUESTION_TOOL)?;
        if text("hook_event_name") != Some("PermissionRequest") {
            return None;
        }
        Some(Self {
            session: text("session_id")?.to_owned(),
            native_agent: text("agent_id").map(str::to_owned),
            call: RequestedCall {
                tool: tool.to_owned(),
                input: payload.get("tool_input").filter(|input| input.is_object())?.clone(),
                cwd: text("cwd").map(str::to_owned),
            },
            transcript: text("transcript_path").map(PathBuf::from),
        })
    }
}

/// Asks the monitor; the text to print for Claude Code, if somebody decided, and a sentence for people.
pub(super) fn ask(
    place: &HookDestination,
    call: PermissionCall,
    key: String,
    wait: Duration,
) -> (Option<String>, String) {
    let none = |why: String| (None, format!("{why}; the terminal asks"));
    let (monitor, token) = match (&place.monitor, &place.token) {
        (Ok(monitor), Ok(Some(token))) => (monitor, token),
        (Err(why), _) | (_, Err(why)) => return none(why.clone()),
        (_, Ok(None)) => return none("no token is known".to_owned()),
    };
    let digest = call.call.digest();
    let (first, last) = call.transcript.as_deref().map(person_words).unwrap_or_default();
    let words = |text: Option<String>| captured_words(&call.session, &text?, place.capture);
    let (first_words, last_words) =
        if place.capture == Capture::None { (None, None) } else { (words(first), words(last)) };
    let ask = PermissionAsk {
        key,
        first_words,
        last_words,
        // While the hook of a subagent waits, its terminal shows no dialog.
        serial: call.native_agent.is_some(),
        session: call.session,
        native_agent: call.native_agent,
        call: call.call,
        wait_seconds: u32::try_from(wait.as_secs()).unwrap_or(1),
    };
    let Ok(body) = serde_json::to_vec(&ask) else { return none("the call cannot be written".to_owned()) };
    if body.len() > MAX_ASK_BYTES {
        return none(format!("the call is larger than {MAX_ASK_BYTES} bytes"));
    }
    let until = Instant::now() + wait + ANSWER_MARGIN;
    match monitor.exchange(PERMISSION_PATH, token.for_header(), &body, until) {
        Ok((200, body)) => match serde_json::from_slice::<PermissionVerdict>(&body) {
            Ok(verdict) => match decision(&verdict, &digest) {
                Some(text) => (Some(text), "a person decided".to_owned()),
                None => none("no decision came".to_owned()),
            },
            Err(_) => none("the answer cannot be understood".to_owned()),
        },
        Ok((status, _)) => none(format!("the monitor answered {status}")),
        Err(error) => none(format!("no answer: {error}")),
    }
}

/// What Claude Code reads from a hook. Nothing for an answer to another call.
fn decision(verdict: &PermissionVerdict, digest: &str) -> Option<String> {
    let decision = match verdict.decision.filter(|_| verdict.digest == digest)? {
        PermissionDecision::Allow => json!({"behavior": "allow"}),
        PermissionDecision::Deny => {
            json!({"behavior": "deny", "message": verdict.reason.as_deref().unwrap_or(DENIED)})
        }
        PermissionDecision::Terminal => return None,
    };
    Some(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}).to_string())
}

/// What a person first and last wrote in a session, by its transcript.
fn person_words(path: &Path) -> (Option<String>, Option<String>) {
    let words = |text: &[u8]| text.split(|byte| *byte == b'\n').filter_map(person_text).collect::<Vec<_>>();
    let read = || -> io::Result<(Vec<u8>, Vec<u8>)> {
        // Opening a pipe would wait for its writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut beginning = Vec::new();
        file.by_ref().take(TRANSCRIPT_BYTES).read_to_end(&mut beginning)?;
        let mut end = Vec::new();
        if length > TRANSCRIPT_BYTES {
            file.seek(SeekFrom::Start(length.saturating_sub(TRANSCRIPT_BYTES)))?;
            file.take(TRANSCRIPT_BYTES).read_to_end(&mut end)?;
        }
        Ok((beginning, end))
    };
    let Ok((beginning, end)) = read() else { return (None, None) };
    let (beginning, mut end) = (words(&beginning), words(&end));
    let last = end.pop().or_else(|| beginning.last().cloned());
    (beginning.into_iter().next(), last)
}

/// The text of a transcript's line that a person wrote: no result of a tool, no line of the program itself, nothing of a
/// subagent's talk.
fn person_text(line: &[u8]) -> Option<String> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let is_set = |name: &str| line[name] == Value::Bool(true);
    if line["type"] != "user" || is_set("isSidechain") || is_set("isMeta") || is_set("isCompactSummary") {
        return None;
    }
    if line.pointer("/origin/kind").is_some_and(|kind| kind != "human") {
        return None;
    }
    let content = &line["message"]["content"];
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts =
                blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    // Commands and reminders of the program stand in tags.
    let text = text.trim();
    (!text.is_empty() && !text.starts_with('<')).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(more: &Value) -> Value {
        let mut payload = json!({
            "session_id": "s1", "hook_event_name": "PermissionRequest", "tool_name": "Bash", "cwd": "/repo",
            "tool_input": {"command": "touch a", "description": "새 파일"},
        });
        for (name, value) in more.as_object().expect("an object") {
            payload[name] = value.clone();
        }
        payload
    }

    #[test]
    fn only_whole_permission_requests_are_sent() {
        let read = |payload: &Value| PermissionCall::from_payload(payload.to_string().as_bytes());
        let call = read(&request(&json!({"agent_id": "a1"}))).expect("a call");
        assert_eq!((call.session.as_str(), call.native_agent.as_deref()), ("s1", Some("a1")));
        assert_eq!(call.call.input["command"], "touch a");
        for other in [
            json!({"hook_event_name": "PreToolUse"}),
            json!({"tool_name": "AskUserQuestion"}),
            json!({"tool_name": ""}),
            json!({"tool_input": "touch a"}),
            json!({"session_id": null}),
        ] {
            assert_eq!(read(&request(&other)), None, "{other}");
        }
        assert_eq!(PermissionCall::from_payload(br#"{"session_id":"s1","hook_event_name":"PermissionRequest"#), None);
    }

    #[test]
    fn decision_fits_only_its_own_call() {
        let verdict = |decision, digest: &str, reason: Option<&str>| PermissionVerdict {
            decision,
            digest: digest.to_owned(),
            reason: reason.map(str::to_owned),
        };
        let said = |verdict: &PermissionVerdict| {
            let text = decision(verdict, "d1")?;
            let value: Value = serde_json::from_str(&text).expect("json");
            Some(value["hookSpecificOutput"]["decision"].clone())
        };
        let allow = Some(PermissionDecision::Allow);
        assert_eq!(said(&verdict(allow, "d1", None)), Some(json!({"behavior": "allow"})));
        assert_eq!(said(&verdict(allow, "d2", None)), None, "a swapped call");
        assert_eq!(said(&verdict(None, "d1", None)), None);
        assert_eq!(said(&verdict(Some(PermissionDecision::Terminal), "d1", None)), None);
        let denied = said(&verdict(Some(PermissionDecision::Deny), "d1", Some("나중에")));
        assert_eq!(denied, Some(json!({"behavior": "deny", "message": "나중에"})));
    }

    #[test]
    fn words_of_a_person_come_from_the_transcript() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("session.jsonl");
        let line = |more: Value| {
            let mut line = json!({"type": "user", "isSidechain": false, "message": {"role": "user", "content": "x"}});
            for (name, value) in more.as_object().expect("an object") {
                line[name] = value.clone();
            }
            line.to_string()
        };
        let said = |text: &str| line(json!({"message": {"content": text}, "origin": {"kind": "human"}}));
        let lines = [
            line(json!({"isMeta": true})),
            said("<command-name>/clear</command-name>"),
            said("쿠폰을 고쳐 주세요."),
            line(json!({"message": {"content": [{"type": "tool_result", "content": "ok"}]}})),
            line(json!({"isSidechain": true})),
            line(json!({"origin": {"kind": "agent"}})),
            line(json!({"message": {"content": [{"type": "text", "text": "시험도요."}]}})),
            "{\"type\":\"user\",\"mess".to_owned(),
        ];
        std::fs::write(&path, lines.join("\n")).expect("write");
        assert_eq!(person_words(&path), (Some("쿠폰을 고쳐 주세요.".to_owned()), Some("시험도요.".to_owned())));
        assert_eq!(person_words(dir.path()), (None, None));
        assert_eq!(captured_words("s1", "쿠폰", Capture::None), None);
        let secret = captured_words("s1", "token: ghp_0123456789abcdefghijABCDEFGHIJ012345", Capture::Summary);
        assert!(secret.is_some_and(|text| !text.contains("ghp_0123")));
    }
}
