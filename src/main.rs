//! Entry point of the dashboard. It mounts the app into the document.

mod app;
mod components;
mod i18n;
mod json;
mod lazy_chunks;
mod live;
mod pages;
mod queries;
mod routes;
mod source;
mod state;
mod ui;

fn main() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(app::App);
}
