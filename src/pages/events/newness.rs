//! Button that announces new events while the user is further down in the list. It shows their number. The browser's
//! scroll anchoring keeps the visible rows in place.

use coordination::ids::EventId;
use leptos::prelude::*;

use super::EventsState;
use crate::i18n::use_i18n;
use crate::routes::EventsFilter;
use crate::ui::Icon;

/// Above this the newest row is in view.
const AT_TOP_PX: f64 = 160.0;

fn at_top() -> bool {
    window().scroll_y().unwrap_or_default() < AT_TOP_PX
}

/// The pill; nothing while there is nothing new.
#[component]
pub(super) fn NewEvents(state: EventsState) -> impl IntoView {
    let words = use_i18n();
    // The newest row the user has seen, of the filter it answers.
    let seen = RwSignal::new(None::<(Option<EventsFilter>, EventId)>);
    let see = move || {
        let newest = state.rows.with_untracked(|(of, rows)| Some((of.clone(), rows.events.first()?.id.clone())));
        if seen.with_untracked(|seen| *seen != newest) {
            seen.set(newest);
        }
    };
    Effect::new(move |_| {
        let same_list =
            state.rows.with(|(of, _)| seen.with_untracked(|seen| seen.as_ref().map(|(f, _)| f) == Some(of)));
        if !same_list || at_top() {
            see();
        }
    });
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| {
        if at_top() {
            see();
        }
    });
    on_cleanup(move || scrolled.remove());
    let unseen = Memo::new(move |_| {
        let Some((_, newest)) = seen.get() else { return 0 };
        state.rows.with(|(_, rows)| rows.events.iter().position(|row| row.id == newest).unwrap_or(rows.events.len()))
    });
    let to_top = move |_| {
        window().scroll_to_with_x_and_y(0.0, 0.0);
        see();
    };
    move || {
        let count = unseen.get();
        (count > 0).then(|| {
            view! {
                <div class="events-new" role="status">
                    <button type="button" class="pill" on:click=to_top>
                        {Icon::ArrowUp}
                        {move || (words.get().events().new_events)(count)}
                    </button>
                </div>
            }
        })
    }
}
