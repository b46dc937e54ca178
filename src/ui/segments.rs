//! A row of buttons of which one is pressed.

use leptos::prelude::*;

/// One choice.
#[derive(Clone)]
pub struct Segment<T> {
    /// What it stands for.
    pub value: T,
    /// What is drawn: icon, word, count.
    pub view: ViewFn,
}

/// The row. `label` names it for screen readers.
#[component]
pub fn Segments<T>(
    #[prop(into)] label: Signal<String>,
    choices: Vec<Segment<T>>,
    #[prop(into)] value: Signal<T>,
    on_pick: Callback<T>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let buttons = choices
        .into_iter()
        .map(|choice| {
            let this = choice.value.clone();
            let pressed = move || value.with(|now| *now == this);
            let picked = choice.value;
            view! {
                <button
                    type="button"
                    class="segments__button"
                    aria-pressed=move || pressed().to_string()
                    on:click=move |_| on_pick.run(picked.clone())
                >
                    {choice.view.run()}
                </button>
            }
        })
        .collect_view();
    view! {
        <span class="segments" role="group" aria-label=move || label.get()>
            {buttons}
        </span>
    }
}
