//! Periodic refetch for data without a live change: files that only the monitor's next scan finds changed, and answers
//! that are too expensive to refetch with every change.

use gloo_timers::callback::{Interval, Timeout};
use leptos::prelude::*;

use super::Fetch;
use crate::state::use_hub;

/// From one question to the next.
const PACE_MS: u32 = 15_000;
/// Changes gather for so long before they are asked for.
const GATHER_MS: u32 = 2_000;

/// Asks again while the page is in sight and no answer is on its way.
pub fn ask_while_seen<T: Send + Sync + 'static>(fetch: Fetch<T>) {
    let clock = StoredValue::new_local(Some(Interval::new(PACE_MS, move || ask(fetch))));
    on_cleanup(move || drop(clock.try_update_value(Option::take)));
}

/// Asks again a moment after something changed, once for all that changed meanwhile.
pub fn ask_after_changes<T: Send + Sync + 'static>(fetch: Fetch<T>) {
    let hub = use_hub();
    let soon = StoredValue::new(false);
    Effect::new(move |first: Option<()>| {
        hub.change.track();
        if first.is_none() || soon.get_value() {
            return;
        }
        soon.set_value(true);
        let then = move || {
            // The page may be gone.
            if soon.try_set_value(false).is_none() {
                ask(fetch);
            }
        };
        Timeout::new(GATHER_MS, then).forget();
    });
}

fn ask<T: Send + Sync + 'static>(fetch: Fetch<T>) {
    let seen = document().visibility_state() == web_sys::VisibilityState::Visible;
    if seen && fetch.busy.try_get_untracked() == Some(false) {
        fetch.again();
    }
}
