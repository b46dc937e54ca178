//! The search field of the masthead: Enter looks everywhere, a button narrows the list of sessions on screen. It opens
//! over the bar on a phone.

use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::tools::{Tools, command_cap};
use crate::hooks::{use_go, use_pairs};
use crate::i18n::use_words;
use crate::routes::{SearchFilter, SessionsFilter, paths, session_list};
use crate::ui::Icon;

/// The field's id, for the `/` key.
pub(super) const FIELD: &str = "search";

/// The field. `seeking` is true while it lies over the bar on a narrow screen.
#[component]
pub(super) fn Search(seeking: RwSignal<bool>, tools: Tools) -> impl IntoView {
    let words = use_words();
    let go = use_go();
    let pairs = use_pairs();
    let field = NodeRef::<html::Input>::new();
    let path = use_location().pathname;
    // Only lists of sessions are narrowed by this field.
    let list = Memo::new(move |_| path.with(|path| session_list(path)));
    let filter = Memo::new(move |_| match list.get() {
        Some(_) => pairs.with(|pairs| SessionsFilter::from_pairs(pairs)),
        None => SessionsFilter::default(),
    });
    let asked = Memo::new(move |_| filter.get().q.unwrap_or_default());
    let typed = move || field.get_untracked().map(|input| input.value().trim().to_owned()).unwrap_or_default();
    let leave = move || {
        seeking.set(false);
        if let Some(input) = field.get_untracked() {
            input.blur().unwrap_or_default();
        }
    };
    // Submitting is the browser's own act: it waits for the end of a Hangul composition and happens once.
    let within = go.clone();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        go.to(&paths::search(&SearchFilter::of(&typed())));
        leave();
    };
    let narrow = move |_| {
        let q = Some(typed()).filter(|q| !q.is_empty());
        let category = list.get_untracked().flatten();
        within.to(&paths::sessions(category, &SessionsFilter { q, ..filter.get_untracked() }));
        leave();
    };
    let escape = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && !event.is_composing() {
            leave();
        }
    };
    Effect::new(move |_| {
        if let (true, Some(input)) = (seeking.get(), field.get()) {
            input.focus().unwrap_or_default();
        }
    });
    view! {
        <button
            type="button"
            class="icon-button seek__open"
            aria-label=move || words.get().shell.search
            on:click=move |_| seeking.set(true)
        >
            {Icon::Search}
        </button>
        <form class="seek" role="search" on:submit=submit>
            {Icon::Search}
            <input
                id=FIELD
                node_ref=field
                type="search"
                name="q"
                autocomplete="off"
                aria-label=move || words.get().shell.search
                placeholder=move || words.get().shell.search_placeholder
                prop:value=move || asked.get()
                on:keydown=escape
                on:blur=move |_| seeking.set(false)
            />
            {move || {
                let narrow = narrow.clone();
                list.get().map(|_| {
                    view! {
                        <button
                            type="button"
                            class="seek__within"
                            on:mousedown=move |event| event.prevent_default()
                            on:click=narrow
                        >
                            {move || words.get().shell.search_within}
                        </button>
                    }
                })
            }}
            <button
                type="button"
                class="seek__palette"
                // What is written on it is part of its name: voice control calls it by what it reads.
                aria-label=move || format!("{} {} K", words.get().shell.palette, command_cap())
                title=move || words.get().shell.palette
                aria-haspopup="dialog"
                // The field keeps what it has until the palette is there.
                on:mousedown=move |event| event.prevent_default()
                on:click=move |_| tools.palette.set(true)
            >
                <kbd>{command_cap()} " K"</kbd>
            </button>
        </form>
    }
}
