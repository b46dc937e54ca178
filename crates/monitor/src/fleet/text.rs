//! Reduction of the texts of a home that leave the machine (`fleet.text`). Ids, times and words of the program have no blanks
//! and always travel. A text that somebody wrote is left out, or cut and masked.

use std::borrow::Cow;

use coordination::digest::digest_hex;
use coordination::transcript::mask;
use serde_json::Value;

use super::batch::MAX_BATCH_BYTES;
use crate::config::FleetText;

/// Characters of a text that `summary` keeps.
const SUMMARY_CHARS: usize = 80;

/// What the end of a session key begins with that names a person or a room.
const PEER_MARKERS: [&str; 5] = [":direct:", ":dm:", ":group:", ":channel:", ":room:"];
/// Letters of its digest.
const PEER_LETTERS: usize = 6;

/// Members that hold what somebody wrote (`contract/events.md`, `contract/event-schema-v1_1.md`, the shared records).
const TEXT_KEYS: [&str; 22] = [
    "message",
    "text",
    "content",
    "summary",
    "reason",
    "title",
    "detail",
    "description",
    "prompt",
    "input",
    "output",
    "result",
    "reply",
    "error",
    "command",
    "body",
    "note",
    "label",
    "task",
    "query",
    "payload",
    "tool_input",
];

/// Lines as they are published. An end without a line break is no whole line and stays as it is: callers cut at line
/// breaks.
pub(super) fn published_lines(lines: &[u8], text: FleetText) -> Cow<'_, [u8]> {
    if text == FleetText::Full {
        return Cow::Borrowed(lines);
    }
    let mut all = Vec::with_capacity(lines.len() / 2);
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        // A line that is no JSON could hold anything. An empty object takes its place, which a reader counts as bad.
        match serde_json::from_slice::<Value>(line) {
            Ok(mut value) => {
                reduce(&mut value, text);
                let line = value.to_string();
                // A line of ids and numbers alone that is longer than a batch is no event.
                all.extend_from_slice(if line.len() < MAX_BATCH_BYTES { line.as_bytes() } else { b"{}" });
            }
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(_) => all.extend_from_slice(b"{}"),
        }
        all.push(b'\n');
    }
    Cow::Owned(all)
}

/// A JSON file as it is published; `None` when it is no JSON and may not leave as it is.
pub(super) fn published_json(bytes: &[u8], text: FleetText) -> Option<Cow<'_, [u8]>> {
    if text == FleetText::Full {
        return Some(Cow::Borrowed(bytes));
    }
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    reduce(&mut value, text);
    Some(Cow::Owned(value.to_string().into_bytes()))
}

fn reduce(value: &mut Value, text: FleetText) {
    reduce_below(value, text, false);
}

/// `is_text`: the value is below a key that holds what somebody wrote, even if that is one word.
fn reduce_below(value: &mut Value, text: FleetText, is_text: bool) {
    match value {
        Value::String(words) if is_text || has_words(words) => *words = reduced(words, text),
        Value::String(words) => *words = mask(&without_peer(words)),
        Value::Array(items) => items.iter_mut().for_each(|item| reduce_below(item, text, is_text)),
        Value::Object(members) => members
            .iter_mut()
            .for_each(|(key, member)| reduce_below(member, text, is_text || TEXT_KEYS.contains(&key.as_str()))),
        _ => {}
    }
}

/// A key of a session (`contract/sessions.md`) with a digest in place of the account or telephone number of a person, or of a
/// room. It is short: the number cannot be found by trying all of them, and sessions stay apart.
fn without_peer(word: &str) -> Cow<'_, str> {
    let is_key = word.get(..6).is_some_and(|begin| begin.eq_ignore_ascii_case("agent:"));
    let begin = |marker: &&str| word.to_ascii_lowercase().find(*marker).map(|at| at + marker.len());
    match PEER_MARKERS.iter().filter_map(begin).min() {
        Some(at) if is_key => Cow::Owned(format!("{}{}", &word[..at], digest_hex(&word[at..], PEER_LETTERS))),
        _ => Cow::Borrowed(word),
    }
}

