//! Entry point of the dashboard. It mounts the app into the document.

mod app;
mod components;
mod i18n;
mod lazy_chunks;
mod live;
mod pages;
mod queries;
mod routes;
mod source;
mod state;
mod ui;

use futures::FutureExt;

fn main() {
    console_error_panic_hook::set_once();
    if source::serve_if_worker() {
        return;
    }
    let mut words = Box::pin(state::preferred_locale().load());
    // The words of the default language are there at once.
    if words.as_mut().now_or_never().is_some() {
        return leptos::mount::mount_to_body(app::App);
    }
    wasm_bindgen_futures::spawn_local(async move {
        // A language whose words cannot be had is shown as the default one.
        words.await;
        leptos::mount::mount_to_body(app::App);
    });
}
