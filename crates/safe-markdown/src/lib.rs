//! Parser of untrusted Markdown into a safe document tree of bounded size, from the events of pulldown-cmark. It never
//! makes an HTML string: raw HTML becomes text. Links are http, https or mailto; an image becomes a link to it.
//!
//! It draws nothing (the page makes views of the tree) and follows no link. Start with [`parse`] and [`Document`].

#![warn(missing_docs)]

mod build;
mod discord;
mod head;
mod host;
mod link;
mod measure;
mod nesting;
mod punycode;
mod tree;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use build::MAX_DEPTH;
pub use head::HeadLimit;
pub use host::{Host, host};
pub use measure::{MAX_DIFF_LINES, Measure};
pub use tree::{Alignment, Block, Document, Inline, LinkTarget, ListItem};

use build::{Budget, Builder};
use pulldown_cmark::{Options, Parser};

use message_text::beginning;

/// Nodes of the page that one document may cost; what comes after is left out and [`Document::truncated`] is set.
pub const MAX_NODES: usize = 5_000;
/// Nodes reserved for the paragraphs around loose text when the rest is spent: one for each open element.
const RESERVED_NODES: usize = 128;
/// Bytes of a text that are read; the longest reply seen is far below.
pub const MAX_BYTES: usize = 64 * 1024;
/// A document holds at most this many bytes, and four times those of its text (texts and eight bytes a node).
pub const SPARE_BYTES: usize = 16 * 1024;

/// Reads a message. `people` names a Discord user id, if it can. Should the parser fail (a defect), the text stays as
/// it was written. (In wasm a panic cannot be caught here; the page calls this inside `panic_isolation::catch_panic`.)
#[must_use]
pub fn parse(text: &str, people: &dyn Fn(&str) -> Option<String>) -> Document {
    literal_on_panic(text, || read(text, MAX_NODES, people).0)
}

/// [`parse`] for one of several texts that share [`MAX_NODES`]: this one may cost `nodes`.
#[must_use]
pub fn parse_within(text: &str, nodes: usize, people: &dyn Fn(&str) -> Option<String>) -> Document {
    literal_on_panic(text, || read(text, nodes.min(MAX_NODES), people).0)
}

/// [`parse`], and how much work it was: events of the parser and bytes that were looked at after it.
#[must_use]
pub fn parse_counted(text: &str, people: &dyn Fn(&str) -> Option<String>) -> (Document, usize) {
    read(text, MAX_NODES, people)
}

/// A text as it was written, as far as [`MAX_BYTES`] goes.
#[must_use]
pub fn literal(text: &str) -> Document {
    let shown = capped(text);
    let content = if shown.is_empty() { Vec::new() } else { vec![Inline::Text { text: shown.to_owned() }] };
    Document { blocks: vec![Block::Paragraph { content }], truncated: shown.len() < text.len() }
}

/// The result of `work`; the text as it was written when that panics.
fn literal_on_panic(text: &str, work: impl FnOnce() -> Document) -> Document {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| literal(text))
}

fn capped(text: &str) -> &str {
    beginning(text, MAX_BYTES)
}

fn read(whole: &str, nodes: usize, people: &dyn Fn(&str) -> Option<String>) -> (Document, usize) {
    let text = capped(whole);
    if nesting::is_costly(text) {
        return (Document { truncated: true, ..literal(whole) }, text.len());
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let bytes = 4 * text.len() + SPARE_BYTES - RESERVED_NODES * 8;
    let mut builder = Builder::new(people, Budget { nodes: nodes.saturating_sub(RESERVED_NODES), bytes });
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        builder.event(event, text.get(range).unwrap_or_default());
        if builder.is_full() {
            break;
        }
    }
    let (mut document, work) = builder.finish();
    document.truncated |= text.len() < whole.len();
    (document, work)
}

#[cfg(test)]
mod tests {
    use super::{Block, Document, Inline, literal, literal_on_panic};

    #[test]
    fn parser_panic_shows_literal_text() {
        let text = "**a** <b>";
        let broken = literal_on_panic(text, || panic!("the reader fails on purpose"));
        assert_eq!(broken, literal(text));
        let paragraph = Block::Paragraph { content: vec![Inline::Text { text: text.to_owned() }] };
        assert_eq!(broken, Document { blocks: vec![paragraph], truncated: false });
    }
}
