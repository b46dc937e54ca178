//! Builds the tree from parser events on an explicit stack, so that no nesting can exhaust the machine's own.

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Tag, TagEnd};

use super::tree::{Alignment, Block, Document, Inline, Item};
use super::{MAX_DEPTH, MAX_NODES, discord, link};

/// One open element.
enum Open {
    Paragraph,
    Heading(u8),
    Code(Option<String>),
    Quote,
    List(Option<u64>, Vec<Item>),
    Item(Option<bool>),
    Table(Vec<Alignment>, Vec<Vec<Inline>>, Vec<Vec<Vec<Inline>>>),
    Row(bool, Vec<Vec<Inline>>),
    Cell,
    Emphasis,
    Strong,
    Strike,
    Link(Option<String>),
    Image(Option<String>),
    Html,
    /// `~…~`: in Korean a range (3~5일), never a strike.
    Tildes,
    /// Deeper than the cap, or a construct without a view: its content goes to its parent.
    Through,
}

/// An open element with what it holds so far.
struct Frame {
    open: Open,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    /// Adjacent pieces of text, joined before they are searched for Discord's forms.
    text: String,
}

impl Frame {
    fn new(open: Open) -> Self {
        Self { open, blocks: Vec::new(), inlines: Vec::new(), text: String::new() }
    }
}

pub(super) struct Builder<'p> {
    people: &'p dyn Fn(&str) -> Option<String>,
    stack: Vec<Frame>,
    nodes: usize,
    truncated: bool,
}

impl<'p> Builder<'p> {
    pub(super) fn new(people: &'p dyn Fn(&str) -> Option<String>) -> Self {
        Self { people, stack: vec![Frame::new(Open::Through)], nodes: 0, truncated: false }
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes > MAX_NODES
    }

    /// Takes the next event; `source` is the text it was read from.
    pub(super) fn event(&mut self, event: Event<'_>, source: &str) {
        self.nodes += 1;
        match event {
            Event::Start(Tag::Strikethrough) if !source.starts_with("~~") => {
                self.text("~");
                self.flush_text();
                self.stack.push(Frame::new(Open::Tildes));
            }
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
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
            Event::InlineHtml(html) => match discord::whole(&html, self.people) {
                Some(form) => self.inline(form),
                None => self.text(&html),
            },
            // A chat message breaks where its writer broke it.
            Event::SoftBreak | Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(checked) => {
                if let Some(Frame { open: Open::Item(mark), .. }) =
                    self.stack.iter_mut().rev().find(|frame| matches!(frame.open, Open::Item(_)))
                {
                    *mark = Some(checked);
                }
            }
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.text(&text),
        }
    }

    pub(super) fn finish(mut self) -> Document {
        let full = self.is_full();
        while self.stack.len() > 1 {
            self.close();
        }
        self.flush_text();
        let mut blocks = self.stack.pop().map(into_blocks).unwrap_or_default();
        blocks.retain(|block| !matches!(block, Block::Paragraph { content } if content.is_empty()));
        Document { blocks, truncated: full || self.truncated }
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
        let open = if self.stack.len() >= MAX_DEPTH {
            self.truncated = true;
            Open::Through
        } else {
            opened(tag)
        };
        self.stack.push(Frame::new(open));
    }

    fn end(&mut self, _: TagEnd) {
        if self.stack.len() > 1 {
            self.close();
        }
    }

