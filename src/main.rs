//! Mounts the dashboard.

mod app;
mod components;
mod hooks;
mod i18n;
mod live;
mod pages;
mod parts;
mod routes;
mod source;
mod state;
mod ui;

fn main() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(app::App);
}
