//! Fuzz target of the Markdown parser. No text causes a panic, and the parsed tree stays within its size limits. Every
//! link has an allowed scheme, and the host that the page shows for it is that of its address. A search for invisible
//! characters loses no part of the text.
#![no_main]

use coordination::markdown::{
    Block, Inline, LinkTarget, MAX_BYTES, MAX_DEPTH, MAX_NODES, SPARE_BYTES, host, parse, parse_counted,
};
use coordination::text::hidden::{TextPiece, marked, pieces, prose};
use coordination::text::lookalike::skeleton;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // Not caught: a panic is a crash here.
    let (document, work) = parse_counted(&text, &|id| Some(id.chars().rev().collect()));
    let size = document.measure();
    let read = text.len().min(MAX_BYTES);
    assert!(size.nodes <= MAX_NODES && size.depth <= MAX_DEPTH, "{size:?}");
    assert!(size.bytes <= 4 * read + SPARE_BYTES, "{size:?} of {read}");
    assert!(work <= 16 * read + 1_000, "{work} for {read}");
    assert_eq!(parse(&text, &|id| Some(id.chars().rev().collect())), document);
    document.blocks.iter().for_each(block);
    for split in [pieces(&text), prose(&text)] {
        let joined: String = split
            .iter()
            .map(|piece| match piece {
                TextPiece::Plain(text) | TextPiece::Rest(text) | TextPiece::Hidden { text, .. } => *text,
            })
            .collect();
        assert_eq!(joined, text);
    }
    drop((marked(&text), skeleton(&text), host(&text)));
});

fn block(of: &Block) {
    match of {
        Block::Paragraph { content } | Block::Heading { content, .. } => content.iter().for_each(inline),
        Block::Quote { blocks } => blocks.iter().for_each(block),
        Block::List { items, .. } => items.iter().flat_map(|item| &item.blocks).for_each(block),
        Block::Table { header, rows, .. } => std::iter::once(header).chain(rows).flatten().flatten().for_each(inline),
        Block::Code { .. } | Block::Rule => {}
    }
}

fn inline(of: &Inline) {
    match of {
        Inline::Link { to, content } => {
            safe(to);
            assert!(!content.iter().any(|one| matches!(one, Inline::Link { .. })), "a link in a link");
            content.iter().for_each(inline);
        }
        Inline::Image { to, .. } => to.iter().for_each(safe),
        Inline::Emphasis { content }
        | Inline::Strong { content }
        | Inline::Strike { content }
        | Inline::Spoiler { content } => content.iter().for_each(inline),
        _ => {}
    }
}

fn safe(to: &LinkTarget) {
    let scheme = to.href.split(':').next().unwrap_or_default().to_ascii_lowercase();
    assert!(["http", "https", "mailto"].contains(&scheme.as_str()), "{}", to.href);
    assert_eq!(host(&to.href).as_ref(), Some(&to.host), "{}", to.href);
    assert!(scheme == "mailto" || to.host.ascii.is_ascii(), "{}", to.href);
}
