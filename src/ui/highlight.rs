//! Marks in texts by the browser's own highlights, so that the document stays as it is.

use coordination::hangul::Initials;
use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};

/// Every place in the texts below `root` within `selector` that reads like one of `words`, letter case aside; with
/// `whole` only where a word begins, and where a Latin one also ends: `test` is not in `latest`, `배포` is in `배포를`.
pub fn ranges(root: &web_sys::Element, selector: &str, words: &[&str], whole: bool) -> Vec<web_sys::Range> {
    let wanted: Vec<Wanted> = words.iter().filter(|word| !word.is_empty()).map(|word| Wanted::new(word)).collect();
    let mut ranges = Vec::new();
    if wanted.is_empty() {
        return ranges;
    }
    let Ok(texts) = root.query_selector_all(selector) else { return ranges };
    for index in 0..texts.length() {
        if let Some(node) = texts.item(index) {
            search(&node, &wanted, whole, &mut ranges);
        }
    }
    ranges
}

/// What is looked for.
enum Wanted {
    Text(Vec<u16>),
    /// Typed as consonants alone: what the monitor finds by them is marked, too.
    Initials(Initials),
}

impl Wanted {
    fn new(word: &str) -> Self {
        Initials::of(word).map_or_else(|| Self::Text(lower(word)), Self::Initials)
    }
}

fn search(node: &web_sys::Node, wanted: &[Wanted], whole: bool, ranges: &mut Vec<web_sys::Range>) {
    if node.node_type() == web_sys::Node::TEXT_NODE {
        for (from, to) in places(&node.node_value().unwrap_or_default(), wanted, whole) {
            if let Ok(range) = document().create_range() {
                let placed = range.set_start(node, from as u32).and_then(|()| range.set_end(node, to as u32));
                ranges.extend(placed.ok().map(|()| range));
            }
        }
        return;
    }
    let children = node.child_nodes();
    for index in 0..children.length() {
        if let Some(child) = children.item(index) {
            search(&child, wanted, whole, ranges);
        }
    }
}

/// From where to where the words stand in a text, in UTF-16 units.
fn places(text: &str, wanted: &[Wanted], whole: bool) -> Vec<(usize, usize)> {
    let units = lower(text);
    let mut found = Vec::new();
    for wanted in wanted {
        match wanted {
            Wanted::Text(word) => texts(&units, word, whole, &mut found),
            Wanted::Initials(initials) => {
                let units = |bytes: usize| text.get(..bytes).unwrap_or_default().encode_utf16().count();
                let mut from = 0;
                while let Some(place) = initials.find(text, from) {
                    from = place.end;
                    found.push((units(place.start), units(place.end)));
                }
            }
        }
    }
    found
}

fn texts(text: &[u16], word: &[u16], whole: bool, found: &mut Vec<(usize, usize)>) {
    let mut at = 0;
    while at + word.len() <= text.len() {
        let end = at + word.len();
        let fits = text[at..end] == *word && (!whole || is_whole(text, at, end));
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
    use super::*;

    fn found(text: &str, words: &[&str], whole: bool) -> Vec<String> {
        let words: Vec<Wanted> = words.iter().map(|word| Wanted::new(word)).collect();
        let units = lower(text);
        let places = places(text, &words, whole);
        places.into_iter().map(|(from, to)| String::from_utf16_lossy(&units[from..to])).collect()
    }

    #[test]
    fn a_word_is_found_as_a_word_and_a_typed_text_anywhere() {
        assert_eq!(found("the latest test, Test-case", &["test"], true), ["test", "test"]);
        assert_eq!(found("the latest test", &["test"], false).len(), 2);
        assert_eq!(found("배포를 재배포하고 nginx를 v2배포", &["배포", "nginx"], true), ["배포", "배포", "nginx"]);
        assert_eq!(found("🙂 내일 배포, 비품", &["ㅂㅍ"], false), ["배포", "비품"]);
        assert!(found("tests", &["test"], true).is_empty() && found("", &["a"], true).is_empty());
    }
}
