//! Tests of the parser of log lines, which tolerates missing, wrong and damaged fields (`contract/events.md` §1, §5.1).
//!
//! Proves (log): Log lines with missing fields, wrong types, odd times or broken text are still read, and so are
//! records that were glued together or torn. A line that cannot be read has a reason.

#![allow(clippy::let_underscore_must_use, reason = "a test fails loudly, and its helpers take literals")]

use coordination::event::{Event, Field, MAX_LINE_BYTES, parse_line, parse_lines};
use proptest::prelude::*;
use serde_json::json;

fn one(line: &str) -> Event {
    parse_line(line.as_bytes(), "tok", 7).unwrap_or_else(|error| panic!("{line}: {error:?}"))
}

fn reason(line: &[u8]) -> String {
    parse_line(line, "tok", 7).expect_err("no event").reason.as_str().to_owned()
}

#[test]
fn fields_are_trimmed_wrong_types_are_absent() {
    let event = one(
        r#"{"type":" a2a.send ","agentId":"Eden","ts":5,"data":{"fromAgent":" Eden ","toAgent":7,"message":"a\nb","label":"  ","turn":2,"depth":"0","hop":0,"announced":true,"error":null,"reason":{"x":[1]},"outcome":["a"],"unblockedBy":["seum"," ",3]}}"#,
    );
    assert_eq!((event.id().as_str(), event.event_type(), event.agent(), event.at), ("tok-7", "a2a.send", "eden", 5));
    assert_eq!((event.from_text(), event.to_text()), ("Eden", "unknown"));
    assert_eq!((event.speaker().as_str(), event.message(), event.label()), ("eden", Some("a\nb"), None));
    assert_eq!((event.turn(), event.number(Field::Depth), event.number(Field::Hop)), (Some(2), None, Some(0.0)));
    assert_eq!(
        (event.flag(Field::Announced), event.error(), event.reason(), event.outcome()),
        (Some(true), None, None, None)
    );
    assert_eq!(event.list("unblockedBy"), ["seum"]);
    assert!(event.delegation_hint(), "a hop of 0 counts");
}

