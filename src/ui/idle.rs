//! Parts of the page that are drawn while nothing else is: controls that nobody sees before pointing at their row.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use leptos::prelude::*;

/// The page is at rest when no part was added for so long.
const REST_MS: f64 = 200.0;
/// A page that is never at rest draws some of them after so long.
const LATEST_MS: f64 = 1_000.0;
/// Parts drawn at once. What the user does has its turn between.
const AT_ONCE: usize = 4;

/// Parts that are not drawn yet.
#[derive(Default)]
struct DeferredParts {
    /// In the order in which they were added.
    parts: VecDeque<RwSignal<bool>>,
    /// When the last one was added, in milliseconds.
    added_at: f64,
    /// When some were drawn last, or the first one was added.
    drawn_at: f64,
}

thread_local! {
    static WAITING: RefCell<DeferredParts> = RefCell::default();
}

/// A part that is drawn once the page is at rest. Until then there is nothing in its place, so it must take no room.
#[component]
pub fn WhenIdle(
    /// Draws it.
    #[prop(into)]
    draw: ViewFn,
) -> impl IntoView {
    let ready = RwSignal::new(false);
    let is_first = WAITING.with_borrow_mut(|waiting| {
        waiting.parts.push_back(ready);
        waiting.added_at = clock_ms();
        let is_first = waiting.parts.len() == 1;
        if is_first {
            waiting.drawn_at = waiting.added_at;
        }
        is_first
    });
    if is_first {
        look_later(REST_MS);
    }
    move || ready.get().then(|| draw.run())
}

/// Milliseconds of a clock that is never set.
fn clock_ms() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

fn look_later(after_ms: f64) {
    set_timeout(look, Duration::from_millis(after_ms as u64));
}

/// Draws some parts if it is time, and looks again while there are more.
fn look() {
    let now = clock_ms();
    let (is_at_rest, is_due) = WAITING.with_borrow(|waiting| {
        let is_at_rest = now - waiting.added_at >= REST_MS;
        (is_at_rest, is_at_rest || now - waiting.drawn_at >= LATEST_MS)
    });
    if is_due {
        draw_some(now);
    }
    if WAITING.with_borrow(|waiting| !waiting.parts.is_empty()) {
        look_later(if is_at_rest { 0.0 } else { REST_MS });
    }
}

fn draw_some(now: f64) {
    let mut left = AT_ONCE;
    WAITING.with_borrow_mut(|waiting| waiting.drawn_at = now);
    while left > 0 {
        let Some(ready) = WAITING.with_borrow_mut(|waiting| waiting.parts.pop_front()) else { return };
        let was_removed = ready.try_set(true).is_some();
        if !was_removed {
            left -= 1;
        }
    }
}
