//! Builder of the document tree from the events of pulldown-cmark, within limits of nodes, bytes and depth. It uses an
//! explicit stack, so that no nesting can exhaust the call stack.

mod open;

use open::{OpenElement, OpenFrame, opened, price, trimmed, words};
use pulldown_cmark::{Event, Tag};

use super::measure::{self, Measure};
use super::tree::{Block, Document, Inline, LinkTarget, ListItem};
use super::{discord, link};
use message_text::beginning;

/// Nesting of a document: blocks, items, rows, inline marks and the text in them. What lies deeper becomes plain text of
/// its ancestor.
pub const MAX_DEPTH: usize = 32;
/// Elements that are open at once. Below the innermost there may be a paragraph of its own, a spoiler, strong
/// words, a link and its text.
const MAX_OPEN: usize = MAX_DEPTH - 4;

/// What may still be spent on a document.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    pub(super) nodes: usize,
    pub(super) bytes: usize,
}

/// What the end of an element closes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The innermost frame.
    Frame,
    /// Nothing: its content went directly into the frame around it.
    Nothing,
    /// Nothing, and a `~` is written: `~…~` is in Korean a range (3~5일), never a strike.
    Tilde,
}

pub(super) struct Builder<'p> {
    people: &'p dyn Fn(&str) -> Option<String>,
    /// The root, and open elements that become part of the tree.
    stack: Vec<OpenFrame>,
    /// All open elements of the text, which may nest without end: what their ends mean.
    ends: Vec<Ends>,
    /// Open links: inside one, nothing else leads anywhere.
    links: usize,
    /// Open images: inside one, another is only its words.
    images: usize,
    left: Budget,
    full: bool,
    truncated: bool,
    /// Events taken, bytes looked at or copied, and pieces moved.
    work: usize,
}

impl<'p> Builder<'p> {
    pub(super) fn new(people: &'p dyn Fn(&str) -> Option<String>, budget: Budget) -> Self {
        let stack = vec![OpenFrame::new(OpenElement::Through)];
        let ends = Vec::new();
        Self { people, stack, ends, links: 0, images: 0, left: budget, full: false, truncated: false, work: 0 }
    }

    /// Nothing more is taken.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Pays for something; false when there is too little left, and the document ends here.
    fn pay(&mut self, price: Measure) -> bool {
        if self.full || price.nodes > self.left.nodes || price.bytes > self.left.bytes {
            self.full = true;
            return false;
        }
        self.left.nodes -= price.nodes;
        self.left.bytes -= price.bytes;
        true
    }

    /// Takes the next event; `source` is the text it was read from.
    pub(super) fn event(&mut self, event: Event<'_>, source: &str) {
        self.work += 1;
        match event {
            Event::Start(Tag::Strikethrough) if !source.starts_with("~~") => {
                self.text("~");
                self.flush_text();
                self.ends.push(Ends::Tilde);
            }
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.inline(Inline::Code { text: code.into_string() }),
            Event::Html(html) => {
                for line in html.split_inclusive('\n') {
                    self.text(line.trim_end_matches(['\n', '\r']));
                    if line.ends_with('\n') {
                        self.inline(Inline::Break);
                    }
                }
            }
            Event::InlineHtml(html) => match discord::whole(&html, self.people).filter(|_| self.links == 0) {
                Some(form) => self.inline(form),
                None => self.text(&html),
            },
            // A chat message breaks where its writer broke it.
            Event::SoftBreak | Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => {
                if self.pay(measure::HOLDER) {
                    self.block(Block::Rule);
                }
            }
            Event::TaskListMarker(checked) => {
                let price = Measure { nodes: measure::CHECK, ..Measure::default() };
                let paid = self.pay(price);
                // An item too deep to be one is no place for a box, and neither is an item around it.
                let open = self.stack.iter_mut().rev().zip(self.ends.iter().rev());
                let mut around = open
                    .skip_while(|(frame, ends)| **ends == Ends::Frame && matches!(frame.open, OpenElement::Paragraph));
                if paid && let Some((OpenFrame { open: OpenElement::Item(mark), .. }, Ends::Frame)) = around.next() {
                    *mark = Some(checked);
                }
            }
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.text(&text),
        }
    }