/// Ids and keys are one word of bounded length.
fn has_words(words: &str) -> bool {
    words.contains(char::is_whitespace) || words.chars().nth(SUMMARY_CHARS).is_some() || !words.is_ascii()
}

fn reduced(words: &str, text: FleetText) -> String {
    match text {
        FleetText::Full => words.to_owned(),
        FleetText::None => String::new(),
        FleetText::Summary => {
            let masked = mask(words);
            match masked.char_indices().nth(SUMMARY_CHARS) {
                Some((end, _)) => format!("{}…", &masked[..end]),
                None => masked,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = concat!(
        r#"{"type":"a2a.send","agentId":"eden","ts":1771651020000,"data":{"conversationId":"c-1","message":"배포해 주세요, "#,
        r#"sk-ant-api03-hunter2hunter2hunter2hunter2 로 들어가서 로그를 확인하고 결제 게이트웨이를 다시 시작한 다음 결과를 여기에 적어 주시면 됩니다. 고맙습니다."}}"#,
        "\n"
    );

    #[test]
    fn people_behind_session_keys_stay_at_home() {
        for level in [FleetText::Summary, FleetText::None] {
            let line =
                |key: &str| published_lines(format!("{{\"sessionKey\":\"{key}\"}}\n").as_bytes(), level).into_owned();
            let text = |key: &str| String::from_utf8(line(key)).expect("UTF-8");
            for key in ["agent:eden:whatsapp:direct:+821012345678", "agent:eden:dm:+821012345678:thread:7"] {
                assert!(!text(key).contains("82101234"), "{}", text(key));
                assert_eq!(line(key), line(key));
            }
            assert!(text("agent:eden:telegram:group:-100200300").contains("agent:eden:telegram:group:"));
            assert_ne!(line("agent:eden:direct:+821012345678"), line("agent:eden:direct:+821012345679"));
            for key in ["agent:eden:main", "agent:eden:subagent:1f", "evt:direct:7"] {
                assert!(text(key).contains(key), "{}", text(key));
            }
        }
        let full = br#"{"sessionKey":"agent:eden:direct:+821012345678"}"#;
        assert_eq!(published_lines(full, FleetText::Full).into_owned(), full);
    }

    #[test]
    fn full_texts_travel_as_they_are() {
        assert_eq!(published_lines(LINE.as_bytes(), FleetText::Full), LINE.as_bytes());
    }

    #[test]
    fn texts_are_left_out_or_cut_and_masked() {
        let lines = |text| String::from_utf8(published_lines(LINE.as_bytes(), text).into_owned()).expect("UTF-8");
        let none = lines(FleetText::None);
        assert_eq!(none.matches('\n').count(), 1);
        for word in ["a2a.send", "eden", "1771651020000", "c-1", r#""message":"""#] {
            assert!(none.contains(word), "{none}");
        }
        let summary = lines(FleetText::Summary);
        assert!(summary.contains("배포해 주세요") && summary.contains('…'), "{summary}");
        assert!(!summary.contains("hunter2") && !summary.contains("고맙습니다"), "{summary}");
    }

    #[test]
    fn single_words_that_somebody_wrote_are_texts_and_secrets_are_masked_anywhere() {
        let line = concat!(
            r#"{"agentId":"eden","data":{"message":"yes","status":"ok","key":"sk-ant-api03-hunter2hunter2hunter2hunter2"}}"#,
            "\n"
        );
        for text in [FleetText::None, FleetText::Summary] {
            let lines = String::from_utf8(published_lines(line.as_bytes(), text).into_owned()).expect("UTF-8");
            assert!(
                lines.contains("eden") && lines.contains(r#""status":"ok""#) && !lines.contains("hunter2"),
                "{lines}"
            );
            assert_eq!(lines.contains("yes"), text == FleetText::Summary, "{lines}");
        }
    }

    #[test]
    fn lines_that_are_no_json_keep_their_place_only() {
        let lines = published_lines(b"secret words\n\n{\"a\":1}\n", FleetText::None);
        assert_eq!(lines.as_ref(), b"{}\n\n{\"a\":1}\n");
        assert_eq!(published_json(b"not json", FleetText::Summary), None);
    }
}
