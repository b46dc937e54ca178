//! Error state of a failed query: cause in the user's language, reference for support, and retry button.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::source::SourceError;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;

/// Why it failed, in the user's words, and another try where that may help.
#[component]
pub fn Failure(error: SourceError, on_retry: Callback<()>) -> impl IntoView {
    let words = use_i18n();
    let sentence = error.clone();
    let text = Signal::derive(move || sentence.sentence(words.get()));
    if error.is_not_offered() {
        let title = Signal::derive(move || words.get().common.not_offered.to_owned());
        return view! { <EmptyState icon=Icon::Help title=title text=text /> }.into_any();
    }
    view! {
        <EmptyState
            icon=Icon::Warn
            title=Signal::derive(move || words.get().common.load_failed.to_owned())
            text=text
            code=Signal::derive(move || error.reference(words.get()))
            failed=true
        >
            <button type="button" class="button" on:click=move |_| on_retry.run(())>
                {Icon::Retry}
                {move || words.get().common.retry}
            </button>
        </EmptyState>
    }
    .into_any()
}