    /// The tree, and how much work it was.
    pub(super) fn finish(mut self) -> (Document, usize) {
        while self.stack.len() > 1 {
            self.close();
        }
        self.wrap_loose_inlines();
        let mut blocks = self.stack.pop().map(|root| root.blocks).unwrap_or_default();
        blocks.retain(|block| !matches!(block, Block::Paragraph { content } if content.is_empty()));
        (Document { blocks, truncated: self.full || self.truncated }, self.work)
    }

    fn start(&mut self, tag: Tag<'_>) {
        let block = matches!(
            tag,
            Tag::Paragraph
                | Tag::Heading { .. }
                | Tag::CodeBlock(_)
                | Tag::BlockQuote(_)
                | Tag::List(_)
                | Tag::Item
                | Tag::Table(_)
                | Tag::HtmlBlock
        );
        if block {
            self.wrap_loose_inlines();
        } else {
            self.flush_text();
        }
        // A list that had no room for its items, or a table for its cells, would lose their words.
        let room = match tag {
            Tag::Table(_) => 3,
            Tag::List(_) => 2,
            _ => 1,
        };
        let open = if self.stack.len() + room > MAX_OPEN || !self.is_in_place(&tag) {
            self.truncated = true;
            OpenElement::Through
        } else {
            opened(tag)
        };
        // An address in angle brackets may be in a link's words, an image in another's.
        let words = match open {
            OpenElement::Link(_) => self.links > 0,
            OpenElement::Image(_) => self.images > 0,
            _ => false,
        };
        if words || !self.pay(price(&open)) || matches!(open, OpenElement::Through) {
            self.ends.push(Ends::Nothing);
            return;
        }
        self.links += usize::from(matches!(open, OpenElement::Link(_)));
        self.images += usize::from(matches!(open, OpenElement::Image(_)));
        self.stack.push(OpenFrame::new(open));
        self.ends.push(Ends::Frame);
    }

    /// An item needs its list, a row its table: those may have been too deep and dropped.
    fn is_in_place(&self, tag: &Tag<'_>) -> bool {
        let around = self.stack.last().map(|frame| &frame.open);
        match tag {
            Tag::Item => matches!(around, Some(OpenElement::List(..))),
            Tag::TableHead | Tag::TableRow => matches!(around, Some(OpenElement::Table(..))),
            Tag::TableCell => matches!(around, Some(OpenElement::Row(..))),
            _ => true,
        }
    }

    fn end(&mut self) {
        match self.ends.pop() {
            Some(Ends::Frame) => self.close(),
            Some(Ends::Nothing) => self.flush_text(),
            Some(Ends::Tilde) => {
                self.flush_text();
                self.text("~");
            }
            None => {}
        }
    }

