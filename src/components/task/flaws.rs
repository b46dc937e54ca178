//! Warning about unreadable parts of a task file. Without it, an unreadable value would look like a missing one.

use coordination::api::TaskFlaw;
use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::ui::Icon;

/// The note.
#[component]
pub fn Flaws(flaws: Vec<TaskFlaw>) -> impl IntoView {
    let words = use_i18n();
    let items = flaws
        .into_iter()
        .map(|flaw| {
            view! { <li>{move || (words.get().tasks().flaw)(flaw.kind, &flaw.text, flaw.count)}</li> }
        })
        .collect_view();
    view! {
        <div class="differs" role="note">
            {Icon::Warn}
            <div>
                <b>{move || words.get().tasks().flaws_title}</b>
                <ul>{items}</ul>
            </div>
        </div>
    }
}
