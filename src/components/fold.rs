//! The button that unfolds a long text, or folds it again.

use leptos::prelude::*;

use crate::i18n::use_words;

/// The button below the text whose state `folded` is.
#[component]
pub fn FoldButton(folded: RwSignal<bool>) -> impl IntoView {
    let words = use_words();
    view! {
        <button
            type="button"
            class="link bubble__fold"
            aria-expanded=move || (!folded.get()).to_string()
            on:click=move |_| folded.update(|folded| *folded = !*folded)
        >
            {move || {
                let words = words.get().thread();
                if folded.get() { words.show_more } else { words.show_less }
            }}
        </button>
    }
}
