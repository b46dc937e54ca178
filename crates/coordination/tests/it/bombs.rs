//! Tests of the Markdown parser with texts built to be expensive. The tree must stay within its limits, and reading
//! time must grow in proportion to the text.
//!
//! Proves (text): The Markdown tree stays within its limits, and reading time grows in proportion to the text.
//! Long form: `make soak ARGS=bombs`.

use crate::own_time;
mod patterns;

use coordination::markdown::{
    Block, Document, Inline, MAX_BYTES, MAX_DEPTH, MAX_NODES, SPARE_BYTES, host, parse, parse_counted,
};

use coordination::text::{clean, preview, strip_tokens};
use coordination::title;
use own_time::{Pattern, grows_with_the_text};
use patterns::BOMBS;

fn nobody(_: &str) -> Option<String> {
    None
}

fn links<'a>(document: &'a Document, out: &mut Vec<&'a str>) {
    fn inlines<'a>(content: &'a [Inline], out: &mut Vec<&'a str>) {
        for inline in content {
            match inline {
                Inline::Link { to, content } => {
                    out.push(&to.href);
                    inlines(content, out);
                }
                Inline::Image { to: Some(to), .. } => out.push(&to.href),
                Inline::Emphasis { content }
                | Inline::Strong { content }
                | Inline::Strike { content }
                | Inline::Spoiler { content } => inlines(content, out),
                _ => {}
            }
        }
    }
    fn blocks<'a>(list: &'a [Block], out: &mut Vec<&'a str>) {
        for block in list {
            match block {
                Block::Paragraph { content } | Block::Heading { content, .. } => inlines(content, out),
                Block::Quote { blocks: inner } => blocks(inner, out),
                Block::List { items, .. } => items.iter().for_each(|item| blocks(&item.blocks, out)),
                Block::Table { header, rows, .. } => {
                    std::iter::once(header).chain(rows).flatten().for_each(|cell| inlines(cell, out));
                }
                Block::Code { .. } | Block::Rule => {}
            }
        }
    }
    blocks(&document.blocks, out);
}

#[test]
fn any_text_stays_within_tree_caps() {
    assert!(BOMBS.len() >= 40, "{}", BOMBS.len());
    let (mut most, mut deepest, mut largest) = ((0, ""), (0, ""), (0.0_f64, ""));
    for bomb in BOMBS {
        for bytes in [100, 1_000, 4_096, 20_000, MAX_BYTES, 4 * MAX_BYTES] {
            let text = bomb.text_of_size(bytes);
            let document = parse(&text, &nobody);
            let size = document.measure();
            let read = text.len().min(MAX_BYTES);
            assert!(size.nodes <= MAX_NODES, "{} of {bytes}: {size:?}", bomb.name);
            assert!(size.depth <= MAX_DEPTH, "{} of {bytes}: {size:?}", bomb.name);
            assert!(size.bytes <= 4 * read + SPARE_BYTES, "{} of {bytes}: {size:?}", bomb.name);
            assert!(text.len() <= MAX_BYTES || document.truncated, "{} of {bytes} is cut and says so", bomb.name);
            let mut hrefs = Vec::new();
            links(&document, &mut hrefs);
            assert!(hrefs.iter().all(|href| host(href).is_some()), "{}: {hrefs:?}", bomb.name);
            most = most.max((size.nodes, bomb.name));
            deepest = deepest.max((size.depth, bomb.name));
            let share = size.bytes as f64 / (4 * read + SPARE_BYTES) as f64;
            largest = if share > largest.0 { (share, bomb.name) } else { largest };
        }
    }
    println!("{} patterns: most nodes {most:?}, deepest {deepest:?}, fullest {largest:?}", BOMBS.len());
    assert!(most.0 > MAX_NODES / 2 && deepest.0 > MAX_DEPTH / 2, "the patterns reach the caps");
}

/// A large text is cut off at the end: its beginning is kept.
#[test]
fn text_before_cap_is_preserved() {
    let text = format!("처음\n\n{}", "- x\n".repeat(10_000));
    let document = parse(&text, &nobody);
    assert!(document.truncated);
    let first = Block::Paragraph { content: vec![Inline::Text { text: "처음".to_owned() }] };
    assert_eq!(document.blocks.first(), Some(&first));
    assert!(document.measure().nodes > MAX_NODES * 3 / 4, "{:?}", document.measure());
    let small = parse("- x\n- y\n\n| a | b |\n|---|---|\n| 1 | 2 |", &nobody);
    assert!(!small.truncated);
}

#[test]
fn parser_steps_are_linear_in_text() {
    let mut worst = (0.0_f64, "", 0.0_f64);
    for bomb in BOMBS {
        let parse_steps = |bytes: usize| {
            let text = bomb.text_of_size(bytes);
            (parse_counted(&text, &nobody).1 as f64, text.len() as f64)
        };
        let ((half, _), (whole, length)) = (parse_steps(MAX_BYTES / 2), parse_steps(MAX_BYTES));
        assert!(whole <= 2.5 * half + 1_000.0, "{}: {half} then {whole}", bomb.name);
        assert!(whole <= 16.0 * length, "{}: {whole} looks at {length} bytes", bomb.name);
        if whole / length > worst.0 {
            worst = (whole / length, bomb.name, whole / half);
        }
    }
    println!("most work: {:.1} looks a byte ({}), ×{:.2} for twice the text", worst.0, worst.1, worst.2);
}

/// The parser's own time, too, which nothing counts.
#[test]
fn time_grows_with_the_text_and_no_faster() {
    let texts: Vec<_> = BOMBS.iter().map(|bomb| move |bytes: usize| bomb.text_of_size(bytes)).collect();
    let patterns = BOMBS.iter().zip(&texts).map(|(bomb, of)| Pattern { name: bomb.name, of });
    grows_with_the_text(patterns, MAX_BYTES, |text| drop(parse(text, &nobody)));
}

/// Titles, previews and displayed texts are made of every message, while the hub is held.
#[test]
fn title_and_display_time_is_linear() {
    const UNITS: [&str; 6] = ["[", "[[", "a[", "[a", "[[reply_to: ", "[x]("];
    let repeated = UNITS.map(|unit| move |bytes: usize| unit.repeat(bytes / unit.len()));
    let texts: Vec<_> = BOMBS.iter().map(|bomb| move |bytes: usize| bomb.text_of_size(bytes)).collect();
    let patterns = BOMBS.iter().zip(&texts).map(|(bomb, of)| Pattern { name: bomb.name, of });
    let units = UNITS.iter().zip(&repeated).map(|(name, of)| Pattern { name, of });
    grows_with_the_text(patterns.chain(units), MAX_BYTES, |text| {
        drop(strip_tokens(text));
        drop(clean(text));
        drop(preview(text, 400));
        drop(title::clean(text));
        drop(title::heading(text));
        let goal = serde_json::json!({"type": "a2a.send", "ts": 1, "data": {"message": format!("[Goal] x{text}")}});
        let event = coordination::event::event_from_value(&goal, &"f-0".into()).expect("an event");
        drop(title::of_event(&event, coordination::role::Role::ConversationMain, None));
    });
}
