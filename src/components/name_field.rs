//! Input field for the person's name that is recorded with a change. The browser remembers it.

use leptos::prelude::*;

use crate::state::use_preferences;

/// A person's name, which the browser remembers for the next time.
#[component]
pub fn NameField(
    #[prop(into)] label: Signal<String>,
    /// Where the name will be shown.
    #[prop(into)]
    hint: Signal<String>,
) -> impl IntoView {
    let name = use_preferences().name;
    view! {
        <label class="field">
            {label}
            <input
                type="text"
                maxlength="100"
                autocomplete="name"
                placeholder=hint
                prop:value=move || name.get()
                on:input=move |event| name.set(event_target_value(&event))
            />
        </label>
    }
}
