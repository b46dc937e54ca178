//! Reader of a person's words in the transcript of a coding agent's session. It reads both ends of the file, so a long
//! session costs no more than a short one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::Value;

/// Bytes read at each end of a transcript.
const TRANSCRIPT_BYTES: u64 = 256 << 10;

/// What a person first and last wrote in a session, by its transcript.
pub(super) fn person_words(path: &Path) -> (Option<String>, Option<String>) {
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

/// The text of a transcript's line that a person wrote.
fn person_text(line: &[u8]) -> Option<String> {
    let line: Value = serde_json::from_slice(line).ok()?;
    if line["type"] == "event_msg" { codex_text(&line["payload"]) } else { claude_code_text(&line) }
}

/// Codex notes each message of a person as an item of its own, beside what it adds for the model.
fn codex_text(event: &Value) -> Option<String> {
    let item = &event["item"];
    if event["type"] != "item_completed" || item["type"] != "UserMessage" {
        return None;
    }
    let texts = item["content"].as_array()?.iter().filter(|part| part["type"] == "text");
    let text = texts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Claude Code's: no result of a tool, no line of the program itself, nothing of a subagent's talk.
fn claude_code_text(line: &Value) -> Option<String> {
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
    use coordination::schema::hook::Capture;
    use serde_json::json;

    use super::super::payload::captured_words;
    use super::*;

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
        let user = |text: &str| json!({"type": "UserMessage", "content": [{"type": "text", "text": text}]});
        let item =
            |item: Value| json!({"type": "event_msg", "payload": {"type": "item_completed", "item": item}}).to_string();
        let lines = [
            json!({"type": "response_item", "payload": {"role": "user", "content": [{"text": "<environment_context>"}]}})
                .to_string(),
            item(json!({"type": "AgentMessage", "content": [{"type": "Text", "text": "네"}]})),
            item(user("쿠폰을 고쳐 주세요.")),
            item(user("시험도요.")),
        ];
        std::fs::write(&path, lines.join("\n")).expect("write");
        assert_eq!(person_words(&path), (Some("쿠폰을 고쳐 주세요.".to_owned()), Some("시험도요.".to_owned())));
        assert_eq!(captured_words("s1", "쿠폰", Capture::None), None);
        let secret = captured_words("s1", "token: ghp_0123456789abcdefghijABCDEFGHIJ012345", Capture::Summary);
        assert!(secret.is_some_and(|text| !text.contains("ghp_0123")));
    }
}
