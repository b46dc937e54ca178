//! Button that loads the next page of the session list.

use coordination::api::{SessionCard, SessionsPage as Answer};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{List, to_query};
use crate::i18n::use_i18n;
use crate::queries::Fetch;
use crate::state::{use_clock, use_hub, use_reading};
use crate::ui::toast::use_toasts;

/// Button that loads the next page; nothing on the last page.
#[component]
pub(super) fn LoadMore(list: List, answer: Fetch<Answer>) -> impl IntoView {
    let words = use_i18n();
    let (hub, clock, reading, toasts) = (use_hub(), use_clock(), use_reading(), use_toasts());
    let rest = move || {
        let total = answer.data.with(|data| data.as_ref().map_or(0, |data| data.total as usize));
        total.saturating_sub(list.shown.with(Vec::len).max(list.requested.get())).clamp(1, 50)
    };
    let load = move |_| {
        let (Some(source), Some(after)) = (hub.source.get_untracked(), list.next.get_untracked()) else { return };
        let subject = list.subject.get_untracked();
        let moment = hub.moment.get_untracked();
        let query = to_query(&subject, clock.now(), untrack(|| reading.floor()), 50, Some(after));
        list.more_busy.set(true);
        spawn_local(async move {
            let page = source.sessions(&query).await;
            // The user may have gone elsewhere meanwhile.
            if list.more_busy.try_set(false).is_some()
                || list.subject.get_untracked() != subject
                || hub.moment.get_untracked() != moment
            {
                return;
            }
            match page {
                Ok(page) => {
                    list.requested.update(|requested| *requested += page.sessions.len());
                    let fitting = untrack(|| list.fitting(reading, &page.sessions));
                    list.shown.update(|shown| {
                        // A card may have moved onto this page while the one before it was read.
                        let fresh: Vec<SessionCard> = (fitting.into_iter())
                            .filter(|card| !shown.iter().any(|known| known.work_session_id == card.work_session_id))
                            .collect();
                        shown.extend(fresh);
                    });
                    list.next.set(page.next);
                }
                Err(error) => toasts.failed(error.sentence(words.now())),
            }
        });
    };
    move || {
        (list.next.with(Option::is_some) && !list.is_behind()).then(|| {
            view! {
                <div class="load-more">
                    <button type="button" class="button" disabled=move || list.more_busy.get() on:click=load>
                        {move || (words.get().sessions().load_more)(rest() as u32)}
                    </button>
                </div>
            }
        })
    }
}
