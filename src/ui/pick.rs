//! Removable filter chip: a small button that removes one filter.

use leptos::prelude::*;

use super::Icon;

/// `label` is the action of a press; `not` marks what is left out.
#[component]
pub fn Pick(text: String, label: String, on_press: Callback<()>, #[prop(optional)] not: bool) -> impl IntoView {
    view! {
        <button type="button" class="pick" class:is-not=not aria-label=label on:click=move |_| on_press.run(())>
            <span class="pick__text">{text}</span>
            {Icon::Close}
        </button>
    }
}
