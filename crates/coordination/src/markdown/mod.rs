//! Untrusted text as a safe document tree (design §3.12): pulldown-cmark events in, an owned tree out.
//! No HTML string exists anywhere; raw HTML is text, links are http, https or mailto, images are link chips.

mod build;
mod discord;
mod link;
mod tree;

pub use tree::{Alignment, Block, Document, Inline, Item};

use pulldown_cmark::{Options, Parser};

/// Nesting of blocks and inline marks that is kept; what lies deeper becomes plain text of its ancestor.
const MAX_DEPTH: usize = 32;
/// Pieces of one document; what comes after is left out and [`Document::truncated`] is set.
const MAX_NODES: usize = 20_000;
/// Bytes of a text that are read; the longest reply seen is far below.
const MAX_BYTES: usize = 1024 * 1024;

/// Reads a message. `people` names a Discord user id, if it can.
#[must_use]
pub fn parse(text: &str, people: &dyn Fn(&str) -> Option<String>) -> Document {
    let cut = text.len() > MAX_BYTES;
    let end = (0..=text.len().min(MAX_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = text.get(..end).unwrap_or_default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut builder = build::Builder::new(people);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        builder.event(event, text.get(range).unwrap_or_default());
        if builder.is_full() {
            break;
        }
    }
    let mut document = builder.finish();
    document.truncated |= cut;
    document
}
