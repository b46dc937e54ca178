//! The home page.

use leptos::prelude::*;

use crate::hooks::use_page_title;
use crate::i18n::use_words;

/// The home page.
#[component]
pub fn HomePage() -> impl IntoView {
    let words = use_words();
    use_page_title(move || words.get().home.title.to_owned());
    view! {
        <main id="main" class="page" tabindex="-1">
            <h1>{move || words.get().home.title}</h1>
        </main>
    }
}
