//! Tests of the displayed transcript history: no text is lost, tool results appear with their calls, and each message
//! has the right sender (person, agent, other session or system).
//!
//! Proves (transcripts): A history loses no text, shows results with their calls, and names the right sender of each
//! message.

use crate::transcripts;

use coordination::transcript::reading::{
    Divider, MessagePart, Speaker, TextExcerpt, ToolResult, Turn, TurnKind, turns,
};
use coordination::transcript::{History, HistoryOptions, OMITTED, active, history, lines, rows};
use serde_json::{Value, json};
use transcripts::{HOMES, Transcript, transcripts};

fn read(one: &Transcript, include_tools: bool) -> History {
    let entries = if one.home == "2026.9" { rows(one.rows()).entries } else { lines(&one.bytes, 0).entries };
    let entries: Vec<_> = active(&entries).into_iter().map(|at| entries[at].clone()).collect();
    history(&entries, &HistoryOptions { limit: Some(1_000), include_tools, ..HistoryOptions::default() })
}

fn turns_of(history: &History) -> Vec<Turn> {
    turns(&history.messages, &history.places, &history.ids)
}

fn only(message: Value) -> TurnKind {
    let mut all = turns(&[message], &[7], &[Some("e".to_owned())]);
    assert_eq!((all.len(), all[0].place, all[0].id.as_deref()), (1, 7, Some("e")));
    all.remove(0).what
}

fn speaker(message: Value) -> Speaker {
    match only(message) {
        TurnKind::TurnMessage(message) => message.from,
        other => panic!("{other:?}"),
    }
}

/// Counted from the plain JSON of the lines: every line of both homes is in exactly one turn.
#[test]
fn every_message_is_in_exactly_one_turn() {
    let (mut results, mut alone) = (0, 0);
    for one in HOMES.into_iter().flat_map(transcripts) {
        let history = read(&one, true);
        assert!(!history.dropped_messages && history.ids.len() == history.messages.len());
        let all = turns_of(&history);
        for (at, id) in history.ids.iter().enumerate() {
            let id = id.as_deref().unwrap();
            let line = one.values().into_iter().find(|line| line["id"] == id).unwrap();
            let holders = all.iter().filter(|turn| turn.holds(id)).count();
            let silent = history.messages[at]["content"].as_array().is_some_and(Vec::is_empty)
                && history.messages[at]["errorMessage"].is_null();
            assert!(holders == 1 || silent, "{id} is in {holders} parts: {line}");
        }
        for (at, message) in history.messages.iter().enumerate().filter(|(_, it)| it["role"] == "toolResult") {
            let call = message["toolCallId"].as_str().unwrap();
            let turn = all.iter().find(|turn| turn.holds(history.ids[at].as_deref().unwrap())).unwrap();
            // One of them answers no call: the program refused a tool that it does not have.
            let TurnKind::TurnMessage(message) = &turn.what else {
                alone += 1;
                continue;
            };
            let named = message
                .parts
                .iter()
                .any(|part| matches!(part, MessagePart::Call(own) if own.id == call && own.result.is_some()));
            assert!(named, "{call}");
            results += 1;
        }
        assert!(all.is_sorted_by_key(|turn| turn.place) && all.iter().all(|turn| turn.at_ms.is_some()));
    }
    assert!(results > 30 && alone == 1, "{results}, {alone}");
}

