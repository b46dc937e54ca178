//! Row of buttons of which any number is pressed, with a label.

use leptos::prelude::*;

/// The row; `on_toggle` is called with the value of a pressed button.
#[component]
pub fn Toggles<T>(
    #[prop(into)] label: Signal<String>,
    /// Values with their words.
    #[prop(into)]
    choices: Signal<Vec<(T, String)>>,
    /// The pressed ones.
    #[prop(into)]
    value: Signal<Vec<T>>,
    on_toggle: Callback<T>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let buttons = move || {
        let button = |(choice, text): (T, String)| {
            let own = choice.clone();
            let pressed = move || value.with(|value| value.contains(&own)).to_string();
            view! {
                <button
                    type="button"
                    class="toggle"
                    aria-pressed=pressed
                    on:click=move |_| on_toggle.run(choice.clone())
                >
                    {text}
                </button>
            }
        };
        choices.get().into_iter().map(button).collect_view()
    };
    view! {
        <div class="toggles" role="group" aria-label=move || label.get()>
            {buttons}
        </div>
    }
}
