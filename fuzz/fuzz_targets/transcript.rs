//! Fuzz target of the transcript reader. No input causes a panic. A file that is read in two parts gives the entries of
//! the whole file, except for an unfinished last line. Histories and previews stay within their size limits. Every
//! event of an exchange refers to existing lines.
#![no_main]

use std::collections::HashSet;

use coordination::transcript::exchanges::{ExchangeScan, ScanSource, find};
use coordination::transcript::{
    HISTORY_BYTES, HistoryOptions, MessageRole, active, archive, first_user_text, history, items, json_bytes,
    last_text, lines, mask, short_title, shown,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = lines(bytes, 0);
    let places: HashSet<u64> = whole.entries.iter().map(|entry| entry.place).collect();
    assert_eq!(places.len(), whole.entries.len());
    let middle = bytes.len() / 2;
    let rest = bytes[middle..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| middle + at + 1);
    let mut pieces = lines(&bytes[..rest], 0);
    // What follows the last line break is a line only for who reads on from there.
    if rest < bytes.len() {
        pieces.entries.extend(lines(&bytes[rest..], rest as u64).entries);
        let alone = !bytes[rest..].contains(&b'\n');
        assert!(pieces.entries == whole.entries || alone, "read in two pieces");
    }
    assert!(active(&whole.entries).len() <= whole.entries.len());
    for keep_silent in [false, true] {
        let options = HistoryOptions { include_tools: keep_silent, keep_silent, limit: None };
        let out = history(&whole.entries, &options);
        assert!(out.bytes <= HISTORY_BYTES);
        assert_eq!(out.bytes, json_bytes(&serde_json::Value::Array(out.messages.clone())));
        assert!(out.places.iter().all(|place| places.contains(place)));
    }
    for item in items(bytes, true, 50, 240).unwrap_or_default() {
        assert!(item.text.encode_utf16().count() <= 240);
    }
    let first = first_user_text(bytes, true);
    let last = last_text(bytes, true).map(|(_, text)| text);
    for text in [first, last].into_iter().flatten() {
        assert!(short_title(&text).is_none_or(|title| title.encode_utf16().count() <= 60));
        drop(shown(&text, MessageRole::User));
        let masked = mask(&text);
        assert_eq!(mask(&masked), masked);
    }
    drop(archive(&String::from_utf8_lossy(bytes)));
    let mut scan = ExchangeScan::new(ScanSource { agent: "ruda".into(), key: None, session_id: "s".into() });
    whole.entries.iter().for_each(|entry| scan.push(entry));
    for event in find(&[scan]) {
        assert!(event.written.iter().all(|line| places.contains(&line.place)));
    }
});
