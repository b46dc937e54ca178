//! Where the reader is in a thread, and keeping them there while it grows. Everything here belongs to the browser.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// Brings a message into the middle of the view. True if it is there.
pub(super) fn show_message(id: &str) -> bool {
    let Some(element) = document().get_element_by_id(&format!("m-{id}")) else { return false };
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Center);
    element.scroll_into_view_with_scroll_into_view_options(&options);
    true
}

/// Brings the end of the stream into view.
pub(super) fn show_end(end: &web_sys::Element) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::End);
    end.scroll_into_view_with_scroll_into_view_options(&options);
}

/// A message on screen and how far from the top it stands.
pub(super) struct Anchor {
    element: web_sys::Element,
    top: f64,
}

impl Anchor {
    /// The first item of the stream below the top of the view.
    pub(super) fn take(stream: &web_sys::Element) -> Option<Self> {
        let items = stream.query_selector_all("[data-event]").ok()?;
        (0..items.length())
            .filter_map(|index| items.item(index)?.dyn_into::<web_sys::Element>().ok())
            .map(|element| {
                let top = element.get_bounding_client_rect().top();
                Self { element, top }
            })
            .find(|anchor| anchor.top > 0.0)
    }

    /// Puts it back where it stood. Where the browser has already done so the way is zero.
    pub(super) fn restore(&self) {
        let way = self.element.get_bounding_client_rect().top() - self.top;
        if way.abs() < 1.0 {
            return;
        }
        let column = self.element.closest(".thread").ok().flatten();
        match column.filter(|column| column.scroll_height() > column.client_height() + 1) {
            Some(column) => column.set_scroll_top(column.scroll_top() + way.round() as i32),
            None => window().scroll_by_with_x_and_y(0.0, way),
        }
    }
}

/// Tells `on_change` whenever the element comes into or leaves the view. The watch ends with the owner.
pub(super) fn watch_visible(element: &web_sys::Element, on_change: impl Fn(bool) + 'static) {
    let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        let newest =
            entries.iter().last().and_then(|entry| entry.dyn_into::<web_sys::IntersectionObserverEntry>().ok());
        if let Some(entry) = newest {
            on_change(entry.is_intersecting());
        }
    });
    if let Ok(observer) = web_sys::IntersectionObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(element);
        let kept = StoredValue::new_local(Some((observer, callback)));
        on_cleanup(move || {
            if let Some(Some((observer, _))) = kept.try_update_value(Option::take) {
                observer.disconnect();
            }
        });
    }
}
