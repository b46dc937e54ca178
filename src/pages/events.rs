//! The events page.

use leptos::prelude::*;

use crate::hooks::use_page_title;
use crate::i18n::use_words;

/// The events page.
#[component]
pub fn EventsPage() -> impl IntoView {
    let words = use_words();
    use_page_title(move || words.get().events.title.to_owned());
    view! {
        <main id="main" class="page" tabindex="-1">
            <h1>{move || words.get().events.title}</h1>
        </main>
    }
}
