//! Property tests of truncated transcripts. Reading the head, the tail or any part never panics and never yields a
//! message that is not in the whole.
//!
//! Proves (transcripts): A transcript that is cut anywhere never panics a reader and never yields a message that is not
//! in the whole.
//! Long form: `make soak ARGS=transcripts-cut`.

use crate::transcripts;

use std::collections::HashMap;

use coordination::transcript::exchanges::{ExchangeScan, ScanSource, find};
use coordination::transcript::{
    HISTORY_BYTES, HistoryOptions, TranscriptEntry, active, archive, first_user_text, history, items, last_text, lines,
    mask, shown, stored,
};
use coordination::transcript::{MessageRole, short_title};
use proptest::prelude::*;
use serde_json::{Value, json};
use transcripts::{HOMES, transcripts};

/// A text as written in a file, and as previews show it.
struct TranscriptString {
    plain: String,
    masked: String,
}

/// Everything a reader does with a piece of a file.
fn read_all(piece: &[u8], base: u64, whole: &HashMap<u64, TranscriptEntry>, strings: &[TranscriptString]) {
    let read = lines(piece, base);
    for entry in &read.entries {
        assert_eq!(whole.get(&entry.place), Some(entry), "an entry that the whole file lacks or has elsewhere");
    }
    let known = |text: &str| strings.iter().any(|one| one.plain.contains(text));
    for text in
        [first_user_text(piece, false), first_user_text(piece, true), last_text(piece, base == 0).map(|(_, text)| text)]
    {
        assert!(text.as_deref().is_none_or(known), "{text:?}");
    }
    let known = |text: &str| strings.iter().any(|one| one.masked.contains(text));
    for item in items(piece, base == 0, 50, 2_000).unwrap_or_default() {
        let text = item.text.trim_end_matches("...");
        assert!(text.split('\n').all(known) || text.starts_with("call ") || text == "[image]", "{}", item.text);
    }
    let out = history(&read.entries, &HistoryOptions { include_tools: true, ..HistoryOptions::default() });
    assert_eq!(out.messages.len(), out.places.len());
    assert!(out.places.iter().all(|place| whole.contains_key(place)));
    assert!(active(&read.entries).len() <= read.entries.len());
    let mut scan = ExchangeScan::new(ScanSource { agent: "a".into(), key: None, session_id: "s".into() });
    read.entries.iter().for_each(|entry| scan.push(entry));
    for event in find(&[scan]) {
        assert!(event.written.iter().all(|line| whole.contains_key(&line.place)));
    }
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(strings).collect(),
        Value::Object(all) => all.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

fn known(bytes: &[u8]) -> (HashMap<u64, TranscriptEntry>, Vec<TranscriptString>) {
    let whole = lines(bytes, 0).entries;
    let strings = whole.iter().flat_map(|entry| strings(&Value::Object(entry.fields().clone())));
    let strings = strings.map(|plain| TranscriptString { masked: mask(&plain), plain }).collect();
    (whole.into_iter().map(|entry| (entry.place, entry)).collect(), strings)
}

/// Texts that look like what is cut off around them.
fn tricky() -> String {
    let message = |role: &str, text: &str| json!({ "type": "message", "message": { "role": role, "content": text } });
    let inner = message("user", "안쪽 \"{}\" 😀").to_string();
    let mut text = json!({ "type": "session", "version": 4, "id": "s" }).to_string();
    for one in [
        message("user", "{"),
        message("assistant", &inner),
        message("user", "{\"message\":{\"role\":\"user\",\"content\":\"꾸며낸 말\"}}"),
        message("assistant", "}\n{\"message\":{}}\r\n"),
        message("toolResult", "\\\\\"{}"),
    ] {
        text.push('\n');
        text.push_str(&one.to_string());
    }
    format!("{text}\r\n")
}

#[test]
fn small_transcript_cuts_add_nothing() {
    let text = tricky();
    let (whole, strings) = known(text.as_bytes());
    assert_eq!(whole.len(), 6);
    for from in 0..text.len() {
        read_all(&text.as_bytes()[from..], from as u64, &whole, &strings);
        read_all(&text.as_bytes()[..from], 0, &whole, &strings);
        for to in (from..text.len()).step_by(7) {
            read_all(&text.as_bytes()[from..to], from as u64, &whole, &strings);
        }
    }
}

#[test]
fn head_and_rest_equal_whole() {
    for home in HOMES {
        for one in transcripts(home) {
            let whole = lines(&one.bytes, 0).entries;
            for cut in (0..one.bytes.len()).step_by(one.bytes.len() / 40 + 1) {
                let line = one.bytes[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let mut pieces = lines(&one.bytes[..cut], 0).entries;
                pieces.retain(|entry| entry.place < line as u64);
                pieces.extend(lines(&one.bytes[line..], line as u64).entries);
                assert_eq!(pieces, whole, "{} at {cut}", one.session_id);
            }
        }
    }
}

/// The long form draws new cases each time, the short one always the same.
fn draws() -> ProptestConfig {
    use proptest::test_runner::RngSeed;

    let (cases, rng_seed) = match std::env::var_os("TASK_HUB_SOAK") {
        Some(_) => (3_000, RngSeed::Random),
        None => (48, RngSeed::Fixed(48)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn a_real_transcript_cut_adds_nothing(at in 0_usize..64, from in 0.0..1.0_f64, length in 0.0..1.0_f64) {
        let all: Vec<_> = HOMES.into_iter().flat_map(transcripts).collect();
        let bytes = &all[at % all.len()].bytes;
        let (whole, strings) = known(bytes);
        #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a place in a small file")]
        let part = |share: f64, of: usize| (share * of as f64) as usize;
        let from = part(from, bytes.len());
        let to = from + part(length, bytes.len() - from);
        read_all(&bytes[from..to], from as u64, &whole, &strings);
        read_all(&bytes[from..], from as u64, &whole, &strings);
        read_all(&bytes[..to], 0, &whole, &strings);
    }

    #[test]
    fn a_damaged_transcript_is_read_partially(
        at in 0_usize..64,
        edits in proptest::collection::vec((0_usize..1_000_000, any::<u8>(), 0_usize..400, 0_u8..4), 1..12),
    ) {
        let all: Vec<_> = HOMES.into_iter().flat_map(transcripts).collect();
        let mut bytes = all[at % all.len()].bytes.clone();
        bytes.truncate(60_000);
        for (place, byte, length, how) in edits {
            let from = place % bytes.len().max(1);
            let to = (from + length).min(bytes.len());
            match how {
                0 if from < bytes.len() => bytes[from] = byte,
                1 => drop(bytes.drain(from..to)),
                2 => {
                    let repeated = bytes[from..to].to_vec();
                    bytes.splice(from..from, repeated);
                }
                _ => bytes.insert(from.min(bytes.len()), b'\n'),
            }
        }
        let (whole, strings) = known(&bytes);
        let out = history(&lines(&bytes, 0).entries, &HistoryOptions::default());
        prop_assert!(out.bytes <= HISTORY_BYTES);
        read_all(&bytes, 0, &whole, &strings);
    }

    #[test]
    fn no_text_and_no_name_is_too_odd(text in "\\PC{0,80}", name in "[a-z0-9.:TZ_-]{0,60}") {
        for role in [MessageRole::User, MessageRole::Assistant] {
            let stored_text = stored(&text, role);
            prop_assert!(stored_text.len() <= text.len());
            prop_assert!(shown(&text, role).is_none_or(|it| it.len() <= text.len()));
        }
        let masked = mask(&text);
        prop_assert_eq!(mask(&masked), masked.clone(), "what is masked stays as it is");
        prop_assert!(short_title(&text).is_none_or(|it| it.encode_utf16().count() <= 60));
        prop_assert!(archive(&name).is_none_or(|it| name.starts_with(it.session_id)));
    }
}
