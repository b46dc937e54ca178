//! Size limits of a history, and the texts that show where content was cut (`contract/sessions.md` §6). A text is
//! limited in UTF-16 units, the list of messages in bytes of compact JSON.

use serde_json::Value;

use super::first_units;

/// UTF-16 units of one text.
pub const HISTORY_TEXT_UNITS: usize = 4_000;
/// Mark after a text that was cut.
pub const TRUNCATED: &str = "\n…(truncated)…";
/// Bytes of a whole list.
pub const HISTORY_BYTES: usize = 81_920;
/// Replacement of a message that is too large by itself.
pub const OMITTED: &str = "[sessions_history omitted: message too large]";

/// A text in at most `max` units and the mark; nothing when it has no more.
#[must_use]
pub fn cut(text: &str, max: usize) -> Option<String> {
    first_units(text, max).map(|beginning| format!("{beginning}{TRUNCATED}"))
}

/// Bytes of a value as compact JSON.
#[must_use]
pub fn json_bytes(value: &Value) -> usize {
    struct ByteCounter(usize);
    impl std::io::Write for ByteCounter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = ByteCounter(0);
    // Counting cannot fail, and a value is always JSON.
    serde_json::to_writer(&mut count, value).map_or(usize::MAX, |()| count.0)
}

/// How many items to drop from the front so that a list of items of these sizes is not larger than `max`, and how large
/// it is then. The last item is never dropped: it may be larger by itself.
#[must_use]
pub fn cap(sizes: &[usize], max: usize) -> (usize, usize) {
    let commas = sizes.len().saturating_sub(1);
    let mut bytes = sizes.iter().fold(2 + commas, |sum, size| sum.saturating_add(*size));
    let mut dropped = 0;
    while bytes > max && dropped + 1 < sizes.len() {
        bytes -= sizes[dropped] + 1;
        dropped += 1;
    }
    (dropped, bytes)
}
