//! Reading on: pages come by themselves as the reader nears an end of what is held, and what was passed is noted.

use coordination::api::ThreadQuery;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::thread_state::ThreadState;
use crate::components::thread::window::{End, PAGE, wanted};
use crate::i18n::use_words;
use crate::state::{Reading, ThreadMark, use_hub, use_reading};
use crate::ui::toast::use_toasts;

/// After a page that could not be had, the next try is the reader's for so long.
const REST_MS: u32 = 5_000;

/// Loads adjoining pages.
#[derive(Clone, Copy)]
pub(super) struct Paging {
    /// Loads the page beyond an end.
    pub(super) on_load: Callback<End>,
    /// A page is on its way.
    pub(super) busy: RwSignal<bool>,
}

/// Follows the reader.
pub(super) fn use_paging(thread: ThreadState) -> Paging {
    let hub = use_hub();
    let words = use_words();
    let toasts = use_toasts();
    let busy = RwSignal::new(false);
    let reading = use_reading();
    let resting = StoredValue::new(false);
    let on_load = Callback::new(move |end: End| {
        let (source, key) = (hub.source.get_untracked(), thread.key.get_untracked());
        let mark = thread.loaded.with_untracked(|(_, loaded)| match end {
            End::Older => loaded.older.clone(),
            End::Newer => loaded.newer.clone(),
        });
        let (Some(source), Some(key), Some(mark), false) = (source, key, mark, busy.get_untracked()) else { return };
        busy.set(true);
        let page = ThreadQuery { limit: Some(PAGE), ..ThreadQuery::default() };
        let query = match end {
            End::Older => ThreadQuery { before: Some(mark.clone()), ..page },
            End::Newer => ThreadQuery { after: Some(mark.clone()), ..page },
        };
        spawn_local(async move {
            let answer = source.thread(&key.0, &key.1, &query).await;
            // The page may be gone.
            if busy.try_set(false).is_some() {
                return;
            }
            match answer {
                // What was held may have been replaced meanwhile, or another thread be open.
                Ok(page) => thread.loaded.update(|(of, loaded)| {
                    let adjoins = match end {
                        End::Older => loaded.older.as_ref() == Some(&mark),
                        End::Newer => loaded.newer.as_ref() == Some(&mark),
                    };
                    if adjoins && *of == Some(key) {
                        loaded.take(&page, end);
                    }
                }),
                Err(_) => {
                    resting.set_value(true);
                    Timeout::new(REST_MS, move || {
                        resting.try_set_value(false);
                    })
                    .forget();
                    toasts.failed(words.now().thread().older_failed);
                }
            }
        });
    });
    // Whoever comes back to the tab sees what came meanwhile.
    let shown = window_event_listener_untyped("visibilitychange", move |_| {
        thread.keeper.moved.try_update(|count| *count += 1);
    });
    on_cleanup(move || shown.remove());
    // Where the reader is, only the browser knows.
    Effect::new(move |_| {
        thread.keeper.moved.track();
        note_passed(thread, reading);
        let (Some(reach), false) = (thread.keeper.reach(), busy.get_untracked() || resting.get_value()) else { return };
        let heading = thread.keeper.heading();
        let end = thread.loaded.with_untracked(|(of, loaded)| {
            of.as_ref()?;
            wanted(reach, heading, loaded.messages.len(), |end| loaded.goes_on(end))
        });
        if let Some(end) = end {
            on_load.run(end);
        }
    });
    Paging { on_load, busy }
}

/// Notes how far the reader has come.
fn note_passed(thread: ThreadState, reading: Reading) {
    if document().visibility_state() != web_sys::VisibilityState::Visible {
        return;
    }
    let Some(last) = thread.keeper.last_read() else { return };
    let seen = thread.loaded.with_untracked(|(of, loaded)| {
        let place = loaded.place(&last)?;
        let mark = ThreadMark { count: (loaded.offset + place + 1) as u32, at: loaded.messages[place].at, last };
        Some((of.clone()?, mark))
    });
    let Some(((session, of), mark)) = seen else { return };
    if mark.count > thread.passed.get_untracked() {
        thread.passed.set(mark.count);
    }
    reading.saw(&session, &of, mark);
}
