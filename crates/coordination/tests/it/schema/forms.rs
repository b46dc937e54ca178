//! Tests of the formats of ids and times (§A.1 of `contract/event-schema-v1_1.md`), character by character.
//!
//! Proves (claude-code): Ids and times are accepted in exactly the schema's forms.

use coordination::schema::check;
use serde_json::json;

use super::bodies::whole;
use super::{DEFAULTS, START, faults};

fn faults_with(name: &str, text: &str) -> Vec<String> {
    let mut event = whole("agent_started");
    event[name] = json!(text);
    faults(&event)
}

#[test]
fn id_accepts_only_its_alphabet() {
    for letter in (0_u32..0x3000).filter_map(char::from_u32).chain(['\u{feff}', '😀', '\u{10ffff}']) {
        let allowed = letter.is_ascii_alphanumeric() || "._:-".contains(letter);
        let found = faults_with("id", &format!("evt{letter}1"));
        assert_eq!(found.is_empty(), allowed, "A.1 id: {letter:?}");
        assert!(allowed || found == ["id format"], "{letter:?}: {found:?}");
    }
    assert_eq!(faults_with("id", &"x".repeat(128)), [""; 0], "A.1 128 letters");
    assert_eq!(faults_with("id", "evt_20260213_000001"), [""; 0], "A.1 its sample");
    assert_eq!(faults_with("id", &"가".repeat(4_000_000)), ["id length"], "A.1 a very long id");
}

#[test]
fn time_is_utc_with_at_most_nine_digits() {
    let read = |text: &str| {
        let mut event = whole("agent_started");
        event["ts"] = json!(text);
        check(&event, &DEFAULTS).map(|event| event.ts)
    };
    for (text, at) in [
        ("2026-02-13T15:00:00Z", 0),
        ("2026-02-13T15:00:00+00:00", 0),
        ("2026-02-13T15:00:00.1Z", 100),
        ("2026-02-13T15:00:00.12Z", 120),
        ("2026-02-13T15:00:00.123Z", 123),
        ("2026-02-13T15:00:00.1239Z", 123),
        ("2026-02-13T15:00:00.123456789Z", 123),
        ("2026-02-13T15:00:00.500+00:00", 500),
    ] {
        assert_eq!(read(text).unwrap(), START + at, "A.1 {text}");
    }
    for text in [
        "2026-02-13T15:00:00+09:00",
        "2026-02-13T15:00:00-00:30",
        "2026-02-13T15:00:00.1-05:00",
        "2026-02-13T15:00:00-00:00",
    ] {
        assert_eq!(faults_with("ts", text), ["ts offset"], "A.1 {text}");
    }
    for text in [
        "2026-02-13",
        "2026-02-13T15:00Z",
        "2026-02-13T15:00:00",
        "2026-02-13t15:00:00Z",
        "2026-02-13T15:00:00z",
        "2026-02-13T15:00:00.Z",
        "2026-02-13T15:00:00.1234567890Z",
        "2026-02-13T15:00:00,5Z",
        "2026-02-30T15:00:00Z",
        "2026-13-01T15:00:00Z",
        "2026-02-13T24:00:00Z",
        "2026-02-13T23:60:00Z",
        "2026-02-13T23:59:60Z",
        " 2026-02-13T15:00:00Z",
        "2026-02-13T15:00:00 Z",
        "12026-02-13T15:00:00Z",
        "-026-02-13T15:00:00Z",
        "2026-02-13T15:00:00+0900",
        "2026-02-13T15:00:00+09",
        "2026-02-13T15:00:00ZZ",
        "Z",
        "+00:00",
        "",
        "२०२६-02-13T15:00:00Z",
        "1770994800000",
        "2026-02-13T15:00:00é00:00",
    ] {
        assert_eq!(faults_with("ts", text), ["ts format"], "A.1 {text:?}");
    }
    assert_eq!(read("0001-01-01T00:00:00Z").unwrap(), 0, "before 1970 is no time that the log can tell");
    assert_eq!(read("9999-12-31T23:59:59.999Z").unwrap(), 253_402_300_799_999);
}

#[test]
fn an_agent_is_a_team_and_a_name() {
    for text in ["core/leader", "Core/Worker-1", "a.b_c/d-e.f", "팀/리더", &format!("{0}/{0}", "가".repeat(64))] {
        assert_eq!(faults_with("agent_id", text), [""; 0], "A.1 {text}");
    }
    for text in
        ["core", "/leader", "core/", "core/a b", "core~leader", "co~re/leader", "a//b", "core/\u{0}", "co\nre/a"]
    {
        assert_eq!(faults_with("agent_id", text), ["agent_id format"], "A.1 {text:?}");
    }
    assert_eq!(faults_with("agent_id", ""), ["agent_id length"]);
}

#[test]
fn a_locale_is_a_tag() {
    for text in ["ko", "ko-KR", "zh-Hant-TW", "en-US-x-private", "de-1996"] {
        assert_eq!(faults_with("locale", text), [""; 0], "A.1 {text}");
    }
    for text in ["k", "ko-", "-KR", "ko--KR", "ko-KR\n", "한국어", "abcdefghi", "ko-123456789"] {
        assert_eq!(faults_with("locale", text), ["locale format"], "A.1 {text:?}");
    }
}

/// What no JSON reader takes reaches no check: half a character, and nesting without end. Repaired, it is a text like
/// any other.
#[test]
fn non_json_is_not_an_input() {
    let written = whole("agent_started").to_string();
    let halved = written.replace("evt_1", "evt_\\ud83d");
    assert!(serde_json::from_str::<serde_json::Value>(&halved).is_err(), "{halved}");
    let repaired = super::value(&halved.replace("\\ud83d", "\\ufffd"));
    assert_eq!(faults(&repaired), ["id format"]);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = written.replace("\"payload\":{}", &format!("\"payload\":{{\"a\":{deep}}}"));
    assert!(deep.len() > 200_000 && serde_json::from_str::<serde_json::Value>(&deep).is_err());
}