#[test]
fn missing_fields_tolerated_extra_keys_preserved() {
    for line in [
        r#"{"type":"x"}"#,
        r#"{"type":"x","data":null}"#,
        r#"{"type":"x","data":[1,{"message":"m"}]}"#,
        r#"{"data":"m","type":"x","agentId":3}"#,
    ] {
        let event = one(line);
        assert_eq!((event.agent(), event.at, event.message()), ("unknown", 0, None), "{line}");
    }
    assert_eq!(one(r#"{"type":"x","mine":{"a":1}}"#).to_value(), json!({"type": "x", "mine": {"a": 1}}));
    let twice = one(r#"{"type":"a","type":"b","data":{"message":"1","message":"2","label":"x","label":4}}"#);
    assert_eq!((twice.event_type(), twice.message(), twice.label()), ("b", Some("2"), None), "the last one counts");
}

#[test]
fn the_time_is_the_first_usable_one() {
    let at = |rest: &str| one(&format!("{{\"type\":\"x\",{rest}}}")).at;
    assert_eq!(at(r#""timestampMs":9,"ts":5"#), 9);
    assert_eq!(at(r#""timestampMs":0,"ts":5"#), 5);
    assert_eq!(at(r#""ts":"5","timestamp":"2026-02-17T02:20:00.000Z""#), 1_771_294_800_000);
    assert_eq!(at(r#""ts":-5,"timestamp":"2026-02-17T11:20:00+09:00""#), 1_771_294_800_000);
    assert_eq!(at(r#""timestamp":"어제""#), 0);
    assert_eq!(at(r#""ts":1771294800"#), 1_771_294_800, "seconds are not converted in silence");
    assert_eq!(at(r#""ts":1e300"#), 0);
    assert_eq!(at(r#""ts":1771294800000.7"#), 1_771_294_800_000);
}

#[test]
fn iso_texts_go_both_ways() {
    use coordination::time::{parse_iso, to_iso};
    for text in
        ["2026-02-17T02:20:00.000Z", "1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "1969-12-31T23:59:59.999Z"]
    {
        assert_eq!(parse_iso(text).map(to_iso).as_deref(), Some(text));
    }
    assert_eq!(parse_iso("2026-02-20").map(to_iso).as_deref(), Some("2026-02-20T00:00:00.000Z"));
    for bad in ["", "2026-13-01", "2026-02-30", "2026-02-17T25:00:00Z", "2026-02-17T", "x", "2026-02-17T02:20:00+9"] {
        assert_eq!(parse_iso(bad), None, "{bad}");
    }
}

#[test]
fn lone_surrogates_and_broken_utf8_are_repaired() {
    let cut = one(r#"{"type":"x","data":{"message":"안녕\ud83d","label":"\udc00x","error":"\ud83d\ude00 \\ud83d"}}"#);
    assert_eq!(
        (cut.message(), cut.label(), cut.error()),
        (Some("안녕\u{fffd}"), Some("\u{fffd}x"), Some("😀 \\ud83d"))
    );
    assert!(cut.to_value().is_object(), "the detail view can read the repaired line");
    let bytes = b"{\"type\":\"x\",\"data\":{\"message\":\"a\xffb\"}}";
    assert_eq!(parse_line(bytes, "t", 0).expect("an event").message(), Some("a\u{fffd}b"));
}

#[test]
fn bad_lines_say_why() {
    assert_eq!(reason(b"{\"type\":\"x\""), "notJson");
    assert_eq!(reason(b"hello"), "notJson");
    assert_eq!(reason(b"[1]"), "notObject");
    assert_eq!(reason(b"{\"type\":\"  \"}"), "noType");
    assert_eq!(reason(b"{\"type\":4}"), "noType");
    assert_eq!(reason(&vec![b' '; MAX_LINE_BYTES + 1]), "tooLong");
    let deep = format!("{{\"type\":\"x\",\"data\":{{\"a\":{}{}}}}}", "[".repeat(200_000), "]".repeat(200_000));
    let _ = parse_line(deep.as_bytes(), "t", 0).map(|event| event.to_value());
}

#[test]
fn only_complete_lines_are_parsed_with_offsets() {
    let text = "\u{feff}{\"type\":\"a\"}\r\n\n  \n{\"type\":\"b\"}\n{\"type\":\"c\"";
    let (events, errors) = parse_lines(text.as_bytes(), "t", 100);
    assert!(errors.is_empty(), "{errors:?}");
    let ids: Vec<(&str, String)> = events.iter().map(|event| (event.event_type(), event.id().into())).collect();
    assert_eq!(ids, [("a", "t-100".to_owned()), ("b", "t-121".to_owned())]);
}

#[test]
fn glued_and_torn_records_are_recovered() {
    let (events, errors) =
        parse_lines(b"{\"type\":\"a\"}{\"type\":\"b\",\"data\":{\"message\":\"}{\"}}\n{\"type\":\"c\"}\n", "t", 0);
    let types: Vec<&str> = events.iter().map(|event| event.event_type()).collect();
    assert_eq!((types, errors.len()), (vec!["a", "b", "c"], 0));
    assert_eq!(events[1].id().as_str(), "t-12");
    let (events, errors) = parse_lines(b"{\"type\":\"a\",\"da{\"type\":\"b\"}\nnoise\n{\"type\":\"c\"}\n", "t", 0);
    let types: Vec<&str> = events.iter().map(|event| event.event_type()).collect();
    assert_eq!((types, errors.len()), (vec!["b", "c"], 2));
    assert_eq!((errors[0].offset, errors[1].sample.as_str()), (0, "noise"));
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_lines(&bytes, "t", 0);
        let _ = parse_line(&bytes, "t", 0);
    }

    #[test]
    fn any_text_survives_line_round_trip(message in any::<String>(), cut in 0_usize..40) {
        let line = json!({"type": "a2a.send", "data": {"message": message}}).to_string();
        let event = one(&line);
        let trimmed = message.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        prop_assert_eq!(event.message().unwrap_or_default(), trimmed);
        let _ = event.display_text();
        let _ = coordination::title::of_event(&event, coordination::role::Role::ConversationMain, None);
        prop_assert!(coordination::text::preview(&message, cut).chars().count() <= cut.max(1));
        let _ = coordination::markdown::parse(&message, &|_| None);
    }

    #[test]
    fn any_mix_of_marks_is_read(text in "([*_~`|<>@#\\[\\]()!:. \n-]|가|1234567890123456|<@|\\*\\*|https://x|\\[outcome\\]|\\[Goal\\]){0,60}") {
        let _ = coordination::markdown::parse(&text, &|_| None);
        let _ = coordination::text::clean(&text);
        if let Some(title) = coordination::title::clean(&text) {
            prop_assert!(title.encode_utf16().count() <= 60);
        }
    }
}
