//! Segmented control: a row of buttons, one of which is pressed.

use leptos::prelude::*;

use super::painted::after_paint;

/// One choice.
#[derive(Clone)]
pub struct Segment<T> {
    /// Its value.
    pub value: T,
    /// What is drawn: icon, word, count.
    pub view: ViewFn,
}

/// The row. `label` names it for screen readers. A pressed button shows it before anything else happens: what is picked
/// (another language, a longer list) may take many frames to draw.
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
    // The pressed value, until `value` contains it.
    let picked = RwSignal::new(None::<T>);
    Effect::new(move |_| {
        value.track();
        picked.set(None);
    });
    let shown = Memo::new(move |_| picked.get().unwrap_or_else(|| value.get()));
    let buttons = choices
        .into_iter()
        .map(|choice| {
            let this = choice.value.clone();
            let pressed = move || shown.with(|now| *now == this);
            let own = choice.value;
            let pick = move |_| {
                let own = own.clone();
                picked.set(Some(own.clone()));
                after_paint(move || {
                    on_pick.try_run(own);
                });
            };
            view! {
                <button
                    type="button"
                    class="segments__button"
                    aria-pressed=move || pressed().to_string()
                    on:click=pick
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
