//! Truncation of a document tree to its beginning, so that the page does not draw the hidden rest of a collapsed text.

use super::measure;
use super::tree::{Block, Document, Inline, ListItem};

/// Letters that a node costs besides its text, so that many small ones end a beginning, too.
const NODE_LETTERS: usize = 8;

/// How much of a document is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadLimit {
    /// Letters (Unicode scalar values), eight more for each node.
    pub letters: usize,
    /// Lines at least: of code, rows of tables, breaks, and one for each other block.
    pub lines: usize,
}

impl Document {
    /// The first part of a document: whole until `room` is used up, which may cut a text. Only a document that is shown
    /// whole reports `truncated`: unfolding shows the rest of a part.
    #[must_use]
    pub fn head(self, mut room: HeadLimit) -> Self {
        let Self { blocks, truncated } = self;
        let count = blocks.len();
        let blocks = room.blocks(blocks);
        Self { truncated: truncated && blocks.len() == count && room.is_left(), blocks }
    }
}

impl HeadLimit {
    const fn is_left(self) -> bool {
        self.letters > 0 && self.lines > 0
    }

    fn node(&mut self) {
        self.letters = self.letters.saturating_sub(NODE_LETTERS);
    }

    fn line(&mut self) {
        self.lines = self.lines.saturating_sub(1);
    }

    /// What there is room for, each cut by `cut`.
    fn take<T>(&mut self, list: Vec<T>, mut cut: impl FnMut(&mut Self, T) -> T) -> Vec<T> {
        let mut taken = Vec::new();
        for one in list {
            if !self.is_left() {
                break;
            }
            self.node();
            taken.push(cut(self, one));
        }
        taken
    }

    fn blocks(&mut self, list: Vec<Block>) -> Vec<Block> {
        self.take(list, Self::block)
    }

    fn block(&mut self, block: Block) -> Block {
        match block {
            Block::Paragraph { content } => Block::Paragraph { content: self.a_line(content) },
            Block::Heading { level, content } => Block::Heading { level, content: self.a_line(content) },
            Block::Code { language, text } => {
                let end = text.match_indices('\n').nth(self.lines).map_or(text.len(), |(at, _)| at);
                let text = self.text(text.get(..end).unwrap_or_default());
                self.lines = self.lines.saturating_sub(1 + text.matches('\n').count());
                Block::Code { language, text }
            }
            Block::Quote { blocks } => Block::Quote { blocks: self.blocks(blocks) },
            Block::List { start, items } => Block::List { start, items: self.take(items, Self::item) },
            Block::Table { alignments, header, rows } => {
                let header = self.cells(header);
                Block::Table { alignments, header, rows: self.take(rows, Self::cells) }
            }
            Block::Rule => {
                self.line();
                Block::Rule
            }
        }
    }

    fn item(&mut self, item: ListItem) -> ListItem {
        ListItem { blocks: self.blocks(item.blocks), ..item }
    }

    fn cells(&mut self, cells: Vec<Vec<Inline>>) -> Vec<Vec<Inline>> {
        let cells = self.take(cells, Self::inlines);
        self.line();
        cells
    }

    fn a_line(&mut self, content: Vec<Inline>) -> Vec<Inline> {
        let content = self.inlines(content);
        self.line();
        content
    }

    fn inlines(&mut self, list: Vec<Inline>) -> Vec<Inline> {
        self.take(list, Self::inline)
    }

