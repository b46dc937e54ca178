//! Download of a text as a file.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlElement, Url};

/// Saves `text` as `file`. Nothing when the browser would not.
pub fn text(text: &str, file: &str, kind: &str) -> Option<()> {
    let parts = js_sys::Array::of1(&text.into());
    let blob = Blob::new_with_str_sequence(&parts).ok()?;
    let blob = blob.slice_with_i32_and_i32_and_content_type(0, blob.size() as i32, kind).ok()?;
    let url = Url::create_object_url_with_blob(&blob).ok()?;
    let link: HtmlElement = document().create_element("a").ok()?.dyn_into().ok()?;
    link.set_attribute("href", &url).ok()?;
    link.set_attribute("download", file).ok()?;
    link.click();
    // The browser has taken hold of the blob by then.
    gloo_timers::callback::Timeout::new(10_000, move || Url::revoke_object_url(&url).unwrap_or_default()).forget();
    Some(())
}
