//! Band about the machine of a fleet whose mirror this page shows, while the mirror may lack something.

use leptos::prelude::*;

use crate::components::machine_state::{machine_notice, state_style};
use crate::i18n::use_i18n;
use crate::queries::{FetchOptions, use_fetch};
use crate::state::use_clock;
use crate::ui::band::Band;

/// Requested a few times a minute: the state changes without a change of the data.
#[component]
pub(super) fn MachineBand() -> impl IntoView {
    let words = use_i18n();
    let clock = use_clock();
    let health = use_fetch(
        move || clock.running_coarse().get(),
        FetchOptions::ignore_live_changes(),
        |source, _| async move { source.health().await },
    );
    let machine = Memo::new(move |_| {
        let machine = health.data.with(|health| health.as_ref().and_then(|health| health.machine.clone()));
        machine.filter(|machine| !machine.is_current())
    });
    let state = Memo::new(move |_| machine.with(|machine| machine.as_ref().map(|machine| machine.state)));
    let text = Signal::derive(move || {
        let now = clock.running_coarse().get();
        machine.get().map(|machine| machine_notice(&machine, now, words.get())).unwrap_or_default()
    });
    move || {
        let style = state_style(state.get()?);
        Some(view! { <Band tone=style.tone icon=style.icon text=text /> })
    }
}
