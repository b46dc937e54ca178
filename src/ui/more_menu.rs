//! Menu of a few actions behind one small button, based on the browser's `<details>`. Escape closes it, and so does
//! moving the focus out of it.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::Icon;

/// One act.
#[derive(Clone)]
pub struct MenuAction {
    /// What is read; an act without words is not offered now.
    pub text: Signal<String>,
    /// What is done.
    pub run: Callback<()>,
}

/// The button and its acts.
#[component]
pub fn MoreMenu(#[prop(into)] label: Signal<String>, acts: Vec<MenuAction>) -> impl IntoView {
    let menu = NodeRef::<html::Details>::new();
    let close = move || {
        if let Some(menu) = menu.try_get_untracked().flatten() {
            menu.remove_attribute("open").unwrap_or_default();
        }
    };
    // Removing the menu with the focus in it is a way of leaving it: nothing of it may be there any more.
    let leave = move |event: ev::FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        if menu.try_get_untracked().flatten().is_some_and(|menu| !menu.contains(to.as_ref())) {
            close();
        }
    };
    let escape = move |event: ev::KeyboardEvent| {
        let open = menu.try_get_untracked().flatten().filter(|menu| menu.has_attribute("open"));
        if let (Some(menu), "Escape") = (open, event.key().as_str()) {
            event.stop_propagation();
            close();
            let button = menu.query_selector("summary").ok().flatten().and_then(|button| button.dyn_into().ok());
            if let Some(button) = button {
                web_sys::HtmlElement::focus(&button).unwrap_or_default();
            }
        }
    };
    let acts = acts.into_iter().map(|act| {
        let offered = Memo::new(move |_| act.text.with(|text| !text.is_empty()));
        view! {
            <button
                type="button"
                class="more__act"
                hidden=move || !offered.get()
                on:click=move |_| {
                    close();
                    act.run.run(());
                }
            >
                {move || act.text.get()}
            </button>
        }
    });
    view! {
        <details class="more" node_ref=menu on:focusout=leave on:keydown=escape>
            <summary class="icon-button" aria-label=move || label.get() title=move || label.get()>
                {Icon::More}
            </summary>
            <div class="more__acts" role="group" aria-label=move || label.get()>
                {acts.collect_view()}
            </div>
        </details>
    }
}
