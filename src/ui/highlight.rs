//! Text highlights by the browser's CSS Custom Highlight API, which leaves the document unchanged.

use std::ops::Range;

use coordination::search::WordFilter;
use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};

/// Every range in the texts below `root` within `selector` where one of `words` occurs as a word, letter case aside:
/// where a word begins, and where a Latin one also ends: `test` is not in `latest`, `배포` is in `배포를`.
pub fn words(root: &web_sys::Element, selector: &str, words: &[&str]) -> Vec<web_sys::Range> {
    let wanted: Vec<Vec<u16>> = words.iter().filter(|word| !word.is_empty()).map(|word| lower(word)).collect();
    let mut ranges = Vec::new();
    for element in below(root, selector) {
        for (node, text) in read(&element).nodes() {
            for (from, to) in whole_words(text, &wanted) {
                ranges.extend(range((node, from), (node, to)));
            }
        }
    }
    ranges
}

/// Every place in the texts below `root` within `selector` that a search for `words` finds. What belongs together may be
/// drawn in several pieces.
pub fn found(root: &web_sys::Element, selector: &str, words: &WordFilter) -> Vec<web_sys::Range> {
    below(root, selector).iter().flat_map(|element| read(element).found(words)).collect()
}

/// All that is read within an element.
pub fn whole(element: &web_sys::Element) -> Option<web_sys::Range> {
    let drawn = read(element);
    drawn.range(&(0..drawn.layout.text.len()))
}

fn below(root: &web_sys::Element, selector: &str) -> Vec<web_sys::Element> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|index| list.item(index)?.dyn_into().ok()).collect()
}

fn range((from, start): (&web_sys::Node, u32), (to, end): (&web_sys::Node, u32)) -> Option<web_sys::Range> {
    let range = document().create_range().ok()?;
    range.set_start(from, start).and_then(|()| range.set_end(to, end)).ok()?;
    Some(range)
}

/// What is read in an element, and the nodes that hold it.
#[derive(Default)]
struct ElementText {
    layout: TextPieces,
    nodes: Vec<web_sys::Node>,
}

/// A text, and the byte ranges of the pieces that it is drawn in. Line breaks separate the pieces.
#[derive(Default)]
struct TextPieces {
    text: String,
    pieces: Vec<Range<usize>>,
}

/// What ends a line, and what ends a paragraph.
const LINE: &str = "\n";
const BLOCK: &str = "\n\n";

impl TextPieces {
    fn push(&mut self, piece: &str) {
        let start = self.text.len();
        self.text.push_str(piece);
        self.pieces.push(start..self.text.len());
    }

    /// Adds a break after the current text, once.
    fn part(&mut self, by: &str) {
        if !self.text.is_empty() && !self.text.ends_with(by) {
            self.text.push_str(by);
        }
    }

    /// Where a place of the text begins and ends: each in a piece, in UTF-16 units. Nothing for a place in a break.
    fn ends(&self, place: &Range<usize>) -> Option<[(usize, u32); 2]> {
        let first = self.pieces.partition_point(|piece| piece.end <= place.start);
        let last = self.pieces.partition_point(|piece| piece.start < place.end).checked_sub(1)?;
        let units = |piece: usize, at: usize| {
            let piece = self.pieces.get(piece)?;
            let before = self.text.get(piece.start..at.clamp(piece.start, piece.end))?;
            u32::try_from(before.encode_utf16().count()).ok()
        };
        let ends = [(first, units(first, place.start)?), (last, units(last, place.end)?)];
        (first <= last).then_some(ends)
    }
}

impl ElementText {
    fn range(&self, place: &Range<usize>) -> Option<web_sys::Range> {
        let [(first, from), (last, to)] = self.layout.ends(place)?;
        range((self.nodes.get(first)?, from), (self.nodes.get(last)?, to))
    }

    fn found(&self, words: &WordFilter) -> Vec<web_sys::Range> {
        words.places(&self.layout.text).iter().filter_map(|place| self.range(place)).collect()
    }

    fn nodes(&self) -> impl Iterator<Item = (&web_sys::Node, &str)> {
        let texts = self.layout.pieces.iter().map(|piece| self.layout.text.get(piece.clone()).unwrap_or_default());
        self.nodes.iter().zip(texts)
    }
}

/// Reads what an element shows.
fn read(element: &web_sys::Element) -> ElementText {
    let mut drawn = ElementText::default();
    read_node(element, &mut drawn);
    drawn
}

fn read_node(node: &web_sys::Node, drawn: &mut ElementText) {
    if node.node_type() == web_sys::Node::TEXT_NODE {
        let text = node.node_value().unwrap_or_default();
        if !text.is_empty() {
            drawn.layout.push(&text);
            drawn.nodes.push(node.clone());
        }
        return;
    }
    let Some(element) = node.dyn_ref::<web_sys::Element>() else { return };
    let is_block = match element.tag_name().as_str() {
        "BR" => return drawn.layout.part(LINE),
        // The page's own words.
        "BUTTON" => return,
        "A" | "B" | "BDI" | "CODE" | "DEL" | "EM" | "I" | "SPAN" | "STRONG" | "TIME" => false,
        _ => true,
    };
    if element.class_list().contains("visually-hidden") || element.class_list().contains("bubble__label") {
        return;
    }
    if is_block {
        drawn.layout.part(BLOCK);
    }
    let children = node.child_nodes();
    for index in 0..children.length() {
        if let Some(child) = children.item(index) {
            read_node(&child, drawn);
        }
    }
    if is_block {
        drawn.layout.part(BLOCK);
    }
}

