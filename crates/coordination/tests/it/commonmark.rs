//! Conformance tests of the Markdown tree with every example of the CommonMark specification. The visible result must
//! equal the reference. Exceptions are listed with a reason in `fixtures/commonmark/exceptions.tsv`.
//!
//! Proves (text): Messages are read as CommonMark reads them, except for the listed exceptions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use coordination::markdown::{Block, Inline, parse};

/// Examples of specification 0.31.2.
const EXAMPLES: usize = 652;

struct SpecExample {
    number: u32,
    section: String,
    markdown: String,
    html: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/commonmark")
}

fn examples() -> Vec<SpecExample> {
    let text = std::fs::read_to_string(folder().join("spec.json")).unwrap();
    let list: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let text = |value: &serde_json::Value, key: &str| value[key].as_str().unwrap().to_owned();
    list.iter()
        .map(|one| SpecExample {
            number: one["number"].as_u64().unwrap().try_into().unwrap(),
            section: text(one, "section"),
            markdown: text(one, "markdown"),
            html: text(one, "html"),
        })
        .collect()
}

/// Reviewed differences: the example and why.
fn exceptions() -> BTreeMap<u32, String> {
    let text = std::fs::read_to_string(folder().join("exceptions.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let pairs = lines.map(|line| line.split_once('\t').expect("number, tab, reason"));
    pairs.map(|(number, why)| (number.parse().unwrap(), why.to_owned())).collect()
}

/// What a reader sees of the tree, white space collapsed.
fn ours(markdown: &str) -> String {
    let mut out = String::new();
    for block in &parse(markdown, &|_| None).blocks {
        say_block(block, &mut out);
    }
    collapsed(&out)
}

fn say_block(block: &Block, out: &mut String) {
    out.push(' ');
    match block {
        Block::Paragraph { content } | Block::Heading { content, .. } => content.iter().for_each(|one| say(one, out)),
        Block::Code { text, .. } => out.push_str(text),
        Block::Quote { blocks } => blocks.iter().for_each(|block| say_block(block, out)),
        Block::List { items, .. } => items.iter().flat_map(|item| &item.blocks).for_each(|block| say_block(block, out)),
        Block::Table { header, rows, .. } => {
            for cell in std::iter::once(header).chain(rows).flatten() {
                out.push(' ');
                cell.iter().for_each(|one| say(one, out));
            }
        }
        Block::Rule => {}
    }
    out.push(' ');
}

fn say(inline: &Inline, out: &mut String) {
    match inline {
        Inline::Text { text } | Inline::Code { text } | Inline::Everyone { text } => out.push_str(text),
        Inline::Emphasis { content }
        | Inline::Strong { content }
        | Inline::Strike { content }
        | Inline::Spoiler { content }
        | Inline::Link { content, .. } => content.iter().for_each(|one| say(one, out)),
        Inline::Image { alt, .. } => out.push_str(alt),
        Inline::Break => out.push('\n'),
        other => out.push_str(&format!("{other:?}")),
    }
}

/// What a reader sees of the reference: tags taken off, images as their alternative text, entities read.
fn reference(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let tag = &rest[at..];
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        let name: String = tag.trim_start_matches(['<', '/']).chars().take_while(char::is_ascii_alphanumeric).collect();
        match name.as_str() {
            "img" => out.extend(tag[..end].split("alt=\"").nth(1).and_then(|alt| alt.split('"').next())),
            "a" | "em" | "strong" | "code" | "del" => {}
            _ => out.push(' '),
        }
        rest = &tag[end..];
    }
    out.push_str(rest);
    let text = out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    collapsed(&text)
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn spec_examples_match_reference() {
    let (examples, exceptions) = (examples(), exceptions());
    assert_eq!(examples.len(), EXAMPLES);
    let (mut same, mut wrong) = (0, Vec::new());
    for SpecExample { number, section, markdown, html } in &examples {
        let (ours, reference) = (ours(markdown), reference(html));
        match (ours == reference, exceptions.get(number)) {
            (true, None) => same += 1,
            (true, Some(why)) => wrong.push(format!("{number}: is no exception any more ({why})")),
            (false, None) => {
                wrong.push(format!("{number} ({section}): {markdown:?}\n  ours {ours:?}\n  ref  {reference:?}"))
            }
            (false, Some(_)) => {}
        }
    }
    println!("CommonMark 0.31.2: {same} of {EXAMPLES} the same, {} reviewed exceptions", exceptions.len());
    assert!(wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
    assert!(exceptions.values().all(|why| why.split_whitespace().count() >= 3), "each exception says why");
    assert_eq!(same + exceptions.len(), EXAMPLES);
}

/// Of an example that differs because raw HTML is text here, all else is the same: both without anything in angle
/// brackets.
#[test]
fn only_raw_html_differs_from_reference() {
    let exceptions = exceptions();
    let (mut looked, mut wrong) = (0, Vec::new());
    for SpecExample { number, markdown, html, .. } in &examples() {
        if exceptions.get(number).is_none_or(|why| !why.starts_with("raw HTML")) {
            continue;
        }
        looked += 1;
        let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let (ours, reference) = (ours(markdown), reference(html));
        // Our text contains what the reference shows, in order; it has the tags besides.
        let mut left = bare(&ours).chars().collect::<Vec<_>>().into_iter();
        if !bare(&reference).chars().all(|c| left.any(|other| other == c)) {
            wrong.push(format!("{number}: {markdown:?}\n  ours {ours:?}\n  ref  {reference:?}"));
        }
    }
    assert!(looked > 0 && wrong.is_empty(), "{looked} looked at:\n{}", wrong.join("\n"));
}
