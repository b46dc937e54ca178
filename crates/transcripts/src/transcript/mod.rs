//! Parsers of the transcripts of stored sessions, in older and newer formats (`contract/sessions.md` §3–§7): entries,
//! histories, titles, previews, archived files, and exchanges between sessions.
//!
//! They do no IO: the input is bytes or database rows, the output is values. A partial line, an unknown line or an
//! empty input is not an error. Limits of the contract are constants next to the functions that enforce them.

mod archive;
mod blocks;
mod branch;
mod cap;
mod clean;
mod entry;
mod envelope;
pub mod exchanges;
mod history;
mod mask;
mod message;
mod preview;
pub mod reading;
mod title;

pub use archive::{ArchiveFileName, FoundTranscript, Reason, archive};
pub use blocks::BlockReader;
pub use branch::active;
pub use cap::{HISTORY_BYTES, HISTORY_TEXT_UNITS, OMITTED, TRUNCATED, cap, cut, json_bytes};
pub use clean::{is_silent, shown, stored};
pub use entry::{EntryKind, Header, MAX_LINE_BYTES, TranscriptEntry, TranscriptLines, lines, rows};
pub use history::{History, HistoryOptions, history};
pub use mask::mask;
pub use message::{ContentBlock, MessageRole, Provenance, ToolCallBlock, TranscriptMessage, Usage};
pub use preview::{PREVIEW_LINES, PREVIEW_READS, PreviewItem, PreviewRole, items, items_of};
pub use title::{
    HEAD_BYTES, HEAD_LINES, TAIL_BYTES, TAIL_LINES, TITLE_UNITS, conversation_text, derived_title, first_user_text,
    last_text, person_text, short_title,
};

/// The first `count` UTF-16 units of a text, as JavaScript counts; a pair that would be torn apart is left out whole.
/// Nothing when the text has no more than that.
#[must_use]
pub fn first_units(text: &str, count: usize) -> Option<&str> {
    // A text of fewer bytes than units asked for cannot have more units.
    if text.len() <= count {
        return None;
    }
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > count {
            return text.get(..at);
        }
    }
    None
}

/// UTF-16 units of a text.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