    fn close(&mut self) {
        self.flush_text();
        let Some(frame) = self.stack.pop() else { return };
        let Frame { open, blocks, inlines, .. } = frame;
        match open {
            Open::Paragraph => self.block(Block::Paragraph { content: trimmed(inlines) }),
            Open::Heading(level) => self.block(Block::Heading { level, content: trimmed(inlines) }),
            Open::Code(language) => {
                let mut text = inlines.into_iter().map(plain).collect::<String>();
                if text.ends_with('\n') {
                    text.pop();
                }
                self.block(Block::Code { language, text });
            }
            Open::Html => {
                let content = trimmed(inlines);
                self.block(Block::Paragraph { content });
            }
            Open::Quote => self.block(Block::Quote { blocks: with_loose(blocks, inlines) }),
            Open::Item(checked) => {
                let item = Item { checked, blocks: with_loose(blocks, inlines) };
                match self.stack.last_mut() {
                    Some(Frame { open: Open::List(_, items), .. }) => items.push(item),
                    Some(parent) => parent.blocks.extend(item.blocks),
                    None => {}
                }
            }
            Open::List(start, items) => self.block(Block::List { start, items }),
            Open::Table(alignments, header, rows) => self.block(Block::Table { alignments, header, rows }),
            Open::Row(is_header, cells) => {
                if let Some(Frame { open: Open::Table(_, header, rows), .. }) = self.stack.last_mut() {
                    if is_header {
                        *header = cells;
                    } else {
                        rows.push(cells);
                    }
                }
            }
            Open::Cell => {
                if let Some(Frame { open: Open::Row(_, cells), .. }) = self.stack.last_mut() {
                    cells.push(trimmed(inlines));
                }
            }
            Open::Emphasis => self.inline(Inline::Emphasis { content: inlines }),
            Open::Strong => self.inline(Inline::Strong { content: inlines }),
            Open::Strike => self.inline(Inline::Strike { content: inlines }),
            Open::Link(Some(href)) => self.inline(Inline::Link { href, content: inlines }),
            Open::Image(href) => {
                let alt = inlines.into_iter().map(plain).collect();
                self.inline(Inline::Image { href, alt });
            }
            // An address that must not be followed leaves its words.
            Open::Link(None) | Open::Through | Open::Tildes => {
                if let Some(parent) = self.stack.last_mut() {
                    parent.blocks.extend(blocks);
                    parent.inlines.extend(inlines);
                    if matches!(open, Open::Tildes) {
                        parent.text.push('~');
                    }
                }
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(frame) = self.stack.last_mut() {
            frame.text.push_str(text);
        }
    }

    fn inline(&mut self, inline: Inline) {
        self.flush_text();
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

    /// Text of a tight list item stands before a nested block: it becomes a paragraph of its own.
    fn wrap_loose_inlines(&mut self) {
        self.flush_text();
        if let Some(frame) = self.stack.last_mut()
            && !frame.inlines.is_empty()
        {
            let content = trimmed(std::mem::take(&mut frame.inlines));
            frame.blocks.push(Block::Paragraph { content });
        }
    }

    fn flush_text(&mut self) {
        let raw = self
            .stack
            .last()
            .is_some_and(|frame| matches!(frame.open, Open::Code(_) | Open::Image(_) | Open::Link(Some(_))));
        let Some(frame) = self.stack.last_mut() else { return };
        if frame.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut frame.text);
        if raw {
            frame.inlines.push(Inline::Text { text });
            return;
        }
        let before = frame.inlines.len();
        discord::split(&text, self.people, &mut frame.inlines);
        self.nodes += frame.inlines.len() - before;
    }
}

fn opened(tag: Tag<'_>) -> Open {
    match tag {
        Tag::Paragraph => Open::Paragraph,
        Tag::Heading { level, .. } => Open::Heading(level as u8),
        Tag::CodeBlock(kind) => Open::Code(match kind {
            CodeBlockKind::Fenced(info) => {
                info.split([' ', ',', '\t']).next().map(str::to_owned).filter(|word| !word.is_empty())
            }
            CodeBlockKind::Indented => None,
        }),
        Tag::BlockQuote(_) => Open::Quote,
        Tag::List(start) => Open::List(start, Vec::new()),
        Tag::Item => Open::Item(None),
        Tag::Table(columns) => {
            let alignments = columns.into_iter().map(alignment).collect();
            Open::Table(alignments, Vec::new(), Vec::new())
        }
        Tag::TableHead => Open::Row(true, Vec::new()),
        Tag::TableRow => Open::Row(false, Vec::new()),
        Tag::TableCell => Open::Cell,
        Tag::Emphasis => Open::Emphasis,
        Tag::Strong => Open::Strong,
        Tag::Strikethrough => Open::Strike,
        Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
            let address = dest_url.strip_prefix("mailto:").unwrap_or(&dest_url);
            Open::Link(link::safe(&format!("mailto:{address}")))
        }
        Tag::Link { dest_url, .. } => Open::Link(link::safe(&dest_url)),
        Tag::Image { dest_url, .. } => Open::Image(link::safe_image(&dest_url)),
        Tag::HtmlBlock => Open::Html,
        _ => Open::Through,
    }
}

fn alignment(of: pulldown_cmark::Alignment) -> Alignment {
    match of {
        pulldown_cmark::Alignment::None => Alignment::None,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Center,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}

fn into_blocks(frame: Frame) -> Vec<Block> {
    with_loose(frame.blocks, frame.inlines)
}

fn with_loose(mut blocks: Vec<Block>, inlines: Vec<Inline>) -> Vec<Block> {
    if !inlines.is_empty() {
        blocks.push(Block::Paragraph { content: trimmed(inlines) });
    }
    blocks
}

/// No line break at either end, no trailing newline of an HTML block.
fn trimmed(mut inlines: Vec<Inline>) -> Vec<Inline> {
    if let Some(Inline::Text { text }) = inlines.last_mut() {
        let kept = text.trim_end_matches('\n').len();
        text.truncate(kept);
    }
    let empty = |inline: &Inline| match inline {
        Inline::Break => true,
        Inline::Text { text } => text.is_empty(),
        _ => false,
    };
    while inlines.last().is_some_and(empty) {
        inlines.pop();
    }
    inlines
}

/// The words of an inline, for an image's alternative text and for code.
fn plain(inline: Inline) -> String {
    match inline {
        Inline::Text { text } | Inline::Code { text } | Inline::Everyone { text } => text,
        Inline::Emphasis { content }
        | Inline::Strong { content }
        | Inline::Strike { content }
        | Inline::Spoiler { content }
        | Inline::Link { content, .. } => content.into_iter().map(plain).collect(),
        Inline::Image { alt, .. } => alt,
        Inline::Mention { name } => name.unwrap_or_default(),
        Inline::Emoji { name } => name,
        Inline::Break => " ".to_owned(),
        Inline::Role | Inline::Channel | Inline::Time { .. } => String::new(),
    }
}