#[test]
fn wrapped_call_names_the_actual_tool_once() {
    let ruda = transcripts("2026.9").into_iter().filter(|one| one.agent == "ruda");
    let turns: Vec<Turn> = ruda.flat_map(|one| turns_of(&read(&one, true))).collect();
    let message = turns
        .iter()
        .filter_map(|turn| if let TurnKind::TurnMessage(message) = &turn.what { Some(message) } else { None });
    let calls: Vec<_> = message
        .flat_map(|message| &message.parts)
        .filter_map(|part| if let MessagePart::Call(call) = part { Some(call) } else { None })
        .collect();
    assert!(calls.iter().all(|call| call.name != "tool_call"), "the wrapper is nobody's tool");
    let sends: Vec<_> = calls.iter().filter(|call| call.name == "sessions_send").collect();
    assert!(
        sends.len() >= 3 && sends.iter().all(|call| call.result.as_ref().is_some_and(|it| it.name == "sessions_send"))
    );
    assert!(sends[0].short().starts_with("sessionKey: agent:eden:main, message: [Goal]"), "{}", sends[0].short());
    // Step 7 of the home: a forbidden send, and one to a label that is not there.
    assert_eq!(sends.iter().filter(|call| call.result.as_ref().unwrap().failed).count(), 2);
    let given = |call: &coordination::transcript::reading::ToolCall| call.result.as_ref().unwrap().words.text.clone();
    assert!(given(sends[0]).starts_with("{\n  \"runId\""), "out of the wrapper: {}", given(sends[0]));
}

#[test]
fn without_tools_results_are_left_out() {
    let one = transcripts("2026.9").into_iter().find(|one| one.key.as_deref() == Some("agent:eden:main")).unwrap();
    let (with, without) = (turns_of(&read(&one, true)), turns_of(&read(&one, false)));
    assert_eq!(with.len(), without.len(), "results stand within their calls");
    let any = |turns: &[Turn]| {
        turns.iter().any(|turn| match &turn.what {
            TurnKind::TurnMessage(message) => {
                message.parts.iter().any(|part| matches!(part, MessagePart::Call(call) if call.result.is_some()))
            }
            _ => false,
        })
    };
    assert!(any(&with) && !any(&without));
    let dividers: Vec<_> = with.iter().filter(|turn| matches!(turn.what, TurnKind::Divider(_))).collect();
    assert!(matches!(dividers[..], [Turn { what: TurnKind::Divider(Divider::Compaction), .. }]), "{dividers:?}");
}

#[test]
fn speaker_follows_from_origin() {
    let user = |text: &str, more: Value| {
        let mut message = json!({ "role": "user", "content": text });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        speaker(message)
    };
    let from = |kind: &str| json!({ "provenance": { "kind": kind, "sourceTool": "cron" } });
    assert_eq!(user("안녕", json!({})), Speaker::Person);
    assert_eq!(user("안녕", from("external_user")), Speaker::Person);
    assert_eq!(
        user("x", json!({ "provenance": { "kind": "inter_session", "sourceSessionKey": "agent:ruda:main" } })),
        Speaker::Session("agent:ruda:main".to_owned())
    );
    assert_eq!(user("x", json!({ "provenance": { "kind": "inter_session" } })), Speaker::Session(String::new()));
    assert_eq!(user("x", from("internal_system")), Speaker::System(Some("cron".to_owned())));
    assert_eq!(user("[cron:9b8 점검] 하세요", json!({})), Speaker::System(Some("cron".to_owned())));
    assert_eq!(user("[System Message] A subagent task", json!({})), Speaker::System(None));
    assert_eq!(user("[Subagent Context] x\n\n[Subagent Task]: 일", json!({})), Speaker::Task);
    let assistant = |more: Value| {
        let mut message = json!({ "role": "assistant", "content": [{ "type": "text", "text": "네" }] });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        speaker(message)
    };
    assert_eq!(assistant(json!({})), Speaker::Agent);
    assert_eq!(assistant(json!({ "provider": "openclaw", "model": "gateway-injected" })), Speaker::Mirror);
    assert_eq!(assistant(json!({ "provider": "openclaw", "model": "gpt" })), Speaker::Agent);
}

