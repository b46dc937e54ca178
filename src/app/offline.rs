//! Registration of the service worker (`public/sw.js`), which opens the page when its server cannot be reached. The
//! registration runs a few seconds after the page is loaded, if the browser allows service workers.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::lazy_chunks::lazy_chunk;

/// The page uses the network alone for this long.
const INSTALL_DELAY_MS: u32 = 8_000;
const WORKER: &str = "sw.js";

lazy_chunk!(
    tools,
    load_install,
    fn install() -> () {
        // Without a worker the page is as good as it was.
        spawn_local(async { install_worker().await.unwrap_or_default() });
    }
);

/// Registers the worker once the page is loaded.
pub(super) fn install_later() {
    spawn_local(async {
        TimeoutFuture::new(INSTALL_DELAY_MS).await;
        install().await.unwrap_or_default();
    });
}

/// Only where the browser has workers: with TLS, or on the machine itself.
async fn install_worker() -> Result<(), JsValue> {
    let navigator = window().navigator();
    if !window().is_secure_context() || !js_sys::Reflect::has(&navigator, &"serviceWorker".into())? {
        return Ok(());
    }
    let base = document().base_uri()?.unwrap_or_default();
    let workers = navigator.service_worker();
    JsFuture::from(workers.register(&format!("{base}{WORKER}"))).await?;
    let registration = JsFuture::from(workers.ready()?).await?;
    let registration: web_sys::ServiceWorkerRegistration = registration.dyn_into()?;
    let Some(worker) = registration.active() else { return Ok(()) };
    let files: js_sys::Array = resources()?.iter().collect();
    let message = js_sys::Object::new();
    js_sys::Reflect::set(&message, &"files".into(), &files)?;
    worker.post_message(&message)
}

/// The files this page was made of, as the browser lists them.
fn resources() -> Result<Vec<JsValue>, JsValue> {
    let Some(clock) = window().performance() else { return Ok(Vec::new()) };
    let list: js_sys::Function = js_sys::Reflect::get(&clock, &"getEntriesByType".into())?.dyn_into()?;
    let entries: js_sys::Array = list.call1(&clock, &"resource".into())?.dyn_into()?;
    entries.iter().map(|entry| js_sys::Reflect::get(&entry, &"name".into())).collect()
}