/// Ranges of the words in a text, in UTF-16 units.
fn whole_words(text: &str, wanted: &[Vec<u16>]) -> Vec<(u32, u32)> {
    let units = lower(text);
    let mut found = Vec::new();
    for word in wanted {
        texts(&units, word, &mut found);
    }
    found.into_iter().filter_map(|(from, to)| Some((u32::try_from(from).ok()?, u32::try_from(to).ok()?))).collect()
}

fn texts(text: &[u16], word: &[u16], found: &mut Vec<(usize, usize)>) {
    let mut at = 0;
    while at + word.len() <= text.len() {
        let end = at + word.len();
        let fits = text[at..end] == *word && is_whole(text, at, end);
        if fits {
            found.push((at, end));
        }
        at = if fits { end } else { at + 1 };
    }
}

/// A word begins here, and a Latin one ends here; particles may follow a Korean one.
fn is_whole(text: &[u16], from: usize, to: usize) -> bool {
    let letter = |at: usize| text.get(at).copied().and_then(letter);
    let begins = from.checked_sub(1).and_then(letter).is_none_or(|before| {
        // `nginx를`, `v2배포`: another script begins another word.
        letter(from).is_some_and(|first| first.is_ascii() != before.is_ascii())
    });
    let latin = to.checked_sub(1).and_then(letter).is_some_and(|last| last.is_ascii());
    begins && (!latin || letter(to).is_none_or(|after| !after.is_ascii()))
}

fn letter(unit: u16) -> Option<char> {
    char::from_u32(unit.into()).filter(|c| c.is_alphanumeric())
}

/// UTF-16 units, as ranges count them. Letters whose lower case has another length stay as they are.
fn lower(text: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    for c in text.chars() {
        let mut low = c.to_lowercase();
        let c = match (low.next(), low.next()) {
            (Some(one), None) if one.len_utf16() == c.len_utf16() => one,
            _ => c,
        };
        units.extend(c.encode_utf16(&mut [0; 2]).iter());
    }
    units
}

/// Sets or removes a named highlight of the browser. In one without them nothing is marked.
pub fn set(name: &str, ranges: &[web_sys::Range]) {
    let get =
        |object: &JsValue, key: &str| Reflect::get(object, &JsValue::from_str(key)).ok().filter(|v| !v.is_undefined());
    let global: Object = js_sys::global();
    let Some(registry) = get(&global, "CSS").and_then(|css| get(&css, "highlights")) else { return };
    let Some(delete) = get(&registry, "delete").and_then(|f| f.dyn_into::<Function>().ok()) else { return };
    delete.call1(&registry, &JsValue::from_str(name)).ok();
    if ranges.is_empty() {
        return;
    }
    let Some(class) = get(&global, "Highlight").and_then(|f| f.dyn_into::<Function>().ok()) else { return };
    let list: Array = ranges.iter().collect();
    if let (Ok(value), Some(set)) =
        (Reflect::construct(&class, &list), get(&registry, "set").and_then(|f| f.dyn_into::<Function>().ok()))
    {
        set.call2(&registry, &JsValue::from_str(name), &value).ok();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn highlight_matches_whole_words() {
        let found = |text: &str, words: &[&str]| -> Vec<String> {
            let words: Vec<Vec<u16>> = words.iter().map(|word| lower(word)).collect();
            let units = lower(text);
            let place = |(from, to): (u32, u32)| String::from_utf16_lossy(&units[from as usize..to as usize]);
            whole_words(text, &words).into_iter().map(place).collect()
        };
        assert_eq!(found("the latest test, Test-case", &["test"]), ["test", "test"]);
        assert_eq!(found("배포를 재배포하고 nginx를 v2배포", &["배포", "nginx"]), ["배포", "배포", "nginx"]);
        assert!(found("tests", &["test"]).is_empty() && found("", &["a"]).is_empty());
    }

    #[test]
    fn range_ends_lie_in_drawn_pieces() {
        let mut layout = TextPieces::default();
        layout.push("🙂 내일 ");
        layout.push("배");
        layout.push("포를");
        layout.part(LINE);
        layout.part(LINE);
        layout.push("한다");
        assert_eq!(layout.text, "🙂 내일 배포를\n한다");
        let at = |words: &str| {
            let places = WordFilter::read(words).unwrap().places(&layout.text);
            places.iter().map(|place| layout.ends(place).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(at("배포"), [[(1, 0), (2, 1)]], "across two pieces");
        assert_eq!(at("내일"), [[(0, 3), (0, 5)]], "as browsers count, a picture is two");
        assert_eq!(at("\"배포를 한다\""), [[(1, 0), (3, 2)]], "across a break");
        let broken = layout.text.find('\n').unwrap();
        assert_eq!(layout.ends(&(broken..broken + 1)), None);
    }
}
