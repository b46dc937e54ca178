//! Scroll container of a thread, and positions of the messages in it. Browser code only.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;

use super::ONE_COLUMN;
use crate::components::thread::window::Reach;
use crate::ui::selectors::{THREAD, THREAD_BARS, THREAD_TAIL};

/// The message or mark of this id, when it is drawn.
pub(super) fn message(id: &str) -> Option<Element> {
    document().get_element_by_id(&format!("m-{id}"))
}

/// Focuses an element without scrolling the text.
pub(super) fn focus(element: &Element) {
    let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() else { return };
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    element.focus_with_options(&options).unwrap_or_default();
}

/// Scrolls an element to where `block` and its margin say. Always true.
pub(super) fn show(element: &Element, block: web_sys::ScrollLogicalPosition) -> bool {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(block);
    element.scroll_into_view_with_scroll_into_view_options(&options);
    true
}

/// Elements below `root` that a selector finds, in order.
pub(super) fn below(root: &Element, selector: &str) -> Vec<Element> {
    let Ok(found) = root.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|number| found.item(number)?.dyn_into().ok()).collect()
}

/// The element an event is of.
pub(super) fn target(event: &web_sys::Event) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()
}

/// What scrolls the stream: its column, or the page on a phone.
pub(super) struct Scroller {
    element: Element,
    /// What is read lies between these, in pixels from the top of the window.
    top: f64,
    bottom: f64,
}

impl Scroller {
    /// The scroller of the stream in its current layout.
    pub(super) fn from_stream(stream: &Element) -> Option<Self> {
        let narrow = window().match_media(ONE_COLUMN).ok().flatten().is_some_and(|query| query.matches());
        let column = stream.closest(THREAD).ok().flatten()?;
        let rect = |selector: &str| {
            let element = document().query_selector(selector).ok().flatten()?;
            Some(element.get_bounding_client_rect()).filter(|rect| rect.height() > 0.0)
        };
        // Bars stand before the text at both ends.
        let bar = THREAD_BARS.iter().find_map(|bar| Some(rect(bar)?.bottom()));
        let tail = rect(THREAD_TAIL).map(|tail| tail.top());
        let element = if narrow { document().document_element()? } else { column };
        let (top, bottom) = if narrow {
            (0.0, window().inner_height().ok()?.as_f64()?)
        } else {
            let rect = element.get_bounding_client_rect();
            (rect.top(), rect.bottom())
        };
        Some(Self { element, top: bar.unwrap_or(top).max(top), bottom: tail.unwrap_or(bottom).min(bottom) })
    }

    /// What scrolls.
    pub(super) fn element(&self) -> &Element {
        &self.element
    }

    /// How far it is scrolled, as exactly as the browser knows.
    pub(super) fn position(&self) -> f64 {
        let exact = js_sys::Reflect::get(&self.element, &JsValue::from_str("scrollTop")).ok();
        exact.and_then(|exact| exact.as_f64()).unwrap_or_default()
    }

    /// Scrolls there at once. Always true.
    pub(super) fn set_position(&self, position: f64) -> bool {
        js_sys::Reflect::set(&self.element, &JsValue::from_str("scrollTop"), &JsValue::from_f64(position))
            .unwrap_or_default();
        true
    }

    fn most(&self) -> f64 {
        f64::from((self.element.scroll_height() - self.element.client_height()).max(0))
    }

    /// How much lies below the view.
    pub(super) fn left(&self) -> f64 {
        self.most() - self.position()
    }

    /// To the very end. Always true.
    pub(super) fn to_end(&self) -> bool {
        self.set_position(self.most())
    }

    /// Where the user is between the ends of what is drawn.
    pub(super) fn reach(&self) -> Reach {
        Reach { above: self.position(), below: self.left(), view: self.bottom - self.top }
    }

    /// Where an element begins below the top of what is read.
    pub(super) fn offset(&self, element: &Element) -> f64 {
        element.get_bounding_client_rect().top() - self.top
    }

    /// True when so much of an element, or all of it, is above the lower edge of the readable area.
    pub(super) fn has_reached(&self, element: &Element, pixels: f64) -> bool {
        let rect = element.get_bounding_client_rect();
        rect.height() > 0.0 && rect.top() + rect.height().min(pixels) <= self.bottom
    }

    /// True when an element ends below the upper edge of what is read.
    pub(super) fn is_not_above(&self, element: &Element) -> bool {
        element.get_bounding_client_rect().bottom() > self.top
    }
}
