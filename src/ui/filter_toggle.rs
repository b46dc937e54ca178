//! Button that shows the filters of a list on a phone, where they would fill the screen. Wider windows always show
//! them.

use leptos::prelude::*;

use super::Icon;

/// The button; its parent has the class `is-open` while `open`.
#[component]
pub fn FilterToggle(
    open: RwSignal<bool>,
    /// Its word, with how many filters are set.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="button filter-toggle"
            aria-expanded=move || open.get().to_string()
            on:click=move |_| open.update(|open| *open = !*open)
        >
            {Icon::Filter}
            {move || label.get()}
        </button>
    }
}