    fn inline(&mut self, inline: Inline) -> Inline {
        match inline {
            Inline::Text { text } => Inline::Text { text: self.text(&text) },
            Inline::Code { text } => Inline::Code { text: self.text(&text) },
            Inline::Emphasis { content } => Inline::Emphasis { content: self.inlines(content) },
            Inline::Strong { content } => Inline::Strong { content: self.inlines(content) },
            Inline::Strike { content } => Inline::Strike { content: self.inlines(content) },
            Inline::Spoiler { content } => Inline::Spoiler { content: self.inlines(content) },
            // A link is never cut, neither its address nor its words: half of them might name another place.
            Inline::Link { ref to, ref content } => {
                let words: usize = content.iter().map(|one| measure::inline(one, true).bytes).sum();
                self.letters = self.letters.saturating_sub(words + to.host.shown.len());
                inline
            }
            Inline::Image { ref to, ref alt } => {
                let host = to.as_ref().map_or(0, |to| to.host.shown.len());
                self.letters = self.letters.saturating_sub(alt.len() + host);
                inline
            }
            Inline::Break => {
                self.line();
                inline
            }
            Inline::Mention { .. }
            | Inline::Role
            | Inline::Channel
            | Inline::Emoji { .. }
            | Inline::Time { .. }
            | Inline::Everyone { .. } => inline,
        }
    }

    fn text(&mut self, text: &str) -> String {
        let end = text.char_indices().nth(self.letters).map_or(text.len(), |(at, _)| at);
        let shown = text.get(..end).unwrap_or_default();
        self.letters -= shown.chars().count();
        shown.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, Document, parse};
    use super::HeadLimit;

    fn nobody(_: &str) -> Option<String> {
        None
    }

    fn texts(document: &Document) -> String {
        format!("{document:?}")
    }

    #[test]
    fn with_room_enough_the_beginning_is_the_whole() {
        let whole =
            parse("# a\n\n- b `c`\n- [d](https://e.example/)\n\n| f |\n|---|\n| g |\n\n```\nh\ni\n```", &nobody);
        assert_eq!(whole.clone().head(HeadLimit { letters: 1_000, lines: 50 }), whole);
    }

    #[test]
    fn letter_limit_cuts_inside_a_text() {
        let head = parse("가나다라마바사아자차카타파하", &nobody).head(HeadLimit { letters: 20, lines: 9 });
        assert!(texts(&head).contains("\"가나다라\""), "{head:?}");
        assert!(!head.truncated);
    }

    #[test]
    fn lines_end_it_in_code_tables_and_lists() {
        for (text, last_in, first_out) in [
            ("```\nr1\nr2\nr3\nr4\nr5\n```", "r3", "r5"),
            ("| h |\n|---|\n| r1 |\n| r2 |\n| r3 |\n| r4 |", "r2", "r4"),
            ("- r1\n- r2\n- r3\n- r4\n- r5", "r3", "r5"),
            ("r1  \nr2  \nr3  \nr4  \nr5", "r3", "r5"),
        ] {
            let head = texts(&parse(text, &nobody).head(HeadLimit { letters: 10_000, lines: 3 }));
            assert!(head.contains(last_in) && !head.contains(first_out), "{text:?}: {head}");
        }
    }

    #[test]
    fn empty_nodes_end_it_too() {
        let head = parse(&">\n\n-\n\n".repeat(500), &nobody).head(HeadLimit { letters: 400, lines: 1_000 });
        assert!(head.blocks.len() <= 50, "{} blocks", head.blocks.len());
    }

    #[test]
    fn a_link_is_never_half_a_link() {
        let text = format!("[{}](https://e.example/) after", "long words ".repeat(40));
        let whole = parse(&text, &nobody);
        let head = whole.clone().head(HeadLimit { letters: 40, lines: 9 });
        let (Some(Block::Paragraph { content: all }), Some(Block::Paragraph { content: some })) =
            (whole.blocks.first(), head.blocks.first())
        else {
            panic!("two paragraphs: {whole:?} {head:?}");
        };
        assert_eq!(some.as_slice(), all.get(..1).unwrap_or_default());
    }

    #[test]
    fn only_whole_document_reports_truncation() {
        let whole = parse(&"a\n\n".repeat(5_000), &nobody);
        assert!(whole.truncated);
        assert!(!whole.clone().head(HeadLimit { letters: 100, lines: 10 }).truncated);
        assert!(whole.head(HeadLimit { letters: usize::MAX, lines: usize::MAX }).truncated);
    }
}
