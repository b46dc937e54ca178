//! Table of patterns for Markdown texts that are expensive to parse, such as nested quotes. The tests in `bombs.rs`
//! make texts of any size from each pattern.

/// A piece repeated, between a beginning and an end; `halves` repeats a closing piece as often.
pub(crate) struct Bomb {
    /// What it is called.
    pub(crate) name: &'static str,
    before: &'static str,
    piece: &'static str,
    after: &'static str,
    closing: &'static str,
    /// Repeated in the middle: half of the text.
    bottom: &'static str,
}

const fn bomb(name: &'static str, piece: &'static str) -> Bomb {
    Bomb { name, before: "", piece, after: "", closing: "", bottom: "" }
}

const fn nest(name: &'static str, piece: &'static str, middle: &'static str, closing: &'static str) -> Bomb {
    Bomb { name, before: "", piece, after: middle, closing, bottom: "" }
}

const fn prefixed(name: &'static str, before: &'static str, piece: &'static str) -> Bomb {
    Bomb { name, before, piece, after: "", closing: "", bottom: "" }
}

const FEW_HUNDRED_QUOTES: &str = match std::str::from_utf8(&[b'>'; 300]) {
    Ok(quotes) => quotes,
    Err(_) => "",
};

/// Half of the text nests, the other half is at the innermost level.
const fn deep(name: &'static str, piece: &'static str, bottom: &'static str, closing: &'static str) -> Bomb {
    Bomb { name, before: "", piece, after: "", closing, bottom }
}

