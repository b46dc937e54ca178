//! Clipboard access. Browsers deny it to pages on plain HTTP from another machine, so a denial is an ordinary result.

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// Copies `text`; `then` is called with the result.
pub fn copy(text: &str, then: impl FnOnce(bool) + 'static) {
    let navigator = window().navigator();
    let withheld = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard"))
        .is_ok_and(|clipboard| clipboard.is_undefined());
    if withheld {
        then(false);
        return;
    }
    let written = navigator.clipboard().write_text(text);
    leptos::task::spawn_local(async move { then(JsFuture::from(written).await.is_ok()) });
}
