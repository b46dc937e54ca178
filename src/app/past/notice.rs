//! Notice that the page shows the present, because its address has no time in place of a moment, or one still to come.

use coordination::text::hidden;
use leptos::prelude::*;

use super::moment_home::{UnshownMoment, use_unshown_moment};
use crate::i18n::{time, use_i18n};
use crate::queries::use_go;
use crate::ui::band::Band;
use crate::ui::{Icon, Tone};

/// Characters of the address that are repeated.
const MAX_SHOWN_CHARS: usize = 40;

#[component]
pub(super) fn MomentNotice() -> impl IntoView {
    let (words, go) = (use_i18n(), use_go());
    let unshown = use_unshown_moment();
    let text = Signal::derive(move || {
        let past = words.get().past();
        unshown.with(|unshown| match unshown {
            Some(UnshownMoment::NoTime(text)) => {
                let shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
                (past.no_time)(&hidden::marked(&shown))
            }
            Some(UnshownMoment::Future(at)) => (past.future)(&time::exact(words.locale(), *at)),
            None => String::new(),
        })
    });
    let dismiss = StoredValue::new(move || go.to_moment(None));
    view! {
        <Show when=move || unshown.with(Option::is_some)>
            <Band tone=Tone::Warning icon=Icon::Clock text=text>
                <button type="button" class="button is-small" on:click=move |_| dismiss.with_value(|dismiss| dismiss())>
                    {move || words.get().common.close}
                </button>
            </Band>
        </Show>
    }
}
