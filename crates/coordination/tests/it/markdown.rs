//! Tests of the Markdown parser with untrusted text (`contract/events.md` §7.5).
//!
//! Proves (text): Untrusted Markdown becomes a safe tree.

#![allow(clippy::let_underscore_must_use, reason = "a test fails loudly, and its helpers take literals")]

use coordination::markdown::{Block, Document, Inline, LinkTarget, host, parse};

fn people(id: &str) -> Option<String> {
    (id == "123456789012345678").then(|| "이든".to_owned())
}

fn read(text: &str) -> Document {
    parse(text, &people)
}

fn only_paragraph(text: &str) -> Vec<Inline> {
    match read(text).blocks.as_slice() {
        [Block::Paragraph { content }] => content.clone(),
        other => panic!("{text:?}: {other:?}"),
    }
}

fn text(text: &str) -> Inline {
    Inline::Text { text: text.to_owned() }
}

fn target(href: &str) -> LinkTarget {
    LinkTarget { href: href.to_owned(), host: host(href).expect("an address"), misleading: false, shows_address: false }
}

fn link(href: &str) -> Inline {
    Inline::Link { to: target(href), content: vec![text(href)] }
}

/// All texts, in order: what a reader sees.
fn words(document: &Document) -> String {
    format!("{document:?}")
}

#[test]
fn marks_become_a_tree() {
    assert_eq!(
        only_paragraph("**굵게** `a < b`와 ~~취소~~\n_줄_"),
        [
            Inline::Strong { content: vec![text("굵게")] },
            text(" "),
            Inline::Code { text: "a < b".to_owned() },
            text("와 "),
            Inline::Strike { content: vec![text("취소")] },
            Inline::Break,
            Inline::Emphasis { content: vec![text("줄")] },
        ]
    );
    assert_eq!(read("# 제목").blocks, [Block::Heading { level: 1, content: vec![text("제목")] }]);
    assert_eq!(
        read("```rust,ignore\nfn main() {}\n\n```").blocks,
        [Block::Code { language: Some("rust".to_owned()), text: "fn main() {}\n".to_owned() }]
    );
}

#[test]
fn lists_tables_and_quotes_keep_their_structure() {
    let document = read("1. 하나\n   - [x] 끝\n   - [ ] 아직\n2. 둘");
    let [Block::List { start: Some(1), items }] = document.blocks.as_slice() else { panic!("{document:?}") };
    assert_eq!(items.len(), 2);
    assert_eq!(items[0].blocks[0], Block::Paragraph { content: vec![text("하나")] });
    let Block::List { start: None, items: inner } = &items[0].blocks[1] else { panic!("{items:?}") };
    assert_eq!((inner[0].checked, inner[1].checked), (Some(true), Some(false)));
    let document = read("| 항목 | 값 |\n|:--|--:|\n| a | **1** |\n| b | 2 |");
    let [Block::Table { alignments, header, rows }] = document.blocks.as_slice() else { panic!("{document:?}") };
    assert_eq!((alignments.len(), header.len(), rows.len()), (2, 2, 2));
    assert_eq!(rows[0][1], [Inline::Strong { content: vec![text("1")] }]);
    let document = read("> 인용\n\n---\n끝");
    assert!(matches!(document.blocks.as_slice(), [Block::Quote { .. }, Block::Rule, Block::Paragraph { .. }]));
}

#[test]
fn html_is_text() {
    assert_eq!(only_paragraph("a <b>x</b>"), [text("a <b>x</b>")]);
    let block = words(&read("<script>alert(1)</script>\n\n끝"));
    assert!(block.contains("<script>alert(1)</script>"), "{block}");
}

#[test]
fn only_web_and_mail_links_are_followed() {
    assert_eq!(
        only_paragraph("[문서](https://example.com/a)"),
        [Inline::Link { to: target("https://example.com/a"), content: vec![text("문서")] }]
    );
    for address in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "/etc/passwd",
        "file:///x",
        "//evil",
        "https:evil",
    ] {
        assert_eq!(only_paragraph(&format!("[누르세요]({address})")), [text("누르세요")], "{address}");
    }
    assert_eq!(only_paragraph("<https://example.com/x>"), [link("https://example.com/x")]);
    let mail = only_paragraph("<a@example.com>");
    assert!(matches!(mail.as_slice(), [Inline::Link { to, .. }] if to.href == "mailto:a@example.com"), "{mail:?}");
    assert_eq!(
        only_paragraph("보세요 https://example.com/x_y(z)를."),
        [text("보세요 "), link("https://example.com/x_y(z)"), text("를.")]
    );
    assert_eq!(only_paragraph("(https://example.com)"), [text("("), link("https://example.com"), text(")")]);
    let inner = [text("("), link("https://example.com/x_(y)"), text("))")];
    assert_eq!(only_paragraph("(https://example.com/x_(y)))"), inner, "only unopened brackets belong to the sentence");
}

#[test]
fn an_image_is_a_chip() {
    assert_eq!(
        only_paragraph("![그림 **1**](https://example.com/a.png)"),
        [Inline::Image { to: Some(target("https://example.com/a.png")), alt: "그림 1".to_owned() }]
    );
    // One place to go, not two inside each other.
    assert_eq!(
        only_paragraph("[![x](https://a.example/a.png)](https://b.example) [**https://c.example**](https://b.example)")
            [0],
        Inline::Link {
            to: target("https://b.example"),
            content: vec![Inline::Image { to: None, alt: "x".to_owned() }]
        }
    );
    let inner = only_paragraph("[**https://c.example**](https://b.example)");
    let [Inline::Link { to, content }] = inner.as_slice() else { panic!("{inner:?}") };
    assert!(to.misleading, "{to:?}");
    assert_eq!(*content, [Inline::Strong { content: vec![text("https://c.example")] }]);
    assert_eq!(only_paragraph("![x](javascript:1)"), [Inline::Image { to: None, alt: "x".to_owned() }]);
}

