//! Size of a document tree: number of DOM nodes when it is drawn, bytes in memory, and depth. The builder of the tree
//! (`build.rs`) limits these sizes.

use super::tree::{Block, Document, Inline, LinkTarget, ListItem};
use message_text::hidden;

/// Bytes counted for a node of the tree besides its texts.
const NODE_BYTES: usize = 8;
/// Lines of a `diff` that are coloured one by one; a longer one is one text.
pub const MAX_DIFF_LINES: usize = 400;

/// The size of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measure {
    /// Nodes of the page: elements, texts and what the renderer needs between them. Never less than are drawn.
    pub nodes: usize,
    /// Bytes of all texts, and eight for every node of the tree.
    pub bytes: usize,
    /// Nesting: a paragraph's text is two deep.
    pub depth: usize,
}

impl Measure {
    const fn new(nodes: usize, bytes: usize) -> Self {
        Self { nodes, bytes: bytes + NODE_BYTES, depth: 1 }
    }

    /// This, with those inside it.
    fn around(self, inside: impl Iterator<Item = Self>) -> Self {
        let mut sum = self;
        for one in inside {
            sum.nodes += one.nodes;
            sum.bytes += one.bytes;
            sum.depth = sum.depth.max(1 + one.depth);
        }
        sum
    }
}

impl Document {
    /// The size of the whole.
    #[must_use]
    pub fn measure(&self) -> Measure {
        let whole = Measure { nodes: 2, bytes: 0, depth: 0 }.around(self.blocks.iter().map(block));
        Measure { depth: whole.depth.saturating_sub(1), ..whole }
    }
}

/// A block or line element that holds others: itself and the mark at the end of its list.
pub(super) const HOLDER: Measure = Measure::new(3, 0);
/// The frame of a table.
pub(super) const TABLE: Measure = Measure::new(12, 0);
/// What the renderer needs inside an item, besides its element.
pub(super) const ITEM: usize = 3;
/// An item's check box, next to the item.
pub(super) const CHECK: usize = 6;

/// The frame of a code block: head, language, button, scroller.
pub(super) fn code(language: Option<&str>) -> Measure {
    Measure::new(34, language.map_or(0, str::len))
}

/// The lines of a coloured `diff`, each an element and its text; nothing when there are too many.
pub(super) fn diff_lines(text: &str) -> Option<usize> {
    let lines = text.split_inclusive('\n').take(MAX_DIFF_LINES + 1).count();
    (lines <= MAX_DIFF_LINES).then_some(lines)
}

/// A link without its words: itself, its host with its marks, the warnings.
pub(super) fn link(to: &LinkTarget) -> Measure {
    Measure::new(14 + marks(&to.host.shown, true), target(to))
}

fn target(to: &LinkTarget) -> usize {
    to.href.len() + to.host.shown.len() + to.host.ascii.len()
}

/// Nodes of a text: one, or one for each piece and two more for each mark.
fn marks(text: &str, all: bool) -> usize {
    let pieces = if all { hidden::pieces(text) } else { hidden::prose(text) };
    if pieces.len() <= 1 && matches!(pieces.as_slice(), [] | [hidden::TextPiece::Plain(_)]) {
        1
    } else {
        1 + 2 * pieces.len()
    }
}

/// A text in code or in a link's words, where every hidden character is marked, or in prose.
pub(super) fn text(text: &str, all: bool) -> Measure {
    Measure::new(marks(text, all), text.len())
}

/// An inline with all it holds; `in_link` when it is in a link's words.
pub(super) fn inline(of: &Inline, in_link: bool) -> Measure {
    let inside = |content: &[Inline], in_link: bool| content.iter().map(|one| inline(one, in_link)).collect::<Vec<_>>();
    match of {
        Inline::Text { text: content } => text(content, in_link),
        Inline::Code { text: content } => {
            HOLDER.around(std::iter::once(Measure { bytes: content.len(), ..text(content, true) }))
        }
        Inline::Emphasis { content } | Inline::Strong { content } | Inline::Strike { content } => {
            HOLDER.around(inside(content, in_link).into_iter())
        }
        Inline::Spoiler { content } => HOLDER.around(inside(content, in_link).into_iter()),
        Inline::Link { to, content } => link(to).around(inside(content, true).into_iter()),
        Inline::Image { to, alt } => {
            let host = to.as_ref().map_or(0, |to| marks(&to.host.shown, true));
            Measure::new(20 + host + marks(alt, true), alt.len() + to.as_ref().map_or(0, target))
        }
        Inline::Mention { name } => Measure::new(4, name.as_ref().map_or(0, String::len)),
        Inline::Emoji { name } => Measure::new(1, name.len()),
        Inline::Everyone { text } => Measure::new(2, text.len()),
        Inline::Role | Inline::Channel | Inline::Time { .. } => Measure::new(5, 0),
        Inline::Break => Measure::new(1, 0),
    }
}

fn block(of: &Block) -> Measure {
    let holder = |content: &[Inline]| HOLDER.around(content.iter().map(|one| inline(one, false)));
    match of {
        Block::Paragraph { content } | Block::Heading { content, .. } => holder(content),
        Block::Code { language, text: content } => {
            let coloured = if language.as_deref() == Some("diff") { diff_lines(content).unwrap_or(0) } else { 0 };
            let frame = code(language.as_deref());
            let frame = Measure { nodes: frame.nodes + 2 * coloured, ..frame };
            frame.around(std::iter::once(Measure { bytes: content.len(), ..text(content, true) }))
        }
        Block::Quote { blocks } => HOLDER.around(blocks.iter().map(block)),
        Block::List { items, .. } => HOLDER.around(items.iter().map(item)),
        Block::Table { header, rows, .. } => {
            let cell = |cell: &Vec<Inline>| holder(cell);
            let row = |row: &Vec<Vec<Inline>>| HOLDER.around(row.iter().map(cell));
            TABLE.around(std::iter::once(row(header)).chain(rows.iter().map(row)))
        }
        Block::Rule => Measure::new(1, 0),
    }
}

fn item(of: &ListItem) -> Measure {
    let check = if of.checked.is_some() { CHECK } else { 0 };
    Measure { nodes: HOLDER.nodes + check + ITEM, ..HOLDER }.around(of.blocks.iter().map(block))
}
