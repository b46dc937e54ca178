//! Types of the document tree that views draw.

use super::host::Host;

/// A message as blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// In order.
    pub blocks: Vec<Block>,
    /// The text was deeper or longer than the caps; the rest is plain text or is left out.
    pub truncated: bool,
}

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTarget {
    /// `http:`, `https:` or `mailto:` only.
    pub href: String,
    /// Where that is.
    pub host: Host,
    /// The link's words name another place.
    pub misleading: bool,
    /// The link's words are exactly the mail address it leads to, so the address need not be shown again.
    pub shows_address: bool,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A paragraph.
    Paragraph {
        /// Its content.
        content: Vec<Inline>,
    },
    /// A heading.
    Heading {
        /// 1–6.
        level: u8,
        /// Its content.
        content: Vec<Inline>,
    },
    /// A code block.
    Code {
        /// First word of the fence's info text.
        language: Option<String>,
        /// The code, without the last newline.
        text: String,
    },
    /// A quotation.
    Quote {
        /// Its blocks.
        blocks: Vec<Self>,
    },
    /// A list.
    List {
        /// First number of an ordered list; absent for a bulleted one.
        start: Option<u64>,
        /// Its items.
        items: Vec<ListItem>,
    },
    /// A table.
    Table {
        /// Of each column.
        alignments: Vec<Alignment>,
        /// Header cells.
        header: Vec<Vec<Inline>>,
        /// Body rows of cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A thematic break.
    Rule,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListItem {
    /// Its check box, if it has one.
    pub checked: Option<bool>,
    /// Its blocks.
    pub blocks: Vec<Block>,
}

/// Alignment of a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alignment {
    /// No alignment.
    #[default]
    None,
    /// Left.
    Left,
    /// Centre.
    Center,
    /// Right.
    Right,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Text.
    Text {
        /// As is.
        text: String,
    },
    /// Code.
    Code {
        /// As is.
        text: String,
    },
    /// Emphasis.
    Emphasis {
        /// Inside.
        content: Vec<Self>,
    },
    /// Strong emphasis.
    Strong {
        /// Inside.
        content: Vec<Self>,
    },
    /// Struck through.
    Strike {
        /// Inside.
        content: Vec<Self>,
    },
    /// A safe link.
    Link {
        /// Where it leads.
        to: LinkTarget,
        /// Inside.
        content: Vec<Self>,
    },
    /// An image, shown as a chip that links to it.
    Image {
        /// On the web; absent when the address was not safe.
        to: Option<LinkTarget>,
        /// Its alternative text.
        alt: String,
    },
    /// A Discord user (`<@123>`).
    Mention {
        /// Their name; absent when nobody knows it, and the raw number is never shown.
        name: Option<String>,
    },
    /// A Discord role (`<@&123>`).
    Role,
    /// A Discord channel (`<#123>`).
    Channel,
    /// A custom emoji (`<:name:123>`).
    Emoji {
        /// Its name.
        name: String,
    },
    /// A time (`<t:1771294800:R>`).
    Time {
        /// Epoch milliseconds.
        at: i64,
        /// Discord's style letter, `f` when absent.
        style: char,
    },
    /// `@everyone` or `@here`.
    Everyone {
        /// As written, with the `@`.
        text: String,
    },
    /// A spoiler (`||…||`).
    Spoiler {
        /// Inside.
        content: Vec<Self>,
    },
    /// A line break the writer meant.
    Break,
}
