//! Filter control for several values: one removable chip per chosen value, and a menu that adds another.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::routes::MAX_VALUES;
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::pick::Pick;

/// The chips and the menu.
#[component]
pub fn Several(
    /// What the menu is called.
    #[prop(into)]
    label: Signal<String>,
    /// What may be chosen; what is chosen already is not offered again.
    #[prop(into)]
    choices: Signal<Vec<MenuChoice>>,
    #[prop(into)] chosen: Signal<Vec<String>>,
    /// A chosen value in words. Reactive.
    name: Callback<String, String>,
    on_change: Callback<Vec<String>>,
) -> impl IntoView {
    let words = use_i18n();
    let offered = Signal::derive(move || {
        let chosen = chosen.get();
        // An address would forget further ones.
        if chosen.len() >= MAX_VALUES {
            return Vec::new();
        }
        choices.get().into_iter().filter(|choice| !chosen.contains(&choice.value)).collect::<Vec<_>>()
    });
    let chip = move |value: String| {
        let text = name.run(value.clone());
        let label = (words.get().common.remove_filter)(&text);
        let drop = Callback::new(move |()| {
            let mut rest = chosen.get_untracked();
            rest.retain(|other| *other != value);
            on_change.run(rest);
        });
        view! { <Pick text=text label=label on_press=drop /> }
    };
    view! {
        {move || chosen.get().into_iter().map(chip).collect_view()}
        <Menu
            label=label
            choices=offered
            value=Signal::stored(String::new())
            on_pick=Callback::new(move |value: String| {
                let now = chosen.get_untracked();
                if !value.is_empty() && !now.contains(&value) {
                    on_change.run(now.into_iter().chain([value]).collect());
                }
            })
        />
    }
}
