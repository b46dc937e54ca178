//! Asks again by the clock what no live change tells of: files that only the monitor's next look would find changed.

use gloo_timers::callback::Interval;
use leptos::prelude::*;

use super::Fetch;

/// From one question to the next.
const PACE_MS: u32 = 15_000;

/// Asks again while the page is in sight and no answer is on its way.
pub fn ask_while_seen<T: Send + Sync + 'static>(fetch: Fetch<T>) {
    let ask = move || {
        let seen = document().visibility_state() == web_sys::VisibilityState::Visible;
        if seen && fetch.busy.try_get_untracked() == Some(false) {
            fetch.again();
        }
    };
    let clock = StoredValue::new_local(Some(Interval::new(PACE_MS, ask)));
    on_cleanup(move || drop(clock.try_update_value(Option::take)));
}
