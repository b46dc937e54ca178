//! Date field, based on the browser's own `<input>`.

use leptos::ev;
use leptos::prelude::*;

/// The field with its label before it; a blank value means none.
#[component]
pub fn DayField(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] value: Signal<String>,
    on_pick: Callback<String>,
) -> impl IntoView {
    let pick = move |event: ev::Event| on_pick.run(event_target_value(&event));
    view! {
        <label class="day-field" class:is-on=move || !value.with(String::is_empty)>
            <span>{move || label.get()}</span>
            <input type="date" prop:value=move || value.get() on:change=pick />
        </label>
    }
}
