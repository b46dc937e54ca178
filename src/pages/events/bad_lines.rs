//! Warning band about unreadable log lines, which the event list lacks. Its button opens the data panel with details
//! (`src/app/data_panel/`).

use leptos::prelude::*;

use crate::i18n::{time, use_i18n};
use crate::state::{use_connection, use_hub};
use crate::ui::band::Band;
use crate::ui::{Icon, Tone};

/// The band, when there are such lines.
#[component]
pub(super) fn BadLines() -> impl IntoView {
    let words = use_i18n();
    let hub = use_hub();
    let panel = use_connection().panel;
    let count = Memo::new(move |_| hub.home.with(|home| home.as_ref().map_or(0, |home| home.source.bad_lines)));
    let text = Signal::derive(move || (words.get().data().bad_lines_band)(&time::count(words.locale(), count.get())));
    move || {
        (count.get() > 0).then(|| {
            view! {
                <Band tone=Tone::Warning icon=Icon::Warn text=text>
                    <button type="button" class="button is-small" on:click=move |_| panel.set(true)>
                        {move || words.get().data().see}
                    </button>
                </Band>
            }
        })
    }
}
