//! SVG export of the flow diagram as a self-contained file. The computed styles are copied into each element, because a
//! saved file has no style sheet. The file is serialised from DOM elements, not assembled from strings.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;

use super::background::HEADS_HEIGHT;
use crate::ui::save;

const SVG: &str = "http://www.w3.org/2000/svg";
/// What a style sheet may say of a drawn element.
const LOOKS: [&str; 14] = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "opacity",
    "fill-opacity",
    "paint-order",
    "font-family",
    "font-size",
    "font-weight",
    "letter-spacing",
    "text-anchor",
];
/// What only the page needs.
const PAGE_ONLY: [&str; 8] =
    ["class", "id", "role", "tabindex", "aria-pressed", "aria-expanded", "aria-hidden", "aria-label"];

#[wasm_bindgen]
extern "C" {
    /// Writes a tree of elements as text.
    type XMLSerializer;
    #[wasm_bindgen(constructor, catch)]
    fn new() -> Result<XMLSerializer, wasm_bindgen::JsValue>;
    #[wasm_bindgen(method, catch, js_name = serializeToString)]
    fn serialize(this: &XMLSerializer, root: &web_sys::Node) -> Result<String, wasm_bindgen::JsValue>;
}

/// Offers the drawing inside `frame`, heads and all, as a file of this name. False when there is none.
pub fn save(frame: &Element, width: f64, height: f64, title: &str, file: &str) -> bool {
    let text = picture(frame, width, height, title);
    text.and_then(|text| save::text(&text, file, "image/svg+xml")).is_some()
}

fn picture(frame: &Element, width: f64, height: f64, title: &str) -> Option<String> {
    let document = document();
    let element = |name: &str| document.create_element_ns(Some(SVG), name).ok();
    let root = element("svg")?;
    let all = height + HEADS_HEIGHT;
    put(
        &root,
        &[("viewBox", &format!("0 0 {width} {all}")), ("width", &width.to_string()), ("height", &all.to_string())],
    );
    let name = element("title")?;
    name.set_text_content(Some(title));
    root.append_child(&name).ok()?;
    let paper = element("rect")?;
    let body = Element::from(document.body()?);
    let ground = window().get_computed_style(&body).ok()??.get_property_value("background-color").ok()?;
    put(&paper, &[("width", &width.to_string()), ("height", &all.to_string()), ("fill", &ground)]);
    root.append_child(&paper).ok()?;
    for (selector, down) in [(".flow-heads > svg", 0.0), ("svg.is-body", HEADS_HEIGHT)] {
        let part = frame.query_selector(selector).ok()??;
        let group = element("g")?;
        put(&group, &[("transform", &format!("translate(0,{down})"))]);
        for child in children(&part) {
            let copy: Element = child.clone_node_with_deep(true).ok()?.dyn_into().ok()?;
            dress(&child, &copy);
            group.append_child(&copy).ok()?;
        }
        root.append_child(&group).ok()?;
    }
    XMLSerializer::new().ok()?.serialize(&root).ok()
}

/// Writes the looks of an element and of all below it into its copy.
fn dress(seen: &Element, copy: &Element) {
    if let Ok(Some(style)) = window().get_computed_style(seen) {
        let look = |name: &str| style.get_property_value(name).unwrap_or_default();
        for name in LOOKS {
            let value = look(name);
            if !value.is_empty() {
                put(copy, &[(name, &value)]);
            }
        }
    }
    for name in PAGE_ONLY {
        copy.remove_attribute(name).unwrap_or_default();
    }
    for (seen, copy) in children(seen).into_iter().zip(children(copy)) {
        dress(&seen, &copy);
    }
}

fn put(element: &Element, pairs: &[(&str, &str)]) {
    for (name, value) in pairs {
        element.set_attribute(name, value).unwrap_or_default();
    }
}

fn children(element: &Element) -> Vec<Element> {
    let mut out = Vec::new();
    let mut next = element.first_element_child();
    while let Some(child) = next {
        next = child.next_element_sibling();
        out.push(child);
    }
    out
}
