//! Open elements of the tree builder: Markdown elements whose end is not reached yet. Functions create them from parser
//! tags and give the cost of each, which counts against the size limits. Also helpers that trim inline content and
//! extract its plain text.

use pulldown_cmark::{CodeBlockKind, LinkType, Tag};

use crate::host::Host;
use crate::link;
use crate::measure::{self, Measure};
use crate::tree::{Alignment, Block, Inline, LinkTarget, ListItem};

/// One open element.
pub(super) enum OpenElement {
    Paragraph,
    Heading(u8),
    Code(Option<String>),
    Quote,
    List(Option<u64>, Vec<ListItem>),
    Item(Option<bool>),
    Table(Vec<Alignment>, Vec<Vec<Inline>>, Vec<Vec<Vec<Inline>>>),
    Row(bool, Vec<Vec<Inline>>),
    Cell,
    Emphasis,
    Strong,
    Strike,
    Link(LinkTarget),
    Image(Option<LinkTarget>),
    Html,
    /// The root. Of a tag: deeper than the cap, without a view, or a link that must not be followed. It gets no frame,
    /// and what it holds goes to the frame around it.
    Through,
}

/// An open element with its content so far.
pub(super) struct OpenFrame {
    pub(super) open: OpenElement,
    pub(super) blocks: Vec<Block>,
    pub(super) inlines: Vec<Inline>,
    /// Adjacent pieces of text, joined before they are searched for Discord's forms.
    pub(super) text: String,
}

impl OpenFrame {
    pub(super) fn new(open: OpenElement) -> Self {
        Self { open, blocks: Vec::new(), inlines: Vec::new(), text: String::new() }
    }
}

/// Cost of an element without its content.
pub(super) fn price(open: &OpenElement) -> Measure {
    match open {
        OpenElement::Code(language) => measure::code(language.as_deref()),
        OpenElement::Table(..) => measure::TABLE,
        OpenElement::Item(_) => Measure { nodes: measure::HOLDER.nodes + measure::ITEM, ..measure::HOLDER },
        OpenElement::Link(to) => measure::link(to),
        OpenElement::Image(to) => measure::inline(&Inline::Image { to: to.clone(), alt: String::new() }, true),
        OpenElement::Through => Measure::default(),
        _ => measure::HOLDER,
    }
}

pub(super) fn opened(tag: Tag<'_>) -> OpenElement {
    match tag {
        Tag::Paragraph => OpenElement::Paragraph,
        Tag::Heading { level, .. } => OpenElement::Heading(level as u8),
        Tag::CodeBlock(kind) => OpenElement::Code(match kind {
            CodeBlockKind::Fenced(info) => {
                info.split([' ', ',', '\t']).next().map(str::to_owned).filter(|word| !word.is_empty())
            }
            CodeBlockKind::Indented => None,
        }),
        Tag::BlockQuote(_) => OpenElement::Quote,
        Tag::List(start) => OpenElement::List(start, Vec::new()),
        Tag::Item => OpenElement::Item(None),
        Tag::Table(columns) => {
            let alignments = columns.into_iter().map(alignment).collect();
            OpenElement::Table(alignments, Vec::new(), Vec::new())
        }
        Tag::TableHead => OpenElement::Row(true, Vec::new()),
        Tag::TableRow => OpenElement::Row(false, Vec::new()),
        Tag::TableCell => OpenElement::Cell,
        Tag::Emphasis => OpenElement::Emphasis,
        Tag::Strong => OpenElement::Strong,
        Tag::Strikethrough => OpenElement::Strike,
        Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
            let address = dest_url.strip_prefix("mailto:").unwrap_or(&dest_url);
            link::safe(&format!("mailto:{address}")).map_or(OpenElement::Through, |to| OpenElement::Link(target(to)))
        }
        Tag::Link { dest_url, .. } => {
            link::safe(&dest_url).map_or(OpenElement::Through, |to| OpenElement::Link(target(to)))
        }
        Tag::Image { dest_url, .. } => OpenElement::Image(link::safe_image(&dest_url).map(target)),
        Tag::HtmlBlock => OpenElement::Html,
        _ => OpenElement::Through,
    }
}

fn target((href, host): (String, Host)) -> LinkTarget {
    LinkTarget { href, host, misleading: false, shows_address: false }
}

fn alignment(of: pulldown_cmark::Alignment) -> Alignment {
    match of {
        pulldown_cmark::Alignment::None => Alignment::None,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Center,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}

/// No line break at either end, no trailing newline of an HTML block.
pub(super) fn trimmed(mut inlines: Vec<Inline>) -> Vec<Inline> {
    if let Some(Inline::Text { text }) = inlines.last_mut() {
        let length = text.trim_end_matches('\n').len();
        text.truncate(length);
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

/// The words of a line, for an image's alternative text and for code.
pub(super) fn words(inlines: &[Inline]) -> String {
    let mut out = String::new();
    inlines.iter().for_each(|inline| push_words(inline, &mut out));
    out
}

fn push_words(inline: &Inline, out: &mut String) {
    match inline {
        Inline::Text { text } | Inline::Code { text } | Inline::Everyone { text } => out.push_str(text),
        Inline::Emphasis { content }
        | Inline::Strong { content }
        | Inline::Strike { content }
        | Inline::Spoiler { content }
        | Inline::Link { content, .. } => content.iter().for_each(|inline| push_words(inline, out)),
        Inline::Image { alt, .. } => out.push_str(alt),
        Inline::Mention { name } => out.push_str(name.as_deref().unwrap_or_default()),
        Inline::Emoji { name } => out.push_str(name),
        Inline::Break => out.push(' '),
        Inline::Role | Inline::Channel | Inline::Time { .. } => {}
    }
}
