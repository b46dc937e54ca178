//! Persistent names of focusable elements, by which focus restoration (`scroll_restoration.rs`) finds an element again
//! after a redraw. A name is a CSS selector and the element's index among its matches.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement, NodeList};

use leptos::prelude::document;

use crate::ui::selectors::{EVENT, EVENT_ROW, PAGE_SKELETON, event_row};

/// A name for an element that can have the focus: its number among those a selector finds, and the selector.
pub(super) fn name(element: &Element) -> Option<String> {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let tag = element.tag_name().to_ascii_lowercase();
    let selector = if let Some(href) = element.get_attribute("href") {
        format!("a[href=\"{}\"]", quoted(&href))
    } else if let Some(id) = element.get_attribute("id") {
        format!("[id=\"{}\"]", quoted(&id))
    } else if let Some(row) = element.closest(EVENT_ROW).ok().flatten() {
        let row = event_row(&row.get_attribute(EVENT).unwrap_or_default());
        if element.has_attribute(EVENT) { row } else { format!("{row} {tag}") }
    } else {
        format!("main {tag}")
    };
    let list = document().query_selector_all(&selector).ok()?;
    let number =
        (0..list.length()).find(|number| list.item(*number).is_some_and(|node| node.is_same_node(Some(element))))?;
    Some(format!("{number} {selector}"))
}

/// The element of a name, when it is on screen.
pub(super) fn find(name: &str) -> Option<HtmlElement> {
    let (number, selector) = name.split_once(' ')?;
    let list = document().query_selector_all(selector).ok()?;
    let element = list.item(number.parse().ok()?)?.dyn_into::<HtmlElement>().ok()?;
    element.offset_parent().is_some().then_some(element)
}

/// The first of a list that is on screen.
pub(super) fn visible(list: &NodeList) -> Option<HtmlElement> {
    let elements = (0..list.length()).filter_map(|number| list.item(number)?.dyn_into::<HtmlElement>().ok());
    elements.into_iter().find(|element| element.offset_parent().is_some())
}

/// Placeholder rows mark content that is still loading.
pub(super) fn is_loading() -> bool {
    document().query_selector(PAGE_SKELETON).ok().flatten().is_some()
}

/// Focuses the element without scrolling the page.
pub(super) fn focus(element: &HtmlElement) {
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &JsValue::from_str("preventScroll"), &JsValue::TRUE).unwrap_or_default();
    let focus = js_sys::Reflect::get(element, &JsValue::from_str("focus")).ok();
    if let Some(focus) = focus.and_then(|focus| focus.dyn_into::<js_sys::Function>().ok()) {
        focus.call1(element, &options).ok();
    }
}
