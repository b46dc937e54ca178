//! Names of log files (`contract/events.md` §1.2), and their names in event ids.

use std::collections::HashMap;

use protocol::digest::sha256_hex;

use super::parse_lines;

const STEM: &str = "coordination-events";
/// The file that the writer appends to.
pub const LIVE_LOG: &str = "coordination-events.ndjson";
/// Bytes of a first line that its hash is made of, at most.
pub const FIRST_LINE_BYTES: usize = 4096;

/// Hash of a file's first line; `bytes` hold all of it or its first [`FIRST_LINE_BYTES`].
#[must_use]
pub fn first_line_hash(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()).min(FIRST_LINE_BYTES);
    let mut hash = sha256_hex(&bytes[..end]);
    hash.truncate(10);
    hash
}

/// Name of a file in event ids, by the hash of its first line. `given` counts the files of each hash.
pub fn file_token(given: &mut HashMap<String, u32>, hash: &str) -> String {
    let count = given.entry(hash.to_owned()).or_insert(0);
    *count += 1;
    if *count == 1 { hash.to_owned() } else { format!("{hash}~{count}") }
}

/// Time of the first event with one in the first bytes of a file, in epoch milliseconds, by which log files are read in
/// order; the largest number without any.
#[must_use]
pub fn first_event_time(start: &[u8]) -> i64 {
    let lines = start.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (events, _) = parse_lines(&start[..lines], "", 0);
    events.iter().map(|event| event.at).find(|at| *at > 0).unwrap_or(i64::MAX)
}

/// The live log and its archives.
#[must_use]
pub fn is_log_name(name: &str) -> bool {
    let Some(middle) = name.strip_prefix(STEM).and_then(|rest| rest.strip_suffix(".ndjson")) else { return false };
    let Some(stamp) = middle.strip_prefix('-') else { return middle.is_empty() };
    let pattern: String = stamp.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(pattern.as_str(), "0000-00" | "0000-00-00T00-00-00-000Z")
}
