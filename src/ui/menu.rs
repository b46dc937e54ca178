//! Select menu: the browser's own `<select>` with the page's styles. Keyboard, touch and screen readers work as usual.

use leptos::prelude::*;

use super::Icon;

/// One entry: value and words.
#[derive(Clone, PartialEq)]
pub struct MenuChoice {
    /// What is reported.
    pub value: String,
    /// What is read.
    pub text: String,
}

/// A select. An empty `value` means none is chosen and `label` is shown.
#[component]
pub fn Menu(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] choices: Signal<Vec<MenuChoice>>,
    #[prop(into)] value: Signal<String>,
    on_pick: Callback<String>,
) -> impl IntoView {
    let options = move || {
        let now = value.get();
        let mut choices = choices.get();
        // A chosen value stays visible even when the list no longer offers it.
        if !now.is_empty() && !choices.iter().any(|choice| choice.value == now) {
            choices.insert(0, MenuChoice { value: now.clone(), text: now.clone() });
        }
        choices
            .into_iter()
            .map(|choice| {
                let selected = choice.value == now;
                view! { <option value=choice.value selected=selected>{choice.text}</option> }
            })
            .collect_view()
    };
    view! {
        <span class="menu" class:is-on=move || !value.with(String::is_empty)>
            <select
                class="menu__select"
                aria-label=move || label.get()
                prop:value=move || value.get()
                on:change=move |event| on_pick.run(event_target_value(&event))
            >
                <option value="">{move || label.get()}</option>
                {options}
            </select>
            {Icon::ChevronDown}
        </span>
    }
}
