//! Links of the page while a past moment is looked at: each gets the moment just before the browser or the router uses
//! it, also for a new tab or to be copied.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use crate::routes::{at_moment, base};
use crate::state::HubState;

/// Events after which a link may be used.
const EVENTS: [&str; 5] = ["click", "auxclick", "contextmenu", "dragstart", "focusin"];

/// Attributes of links that stay as they are: those out of the page, and those to another moment.
const FIXED: [&str; 3] = ["download", "target", "data-moment"];

/// Keeps the moment in links from now on.
pub(super) fn keep_moment(hub: HubState) {
    let keep = Closure::<dyn Fn(ev::Event)>::new(move |event: ev::Event| {
        let element = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let link = element.and_then(|element| element.closest("a[href]").ok().flatten());
        let Some(link) = link.filter(|link| !FIXED.iter().any(|name| link.has_attribute(name))) else {
            return;
        };
        let href = link.get_attribute("href").unwrap_or_default();
        if is_page(&href) {
            let there = at_moment(&href, hub.moment.get_untracked());
            if there != href {
                link.set_attribute("href", &there).unwrap_or_default();
            }
        }
    });
    let listener: &js_sys::Function = keep.as_ref().unchecked_ref();
    for name in EVENTS {
        // Before the router's listener.
        document().add_event_listener_with_callback_and_bool(name, listener, true).unwrap_or_default();
    }
    keep.forget();
}

/// Whether an address is one of our pages: all of their links begin with the base path.
fn is_page(href: &str) -> bool {
    let below = href.strip_prefix(base());
    below.is_some_and(|below| below.starts_with('/') && !below.starts_with("//") && !below.starts_with("/api/"))
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn only_links_to_pages_get_a_moment() {
        assert!(is_page("/") && is_page("/s/ws_1?at=f-1"));
        assert!(!is_page("#main") && !is_page("https://hub.example/") && !is_page("//hub.example/"));
        assert!(!is_page("mailto:a@b") && !is_page("/api/v2/home"));
    }
}
