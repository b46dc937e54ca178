//! Sentence in place of what the person at the page may not do.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::state::{use_hub, use_rights};

/// Why nothing can be changed here.
#[component]
pub fn RefusalNote() -> impl IntoView {
    let words = use_i18n();
    let code = use_rights().refusal();
    let moment = use_hub().moment;
    let text = move || match moment.with(Option::is_some) {
        true => words.get().past().read_only,
        false => (words.get().common.error)(code.get()),
    };
    view! { <p class="is-dim">{text}</p> }
}
