//! Polling of data without live updates, such as files whose changes only the monitor's next scan finds. Also a delayed
//! refetch after a live update, for queries too expensive to repeat after each update. Neither runs while the page is
//! hidden.

use gloo_timers::callback::{Interval, Timeout};
use leptos::prelude::*;

use super::Fetch;
use crate::state::use_hub;

/// Interval between two requests.
const POLL_INTERVAL_MS: u32 = 15_000;
/// Changes are collected for this long before one request.
const CHANGE_DEBOUNCE_MS: u32 = 2_000;

/// Refetches while the page is visible and no request is pending.
pub fn poll_while_visible<T: Send + Sync + 'static>(fetch: Fetch<T>) {
    let clock = StoredValue::new_local(Some(Interval::new(POLL_INTERVAL_MS, move || refetch_if_idle(fetch))));
    on_cleanup(move || drop(clock.try_update_value(Option::take)));
}

/// Refetches a moment after a change, once for all changes in between.
pub fn refetch_after_changes<T: Send + Sync + 'static>(fetch: Fetch<T>) {
    let hub = use_hub();
    let soon = StoredValue::new(false);
    Effect::new(move |previous_run: Option<()>| {
        hub.change.track();
        if previous_run.is_none() || soon.get_value() {
            return;
        }
        soon.set_value(true);
        let then = move || {
            // The page may be gone.
            if soon.try_set_value(false).is_none() {
                refetch_if_idle(fetch);
            }
        };
        Timeout::new(CHANGE_DEBOUNCE_MS, then).forget();
    });
}

fn refetch_if_idle<T: Send + Sync + 'static>(fetch: Fetch<T>) {
    let seen = document().visibility_state() == web_sys::VisibilityState::Visible;
    if seen && fetch.busy.try_get_untracked() == Some(false) {
        fetch.refetch();
    }
}