#[test]
fn missing_message_parts_are_reported() {
    let TurnKind::TurnMessage(message) =
        only(json!({ "role": "assistant", "stopReason": "error", "errorMessage": "400 no", "content": [] }))
    else {
        panic!()
    };
    assert_eq!((message.failed.as_deref(), message.parts.len()), (Some("400 no"), 0));
    let TurnKind::TurnMessage(message) = only(json!({ "role": "assistant", "stopReason": "aborted", "content": [
        { "type": "text", "text": "앞부분\n…(truncated)…" },
        { "type": "thinking", "thinking": "음" },
        { "type": "redacted_thinking", "data": "x" },
        { "type": "image", "omitted": true, "bytes": 12 },
        { "type": "hologram" },
    ] })) else {
        panic!()
    };
    assert!(message.aborted && message.failed.is_none());
    assert_eq!(
        message.parts,
        [
            MessagePart::Text(TextExcerpt { text: "앞부분".to_owned(), cut: true }),
            MessagePart::Thinking(TextExcerpt { text: "음".to_owned(), cut: false }),
            MessagePart::Image(Some(12)),
            MessagePart::Other("hologram".to_owned()),
        ]
    );
    assert_eq!(only(json!({ "role": "assistant", "content": OMITTED })), TurnKind::Omitted);
    let alone = only(
        json!({ "role": "toolResult", "toolName": "exec", "toolCallId": "gone", "isError": true, "content": "no" }),
    );
    let words = TextExcerpt { text: "no".to_owned(), cut: false };
    assert_eq!(alone, TurnKind::Result(ToolResult { name: "exec".to_owned(), words, failed: true }));
    for (kind, divider) in [("reset", Divider::Reset), ("branch", Divider::Branch), ("dream", Divider::Other)] {
        assert_eq!(
            only(json!({ "role": "system", "content": "x", "__openclaw": { "kind": kind } })),
            TurnKind::Divider(divider)
        );
    }
    for nothing in
        [json!(3), json!({}), json!({ "role": "user", "content": "  " }), json!({ "role": "assistant", "content": [] })]
    {
        assert!(turns(&[nothing], &[], &[]).is_empty());
    }
}

#[test]
fn one_line_call_is_always_short() {
    let call = |arguments: Value| {
        let TurnKind::TurnMessage(message) = only(json!({ "role": "assistant", "content": [
            { "type": "toolCall", "id": "1", "name": "exec", "arguments": arguments }] }))
        else {
            panic!()
        };
        let MessagePart::Call(call) = &message.parts[0] else { panic!() };
        call.short()
    };
    let plain = call(json!({ "command": "ls\n  -l", "deep": { "a": 1 }, "list": [1, 2], "n": 3 }));
    assert_eq!(plain, "command: ls -l, deep: {…}, list: [2], n: 3");
    let long = call(json!({ "message": "가".repeat(500) }));
    assert!(long.chars().count() == 120 && long.ends_with('…'), "{long}");
}

/// A history page by page is the history at once.
#[test]
fn pages_before_one_another_miss_nothing() {
    for one in transcripts("2026.9") {
        let entries = rows(one.rows()).entries;
        let entries: Vec<_> = active(&entries).into_iter().map(|at| entries[at].clone()).collect();
        let shown = |limit: Option<usize>, until: u64| {
            let newer: Vec<_> = entries.iter().filter(|entry| entry.place < until).cloned().collect();
            history(&newer, &HistoryOptions { limit, include_tools: true, ..HistoryOptions::default() })
        };
        let mut all: Vec<u64> = Vec::new();
        let mut until = u64::MAX;
        loop {
            let page = shown(Some(3), until);
            all.splice(0..0, page.places.iter().copied());
            match page.earlier {
                Some(earlier) if earlier < until => until = earlier,
                Some(_) => panic!("it goes round in circles"),
                None => break,
            }
        }
        // Resets end a page: what was said before them is the next one.
        let mut whole: Vec<u64> = Vec::new();
        let mut end = u64::MAX;
        loop {
            let piece = shown(Some(1_000), end);
            whole.splice(0..0, piece.places.iter().copied());
            let Some(earlier) = piece.earlier else { break };
            end = earlier;
        }
        assert_eq!(all, whole, "{}", one.session_id);
        assert!(all.is_sorted() && !all.is_empty());
    }
}