    fn close(&mut self) {
        self.flush_text();
        if matches!(self.stack.last(), Some(OpenFrame { open: OpenElement::Quote | OpenElement::Item(_), .. })) {
            self.wrap_loose_inlines();
        }
        let Some(frame) = self.stack.pop() else { return };
        let OpenFrame { open, blocks, inlines, .. } = frame;
        match open {
            OpenElement::Paragraph => self.block(Block::Paragraph { content: trimmed(inlines) }),
            OpenElement::Heading(level) => self.block(Block::Heading { level, content: trimmed(inlines) }),
            OpenElement::Code(language) => {
                let mut text = words(&inlines);
                self.work += text.len();
                if text.ends_with('\n') {
                    text.pop();
                }
                let lines = language.as_ref().filter(|language| *language == "diff").and(measure::diff_lines(&text));
                let colours = lines.map(|lines| Measure { nodes: 2 * lines, ..Measure::default() });
                let language = language.filter(|_| colours.is_none_or(|colours| self.pay(colours)));
                self.block(Block::Code { language, text });
            }
            OpenElement::Html => {
                let content = trimmed(inlines);
                self.block(Block::Paragraph { content });
            }
            OpenElement::Quote => self.block(Block::Quote { blocks }),
            OpenElement::Item(checked) => {
                if let Some(OpenFrame { open: OpenElement::List(_, items), .. }) = self.stack.last_mut() {
                    items.push(ListItem { checked, blocks });
                }
            }
            OpenElement::List(start, items) => self.block(Block::List { start, items }),
            OpenElement::Table(alignments, header, rows) => self.block(Block::Table { alignments, header, rows }),
            OpenElement::Row(is_header, cells) => {
                if let Some(OpenFrame { open: OpenElement::Table(_, header, rows), .. }) = self.stack.last_mut() {
                    if is_header {
                        *header = cells;
                    } else {
                        rows.push(cells);
                    }
                }
            }
            OpenElement::Cell => {
                if let Some(OpenFrame { open: OpenElement::Row(_, cells), .. }) = self.stack.last_mut() {
                    cells.push(trimmed(inlines));
                }
            }
            OpenElement::Emphasis => self.paid(Inline::Emphasis { content: inlines }),
            OpenElement::Strong => self.paid(Inline::Strong { content: inlines }),
            OpenElement::Strike => self.paid(Inline::Strike { content: inlines }),
            OpenElement::Link(mut to) => {
                self.links -= 1;
                let words = words(&inlines);
                self.work += words.len();
                to.shows_address = link::shows_address(&words, &to.href, &to.host);
                to.misleading = words != to.href && link::misleads(&words, &to.href, &to.host);
                self.paid(Inline::Link { to, content: inlines });
            }
            OpenElement::Image(to) => {
                self.images -= 1;
                let alt = words(&inlines);
                self.work += alt.len();
                // Inside a link the link says where it leads.
                let to = to.filter(|_| self.links == 0);
                let to = to.map(|to| LinkTarget { misleading: link::misleads(&alt, &to.href, &to.host), ..to });
                self.paid(Inline::Image { to, alt });
            }
            // Only the root, which is never closed.
            OpenElement::Through => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(frame) = self.stack.last_mut() {
            frame.text.push_str(text);
        }
    }

    fn inline(&mut self, inline: Inline) {
        self.flush_text();
        if self.pay(measure::inline(&inline, self.links > 0)) {
            self.paid(inline);
        }
    }

    /// An inline that was paid for when it was opened.
    fn paid(&mut self, inline: Inline) {
        if let Some(frame) = self.stack.last_mut() {
            frame.inlines.push(inline);
        }
    }

    fn block(&mut self, block: Block) {
        self.wrap_loose_inlines();
        if let Some(frame) = self.stack.last_mut() {
            frame.blocks.push(block);
        }
    }

    /// Text of a tight list item before a nested block becomes a paragraph of its own.
    fn wrap_loose_inlines(&mut self) {
        self.flush_text();
        if let Some(frame) = self.stack.last_mut()
            && !frame.inlines.is_empty()
        {
            let content = trimmed(std::mem::take(&mut frame.inlines));
            frame.blocks.push(Block::Paragraph { content });
            // Paid from the reserve when the rest is spent.
            self.left.nodes = self.left.nodes.saturating_sub(measure::HOLDER.nodes);
            self.left.bytes = self.left.bytes.saturating_sub(measure::HOLDER.bytes);
        }
    }

    fn flush_text(&mut self) {
        let in_link = self.links > 0;
        let Some(frame) = self.stack.last_mut() else { return };
        if frame.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut frame.text);
        let raw = in_link || matches!(frame.open, OpenElement::Code(_) | OpenElement::Image(_));
        let mut found = Vec::new();
        if raw {
            self.work += text.len();
            found.push(Inline::Text { text });
        } else {
            self.work += discord::split(&text, self.people, &mut found);
        }
        for inline in found {
            let code = matches!(self.stack.last(), Some(OpenFrame { open: OpenElement::Code(_), .. }));
            if self.pay(measure::inline(&inline, in_link || code)) {
                self.paid(inline);
            } else if let Inline::Text { text } = inline {
                self.part(&text, in_link || code);
            }
            if self.full {
                break;
            }
        }
    }

    /// The beginning of a text that is too large as a whole.
    fn part(&mut self, text: &str, all: bool) {
        let text = beginning(text, self.left.bytes.saturating_sub(measure::HOLDER.bytes));
        if !text.is_empty() && measure::text(text, all).nodes <= self.left.nodes {
            self.left = Budget { nodes: 0, bytes: 0 };
            self.paid(Inline::Text { text: text.to_owned() });
        }
    }
}
