//! Property tests of the Markdown parser over texts assembled at random from syntax elements. The short form uses 600
//! texts; `TASK_HUB_SOAK` makes it 60,000. The fuzz target `markdown` tests the parser over any bytes.
//!
//! Proves (text): For random texts, the Markdown tree and the work to parse it stay within their limits. Links are not
//! nested, have an allowed scheme, and are stored with the host of their address.

use coordination::markdown::{
    Block, Inline, LinkTarget, MAX_DEPTH, MAX_NODES, SPARE_BYTES, host, parse, parse_counted, parse_within,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const FRAGMENTS: &[&str] = &[
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "```",
    "```diff\n",
    "\n",
    "\n\n",
    "  \n",
    "> ",
    "- ",
    "1. ",
    "- [x] ",
    "# ",
    "---\n",
    "|",
    "|a|b|\n|-|-|\n",
    "||",
    "[",
    "]",
    "(",
    ")",
    "](",
    "![",
    "[a](https://a.example)",
    "[https://a.example](https://b.example)",
    "<",
    ">",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "<@123456789012345678>",
    "<@",
    "<#123456789012345678>",
    "<t:1:R>",
    "<:a:123456789012345678>",
    "@everyone",
    "https://a.example",
    "http://",
    "https://%",
    "https://bank.example@evil.example/",
    "<https://x.example>",
    "mailto:a@b.example",
    "<a@b.example>",
    "javascript:alert(1)",
    "[x](javascript:1)",
    "[x](data:text/html,1)",
    "[r]",
    "[r]: https://r.example\n",
    "&amp;",
    "&#0;",
    "&lt;",
    "\\",
    "\t",
    "    ",
    "가",
    "이든",
    "a",
    "word",
    " ",
    "\u{202e}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{e0041}",
    "👩",
    "🏴",
    "é",
    "\0",
    "\r",
];

fn people(id: &str) -> Option<String> {
    id.starts_with('1').then(|| "이든\u{202e}".to_owned())
}

fn walk(blocks: &[Block], seen: &mut impl FnMut(&Inline, bool)) {
    fn inlines(content: &[Inline], in_link: bool, seen: &mut impl FnMut(&Inline, bool)) {
        for inline in content {
            seen(inline, in_link);
            match inline {
                Inline::Link { content, .. } => inlines(content, true, seen),
                Inline::Emphasis { content }
                | Inline::Strong { content }
                | Inline::Strike { content }
                | Inline::Spoiler { content } => inlines(content, in_link, seen),
                _ => {}
            }
        }
    }
    for block in blocks {
        match block {
            Block::Paragraph { content } | Block::Heading { content, .. } => inlines(content, false, seen),
            Block::Quote { blocks } => walk(blocks, seen),
            Block::List { items, .. } => items.iter().for_each(|item| walk(&item.blocks, seen)),
            Block::Table { header, rows, .. } => {
                std::iter::once(header).chain(rows).flatten().for_each(|cell| inlines(cell, false, seen));
            }
            Block::Code { .. } | Block::Rule => {}
        }
    }
}

fn may_be_followed(to: &LinkTarget) -> bool {
    let scheme = to.href.split(':').next().unwrap_or_default().to_ascii_lowercase();
    ["http", "https", "mailto"].contains(&scheme.as_str()) && host(&to.href).as_ref() == Some(&to.host)
}

#[test]
fn parser_laws_hold_for_any_text() {
    let cases = if std::env::var_os("TASK_HUB_SOAK").is_some() { 60_000 } else { 600 };
    let text = (prop::collection::vec(0..FRAGMENTS.len(), 0..120), 1_usize..6).prop_map(|(chosen, times)| {
        let once: String = chosen.into_iter().map(|at| FRAGMENTS[at]).collect();
        once.repeat(times)
    });
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&text, |text| {
        let (document, work) = parse_counted(&text, &people);
        let size = document.measure();
        prop_assert!(size.nodes <= MAX_NODES && size.depth <= MAX_DEPTH, "{size:?}");
        prop_assert!(size.bytes <= 4 * text.len() + SPARE_BYTES, "{size:?} of {}", text.len());
        prop_assert!(work <= 16 * text.len() + 1_000, "{work} for {}", text.len());
        prop_assert_eq!(&parse(&text, &people), &document);
        let mut wrong = Vec::new();
        walk(&document.blocks, &mut |inline, in_link| match inline {
            Inline::Link { to, .. } if in_link || !may_be_followed(to) => wrong.push(format!("{inline:?}")),
            Inline::Image { to: Some(to), .. } if in_link || !may_be_followed(to) => wrong.push(format!("{inline:?}")),
            _ => {}
        });
        prop_assert!(wrong.is_empty(), "{wrong:?}");
        for nodes in [300, 1_000] {
            let part = parse_within(&text, nodes, &people).measure();
            prop_assert!(part.nodes <= nodes, "{part:?} of {nodes}");
        }
        Ok(())
    });
    assert!(outcome.is_ok(), "{outcome:?}");
}
