//! Permission request of a hook process: it asks the monitor, waits for a person's answer, and returns the decision for
//! the coding agent. Every failure, and every answer that does not fit, is no decision: then the terminal asks.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use coordination::api::{MAX_ASK_BYTES, PermissionAsk, PermissionDecision, PermissionVerdict, RequestedCall};
use coordination::schema::AgentProgram;
use coordination::schema::hook::Capture;
use serde_json::{Value, json};

use super::destination::HookDestination;
use super::payload::captured_words;
use super::send::PERMISSION_PATH;
use super::transcript::person_words;

/// The monitor may answer this long after the wait is over.
const ANSWER_MARGIN: Duration = Duration::from_secs(3);
/// Claude Code writes its transcript a moment behind: a hook that comes right after the first
/// words of a session waits for them.
const TRANSCRIPT_PATIENCE: Duration = Duration::from_millis(500);
const TRANSCRIPT_POLL: Duration = Duration::from_millis(50);
/// A question to the person has answers of its own, which allow and deny are not.
const QUESTION_TOOL: &str = "AskUserQuestion";
/// What the agent reads where the person gave no reason.
const DENIED: &str = "A person denied this on the Task-Hub dashboard.";

/// What a hook is asked to allow.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PermissionCall {
    program: AgentProgram,
    session: String,
    native_agent: Option<String>,
    call: RequestedCall,
    transcript: Option<PathBuf>,
}

impl PermissionCall {
    /// The call of a `PermissionRequest`. Nothing for other events, and nothing where the payload is not read whole and
    /// strictly: what is shown to a person must be what runs.
    pub(super) fn from_payload(program: AgentProgram, text: &[u8]) -> Option<Self> {
        let payload: Value = serde_json::from_slice(text).ok()?;
        let text = |name: &str| payload.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let tool = text("tool_name").filter(|tool| *tool != QUESTION_TOOL)?;
        if text("hook_event_name") != Some("PermissionRequest") {
            return None;
        }
        Some(Self {
            program,
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

    /// The terminal shows no dialog while the hook waits: of a subagent in Claude Code, and always in Codex.
    fn is_serial(&self) -> bool {
        self.program == AgentProgram::Codex || self.native_agent.is_some()
    }

    /// What a person first and last wrote in the session. Codex names the transcript of the asking agent, and in that of
    /// a subagent another agent is the one who writes.
    fn person_words(&self) -> (Option<String>, Option<String>) {
        let is_of_agent = self.program == AgentProgram::Codex && self.native_agent.is_some();
        let Some(transcript) = self.transcript.as_deref().filter(|_| !is_of_agent) else { return (None, None) };
        let until = Instant::now() + TRANSCRIPT_PATIENCE;
        // Later words may still be those before: only a transcript without any is waited for.
        loop {
            let words = person_words(transcript);
            if words.0.is_some() || Instant::now() >= until {
                return words;
            }
            thread::sleep(TRANSCRIPT_POLL);
        }
    }
}

/// Asks the monitor; the text to print for the agent, if somebody decided, and a sentence for people.
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
    let (first, last) = if place.capture == Capture::None { (None, None) } else { call.person_words() };
    let words = |text: Option<String>| captured_words(&call.session, &text?, place.capture);
    let (first_words, last_words) = (words(first), words(last));
    let ask = PermissionAsk {
        key,
        first_words,
        last_words,
        serial: call.is_serial(),
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

/// What Claude Code and Codex read from a hook. Nothing for an answer to another call.
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
        let read =
            |payload: &Value| PermissionCall::from_payload(AgentProgram::ClaudeCode, payload.to_string().as_bytes());
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
        let cut = br#"{"session_id":"s1","hook_event_name":"PermissionRequest"#;
        assert_eq!(PermissionCall::from_payload(AgentProgram::Codex, cut), None);
    }

    #[test]
    fn words_that_the_transcript_gets_a_moment_later_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let transcript = folder.path().join("s1.jsonl");
        let payload = request(&json!({"transcript_path": transcript}));
        let call = PermissionCall::from_payload(AgentProgram::ClaudeCode, payload.to_string().as_bytes());
        let line = json!({
            "type": "user", "sessionId": "s1", "uuid": "u1", "timestamp": "2026-02-21T05:00:00.000Z",
            "message": {"role": "user", "content": "결과 파일을 만들어 주세요."},
        });
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(2 * TRANSCRIPT_POLL);
                std::fs::write(&transcript, format!("{line}\n")).expect("written");
            });
            let (first, _) = call.expect("a call").person_words();
            assert_eq!(first.as_deref(), Some("결과 파일을 만들어 주세요."));
        });
    }

    #[test]
    fn codex_holds_every_dialog_back() {
        let read = |program, payload: &Value| {
            PermissionCall::from_payload(program, payload.to_string().as_bytes()).expect("a call").is_serial()
        };
        let (main, subagent) = (request(&json!({})), request(&json!({"agent_id": "a1"})));
        assert_eq!([&main, &subagent].map(|payload| read(AgentProgram::ClaudeCode, payload)), [false, true]);
        assert_eq!([&main, &subagent].map(|payload| read(AgentProgram::Codex, payload)), [true, true]);
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
}
