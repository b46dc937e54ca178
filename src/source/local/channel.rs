//! ReaderChannel between the page and the reader of files: to a worker, from a worker to its page, or within the page.

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// One end: a `Worker`, a worker's own scope or a `MessagePort`, which send and take messages alike.
    #[derive(Clone)]
    pub(super) type ReaderChannel;

    /// Sends a message to the other end.
    #[wasm_bindgen(method, catch, js_name = postMessage)]
    pub(super) fn post_message(this: &ReaderChannel, message: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(method, setter)]
    pub(super) fn set_onmessage(this: &ReaderChannel, handler: &Function);
}
