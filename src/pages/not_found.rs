//! Page for an unknown URL, with a link to the home page.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::queries::use_page_title;
use crate::routes::paths;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;

/// Says so, and leads home.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    let words = use_i18n();
    use_page_title(move || words.get().common.not_found.to_owned());
    view! {
        <main id="main" class="page" tabindex="-1">
            <EmptyState
                icon=Icon::Help
                title=Signal::derive(move || words.get().common.not_found.to_owned())
                text=Signal::derive(move || words.get().common.not_found_hint.to_owned())
                alone=true
            >
                <a class="button is-primary" href=paths::home()>
                    {move || words.get().common.to_home}
                </a>
            </EmptyState>
        </main>
    }
}
