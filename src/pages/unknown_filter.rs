//! Notice about an invalid filter value in the URL. The value is ignored.

use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::queries::use_go;
use crate::ui::band::Band;
use crate::ui::{Icon, Tone};

/// Band that names the invalid values; nothing without any. `without` is the address without them.
#[component]
pub(super) fn UnknownFilter(
    #[prop(into)] unknown: Signal<Vec<(String, String)>>,
    #[prop(into)] without: Signal<String>,
) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let written = move || {
        unknown
            .with(|unknown| unknown.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(", "))
    };
    let text = Signal::derive(move || (words.get().events().unknown_filter)(&written()));
    let clear = Callback::new(move |()| go.adjust(&without.get_untracked()));
    move || {
        (!unknown.with(Vec::is_empty)).then(|| {
            view! {
                <Band tone=Tone::Info icon=Icon::Filter text=text>
                    <button type="button" class="button is-small" on:click=move |_| clear.run(())>
                        {move || words.get().events().clear}
                    </button>
                </Band>
            }
        })
    }
}