#[test]
fn discord_forms_are_recognised_and_numbers_never_shown() {
    assert_eq!(
        only_paragraph(
            "<@123456789012345678> <@!999999999999999999> <@&123456789012345678> <#123456789012345678> <:o_k:123456789012345678> <a:w:123456789012345678> <t:1771294800:R> <t:5> @everyone"
        ),
        [
            Inline::Mention { name: Some("이든".to_owned()) },
            text(" "),
            Inline::Mention { name: None },
            text(" "),
            Inline::Role,
            text(" "),
            Inline::Channel,
            text(" "),
            Inline::Emoji { name: "o_k".to_owned() },
            text(" "),
            Inline::Emoji { name: "w".to_owned() },
            text(" "),
            Inline::Time { at: 1_771_294_800_000, style: 'R' },
            text(" "),
            Inline::Time { at: 5000, style: 'f' },
            text(" "),
            Inline::Everyone { text: "@everyone".to_owned() },
        ]
    );
    assert_eq!(
        only_paragraph("||비밀 <@123456789012345678>||"),
        [Inline::Spoiler { content: vec![text("비밀 "), Inline::Mention { name: Some("이든".to_owned()) }] }]
    );
    for not in ["<@12>", "<t:x>", "<@123456789012345678", "a@everyone", "@everyones", "|| ||a", "<:x:1>"] {
        let shown = words(&read(not));
        assert!(
            !shown.contains("Mention")
                && !shown.contains("Everyone")
                && !shown.contains("Emoji")
                && !shown.contains("Time"),
            "{not}: {shown}"
        );
    }
}

#[test]
fn code_is_left_alone() {
    assert_eq!(
        only_paragraph("`<@123456789012345678> https://example.com`"),
        [Inline::Code { text: "<@123456789012345678> https://example.com".to_owned() }]
    );
    assert_eq!(
        read("```\n<@123456789012345678> **x** @here\n```").blocks,
        [Block::Code { language: None, text: "<@123456789012345678> **x** @here".to_owned() }]
    );
}

#[test]
fn korean_emphasis_and_ranges_are_recognised() {
    assert_eq!(only_paragraph("**결제(API)**를"), [Inline::Strong { content: vec![text("결제(API)")] }, text("를")]);
    let range = words(&read("3~5일, 7~8일"));
    assert!(!range.contains("Strike") && range.contains("일, 7"), "{range}");
    assert_eq!(range.matches('~').count(), 2, "{range}");
}

fn depth(blocks: &[Block]) -> usize {
    let inner = |block: &Block| match block {
        Block::Quote { blocks } => depth(blocks),
        Block::List { items, .. } => items.iter().map(|item| depth(&item.blocks)).max().unwrap_or(0),
        _ => 0,
    };
    blocks.iter().map(|block| 1 + inner(block)).max().unwrap_or(0)
}

#[test]
fn capped_texts_preserve_their_words() {
    let deep = read(&format!("{}바닥", "> ".repeat(5000)));
    assert!(deep.truncated && depth(&deep.blocks) <= 32, "{}", depth(&deep.blocks));
    assert!(words(&deep).contains("바닥"));
    let marks = read(&format!("{}x{}", "*a **b ".repeat(2000), "** *".repeat(2000)));
    assert!(words(&marks).contains('x'));
    let long = read(&"- x\n".repeat(50_000));
    assert!(long.truncated && !long.blocks.is_empty());
    let huge = read(&"가".repeat(400_000));
    assert!(huge.truncated);
    assert_eq!(read("").blocks, []);
    for odd in ["[", "](", "<", "<@", "||", "**", "![](", "|a|\n|-", "\u{0}", "[[x]]", "<t:99999999999999999999>"] {
        let _ = read(odd);
    }
}

#[test]
fn nested_links_and_images_become_text() {
    for (written, expected) in [
        ("[<https://a.example>](https://b.example)", "https://a.example"),
        ("[a <x@a.example> b](https://b.example)", "a x@a.example b"),
    ] {
        match only_paragraph(written).as_slice() {
            [Inline::Link { to, content }] => {
                assert_eq!(to.href, "https://b.example");
                let all: String =
                    content.iter().map(|one| if let Inline::Text { text } = one { text } else { "?" }).collect();
                assert_eq!(all, expected);
            }
            other => panic!("{written}: {other:?}"),
        }
    }
    let chip = Inline::Image { to: Some(target("https://b.example")), alt: "a b c".to_owned() };
    assert_eq!(only_paragraph("![a ![b](https://a.example) *c*](https://b.example)"), [chip]);
}

/// A list that has no room for its items, and a table for its rows, would hold nothing.
#[test]
fn words_at_every_depth_stay() {
    for depth in 0..40 {
        for inner in ["- 단어", "1. - 단어", "> 단어"] {
            let document = read(&format!("{}{inner}", "> ".repeat(depth)));
            assert!(words(&document).contains("단어"), "{depth} {inner}: {document:?}");
        }
        let quotes = "> ".repeat(depth);
        let document = read(&format!("{quotes}|머리|\n{quotes}|-|\n{quotes}|단어|"));
        let seen = words(&document);
        assert!(seen.contains("단어") && seen.contains("머리"), "{depth}: {document:?}");
    }
}