pub(crate) const BOMBS: &[Bomb] = &[
    bomb("one word", "a"),
    bomb("one Korean word", "가"),
    bomb("combining marks", "\u{301}"),
    bomb("a letter under marks", "a\u{301}\u{302}\u{303}\u{304}"),
    bomb("line breaks", "a\n"),
    bomb("paragraphs", "a\n\n"),
    bomb("quotes", "> "),
    bomb("quotes without spaces", ">"),
    bomb("quoted lists", "> - "),
    bomb("nested lists on a line", "- "),
    bomb("nested numbers on a line", "1. "),
    bomb("items", "- x\n"),
    bomb("boxes", "- [ ] x\n"),
    bomb("open brackets", "["),
    bomb("open images", "!["),
    bomb("brackets", "[a]"),
    bomb("bracket and parenthesis", "[a]("),
    bomb("links that never close", "[a](<b"),
    bomb("links", "[a](http://b) "),
    bomb("images", "![a](http://b) "),
    nest("nested brackets", "[", "a", "]"),
    nest("nested links", "[", "a", "](http://b)"),
    nest("nested images", "![", "a", "](http://b)"),
    bomb("stars", "*"),
    bomb("star and letter", "*a"),
    bomb("letter and stars", "a**"),
    bomb("stars and low lines", "*a_"),
    bomb("emphasis", "*a* "),
    bomb("emphasis of two kinds", "**a *b "),
    nest("nested emphasis", "*a **b ", "c", "** *"),
    bomb("tildes", "~~a"),
    bomb("tilde runs", "~"),
    bomb("backticks", "`a"),
    bomb("growing backticks", "`a``b```c````"),
    bomb("fences", "```\na\n```\n"),
    bomb("coloured lines", "```diff\n+a\n-b\n```\n"),
    prefixed("one long diff", "```diff\n", "+a\n"),
    bomb("headings", "# a\n"),
    bomb("rules", "---\n"),
    prefixed("a table of rows", "|a|b|c|d|\n|-|-|-|-|\n", "|1|2|3|4|\n"),
    prefixed(
        "a table of missing cells",
        "|a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|\n|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|-|\n",
        "|\n",
    ),
    bomb("tables", "|a|\n|-|\n|b|\n\n"),
    Bomb { name: "a wide table", before: "|", piece: "a|", after: "\n|", closing: "-|", bottom: "" },
    bomb("entities", "&amp;"),
    bomb("long entities", "&CounterClockwiseContourIntegral;"),
    bomb("entities that are none", "&a"),
    bomb("numbers of characters", "&#0;"),
    bomb("backslashes", "\\"),
    bomb("HTML", "<b>"),
    bomb("comments", "<!--"),
    bomb("instructions", "<?"),
    bomb("CDATA", "<![CDATA["),
    bomb("declarations", "<!A "),
    bomb("open angles", "<"),
    bomb("open tags", "<a "),
    bomb("quoted attributes", "<a b=\""),
    bomb("autolinks", "<http://a>"),
    bomb("addresses", "http://a "),
    bomb("addresses in one", "http://"),
    bomb("addresses that lead nowhere", "http://%/"),
    bomb("mail addresses", "<a@b.c>"),
    prefixed("closing brackets behind an address", "http://a", ")"),
    prefixed("full stops behind an address", "http://a", "."),
    prefixed(
        "a reference used again",
        "[a]: http://example.com/a-long-address-that-is-copied-for-each-use\n\n",
        "[a] ",
    ),
    bomb("references", "[a]: b\n"),
    bomb("footnotes", "[^a] "),
    bomb("definitions of footnotes", "[^a]: b\n"),
    bomb("spoilers", "||a||"),
    bomb("bars", "|"),
    bomb("spoiler that never closes", "||a|"),
    bomb("strong in Korean", "**가**나"),
    bomb("everyone", "@everyone "),
    bomb("mentions", "<@123456789012345678>"),
    bomb("mentions that are none", "<@1"),
    bomb("times", "<t:1>"),
    bomb("emoji", "<:a:123456789012345678>"),
    bomb("custom emoji left open", "<:a:"),
    bomb("reordered", "\u{202e}a"),
    bomb("zero width in code", "`\u{200b}a\u{200c}b`"),
    bomb("tag characters", "a\u{e0041}"),
    bomb("tabs", "\ta\n"),
    bomb("NUL", "\0"),
    bomb("joined emoji", "👩\u{200d}"),
    bomb("carriage returns", "\r"),
    bomb("underlined", "a\n=\n"),
    bomb("quotes of code", ">     a\n"),
    deep("lines below quotes", ">", "a\n", ""),
    deep("blocks below quotes", ">", "\n---\n", ""),
    deep("lines below lists", "- ", "a\n", ""),
    deep("items below lists", "- ", "\n- a", ""),
    prefixed("lines below a few hundred quotes", FEW_HUNDRED_QUOTES, "a\n"),
    deep("forms below emphasis", "*a **b ", "<t:1>", "** *"),
    deep("lines below strong", "__a *b ", "c\n", "* __"),
    deep("code below tildes", "~a ~~b ", "`c` ", "~~ ~"),
    deep("forms below brackets", "[", "<t:1>", "]"),
    deep("links below brackets", "[", "[a](http://b) ", "](http://b)"),
    deep("lines below links that lead nowhere", "[", "a\n", "](x:y)"),
    deep("lines below images", "![", "a\n", "](http://b)"),
    deep("emphasis below images", "![*", "a\n", "*](http://b)"),
    Bomb {
        name: "words below emphasis in an image",
        before: "![",
        piece: "*a **b ",
        after: "](http://b)",
        closing: "** *",
        bottom: "a ",
    },
];

impl Bomb {
    /// The text of about so many bytes.
    pub(crate) fn text_of_size(&self, bytes: usize) -> String {
        let each = self.piece.len() + self.closing.len();
        let room = bytes.saturating_sub(self.before.len() + self.after.len());
        let below = if self.bottom.is_empty() { 0 } else { room / 2 / self.bottom.len() };
        let times = (room - below * self.bottom.len()) / each;
        let (open, bottom, close) = (self.piece.repeat(times), self.bottom.repeat(below), self.closing.repeat(times));
        if self.before.starts_with('!') {
            return format!("{}{open}{bottom}{close}{}", self.before, self.after);
        }
        format!("{}{open}{}{bottom}{close}", self.before, self.after)
    }
}
